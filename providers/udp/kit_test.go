package udp_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// side is an endpoint of this process, in a domain of its own.
type side struct {
	t   testing.TB
	d   *fabric.Domain
	ep  *fabric.Endpoint
	q   *fabric.CQ
	eq  *fabric.EQ
	av  *fabric.AV
	ctx any // of its operations
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens an endpoint, at an address if that is valid.
func open(t testing.TB, env map[string]string, h *fi.Hints, at netip.AddrPort) *side {
	t.Helper()
	reg := fabric.NewRegistry(loopback(env))
	infos, err := fabric.GetInfo(t.Context(), h, fabric.WithRegistry(reg))
	check(t, err)
	s := &side{t: t, ctx: new(int)}
	f, err := fabric.Open(infos[0], fabric.WithRegistry(reg))
	check(t, err)
	s.d, err = f.OpenDomain(infos[0])
	check(t, err)
	s.q, err = s.d.OpenCQ(&fi.CQAttr{WaitObj: fi.WaitUnspec})
	check(t, err)
	s.eq, err = f.OpenEQ(nil)
	check(t, err)
	s.av, err = s.d.OpenAV(nil)
	check(t, err)
	s.ep, err = s.d.OpenEndpoint(infos[0])
	check(t, err)
	check(t, s.ep.BindCQ(s.q, fi.BindTransmit|fi.BindRecv))
	check(t, s.ep.BindEQ(s.eq))
	check(t, s.ep.BindAV(s.av))
	if at.IsValid() {
		_, raw, err := fi.EncodeSockaddr(at)
		check(t, err)
		check(t, s.ep.SetName(raw))
	}
	check(t, s.ep.Enable())
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{s.ep, s.av, s.q, s.eq, s.d, f} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return s
}

// pair opens two sides that know each other; each is the other's address 0.
func pair(t testing.TB, env map[string]string, h *fi.Hints) (a, b *side) {
	t.Helper()
	a, b = open(t, env, h, netip.AddrPort{}), open(t, env, h, netip.AddrPort{})
	a.knows(b.name())
	b.knows(a.name())
	return a, b
}

func (s *side) name() []byte {
	s.t.Helper()
	raw, err := s.ep.Name()
	check(s.t, err)
	return raw
}

func (s *side) addr() netip.AddrPort {
	s.t.Helper()
	a, err := fi.DecodeSockaddr(s.name())
	check(s.t, err)
	return a
}

// knows inserts an address and gives its index.
func (s *side) knows(raw []byte) fi.Addr {
	s.t.Helper()
	var a [1]fi.Addr
	_, err := s.av.Insert([][]byte{raw}, a[:], 0)
	check(s.t, err)
	return a[0]
}

// next waits for a completion.
func (s *side) next() cq.Entry {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var e [1]cq.Entry
	if _, err := s.q.SRead(ctx, e[:]); err != nil {
		s.t.Fatal(s.q.Explain(err))
	}
	return e[0]
}

// nextErr waits for an error completion.
func (s *side) nextErr() cq.ErrEntry {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var e [1]cq.Entry
	var bad cq.ErrEntry
	if _, err := s.q.SRead(ctx, e[:]); !errors.Is(err, fi.ErrAvail) {
		s.t.Fatalf("%v, %v, want an error completion", e[0], err)
	}
	check(s.t, s.q.ReadErr(&bad))
	return bad
}

// exchange sends a message from a to b, and looks that it has come.
func exchange(t testing.TB, a, b *side, to fi.Addr, text string) cq.Entry {
	t.Helper()
	buf := make([]byte, 2000)
	check(t, b.ep.Recv(buf, fi.AddrUnspec, b.ctx))
	check(t, a.ep.Send([]byte(text), to, a.ctx))
	a.next()
	e := b.next()
	if got := string(buf[:e.Len]); got != text {
		t.Fatalf("%q has come, %q was sent", got, text)
	}
	return e
}

// stranger is a socket of package net.
func stranger(t testing.TB, at string) *net.UDPConn {
	t.Helper()
	c, err := net.ListenPacket("udp", at)
	check(t, err)
	t.Cleanup(func() { c.Close() })
	u := c.(*net.UDPConn)
	check(t, u.SetDeadline(time.Now().Add(patience)))
	return u
}

func rawOf(t testing.TB, a net.Addr) []byte {
	t.Helper()
	_, raw, err := fi.EncodeSockaddr(a.(*net.UDPAddr).AddrPort())
	check(t, err)
	return raw
}
