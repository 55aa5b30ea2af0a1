package shm

import (
	"crypto/sha256"
	"slices"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// authKey is what peers tell each other of an authorization key: a digest, so that one that does not have the key does not
// learn it; zeros for none. Who has another one is not let in, so no operation finds its way. Endpoints with several keys
// have a pair for each that they talk by: a hello names one.
type authKey = driver.AuthKey

// AuthKey gives the digest of a key.
func (d *domain) AuthKey(key []byte) driver.AuthKey {
	return sha256.Sum256(append([]byte("gofabric shm\x00"), key...))
}

func keyOf(info *fi.Info) (k authKey) {
	if len(info.EP.AuthKey) > 0 {
		k = (*domain)(nil).AuthKey(info.EP.AuthKey)
	}
	return k
}

// has tells whether the endpoint has a key.
func (e *endpoint) has(k authKey) bool { return slices.Contains(e.keys, k) }

// idOf is what a peer is looked up by: its name, behind which there is the key of the pair where addresses have one.
func (e *endpoint) idOf(name string, k authKey) string {
	if e.keyed {
		return name + string(k[:])
	}
	return name
}

// identify says who the peer is.
func (p *pair) identify(name string, k authKey) {
	p.name, p.key, p.id = name, k, p.ep.idOf(name, k)
	p.Raw = []byte(prefix + p.id)
}

// whoIs gives what idOf was made of.
func (e *endpoint) whoIs(id string) (name string, k authKey) {
	if !e.keyed {
		return id, e.keys[0]
	}
	raw, k := driver.SplitAddr([]byte(id))
	return string(raw), k
}

// otherKey is why a peer is not let in.
const otherKey = "no authorization key in common: open both with the same Domain.AuthKey or EP.AuthKey, or insert it into the vector before Enable"

// errOtherKey is that as an error.
var errOtherKey = &fi.Error{Op: "connect", Provider: Name, Err: fi.ErrAccess, Hint: otherKey}
