package driver

import (
	"crypto/tls"

	"github.com/gofabric/gofabric/fi"
)

// TLSSetter is a [Fabric] whose connections can be encrypted. Package fabric calls SetTLS once, before anything is opened
// in it; the configuration is the provider's then.
type TLSSetter interface {
	SetTLS(c *tls.Config) error
}

// SetPeerName sets the name by which the certificate of the peer at an index is verified, instead of by its IP address;
// empty: by that again. fi.ErrInvalid when the index is not in use.
func (v *AV) SetPeerName(a fi.Addr, name string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a >= fi.Addr(len(v.slots)) || v.slots[a].raw == nil {
		return fi.ErrInvalid
	}
	v.slots[a].name = name
	return nil
}

// PeerName gives the name that SetPeerName set for an address: that of its first index with one; empty for none.
func (v *AV) PeerName(raw []byte) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, a := range v.first[string(raw)] {
		if n := v.slots[a].name; n != "" {
			return n
		}
	}
	return ""
}
