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

// vectorKeys checks whether keys can come from vectors, if hints ask for that.
func (m *matcher) vectorKeys() {
	const attr, want = "domain_attr.auth_key_size", "FI_AV_AUTH_KEY"
	w := m.h.Domain
	switch {
	case !w.AVAuthKey:
	case m.info.Domain.MaxEPAuthKey == 0:
		m.reject(attr, want, "no keys")
	case m.info.EP.Type == fi.EPMsg:
		m.reject(attr, want, "connected endpoints, which have no vector")
	case len(w.AuthKey) > 0 || m.h.EP != nil && len(m.h.EP.AuthKey) > 0:
		m.reject(attr, want, "a key beside it: insert that into the vector")
	case m.info.Caps&fi.CapCollective != 0 && m.h.Caps&fi.CapCollective != 0:
		m.reject(attr, want, "no collectives with it")
	default:
		m.info.Domain.AVAuthKey = true
	}
}

// noVectorKeys is why a domain with FI_AV_AUTH_KEY is refused.
const noVectorKeys = "this provider has no keys in address vectors: leave Domain.AVAuthKey false"

// keyless is why a key in an Info is refused.
const keyless = "this provider has no authorization keys, and would let everybody in: ask GetInfo for one with the key in the hints " +
	"(Domain.AuthKey, EP.AuthKey), or leave it out"

// unservedKey tells why the keys of an Info are refused, of which have says how many an endpoint can have; "" for nothing.
func unservedKey(info *fi.Info, have int) string {
	keys := len(info.EP.AuthKey)+len(info.Domain.AuthKey) > 0
	switch {
	case have == 0 && (keys || info.Domain.AVAuthKey):
		return keyless
	case keys && info.Domain.AVAuthKey:
		return "with Domain.AVAuthKey keys are the vector's: leave Domain.AuthKey and EP.AuthKey empty, and call AV.InsertAuthKey"
	case info.Domain.AVAuthKey && info.EP.Type == fi.EPMsg:
		return "connected endpoints have no vector that could have their key: leave Domain.AVAuthKey false, and set EP.AuthKey"
	case info.Domain.AVAuthKey && info.Caps&fi.CapCollective != 0:
		return "a member of a group is an address, not one under a key: leave FI_COLLECTIVE out of the hints' caps, or Domain.AVAuthKey false"
	}
	return ""
}

// withKey gives a copy of the Info of an endpoint, with the key that it has; why not, if the domain says otherwise.
func (d *Domain) withKey(info *fi.Info) (*fi.Info, string) {
	info = info.Clone()
	if info.Domain.AVAuthKey && d.keyer == nil {
		return nil, "the domain was opened without Domain.AVAuthKey: its endpoints have a key each, EP.AuthKey"
	}
	if info.Domain.AVAuthKey = d.keyer != nil; info.Domain.AVAuthKey {
		return info, unservedKey(info, info.Domain.MaxEPAuthKey)
	}
	ownKey(info, d.info.Domain.AuthKey)
	return info, ""
}

// ownKey gives the Info of an endpoint the key that it has: its own, or that of its domain.
func ownKey(info *fi.Info, domain []byte) {
	if len(info.EP.AuthKey) == 0 {
		info.EP.AuthKey = bytes.Clone(domain)
	}
}
