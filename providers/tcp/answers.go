package tcp

import (
	"net"
	"net/netip"
)

// Answers tells whether an address is one of this endpoint: of one at the wildcard address, every address of the host with
// its port.
func (e *endpoint) Answers(raw []byte) bool {
	a, err := checkAddr(raw)
	switch {
	case err != nil || !e.enabled.Load():
		return false
	case a == e.name:
		return true
	case !e.wild || a.Port() != e.name.Port():
		return false
	case a.Addr().IsLoopback():
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, n := range own {
		if p, err := netip.ParsePrefix(n.String()); err == nil && p.Addr().Unmap() == a.Addr().WithZone("") {
			return true
		}
	}
	return false
}
