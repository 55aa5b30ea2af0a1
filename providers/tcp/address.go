package tcp

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// canonical is an address as it is compared: IPv4 in its short form.
func canonical(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// rawOf is an address in the form that applications exchange: sockaddr_in or sockaddr_in6.
func rawOf(a netip.AddrPort) []byte {
	_, raw, err := fi.EncodeSockaddr(a)
	if err != nil {
		return nil
	}
	return raw
}

// checkAddr gives the address at the beginning of a buffer: a sockaddr_in, a sockaddr_in6, or the text form of one.
func checkAddr(raw []byte) (netip.AddrPort, error) {
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
		return a, &fi.Error{Op: "address", Provider: Name, Err: fi.ErrInvalid,
			Hint: reason(err) + ": addresses come from Endpoint.Name of a peer, or from AV.InsertSvc, with this provider on both sides"}
	}
	return canonical(a), nil
}

// noPort is what to say of an address that leads to no peer. It may be inserted, as with C.
func noPort(a netip.AddrPort) string {
	return "the address " + a.String() + " has no port: give the peer's service beside its node, or the port of the name that it tells"
}

// resolve gives the addresses of a node and a service, in the resolver's order. Without a node: the wildcards for our own
// address, loopback for a peer's.
func resolve(ctx context.Context, node, service string, flags fi.InfoFlags) ([]netip.AddrPort, error) {
	if strings.HasPrefix(node, "fi_sockaddr") {
		a, err := checkAddr([]byte(node))
		return []netip.AddrPort{a}, err
	}
	port := 0
	if service != "" {
		var err error
		if port, err = net.DefaultResolver.LookupPort(ctx, "tcp", service); err != nil {
			return nil, &fi.Error{Op: "resolve", Provider: Name, Object: "service " + service, Err: fi.ErrInvalid,
				Hint: "\"" + service + "\" is no port (0 to 65535), and no name of one"}
		}
	}
	if node == "" {
		if flags&fi.InfoSource != 0 {
			return nil, nil // any interface; see withPort
		}
		return []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port)),
			netip.AddrPortFrom(netip.IPv6Loopback(), uint16(port))}, nil
	}
	if ip, err := netip.ParseAddr(node); err == nil {
		return []netip.AddrPort{canonical(netip.AddrPortFrom(numericZone(ip), uint16(port)))}, nil
	}
	if flags&fi.InfoNumericHost != 0 {
		return nil, noSuch("node "+node, errors.New("not an IP address, and FI_NUMERICHOST was given"))
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", node)
	if err != nil {
		return nil, noSuch("node "+node, err)
	}
	var out []netip.AddrPort
	for _, ip := range ips {
		out = append(out, canonical(netip.AddrPortFrom(numericZone(ip), uint16(port))))
	}
	return out, nil
}

// numericZone replaces the name of an interface by its number.
func numericZone(ip netip.Addr) netip.Addr {
	if z := ip.Zone(); z != "" {
		if i, err := net.InterfaceByName(z); err == nil {
			return ip.WithZone(itoa(i.Index))
		}
	}
	return ip
}

func noSuch(what string, err error) error {
	return &fi.Error{Op: "resolve", Provider: Name, Object: what, Err: fi.ErrNoEnt, Hint: reason(err)}
}

// greater orders listeners' addresses as the rule of simultaneous connects wants it: the IP's bytes first, then the
// port.
func greater(a, b netip.AddrPort) bool {
	x, y := a.Addr().AsSlice(), b.Addr().AsSlice()
	if c := bytes.Compare(x, y); c != 0 {
		return c > 0
	}
	return a.Port() > b.Port()
}
