package shm

import (
	"crypto/sha256"

	"github.com/gofabric/gofabric/fi"
)

// authKey is what peers tell each other of an authorization key: a digest, so that one that does not have the key does not
// learn it; zeros for none. Who has another one is not let in, so no operation finds its way.
type authKey [sha256.Size]byte

func keyOf(info *fi.Info) (k authKey) {
	if len(info.EP.AuthKey) > 0 {
		k = sha256.Sum256(append([]byte("gofabric shm\x00"), info.EP.AuthKey...))
	}
	return k
}

// otherKey is why a peer is not let in.
const otherKey = "the peer has another authorization key, or one of both has none: open both with the same Domain.AuthKey or EP.AuthKey"

// errOtherKey is that as an error.
var errOtherKey = &fi.Error{Op: "connect", Provider: Name, Err: fi.ErrAccess, Hint: otherKey}
