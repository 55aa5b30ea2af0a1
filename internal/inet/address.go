package inet

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// Canonical is an address as it is compared: IPv4 in its short form.
func Canonical(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// Raw is an address in the form that applications exchange: sockaddr_in or sockaddr_in6.
func Raw(a netip.AddrPort) []byte {
	_, raw, err := fi.EncodeSockaddr(a)
	if err != nil {
		return nil
	}
	return raw
}

// CheckAddr gives the address at the beginning of a buffer: a sockaddr_in, a sockaddr_in6, or the text form of one.
func (p *Provider) CheckAddr(raw []byte) (netip.AddrPort, error) {
	if bytes.HasPrefix(raw, []byte("fi_sockaddr")) {
		s, _, _ := bytes.Cut(raw, []byte{0})
		_, parsed, err := fi.ParseAddr(string(s))
		if err != nil {
			return netip.AddrPort{}, err
		}
		raw = parsed
	}
	a, err := fi.DecodeSockaddr(raw)
	if err != nil {
		return a, &fi.Error{Op: "address", Provider: p.Name, Err: fi.ErrInvalid,
			Hint: Reason(err) + ": addresses come from Endpoint.Name of a peer, or from AV.InsertSvc, with this provider on both sides"}
	}
	return Canonical(a), nil
}

// NoPort is what to say of an address that leads to no peer. It may be inserted, as with C.
func NoPort(a netip.AddrPort) string {
	return "the address " + a.String() + " has no port: give the peer's service beside its node, or the port of the name that it tells"
}

// Resolve gives the addresses of a node and a service, in the resolver's order. Without a node: the wildcards for our own
// address, loopback for a peer's.
func (p *Provider) Resolve(ctx context.Context, node, service string, flags fi.InfoFlags) ([]netip.AddrPort, error) {
	if strings.HasPrefix(node, "fi_sockaddr") {
		a, err := p.CheckAddr([]byte(node))
		return []netip.AddrPort{a}, err
	}
	port := 0
	if service != "" {
		var err error
		if port, err = net.DefaultResolver.LookupPort(ctx, p.Network, service); err != nil {
			return nil, &fi.Error{Op: "resolve", Provider: p.Name, Object: "service " + service, Err: fi.ErrInvalid,
				Hint: "\"" + service + "\" is no port (0 to 65535), and no name of one"}
		}
	}
	if node == "" {
		if flags&fi.InfoSource != 0 {
			return nil, nil // any interface
		}
		return []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port)),
			netip.AddrPortFrom(netip.IPv6Loopback(), uint16(port))}, nil
	}
	if ip, err := netip.ParseAddr(node); err == nil {
		return []netip.AddrPort{Canonical(netip.AddrPortFrom(NumericZone(ip), uint16(port)))}, nil
	}
	if flags&fi.InfoNumericHost != 0 {
		return nil, p.noSuch("node "+node, errors.New("not an IP address, and FI_NUMERICHOST was given"))
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", node)
	if err != nil {
		return nil, p.noSuch("node "+node, err)
	}
	var out []netip.AddrPort
	for _, ip := range ips {
		out = append(out, Canonical(netip.AddrPortFrom(NumericZone(ip), uint16(port))))
	}
	return out, nil
}

// NumericZone replaces the name of an interface by its number.
func NumericZone(ip netip.Addr) netip.Addr {
	if z := ip.Zone(); z != "" {
		if i, err := net.InterfaceByName(z); err == nil {
			return ip.WithZone(strconv.Itoa(i.Index))
		}
	}
	return ip
}

func (p *Provider) noSuch(what string, err error) error {
	return &fi.Error{Op: "resolve", Provider: p.Name, Object: what, Err: fi.ErrNoEnt, Hint: Reason(err)}
}

// OfFormat keeps the addresses of the family that was asked for.
func OfFormat(in []netip.AddrPort, f fi.AddrFormat) (out []netip.AddrPort) {
	for _, a := range in {
		if f == fi.AddrFormatSockaddrIn && !a.Addr().Is4() || f == fi.AddrFormatSockaddr6 && !a.Addr().Is6() {
			continue
		}
		out = append(out, a)
	}
	return out
}
