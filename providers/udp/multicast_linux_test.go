package udp_test

import (
	"errors"
	"flag"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var multi = &fi.Hints{Caps: fi.CapMsg | fi.CapMulticast | fi.CapSource, Tx: &fi.TxAttr{}}

// group is an address for a test: the port is one that was free a moment ago.
func group(t *testing.T, ip string) []byte {
	t.Helper()
	c := stranger(t, netip.AddrPortFrom(netip.MustParseAddr(map[bool]string{true: "::1", false: "127.0.0.1"}[ip[0] == 'f']), 0).String())
	port := netip.MustParseAddrPort(c.LocalAddr().String()).Port()
	c.Close()
	_, raw, err := fi.EncodeSockaddr(netip.AddrPortFrom(netip.MustParseAddr(ip), port))
	check(t, err)
	return raw
}

func (s *side) join(g []byte, flags fi.BindFlags) *fabric.MC {
	s.t.Helper()
	ctx := new(int)
	mc, err := s.ep.Join(g, flags, ctx)
	check(s.t, err)
	var e fi.EQEntry
	if err := s.eq.Read(&e, 0); err != nil || e.Event != fi.EventJoinComplete || e.FID != any(mc) || e.Context != any(ctx) {
		s.t.Fatalf("after Join: %v, event %v at %v", err, e.Event, e.FID)
	}
	return mc
}

// TestMulticast has three members: each hears what any of them sends, and nothing of another group at the same port.
func TestMulticast(t *testing.T) {
	ip, iface := "239.255.7.9", "127.0.0.1"
	if *groups6 != "" {
		ip, iface = "ff15::709", *groups6
	}
	g := group(t, ip)
	other := append([]byte(nil), g...)
	other[len(other)-13]++ // of IPv4: its last byte but 8 is the address's; of IPv6: some byte of it
	if len(g) == 16 {
		copy(other, g)
		other[7]++
	}
	var all []*side
	var mcs []*fabric.MC
	for range 3 {
		s := open(t, map[string]string{"FI_UDP_IFACE": iface}, multi, netip.AddrPort{})
		for _, o := range all {
			o.knows(s.name())
		}
		all = append(all, s)
		mcs = append(mcs, s.join(g, 0))
	}
	all[2].knows(all[0].name())
	all[2].knows(all[1].name())
	stray := all[0].join(other, fi.BindTransmit)
	for i, from := range all {
		text := "from " + strconv.Itoa(i)
		var bufs [3][100]byte
		for k, s := range all {
			check(t, s.ep.Recv(bufs[k][:], fi.AddrUnspec, s.ctx))
		}
		check(t, all[0].ep.Inject([]byte("nobody is there"), stray.Addr()))
		if i == 1 {
			check(t, from.ep.SendMsg(&fi.Msg{Iov: [][]byte{[]byte(text[:3]), []byte(text[3:])}, Addr: mcs[i].Addr()}, fi.OpMulticast|fi.OpInject|fi.OpCompletion))
		} else {
			check(t, from.ep.Send([]byte(text), mcs[i].Addr(), from.ctx))
		}
		for k, s := range all {
			e := s.next()
			if s == from && e.Flags&fi.CompSend != 0 { // what is sent is there at once, too
				e = s.next()
			} else if s == from {
				s.next()
			}
			if e.Flags&fi.CompRecv == 0 || e.Flags&fi.CompMulticast == 0 || string(bufs[k][:e.Len]) != text {
				t.Errorf("member %d: %v %q, want %q", k, e.Flags, bufs[k][:e.Len], text)
			}
		}
	}
	// who has left hears nothing any more, and the others do
	check(t, mcs[1].Close())
	check(t, mcs[1].Close())
	if err := all[1].ep.Inject([]byte("x"), mcs[1].Addr()); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("sending to a group that was left: %v", err)
	}
	var bufs [3][100]byte
	for k, s := range all {
		check(t, s.ep.Recv(bufs[k][:], fi.AddrUnspec, s.ctx))
	}
	check(t, all[0].ep.Inject([]byte("again"), mcs[0].Addr()))
	for _, k := range []int{0, 2} {
		if e := all[k].next(); string(bufs[k][:e.Len]) != "again" {
			t.Errorf("member %d: %q", k, bufs[k][:e.Len])
		}
	}
	back := all[0].knows(all[1].name())
	check(t, all[0].ep.Inject([]byte("to you"), back))
	if e := all[1].next(); string(bufs[1][:e.Len]) != "to you" || e.Flags&fi.CompMulticast != 0 {
		t.Errorf("who has left got %q, %v", bufs[1][:e.Len], e.Flags)
	}
	if err := all[0].ep.Close(); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("closing an endpoint that is a member: %v", err)
	}
	check(t, stray.Close())
	check(t, mcs[0].Close())
	check(t, mcs[2].Close())
}

var groups6 = flag.String("groups6", "", "an address of this host: TestMulticast has an IPv6 group there")

// TestMulticastIPv6 is TestMulticast in a network namespace of its own: Linux's loopback interface does not deliver to IPv6
// groups.
func TestMulticastIPv6(t *testing.T) {
	const script = `ip link set lo up && ip link add one type veth peer name two && ip link set two up && ip link set one up &&
		ip -6 addr add fd00::1/64 dev one nodad && exec "$0" -test.run '^TestMulticast$' -groups6 fd00::1`
	if err := exec.Command("unshare", "-n", "ip", "link", "add", "one", "type", "veth").Run(); err != nil {
		t.Skip("known: needs root, unshare and ip, for a network namespace")
	}
	exe, err := os.Executable()
	check(t, err)
	out, err := exec.Command("unshare", "-n", "sh", "-c", script, exe).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestJoinWrong joins what cannot be joined, and sends to what is no group.
func TestJoinWrong(t *testing.T) {
	s := open(t, nil, multi, netip.AddrPort{})
	g := group(t, "239.255.7.10")
	for _, x := range []struct {
		raw   []byte
		flags fi.BindFlags
		want  fi.Errno
	}{
		{s.name(), 0, fi.ErrInvalid}, {nil, 0, fi.ErrInvalid}, {[]byte("rubbish"), 0, fi.ErrInvalid},
		{group(t, "ff15::70a"), 0, fi.ErrInvalid}, {g, fi.BindSelectiveCompletion, fi.ErrBadFlags},
	} {
		if mc, err := s.ep.Join(x.raw, x.flags, nil); !errors.Is(err, x.want) {
			t.Errorf("join %x %v: %v %v, want %v", x.raw, x.flags, mc, err, x.want)
		}
	}
	self := s.knows(s.name())
	msg := &fi.Msg{Iov: [][]byte{[]byte("x")}, Addr: self}
	if err := s.ep.SendMsg(msg, fi.OpMulticast); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("FI_MULTICAST to a peer: %v", err)
	}
	hears := s.join(g, fi.BindRecv)
	if err := s.ep.Inject([]byte("x"), hears.Addr()); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("sending to a group that was joined to receive: %v", err)
	}
	check(t, hears.Close())
	plain := open(t, nil, &fi.Hints{Caps: fi.CapMsg}, netip.AddrPort{})
	if _, err := plain.ep.Join(g, 0, nil); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("without FI_MULTICAST: %v", err)
	}
	if err := plain.ep.SendMsg(msg, fi.OpMulticast); !errors.Is(err, fi.ErrBadFlags) {
		t.Errorf("FI_MULTICAST without the capability: %v", err)
	}
	soft := open(t, map[string]string{"FI_UDP_PORTABLE": "1"}, nil, netip.AddrPort{})
	if _, err := soft.ep.Join(g, 0, nil); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("the portable path: %v", err)
	}
}

// TestMulticastAsleep joins while a reader is blocked: what comes then wakes it.
func TestMulticastAsleep(t *testing.T) {
	s, o := open(t, nil, multi, netip.AddrPort{}), open(t, nil, multi, netip.AddrPort{})
	g := group(t, "239.255.7.11")
	buf := make([]byte, 100)
	check(t, s.ep.Recv(buf, fi.AddrUnspec, s.ctx))
	got := make(chan cq.Entry, 1)
	go func() { got <- s.next() }()
	mc := s.join(g, fi.BindRecv)
	to := o.join(g, fi.BindTransmit)
	check(t, o.ep.Inject([]byte("wake up"), to.Addr()))
	if e := <-got; string(buf[:e.Len]) != "wake up" {
		t.Errorf("%q", buf[:e.Len])
	}
	check(t, mc.Close())
	check(t, to.Close())
}
