package driver

// Keys of vectors (FI_AV_AUTH_KEY): in a domain whose Info has Domain.AVAuthKey an endpoint has not one authorization key,
// but those that its vector has when it is enabled, and a peer is an address together with one of them. For such a domain
// the vector keeps both as one address, so that the same address under two keys is two peers for everything that looks up,
// compares and removes addresses.

// AuthKey stands for an authorization key where keys are compared: a digest of it, zeros for none.
type AuthKey [32]byte

// AuthKeyer is a domain that serves keys of vectors. Its endpoints find them in Bindings.Keys.
type AuthKeyer interface {
	// AuthKey gives the digest of a key.
	AuthKey(key []byte) AuthKey
}

// MaxAuthKeys is the most keys that a vector, and so an endpoint, has.
const MaxAuthKeys = 64

// KeyedAddr is what a vector with keys has for an address under a key.
func KeyedAddr(raw []byte, k AuthKey) []byte {
	return append(append(make([]byte, 0, len(raw)+len(k)), raw...), k[:]...)
}

// SplitAddr takes apart what KeyedAddr made. The address is a part of keyed.
func SplitAddr(keyed []byte) (raw []byte, k AuthKey) {
	n := len(keyed) - len(k)
	copy(k[:], keyed[n:])
	return keyed[:n:n], k
}
