package inet

import (
	"context"
	"errors"
	"net/netip"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Provider is what tells one provider over IP from another.
type Provider struct {
	Name     string // of the provider
	Network  string // "tcp" or "udp", by which services have their ports
	IfaceVar string // the variable that chooses interfaces
}

// Offers asks offer for the Infos of each address of this host that fits the question, best first, and tells why others
// are left out. list is what the variable for interfaces says.
func (p *Provider) Offers(ctx context.Context, q *driver.Query, list string,
	offer func(i Iface, own, dest netip.AddrPort) []*fi.Info) ([]*fi.Info, []fi.Rejection) {
	ifs, no, err := p.Interfaces(list)
	if err != nil {
		return nil, []fi.Rejection{{Provider: p.Name, Have: Reason(err)}}
	}
	src, dest, bad := p.ends(ctx, q)
	if bad != nil {
		return nil, append(no, *bad)
	}
	var routed netip.Addr
	if dest.IsValid() {
		if a := dest.Addr(); a.Is6() && a.IsLinkLocalUnicast() && a.Zone() == "" { // the system says "invalid argument" only
			return nil, append(no, fi.Rejection{Provider: p.Name, Attr: "dest_addr",
				Have: a.String() + " is behind one interface, and does not say which", Fix: "name it, as in " + a.String() + "%eth0"})
		}
		if routed, err = RouteTo(dest); err != nil {
			return nil, append(no, fi.Rejection{Provider: p.Name, Attr: "dest_addr", Want: dest.String(), Have: Reason(err)})
		}
	}
	var first, rest []*fi.Info
	for _, i := range ifs {
		if why := p.unfit(i, src, dest, routed); why != nil {
			no = append(no, *why)
			continue
		}
		own := netip.AddrPortFrom(i.Addr, 0)
		if src.IsValid() { // perhaps any address: then it stays that
			own = src
		}
		infos := offer(i, own, dest)
		if i.Addr == routed {
			first = append(first, infos...)
		} else {
			rest = append(rest, infos...)
		}
	}
	return append(first, rest...), no
}

// unfit tells why an address of ours does not serve.
func (p *Provider) unfit(i Iface, src, dest netip.AddrPort, routed netip.Addr) *fi.Rejection {
	no := func(attr, want, have string) *fi.Rejection {
		return &fi.Rejection{Provider: p.Name, Domain: i.Name, Attr: attr, Want: want, Have: have}
	}
	if src.IsValid() && !src.Addr().IsUnspecified() && src.Addr() != i.Addr {
		return no("src_addr", src.Addr().String(), i.Addr.String())
	}
	if src.IsValid() && src.Addr().IsUnspecified() && src.Addr().Is4() != i.Addr.Is4() {
		return no("src_addr", "the same family as "+src.Addr().String(), i.Addr.String())
	}
	if !dest.IsValid() || i.Addr == routed {
		return nil
	}
	switch {
	case dest.Addr().Is4() != i.Addr.Is4():
		return no("dest_addr", "the same family as "+dest.Addr().String(), i.Addr.String())
	case i.Class == Loopback || dest.Addr().IsLoopback():
		return no("dest_addr", dest.Addr().String(), "does not lead there: the route is by "+routed.String())
	}
	return nil
}

// unresolved says which of node and service has no address, and why.
func (p *Provider) unresolved(q *driver.Query, err error) *fi.Rejection {
	if errors.Is(err, fi.ErrInvalid) {
		return &fi.Rejection{Provider: p.Name, Attr: "service", Have: Reason(err)}
	}
	return &fi.Rejection{Provider: p.Name, Attr: "node", Have: q.Node + ": " + Reason(err)}
}

// ends gives our own and the peer's address, as far as the question names them.
func (p *Provider) ends(ctx context.Context, q *driver.Query) (src, dest netip.AddrPort, bad *fi.Rejection) {
	for _, a := range []struct {
		attr string
		raw  []byte
		to   *netip.AddrPort
	}{{"src_addr", q.Hints.SrcAddr, &src}, {"dest_addr", q.Hints.DestAddr, &dest}} {
		if len(a.raw) == 0 {
			continue
		}
		v, err := p.CheckAddr(a.raw)
		if err != nil {
			return src, dest, &fi.Rejection{Provider: p.Name, Attr: a.attr, Have: Reason(err), Fix: "give a sockaddr_in or a sockaddr_in6"}
		}
		*a.to = v
	}
	if q.Node == "" && q.Service == "" {
		return src, dest, nil
	}
	found, err := p.Resolve(ctx, q.Node, q.Service, q.Flags)
	if err != nil {
		return src, dest, p.unresolved(q, err)
	}
	found = OfFormat(found, q.Hints.AddrFormat)
	switch {
	case q.Flags&fi.InfoSource == 0 && len(found) > 0:
		dest = found[0]
	case q.Flags&fi.InfoSource == 0:
		return src, dest, &fi.Rejection{Provider: p.Name, Attr: "addr_format", Want: q.Hints.AddrFormat.String(), Have: "no such address of " + q.Node}
	case len(found) > 0:
		src = found[0]
	default: // a port on any interface
		port, err := p.Resolve(ctx, "0.0.0.0", q.Service, q.Flags)
		if err != nil {
			return src, dest, &fi.Rejection{Provider: p.Name, Attr: "service", Have: Reason(err)}
		}
		src = port[0]
		if q.Hints.AddrFormat == fi.AddrFormatSockaddr6 {
			src = netip.AddrPortFrom(netip.IPv6Unspecified(), src.Port())
		}
	}
	return src, dest, nil
}
