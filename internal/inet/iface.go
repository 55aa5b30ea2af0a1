package inet

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

// Iface is one address of one interface.
type Iface struct {
	Name   string
	Index  int
	MTU    int // in bytes
	Addr   netip.Addr
	Prefix netip.Prefix
	Class  Class
	MAC    string
}

// Class ranks interfaces: real ones first, those that lead to containers and tunnels later, the host itself last.
type Class uint8

// The classes.
const (
	Device    Class = iota // a network device
	LinkLocal              // a device by its link-local address
	Virtual                // a bridge, container or tunnel
	Loopback               // this host only
)

// String tells why an interface ranks where it does.
func (c Class) String() string {
	switch c {
	case LinkLocal:
		return "link-local address"
	case Virtual:
		return "bridge, container or tunnel"
	case Loopback:
		return "loopback: this host only"
	}
	return "network device"
}

// virtualNames begin the names of interfaces that lead to containers, bridges and tunnels.
var virtualNames = []string{"docker", "br-", "virbr", "veth", "cni", "flannel", "cali", "tun", "tap", "wg", "vmnet", "lxc", "podman", "kube"}

func classOf(f net.Flags, name string, a netip.Addr) Class {
	switch {
	case f&net.FlagLoopback != 0:
		return Loopback
	case f&net.FlagPointToPoint != 0, slices.ContainsFunc(virtualNames, func(p string) bool { return strings.HasPrefix(name, p) }):
		return Virtual
	case a.IsLinkLocalUnicast():
		return LinkLocal
	}
	return Device
}

// Interfaces lists the addresses of this host, best first, and the reasons for which others are left out.
func (p *Provider) Interfaces(want string) ([]Iface, []fi.Rejection, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, nil, err
	}
	var out []Iface
	var no []fi.Rejection
	reject := func(name, attr, w, have string) {
		no = append(no, fi.Rejection{Provider: p.Name, Domain: name, Attr: attr, Want: w, Have: have})
	}
	for _, i := range all {
		if i.Flags&net.FlagUp == 0 {
			reject(i.Name, "interface", "up", "down")
			continue
		}
		addrs, err := i.Addrs()
		if err != nil || len(addrs) == 0 {
			reject(i.Name, "interface", "an IP address", "none")
			continue
		}
		for _, a := range addrs {
			n, err := netip.ParsePrefix(a.String())
			if err != nil {
				continue
			}
			ip := n.Addr().Unmap()
			if ip.Is6() && ip.IsLinkLocalUnicast() {
				ip = ip.WithZone(strconv.Itoa(i.Index))
			}
			if !wanted(want, i.Name, ip) {
				reject(i.Name, p.IfaceVar, want, ip.String())
				continue
			}
			out = append(out, Iface{Name: i.Name, Index: i.Index, MTU: i.MTU, Addr: ip, MAC: i.HardwareAddr.String(),
				Prefix: netip.PrefixFrom(ip.WithZone(""), n.Bits()).Masked(), Class: classOf(i.Flags, i.Name, ip)})
		}
	}
	no = append(no, p.noSuchIface(want, all)...)
	slices.SortStableFunc(out, func(a, b Iface) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Addr.BitLen(), b.Addr.BitLen()), cmp.Compare(a.Index, b.Index))
	})
	return out, no, nil
}

// wanted tells whether the variable for interfaces allows one: a list of names, addresses and networks, ^ for all but
// these.
func wanted(list, name string, ip netip.Addr) bool {
	rest, not := strings.CutPrefix(strings.TrimSpace(list), "^")
	if rest == "" {
		return true
	}
	for w := range strings.SplitSeq(rest, ",") {
		w = strings.TrimSpace(w)
		hit := w == name || w == ip.WithZone("").String()
		if p, err := netip.ParsePrefix(w); err == nil {
			hit = p.Contains(ip.WithZone(""))
		}
		if hit {
			return !not
		}
	}
	return not
}

// noSuchIface tells of names in the list that no interface has.
func (p *Provider) noSuchIface(list string, all []net.Interface) (no []fi.Rejection) {
	var names []string
	for _, i := range all {
		names = append(names, i.Name)
	}
	for w := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSpace(list), "^"), ",") {
		w = strings.TrimSpace(w)
		_, notAddr := netip.ParseAddr(w)
		_, notNet := netip.ParsePrefix(w)
		if w != "" && notAddr != nil && notNet != nil && !slices.Contains(names, w) {
			no = append(no, fi.Rejection{Provider: p.Name, Attr: p.IfaceVar, Want: w, Have: "no interface of this name",
				Fix: "the interfaces are " + strings.Join(names, ", ")})
		}
	}
	return no
}

// RouteTo gives the address from which packets to a peer leave: the system's choice, without sending one.
func RouteTo(to netip.AddrPort) (netip.Addr, error) {
	if to.Port() == 0 {
		to = netip.AddrPortFrom(to.Addr(), 9)
	}
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(WithZoneName(to)))
	if err != nil {
		return netip.Addr{}, err
	}
	defer c.Close()
	a := c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
	return NumericZone(a), nil
}

// WithZoneName gives a zone by name, as package net wants it.
func WithZoneName(a netip.AddrPort) netip.AddrPort {
	if n, err := strconv.Atoi(a.Addr().Zone()); err == nil {
		if i, err := net.InterfaceByIndex(n); err == nil {
			return netip.AddrPortFrom(a.Addr().WithZone(i.Name), a.Port())
		}
	}
	return a
}
