package tcp_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// patient is how long a test waits for what has to come: a limit for machines that stop for a while.
const patient = 30 * time.Second

// insert makes a side know another one, and gives its name.
func (s *side) insert(t testing.TB, p *side) fi.Addr {
	t.Helper()
	var out [1]fi.Addr
	if _, err := s.av.Insert([][]byte{nameOf(t, p)}, out[:], 0); err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// failure polls until an error completion comes.
func (s *side) failure(t testing.TB, within time.Duration) *cq.ErrEntry {
	t.Helper()
	var e [4]cq.Entry
	for end := time.Now().Add(within); time.Now().Before(end); {
		if _, err := s.q.Read(e[:]); errors.Is(err, fi.ErrAvail) {
			bad := new(cq.ErrEntry)
			check(t, s.q.ReadErr(bad))
			return bad
		}
	}
	t.Fatalf("no error completion within %v", within)
	return nil
}

// TestManyConnections goes through the numbers at which connections enter and leave the set, with traffic on all of them
// and then on one.
func TestManyConnections(t *testing.T) {
	const n = 24
	all := openSides(t, n+1, nil, fi.DomainAttr{})
	hub, rest := all[0], all[1:]
	buf, out := make([]byte, 64), make([]byte, 64)
	addrs := make([]fi.Addr, n)
	exchange := func(i int, size int) {
		t.Helper()
		check(t, rest[i].ep.TRecv(buf[:size], fi.AddrUnspec, 1, 0, rest[i].req))
		check(t, hub.ep.TSend(out[:size], addrs[i], 1, hub.req))
		hub.read(t, 1)
		rest[i].read(t, 1, hub)
		check(t, hub.ep.TRecv(buf[:size], fi.AddrUnspec, 2, 0, hub.req))
		check(t, rest[i].ep.TSend(out[:size], peer, 2, rest[i].req))
		rest[i].read(t, 1)
		hub.read(t, 1, rest[i])
	}
	for i, s := range rest {
		addrs[i] = hub.insert(t, s)
		s.insert(t, hub)
		for j := range i + 1 {
			exchange(j, 8)
		}
	}
	for range 50 { // one alone: it leaves the set
		exchange(n/2, 64)
	}
	for i := range n {
		exchange(i, 64)
	}
	for i, s := range rest[:n-4] { // back to a few
		check(t, s.ep.Close())
		exchange(n-1-i%4, 8)
	}
}

// TestSimultaneous has pairs send to each other as their first act: one connection remains, and everything arrives.
func TestSimultaneous(t *testing.T) {
	for range 20 {
		a, b := sides(t, nil, fi.DomainAttr{})
		const n = 5
		for _, s := range []*side{a, b} {
			for range n {
				check(t, s.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, s.req))
				check(t, s.ep.TSend(make([]byte, 8), peer, 1, s.req))
			}
		}
		a.read(t, 2*n, b)
		b.read(t, 2*n, a)
	}
}

// TestRestart sends to an endpoint that was closed and opened again at its address.
func TestRestart(t *testing.T) {
	all := openSides(t, 2, nil, fi.DomainAttr{})
	a, b := all[0], all[1]
	a.insert(t, b)
	exchange := func(s *side) {
		t.Helper()
		a.reaches(t, s, peer)
	}
	exchange(b)
	name := nameOf(t, b)
	check(t, b.ep.Close())
	var e [1]cq.Entry
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); { // a hears of it
		if _, err := a.q.Read(e[:]); !errors.Is(err, fi.ErrAgain) {
			t.Fatal(err)
		}
	}
	b.reopen(t, name)
	exchange(b)
}

// reopen opens the endpoint of s again, at an address.
func (s *side) reopen(t testing.TB, name []byte) {
	t.Helper()
	info := s.ep.Info()
	info.SrcAddr = name
	ep, err := s.d.OpenEndpoint(info)
	check(t, err)
	check(t, ep.BindCQ(s.q, fi.BindTransmit|fi.BindRecv))
	check(t, ep.BindAV(s.av))
	check(t, ep.Enable())
	s.ep = ep
}

// TestNobodyListens gives up in time and says why.
func TestNobodyListens(t *testing.T) {
	all := openSides(t, 2, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "100"}, fi.DomainAttr{})
	a, b := all[0], all[1]
	to := a.insert(t, b)
	check(t, b.ep.Close())
	for range 3 {
		check(t, a.ep.TSend(make([]byte, 8), to, 1, a.req))
		if bad := a.failure(t, patient); bad.Err != fi.ErrConnRefused {
			t.Fatalf("%v", bad)
		}
	}
}

// TestRubbish connects with what is no endpoint: each loses its connection, and others go on.
func TestRubbish(t *testing.T) {
	a, b := sides(t, nil, fi.DomainAttr{})
	at := addrOf(t, b)
	exchange := func() {
		t.Helper()
		a.reaches(t, b, peer)
	}
	exchange()
	before := openFiles(t)
	request := control(t, wire.ConnRequest, wire.AppendRDM(nil, wire.RDM{Version: 1, Port: 9, PID: 77}))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		c := dial(t, at)
		var junk [200]byte
		for k := range junk {
			junk[k] = byte(rng.Uint32())
		}
		switch i % 4 {
		case 0: // no handshake at all
			_, _ = c.Write(junk[:])
		case 1: // half of one
			_, _ = c.Write(request[:20])
		case 2: // rubbish afterwards
			_, _ = c.Write(request)
			answer := make([]byte, len(request))
			c.SetReadDeadline(time.Now().Add(patient)) //nolint:errcheck // the read tells
			if _, err := c.Read(answer); err != nil {
				t.Fatal(err)
			}
			_, _ = c.Write(junk[:])
		case 3: // an absurd length, and then nothing
			_, _ = c.Write(request)
			var h [wire.MaxHeader]byte
			enc := wire.NewEncoder(wire.Little)
			_, _ = c.Write(h[:enc.PutTagged(h[:], 0, 0, 1234, 1<<40)])
		}
		exchange()
		check(t, c.Close())
	}
	exchange()
	for end := time.Now().Add(patient); openFiles(t) > before; {
		b.q.Read(nil) //nolint:errcheck // drives it
		if time.Now().After(end) {
			t.Fatalf("%d descriptors, %d before", openFiles(t), before)
		}
	}
}

// TestSlowCallers calls and is slow to ask, as a machine that has stopped for a while is: it is answered all the same, where
// addresses at which nobody listens are given up soon.
func TestSlowCallers(t *testing.T) {
	b := openSides(t, 1, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "20"}, fi.DomainAttr{})[0]
	p := openPlace(t, map[string]string{"FI_TCP_CONNECT_TIMEOUT": "20"})
	pep, raw := p.listen(t, nil)
	passive, err := fi.DecodeSockaddr(raw)
	check(t, err)
	for _, at := range []netip.AddrPort{addrOf(t, b), passive} {
		c := dial(t, at)
		c.SetReadDeadline(time.Now().Add(200 * time.Millisecond)) //nolint:errcheck // the read tells
		var answer [100]byte
		if _, err := c.Read(answer[:]); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%v, before anything was asked: %v", at, err)
		}
		_, err := c.Write(control(t, wire.ConnRequest, wire.AppendRDM(nil, wire.RDM{Version: 1, Port: 9, PID: 77})))
		check(t, err)
		if at == passive { // its application answers, not it
			var e fi.EQEntry
			ctx, cancel := context.WithTimeout(t.Context(), patient)
			defer cancel()
			if err := p.eq.SRead(ctx, &e, 0); err != nil || e.Event != fi.EventConnReq {
				t.Errorf("event %v, %v", e.Event, err)
			}
			check(t, pep.Reject(e.Info.Handle, nil))
			continue
		}
		c.SetReadDeadline(time.Now().Add(patient)) //nolint:errcheck // the read tells
		if n, err := c.Read(answer[:]); n == 0 {
			t.Errorf("no answer: %v", err)
		}
	}
}

func control(t testing.TB, typ wire.ControlType, data []byte) []byte {
	t.Helper()
	return message(t, &wire.Control{Type: typ, Data: data})
}

// message is a control message as it goes over the wire.
func message(t testing.TB, m *wire.Control) []byte {
	t.Helper()
	b, err := wire.AppendControl(nil, m)
	check(t, err)
	return b
}

// dial connects a socket, which lasts as long as the test, to where an endpoint listens.
func dial(t testing.TB, at netip.AddrPort) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", at.String())
	check(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func addrOf(t testing.TB, s *side) netip.AddrPort {
	t.Helper()
	a, err := fi.DecodeSockaddr(nameOf(t, s))
	check(t, err)
	return a
}

func openFiles(t testing.TB) int {
	t.Helper()
	l, err := os.ReadDir("/proc/self/fd")
	check(t, err)
	return len(l)
}

// TestNothingIsLeft opens and closes endpoints with connections in every state: no descriptor stays.
func TestNothingIsLeft(t *testing.T) {
	run := func(t *testing.T) {
		all := openSides(t, 3, nil, fi.DomainAttr{})
		a, b, c := all[0], all[1], all[2]
		a.insert(t, b)
		to := a.insert(t, c)
		a.reaches(t, b, peer)
		check(t, a.ep.TSend(make([]byte, 1<<20), to, 1, a.req)) // nobody receives it
	}
	t.Run("first", run)
	before := openFiles(t)
	for range 5 {
		t.Run("again", run)
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// TestGoodbye removes a peer from the vector: the connection ends on both sides, and a new one is made when it is back.
func TestGoodbye(t *testing.T) {
	all := openSides(t, 2, nil, fi.DomainAttr{})
	a, b := all[0], all[1]
	before := openFiles(t)
	for range 3 {
		to := a.insert(t, b)
		a.reaches(t, b, to)
		check(t, a.av.Remove([]fi.Addr{to}))
		for end := time.Now().Add(patient); openFiles(t) > before; {
			a.q.Read(nil) //nolint:errcheck // drives it
			b.q.Read(nil) //nolint:errcheck // drives it
			if time.Now().After(end) {
				t.Fatalf("the connection is still there: %d descriptors, %d before", openFiles(t), before)
			}
		}
	}
}

// TestWildcard reaches an endpoint at the wildcard address by each of its addresses, and back.
func TestWildcard(t *testing.T) {
	all := openSides(t, 2, nil, fi.DomainAttr{})
	a, b := all[0], all[1]
	check(t, b.ep.Close())
	b.reopen(t, []byte("fi_sockaddr_in://0.0.0.0:0"))
	to := a.insert(t, b)
	back := b.insert(t, a)
	a.reaches(t, b, to)
	b.reaches(t, a, back)
}

// reaches sends a message to a peer, which receives it.
func (s *side) reaches(t testing.TB, p *side, to fi.Addr) {
	t.Helper()
	check(t, p.ep.TRecv(make([]byte, 8), fi.AddrUnspec, 1, 0, p.req))
	check(t, s.ep.TSend(make([]byte, 8), to, 1, s.req))
	s.read(t, 1, p)
	p.read(t, 1, s)
}

// TestOffersExplain looks at what the variables leave out, and why.
func TestOffersExplain(t *testing.T) {
	p := loopbackEnv(map[string]string{"FI_TCP_IFACE": "^127.0.0.1"})
	infos, no := p.Offers(t.Context(), &driver.Query{Hints: &fi.Hints{}})
	for _, i := range infos {
		if a, err := fi.DecodeSockaddr(i.SrcAddr); err != nil || a.Addr().String() == "127.0.0.1" {
			t.Errorf("an offer for %v, %v", a, err)
		}
	}
	found := false
	for _, r := range no {
		found = found || r.Attr == "FI_TCP_IFACE"
	}
	if !found {
		t.Errorf("nothing explains what FI_TCP_IFACE left out: %v", no)
	}
	p = loopbackEnv(map[string]string{"FI_TCP_PORT_LOW_RANGE": "x"})
	if infos, no := p.Offers(t.Context(), &driver.Query{Hints: &fi.Hints{}}); len(infos) > 0 || len(no) != 1 {
		t.Errorf("a variable that cannot be read: %d offers, %v", len(infos), no)
	}
}
