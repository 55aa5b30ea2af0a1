package inet

import (
	"net/netip"

	"github.com/gofabric/gofabric/fi"
)

// Home is the address that an endpoint of info has: its own, or one of its interface.
func (p *Provider) Home(info *fi.Info, list string) (netip.AddrPort, error) {
	if len(info.SrcAddr) > 0 {
		return p.CheckAddr(info.SrcAddr)
	}
	any := netip.IPv4Unspecified()
	if info.AddrFormat == fi.AddrFormatSockaddr6 {
		any = netip.IPv6Unspecified()
	}
	return netip.AddrPortFrom(p.AddressOf(any, info.Domain.Name, list), 0), nil
}

// AddressOf gives an address of an interface, of the family of like, for peers of an endpoint that listens at all; like
// itself when there is none.
func (p *Provider) AddressOf(like netip.Addr, domain, list string) netip.Addr {
	ifs, _, err := p.Interfaces(list)
	if err != nil {
		return like
	}
	best := like
	for _, i := range ifs {
		if i.Addr.Is4() != like.Is4() {
			continue
		}
		if i.Name == domain {
			return i.Addr
		}
		if best == like {
			best = i.Addr
		}
	}
	return best
}
