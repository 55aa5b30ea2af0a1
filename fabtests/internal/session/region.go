package session

import (
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// Region registers buf in a domain, and does what the domain's mode wants until peers of ep can reach it. It is the
// caller's to close.
func (s *Session) Region(d *fabric.Domain, ep *fabric.Endpoint, buf []byte, access fi.Access, attr *fi.MRAttr) (*fabric.MR, error) {
	m, err := d.RegisterMR(buf, access, attr)
	if err != nil {
		return nil, fail.Call("fi_mr_reg", err)
	}
	mode := s.Info.Domain.MRMode
	if mode&fi.MRModeEndpoint != 0 {
		if err = m.BindEndpoint(ep); err != nil {
			err = fail.Call("fi_mr_bind", err)
		}
	}
	if err == nil && (mode&(fi.MRModeEndpoint|fi.MRModeRMAEvent) != 0) {
		err = fail.Call("fi_mr_enable", m.Enable())
	}
	if err != nil {
		m.Close() //nolint:errcheck // the first error is the one to see
		return nil, err
	}
	return m, nil
}
