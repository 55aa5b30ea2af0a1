package mem

import (
	"crypto/sha256"
	"slices"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// AuthKey gives the digest of a key.
func (d *domain) AuthKey(key []byte) driver.AuthKey { return sha256.Sum256(key) }

// keyOf is that of the key of an endpoint; zeros for none.
func keyOf(info *fi.Info) (k driver.AuthKey) {
	if len(info.EP.AuthKey) > 0 {
		k = sha256.Sum256(info.EP.AuthKey)
	}
	return k
}

// has tells whether the endpoint has a key.
func (e *endpoint) has(k driver.AuthKey) bool { return slices.Contains(e.keys, k) }

// otherKey is why an endpoint with another key is not reached.
const otherKey = "no authorization key in common: open both with the same Domain.AuthKey or EP.AuthKey, or insert it into the vector before Enable"
