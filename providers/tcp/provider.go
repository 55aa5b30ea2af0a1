package tcp

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"sync"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
)

// Name is the provider's name.
const Name = "tcp"

// Provider reaches peers over TCP.
type Provider struct {
	env envknob.Lookup
}

// New makes the provider, with the process's environment.
func New() *Provider { return &Provider{env: os.LookupEnv} }

// NewEnv makes the provider with an environment of its own, for tests.
func NewEnv(env func(string) (string, bool)) *Provider { return &Provider{env: env} }

// Name gives "tcp".
func (p *Provider) Name() string { return Name }

// Offers lists the endpoints of each address of this host, best first, and why others are left out.
func (p *Provider) Offers(ctx context.Context, q *driver.Query) ([]*fi.Info, []fi.Rejection) {
	c, err := readConfig(p.env)
	if err != nil {
		return nil, []fi.Rejection{envknob.Rejection(Name, err)}
	}
	ifs, no, err := interfaces(c.iface)
	if err != nil {
		return nil, []fi.Rejection{{Provider: Name, Have: reason(err)}}
	}
	src, dest, bad := ends(ctx, q)
	if bad != nil {
		return nil, append(no, *bad)
	}
	var routed netip.Addr
	if dest.IsValid() {
		if a := dest.Addr(); a.Is6() && a.IsLinkLocalUnicast() && a.Zone() == "" { // the system says "invalid argument" only
			return nil, append(no, fi.Rejection{Provider: Name, Attr: "dest_addr",
				Have: a.String() + " is behind one interface, and does not say which", Fix: "name it, as in " + a.String() + "%eth0"})
		}
		if routed, err = routeTo(dest); err != nil {
			return nil, append(no, fi.Rejection{Provider: Name, Attr: "dest_addr", Want: dest.String(), Have: reason(err)})
		}
	}
	var first, rest []*fi.Info
	for _, i := range ifs {
		if why := unfit(i, src, dest, routed); why != nil {
			no = append(no, *why)
			continue
		}
		own := netip.AddrPortFrom(i.addr, 0)
		if src.IsValid() { // perhaps any address: then it stays that
			own = src
		}
		infos := offers(c, i, own, dest)
		if i.addr == routed {
			first = append(first, infos...)
		} else {
			rest = append(rest, infos...)
		}
	}
	return append(first, rest...), no
}

// unfit tells why an address of ours does not serve.
func unfit(i iface, src, dest netip.AddrPort, routed netip.Addr) *fi.Rejection {
	no := func(attr, want, have string) *fi.Rejection {
		return &fi.Rejection{Provider: Name, Domain: i.name, Attr: attr, Want: want, Have: have}
	}
	if src.IsValid() && !src.Addr().IsUnspecified() && src.Addr() != i.addr {
		return no("src_addr", src.Addr().String(), i.addr.String())
	}
	if src.IsValid() && src.Addr().IsUnspecified() && src.Addr().Is4() != i.addr.Is4() {
		return no("src_addr", "the same family as "+src.Addr().String(), i.addr.String())
	}
	if !dest.IsValid() || i.addr == routed {
		return nil
	}
	switch {
	case dest.Addr().Is4() != i.addr.Is4():
		return no("dest_addr", "the same family as "+dest.Addr().String(), i.addr.String())
	case i.class == classLoopback || dest.Addr().IsLoopback():
		return no("dest_addr", dest.Addr().String(), "does not lead there: the route is by "+routed.String())
	}
	return nil
}

// unresolved says which of node and service has no address, and why.
func unresolved(q *driver.Query, err error) *fi.Rejection {
	if errors.Is(err, fi.ErrInvalid) {
		return &fi.Rejection{Provider: Name, Attr: "service", Have: reason(err)}
	}
	return &fi.Rejection{Provider: Name, Attr: "node", Have: q.Node + ": " + reason(err)}
}

// ends gives our own and the peer's address, as far as the question names them.
func ends(ctx context.Context, q *driver.Query) (src, dest netip.AddrPort, bad *fi.Rejection) {
	for _, a := range []struct {
		attr string
		raw  []byte
		to   *netip.AddrPort
	}{{"src_addr", q.Hints.SrcAddr, &src}, {"dest_addr", q.Hints.DestAddr, &dest}} {
		if len(a.raw) == 0 {
			continue
		}
		v, err := checkAddr(a.raw)
		if err != nil {
			return src, dest, &fi.Rejection{Provider: Name, Attr: a.attr, Have: reason(err), Fix: "give a sockaddr_in or a sockaddr_in6"}
		}
		*a.to = v
	}
	if q.Node == "" && q.Service == "" {
		return src, dest, nil
	}
	found, err := resolve(ctx, q.Node, q.Service, q.Flags)
	if err != nil {
		return src, dest, unresolved(q, err)
	}
	found = ofFormat(found, q.Hints.AddrFormat)
	switch {
	case q.Flags&fi.InfoSource == 0 && len(found) > 0:
		dest = found[0]
	case q.Flags&fi.InfoSource == 0:
		return src, dest, &fi.Rejection{Provider: Name, Attr: "addr_format", Want: q.Hints.AddrFormat.String(), Have: "no such address of " + q.Node}
	case len(found) > 0:
		src = found[0]
	default: // a port on any interface
		port, err := resolve(ctx, "0.0.0.0", q.Service, q.Flags)
		if err != nil {
			return src, dest, &fi.Rejection{Provider: Name, Attr: "service", Have: reason(err)}
		}
		src = port[0]
		if q.Hints.AddrFormat == fi.AddrFormatSockaddr6 {
			src = netip.AddrPortFrom(netip.IPv6Unspecified(), src.Port())
		}
	}
	return src, dest, nil
}

// ofFormat keeps the addresses of the family that was asked for.
func ofFormat(in []netip.AddrPort, f fi.AddrFormat) (out []netip.AddrPort) {
	for _, a := range in {
		if f == fi.AddrFormatSockaddrIn && !a.Addr().Is4() || f == fi.AddrFormatSockaddr6 && !a.Addr().Is6() {
			continue
		}
		out = append(out, a)
	}
	return out
}

// OpenFabric opens the network of an interface.
func (p *Provider) OpenFabric(*fi.Info) (driver.Fabric, error) {
	c, err := readConfig(p.env)
	if err != nil {
		return nil, err
	}
	return &network{c: c}, nil
}

// network is an opened fabric.
type network struct {
	c       *config
	log     *driver.Log
	checked sync.Once // FI_TCP_CONGESTION
}

func (n *network) SetLog(log *driver.Log) { n.log = log }

func (n *network) OpenDomain(info *fi.Info) (driver.Domain, error) {
	log := n.log.Logger(Name, driver.LogEPCtrl)
	n.checked.Do(func() { n.c.checkCongestion(log) })
	return newDomain(n.c, info, log)
}

func (n *network) Close() error { return nil }
