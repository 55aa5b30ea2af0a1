package fabric

import (
	"bytes"
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

// Authorization keys: endpoints with different ones are out of each other's reach. A provider that serves them says so by
// Domain.MaxEPAuthKey of what it offers; others are never chosen for hints with a key, and open nothing with one.

// authKey takes the key that hints ask for over, if the provider serves keys.
func (m *matcher) authKey(attr string, want []byte, to *[]byte) {
	switch {
	case len(want) == 0:
	case m.info.Domain.MaxEPAuthKey == 0:
		m.reject(attr, fmt.Sprintf("%d bytes", len(want)), "none")
	default:
		*to = bytes.Clone(want)
	}
}

// keyless is why a key in an Info is refused.
const keyless = "this provider has no authorization keys, and would let everybody in: ask GetInfo for one with the key in the hints " +
	"(Domain.AuthKey, EP.AuthKey), or leave it out"

// unservedKey tells why the keys of an Info are refused, of which have says how many an endpoint can have; "" for nothing.
func unservedKey(info *fi.Info, have int) string {
	if have == 0 && len(info.EP.AuthKey)+len(info.Domain.AuthKey) > 0 {
		return keyless
	}
	return ""
}

// ownKey gives the Info of an endpoint the key that it has: its own, or that of its domain.
func ownKey(info *fi.Info, domain []byte) {
	if len(info.EP.AuthKey) == 0 {
		info.EP.AuthKey = bytes.Clone(domain)
	}
}
