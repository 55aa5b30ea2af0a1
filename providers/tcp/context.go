package tcp

import (
	"net/netip"
	"strconv"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// contextAt is the address of context i of a scalable endpoint: the ports above that of the first are those of the others.
// A peer of libfabric's, which has none, can reach them as so many endpoints.
func contextAt(a netip.AddrPort, i int) (netip.AddrPort, error) {
	port := int(a.Port()) + i
	if port > 1<<16-1 {
		return a, &fi.Error{Op: "scalable_ep", Provider: Name, Object: a.String(), Err: fi.ErrInvalid,
			Hint: "contexts have the ports above that of the endpoint, and there is no port " + strconv.Itoa(port) + ": choose a lower one"}
	}
	return netip.AddrPortFrom(a.Addr(), uint16(port)), nil
}

// ContextAddr gives the address of a context of a scalable endpoint.
func (d *domain) ContextAddr(raw []byte, i int) ([]byte, error) {
	if i == 0 {
		return raw, nil
	}
	a, err := checkAddr(raw)
	if err != nil {
		return nil, err
	}
	if a, err = contextAt(a, i); err != nil {
		return nil, err
	}
	return rawOf(a), nil
}

// SetContext makes the endpoint context i of the scalable endpoint whose first one is given. A first one that listens at
// all addresses of this host has contexts that do.
func (e *endpoint) SetContext(first driver.Endpoint, i int) error {
	f := first.(*endpoint)
	at, err := contextAt(netip.AddrPortFrom(f.want.Addr(), f.name.Port()), i)
	e.want = at
	return err
}

// Rebind takes over the queues and counters of a half that comes now.
func (e *endpoint) Rebind(b *driver.Bindings) {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.Endpoint.Rebind(b)
	e.setLimits(b)
}
