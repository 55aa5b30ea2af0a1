package tcp

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fi"
)

func itoa(n int) string { return strconv.Itoa(n) }

// iface is one address of one interface.
type iface struct {
	name   string
	index  int
	mtu    int
	addr   netip.Addr
	prefix netip.Prefix
	class  ifaceClass
	mac    string
}

// ifaceClass ranks interfaces: real ones first, those that lead to containers and tunnels later, the host itself last.
type ifaceClass uint8

const (
	classDevice ifaceClass = iota
	classLinkLocal
	classVirtual
	classLoopback
)

// String tells why an interface ranks where it does.
func (c ifaceClass) String() string {
	switch c {
	case classLinkLocal:
		return "link-local address"
	case classVirtual:
		return "bridge, container or tunnel"
	case classLoopback:
		return "loopback: this host only"
	}
	return "network device"
}

// virtualNames begin the names of interfaces that lead to containers, bridges and tunnels.
var virtualNames = []string{"docker", "br-", "virbr", "veth", "cni", "flannel", "cali", "tun", "tap", "wg", "vmnet", "lxc", "podman", "kube"}

func classOf(f net.Flags, name string, a netip.Addr) ifaceClass {
	switch {
	case f&net.FlagLoopback != 0:
		return classLoopback
	case f&net.FlagPointToPoint != 0, slices.ContainsFunc(virtualNames, func(p string) bool { return strings.HasPrefix(name, p) }):
		return classVirtual
	case a.IsLinkLocalUnicast():
		return classLinkLocal
	}
	return classDevice
}

// interfaces lists the addresses of this host, best first, and the reasons for which others are left out.
func interfaces(want string) ([]iface, []fi.Rejection, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, nil, err
	}
	var out []iface
	var no []fi.Rejection
	reject := func(name, attr, w, have string) {
		no = append(no, fi.Rejection{Provider: Name, Domain: name, Attr: attr, Want: w, Have: have})
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
			p, err := netip.ParsePrefix(a.String())
			if err != nil {
				continue
			}
			ip := p.Addr().Unmap()
			if ip.Is6() && ip.IsLinkLocalUnicast() {
				ip = ip.WithZone(itoa(i.Index))
			}
			if !wanted(want, i.Name, ip) {
				reject(i.Name, "FI_TCP_IFACE", want, ip.String())
				continue
			}
			out = append(out, iface{name: i.Name, index: i.Index, mtu: i.MTU, addr: ip, mac: i.HardwareAddr.String(),
				prefix: netip.PrefixFrom(ip.WithZone(""), p.Bits()).Masked(), class: classOf(i.Flags, i.Name, ip)})
		}
	}
	no = append(no, noSuchIface(want, all)...)
	slices.SortStableFunc(out, func(a, b iface) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.addr.BitLen(), b.addr.BitLen()), cmp.Compare(a.index, b.index))
	})
	return out, no, nil
}

// wanted tells whether FI_TCP_IFACE allows an interface: a list of names, addresses and networks, ^ for all but these.
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
func noSuchIface(list string, all []net.Interface) (no []fi.Rejection) {
	var names []string
	for _, i := range all {
		names = append(names, i.Name)
	}
	for w := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSpace(list), "^"), ",") {
		w = strings.TrimSpace(w)
		_, notAddr := netip.ParseAddr(w)
		_, notNet := netip.ParsePrefix(w)
		if w != "" && notAddr != nil && notNet != nil && !slices.Contains(names, w) {
			no = append(no, fi.Rejection{Provider: Name, Attr: "FI_TCP_IFACE", Want: w, Have: "no interface of this name",
				Fix: "the interfaces are " + strings.Join(names, ", ")})
		}
	}
	return no
}

// routeTo gives the address from which packets to a peer leave: the system's choice, without sending one.
func routeTo(to netip.AddrPort) (netip.Addr, error) {
	if to.Port() == 0 {
		to = netip.AddrPortFrom(to.Addr(), 9)
	}
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(withZoneName(to)))
	if err != nil {
		return netip.Addr{}, err
	}
	defer c.Close()
	a := c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
	return numericZone(a), nil
}

// withZoneName gives a zone by name, as package net wants it.
func withZoneName(a netip.AddrPort) netip.AddrPort {
	if n, err := strconv.Atoi(a.Addr().Zone()); err == nil {
		if i, err := net.InterfaceByIndex(n); err == nil {
			return netip.AddrPortFrom(a.Addr().WithZone(i.Name), a.Port())
		}
	}
	return a
}
