package udp_test

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/conformance"
	"github.com/gofabric/gofabric/fi"
)

// someCases are enough where the rest of the suite would see the same code again.
var someCases = regexp.MustCompile(`^dgram(,progress=manual)?/(msg/|source/|cancel/|dgram/|av/remove|wait/(sread|descriptor))`)

// TestIPv6 runs what moves data over IPv6.
func TestIPv6(t *testing.T) {
	conformance.Run(t, conformance.Harness{Provider: loopback(map[string]string{"FI_UDP_IFACE": "::1"}), Only: someCases.MatchString})
}

// TestPortable runs it with what systems other than Linux use.
func TestPortable(t *testing.T) {
	conformance.Run(t, conformance.Harness{Provider: loopback(map[string]string{"FI_UDP_PORTABLE": "1"}), Only: someCases.MatchString})
}

// TestStrangers exchanges datagrams with a program that knows nothing of fabrics: the wire is the message and nothing else.
func TestStrangers(t *testing.T) {
	for _, portable := range []string{"0", "1"} {
		s := open(t, map[string]string{"FI_UDP_PORTABLE": portable}, nil, netip.AddrPort{})
		c := stranger(t, "127.0.0.1:0")
		to := s.knows(rawOf(t, c.LocalAddr()))
		for _, text := range []string{"", "x", "hello", strings.Repeat("long ", 290)} {
			check(t, s.ep.Inject([]byte(text), to))
			buf := make([]byte, 2000)
			n, from, err := c.ReadFromUDPAddrPort(buf)
			check(t, err)
			if string(buf[:n]) != text || from != s.addr() {
				t.Fatalf("%q came from %v, %q was sent by %v", buf[:n], from, text, s.addr())
			}
			check(t, s.ep.Recv(buf, fi.AddrUnspec, s.ctx))
			_, err = c.WriteToUDPAddrPort([]byte(text), from)
			check(t, err)
			if e := s.next(); string(buf[:e.Len]) != text || e.Src != to {
				t.Fatalf("%q came from %d, %q was sent by %d", buf[:e.Len], e.Src, text, to)
			}
		}
	}
}

// TestLongDatagrams of strangers are received whole where there is room, and end a receive in error where there is not.
func TestLongDatagrams(t *testing.T) {
	s := open(t, nil, nil, netip.AddrPort{})
	c := stranger(t, "127.0.0.1:0")
	sent := []byte(strings.Repeat("0123456789", 6550))
	for _, room := range []int{65500, 65507, 100, 0} {
		buf := make([]byte, room)
		check(t, s.ep.Recv(buf, fi.AddrUnspec, s.ctx))
		_, err := c.WriteToUDPAddrPort(sent, s.addr())
		check(t, err)
		if room >= len(sent) {
			if e := s.next(); e.Len != len(sent) || string(buf[:e.Len]) != string(sent) {
				t.Errorf("%d bytes of %d into %d", e.Len, len(sent), room)
			}
			continue
		}
		e := s.nextErr()
		if e.Err != fi.ErrTruncated || e.Len != room || e.OLen != len(sent)-room || string(buf) != string(sent[:room]) {
			t.Errorf("into %d: %v, len %d olen %d", room, e, e.Len, e.OLen)
		}
	}
}

// TestRefused sends to a port that nobody has: the kernel gets an ICMP error for each datagram, and nobody sees one.
func TestRefused(t *testing.T) {
	for _, portable := range []string{"0", "1"} {
		a, b := pair(t, map[string]string{"FI_UDP_PORTABLE": portable}, nil)
		c := stranger(t, "127.0.0.1:0")
		nobody := a.knows(rawOf(t, c.LocalAddr()))
		c.Close()
		for range 200 {
			check(t, a.ep.Inject([]byte("anybody?"), nobody))
			exchange(t, a, b, 0, "to b")
			exchange(t, b, a, 0, "to a")
		}
	}
}

// TestLimits are what the interface and the variable say.
func TestLimits(t *testing.T) {
	for _, x := range []struct {
		env  map[string]string
		want uint64
	}{
		{nil, 1472},
		{map[string]string{"FI_UDP_IFACE": "::1"}, 1472},
		{map[string]string{"FI_UDP_MAX_MSG_SIZE": "9000"}, 9000},
		{map[string]string{"FI_UDP_MAX_MSG_SIZE": "65507"}, 65507},
	} {
		a, b := pair(t, x.env, nil)
		if got := a.ep.Info().EP.MaxMsgSize; got != x.want {
			t.Errorf("%v: max_msg_size %d, want %d", x.env, got, x.want)
		}
		msg, buf := make([]byte, x.want+1), make([]byte, x.want)
		check(t, b.ep.Recv(buf, fi.AddrUnspec, b.ctx))
		if err := a.ep.Send(msg, 0, a.ctx); !errors.Is(err, fi.ErrMsgSize) {
			t.Errorf("%v: one byte too many: %v", x.env, err)
		}
		check(t, a.ep.Send(msg[:x.want], 0, a.ctx))
		if e := b.next(); e.Len != int(x.want) {
			t.Errorf("%v: %d bytes came", x.env, e.Len)
		}
		a.next()
	}
	for _, v := range []string{"65508", "-1", "many"} {
		_, err := fabric.GetInfo(t.Context(), nil, fabric.WithRegistry(fabric.NewRegistry(loopback(map[string]string{"FI_UDP_MAX_MSG_SIZE": v}))))
		if !errors.Is(err, fi.ErrInvalid) || !strings.Contains(err.Error(), "FI_UDP_MAX_MSG_SIZE") {
			t.Errorf("FI_UDP_MAX_MSG_SIZE=%s: %v", v, err)
		}
	}
}

// TestBothFamilies has an endpoint at all addresses talk to peers of IPv4 and of IPv6.
func TestBothFamilies(t *testing.T) {
	for _, portable := range []string{"0", "1"} {
		env := map[string]string{"FI_UDP_PORTABLE": portable, "FI_UDP_IFACE": "::1,127.0.0.1"}
		s := open(t, env, &fi.Hints{AddrFormat: fi.AddrFormatSockaddr6}, netip.MustParseAddrPort("[::]:0"))
		for _, at := range []string{"127.0.0.1:0", "[::1]:0"} {
			c := stranger(t, at)
			to := s.knows(rawOf(t, c.LocalAddr()))
			check(t, s.ep.Inject([]byte("hello"), to))
			buf := make([]byte, 100)
			n, from, err := c.ReadFromUDPAddrPort(buf)
			check(t, err)
			if string(buf[:n]) != "hello" {
				t.Fatalf("%q", buf[:n])
			}
			check(t, s.ep.Recv(buf, fi.AddrUnspec, s.ctx))
			_, err = c.WriteToUDPAddrPort([]byte("you too"), from)
			check(t, err)
			if e := s.next(); e.Src != to || string(buf[:e.Len]) != "you too" {
				t.Errorf("%s: %q from %d, want %d", at, buf[:e.Len], e.Src, to)
			}
		}
	}
}

// TestPortTaken says which port cannot be had.
func TestPortTaken(t *testing.T) {
	for _, portable := range []string{"0", "1"} {
		env := map[string]string{"FI_UDP_PORTABLE": portable}
		c := stranger(t, "127.0.0.1:0")
		reg := fabric.NewRegistry(loopback(env))
		infos, err := fabric.GetInfo(t.Context(), nil, fabric.WithRegistry(reg))
		check(t, err)
		infos[0].SrcAddr = rawOf(t, c.LocalAddr())
		f, err := fabric.Open(infos[0], fabric.WithRegistry(reg))
		check(t, err)
		d, err := f.OpenDomain(infos[0])
		check(t, err)
		q, err := d.OpenCQ(nil)
		check(t, err)
		v, err := d.OpenAV(nil)
		check(t, err)
		ep, err := d.OpenEndpoint(infos[0])
		check(t, err)
		check(t, ep.BindCQ(q, fi.BindTransmit|fi.BindRecv))
		check(t, ep.BindAV(v))
		if err := ep.Enable(); !errors.Is(err, fi.ErrAddrInUse) || !strings.Contains(err.Error(), c.LocalAddr().String()) {
			t.Errorf("a port that somebody has: %v", err)
		}
		for _, c := range []interface{ Close() error }{ep, v, q, d, f} {
			check(t, c.Close())
		}
	}
}

// TestNoShared says that there are no shared contexts, as the Info does.
func TestNoShared(t *testing.T) {
	s := open(t, nil, nil, netip.AddrPort{})
	if _, err := s.d.OpenSharedRx(s.ep.Info()); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("a shared context: %v", err)
	}
	if err := s.ep.RecvMsg(&fi.Msg{Addr: fi.AddrUnspec}, fi.OpPeek); !errors.Is(err, fi.ErrBadFlags) {
		t.Errorf("a peek: %v", err)
	}
	if _, err := s.ep.Join(s.name(), 0, nil); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("a group that is none: %v", err)
	}
}
