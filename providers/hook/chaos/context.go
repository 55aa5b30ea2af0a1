package chaos

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// ContextAddr gives the address of a context of a scalable endpoint.
func (d *domain) ContextAddr(raw []byte, i int) ([]byte, error) {
	inner, ok := d.Domain.(driver.ContextAddresser)
	switch {
	case !ok:
		return nil, fi.ErrNoSys
	case d.p.m == OneContext:
		return raw, nil
	}
	return inner.ContextAddr(raw, i)
}

// AuthKey gives the digest of a key; zeros where there are none, which nobody asks ([driver.Ability]).
func (d *domain) AuthKey(key []byte) driver.AuthKey {
	if inner, ok := d.Domain.(driver.AuthKeyer); ok {
		if d.p.m == AllKeysOne {
			key = nil
		}
		return inner.AuthKey(key)
	}
	return driver.AuthKey{}
}

// SetContext makes the inner endpoint a context.
func (e *endpoint) SetContext(first driver.Endpoint, i int) error {
	if inner, ok := e.Endpoint.(driver.Context); ok {
		return inner.SetContext(first.(*endpoint).Endpoint, i)
	}
	return fi.ErrNoSys
}

// Rebind has the inner endpoint report to shadows of the queues of a half that comes now.
func (e *endpoint) Rebind(b *driver.Bindings) {
	inner, ok := e.Endpoint.(driver.Context)
	if !ok {
		return
	}
	mine := e.shadow(b)
	inner.Rebind(&mine)
	e.b = mine
}
