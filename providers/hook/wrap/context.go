package wrap

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// ContextAddr gives the address of a context of a scalable endpoint.
func (d *domain) ContextAddr(raw []byte, i int) ([]byte, error) {
	inner, ok := driver.Ability[driver.ContextAddresser](d.Domain)
	if !ok {
		return nil, fi.ErrNoSys
	}
	return inner.ContextAddr(raw, i)
}

// AuthKey gives the digest of a key; zeros where there are none, which nobody asks ([driver.Ability]).
func (d *domain) AuthKey(key []byte) driver.AuthKey {
	if inner, ok := driver.Ability[driver.AuthKeyer](d.Domain); ok {
		return inner.AuthKey(key)
	}
	return driver.AuthKey{}
}

// SetContext makes the inner endpoint a context of that of another wrapper.
func (e *endpoint) SetContext(first driver.Endpoint, i int) error {
	return e.call(SetName, []Arg{{"context", i}}, func() (string, error) {
		inner, ok := driver.Ability[driver.Context](e.Endpoint)
		f, ours := first.(*endpoint)
		if !ok || !ours {
			return "", fi.ErrNoSys
		}
		return "", inner.SetContext(f.Endpoint, i)
	})
}

// Rebind has the inner endpoint report to relays of the queues of a half that comes now.
func (e *endpoint) Rebind(b *driver.Bindings) {
	inner, ok := driver.Ability[driver.Context](e.Endpoint)
	if !ok {
		return
	}
	c := &Call{API: Enable, Object: e.name, Target: b, Args: bound(b)}
	e.p.call(c, func() (string, error) { //nolint:errcheck // it has none
		mine := e.relayed(b)
		inner.Rebind(&mine)
		c.Name, _ = e.Endpoint.Name()
		return "a context", nil
	})
}
