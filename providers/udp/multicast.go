package udp

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/inet"
)

// groupBase is the address of the first group of an endpoint: above all indices of a vector.
const groupBase fi.Addr = 1 << 62

// group is a membership. To receive it has a socket of its own, bound to the group's address: the endpoint's is bound to
// one of this host, and gets nothing that is sent to another one.
type group struct {
	e    *endpoint
	i    int   // place in e.groups
	to   *dest // nil: it only receives
	sock *sock // nil: it only sends
}

// Join makes the endpoint a member. A group without a port has the endpoint's.
func (e *endpoint) Join(raw []byte, flags fi.BindFlags) (driver.Group, error) {
	at, err := ip.CheckAddr(raw)
	if err != nil {
		return nil, err
	}
	if !at.Addr().IsMulticast() {
		return nil, &fi.Error{Op: "join", Provider: Name, Object: at.String(), Err: fi.ErrInvalid,
			Hint: "no address of a group: those are 224.0.0.0 to 239.255.255.255, and ff00::/8"}
	}
	if at.Addr().Is4() != e.name.Addr().Is4() {
		return nil, &fi.Error{Op: "join", Provider: Name, Object: at.String(), Err: fi.ErrInvalid,
			Hint: "the endpoint's own address is " + e.name.Addr().String() + ": take a group of that family"}
	}
	if at.Port() == 0 {
		at = netip.AddrPortFrom(at.Addr(), e.name.Port())
	}
	ifaces := e.ifaces()
	if at.Addr().Is6() && at.Addr().Zone() == "" && len(ifaces) == 1 {
		at = netip.AddrPortFrom(at.Addr().WithZone(strconv.Itoa(ifaces[0])), at.Port())
	}
	g := &group{e: e}
	if flags&fi.BindTransmit != 0 {
		if len(ifaces) == 1 { // else the system's route
			if err = rawSendBy(e.sock.fd, at.Addr().Is4(), ifaces[0]); err != nil {
				return nil, cannotJoin(at, err)
			}
		}
		g.to = e.newDest(at)
	}
	if flags&fi.BindRecv != 0 {
		g.sock = &sock{e: e, kind: fi.CompMulticast}
		if g.sock.fd, err = rawJoin(at, ifaces); err != nil {
			return nil, cannotJoin(at, err)
		}
	}
	e.d.eng.Lock()
	if g.sock != nil {
		err = e.d.src.add(g.sock)
	}
	if err == nil {
		if g.i = slices.Index(e.groups, nil); g.i < 0 {
			g.i = len(e.groups)
			e.groups = append(e.groups, nil)
		}
		e.groups[g.i] = g
	}
	e.d.eng.Unlock()
	if err != nil {
		g.sock.close()
		return nil, cannotJoin(at, err)
	}
	if g.sock != nil {
		e.wake() // perhaps others are watched already
	}
	return g, nil
}

func cannotJoin(at netip.AddrPort, err error) error {
	out := &fi.Error{Op: "join", Provider: Name, Object: at.String(), Err: fi.FromSyscall(err), Hint: inet.Reason(err)}
	if out.Err == fi.ErrAddrInUse {
		out.Hint = "a socket that does not share its address has the group's port: choose another port for the group"
	}
	return out
}

// ifaces are the numbers of the interfaces at which the endpoint hears: its own, or all when it is at a wildcard.
func (e *endpoint) ifaces() []int {
	list, _, err := ip.Interfaces(e.d.cfg.iface)
	var out []int
	for _, i := range list {
		if (e.wild || i.Addr == e.name.Addr()) && !slices.Contains(out, i.Index) {
			out = append(out, i.Index)
		}
	}
	if err != nil || len(out) == 0 {
		return []int{0} // the system's choice
	}
	return out
}

// Addr is the group as sends take it.
func (g *group) Addr() fi.Addr { return groupBase + fi.Addr(g.i) }

// Close ends the membership.
func (g *group) Close() error {
	g.e.d.eng.Lock()
	g.e.groups[g.i] = nil
	if g.sock != nil {
		g.e.d.src.remove(g.sock)
	}
	g.e.d.eng.Unlock()
	if g.sock != nil {
		g.sock.close()
	}
	return nil
}
