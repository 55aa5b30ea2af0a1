package fabric

import (
	"crypto/tls"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// WithTLS makes Open open a fabric whose connections are TLS 1.3 from the first byte (provider tcp). One configuration
// dials and accepts: it needs Certificates; RootCAs verifies peers, in both directions when ClientAuth asks for
// certificates (with ClientCAs, or RootCAs where that is nil). A peer is who it should be when its certificate has its IP
// address, the name that [AV.SetPeerName] gave for it, or c's ServerName. c is copied. All peers need TLS; others are
// refused, and their log or their error says why. Nil is no encryption.
//
// Open fails with fi.ErrOpNotSupp where the provider has none, and with fi.ErrInvalid for a configuration without a
// certificate. Encrypted connections cost goroutines and copies; transfers are several times slower.
func WithTLS(c *tls.Config) Option { return func(o *options) { o.tls = c } }

// setTLS hands the configuration to the provider.
func (f *Fabric) setTLS(c *tls.Config) error {
	if c == nil {
		return nil
	}
	s, ok := driver.Ability[driver.TLSSetter](f.drv)
	if !ok {
		return f.fail("fabric", fi.ErrOpNotSupp, "this provider has no encryption: use tcp, or leave WithTLS out")
	}
	if err := s.SetTLS(c.Clone()); err != nil {
		return f.fail("fabric", err, "")
	}
	return nil
}

// SetPeerName sets the name by which the certificate of a peer is verified on connections made from now on, instead of by
// its IP address; empty: by that again. It matters with [WithTLS] only.
//
// Errors: fi.ErrInvalid when a is not in use.
func (av *AV) SetPeerName(a fi.Addr, name string) error {
	if err := av.open("av_set_peer_name"); err != nil {
		return err
	}
	if err := av.each(a, func(at fi.Addr) error { return av.v.SetPeerName(at, name) }); err != nil {
		return av.fail("av_set_peer_name", err, "no address was inserted under this number")
	}
	return nil
}
