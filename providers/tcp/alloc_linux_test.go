package tcp_test

import (
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
)

// side is one of two endpoints of this process, each in a domain of its own.
type side struct {
	d   *fabric.Domain
	ep  *fabric.Endpoint
	q   *fabric.CQ
	av  *fabric.AV
	req any // context of its operations
}

// peer is what each side calls the other.
const peer fi.Addr = 0

// sides opens two endpoints that know each other.
func sides(t testing.TB, env map[string]string, domain fi.DomainAttr) (a, b *side) {
	t.Helper()
	both := openSides(t, 2, env, domain)
	for i, w := range both {
		if _, err := w.av.Insert([][]byte{nameOf(t, both[1-i])}, nil, 0); err != nil { // the first: 0
			t.Fatal(err)
		}
	}
	return both[0], both[1]
}

func nameOf(t testing.TB, s *side) []byte {
	t.Helper()
	name, err := s.ep.Name()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// openSides opens n endpoints.
func openSides(t testing.TB, n int, env map[string]string, domain fi.DomainAttr, opts ...fabric.Option) []*side {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	reg := fabric.NewRegistry(loopbackEnv(env))
	infos, err := fabric.GetInfo(t.Context(), &fi.Hints{Caps: fi.CapMsg | fi.CapTagged | fi.CapRMA,
		EP: &fi.EPAttr{Type: fi.EPRDM}, Domain: &domain}, fabric.WithRegistry(reg))
	ok(err)
	var all []*side
	for range n {
		w := &side{req: new(int)}
		all = append(all, w)
		f, err := fabric.Open(infos[0], append(opts, fabric.WithRegistry(reg))...)
		ok(err)
		w.d, err = f.OpenDomain(infos[0])
		ok(err)
		w.q, err = w.d.OpenCQ(nil)
		ok(err)
		w.av, err = w.d.OpenAV(nil)
		ok(err)
		w.ep, err = w.d.OpenEndpoint(infos[0])
		ok(err)
		ok(w.ep.BindCQ(w.q, fi.BindTransmit|fi.BindRecv))
		ok(w.ep.BindAV(w.av))
		ok(w.ep.Enable())
		t.Cleanup(func() {
			for _, c := range []interface{ Close() error }{w.ep, w.av, w.q, w.d, f} {
				ok(c.Close())
			}
		})
	}
	return all
}

// read takes n completions of s; all are driven meanwhile.
func (s *side) read(t testing.TB, n int, others ...*side) {
	var e [8]cq.Entry
	for n > 0 {
		k, err := s.q.Read(e[:min(n, len(e))])
		if err != nil && err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
			var bad cq.ErrEntry
			if s.q.ReadErr(&bad) == nil {
				err = &bad
			}
			t.Fatal(err)
		}
		n -= k
		for _, o := range others {
			o.q.Read(nil) //nolint:errcheck // drives it
		}
	}
}

// TestSteadyStateAllocatesNothing exchanges messages of all ways that they can take.
//
// allocs: ops.Send, ops.TSend, source.Ready, source.Poll, conn.receive, conn.read, conn.handle, conn.message, conn.place
// allocs: conn.room, conn.push, conn.flush, sysRead, sysWrite, vec.readv, vec.writev, pollSet.ask, pollSet.peek
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if osx.RaceEnabled {
		t.Skip("known: the race detector allocates")
	}
	for _, ext := range []string{"0", "1"} {
		for _, progress := range []fi.Progress{fi.ProgressAuto, fi.ProgressManual} {
			a, b := sides(t, map[string]string{"FI_TCP_EXTENSION": ext, "FI_TCP_RENDEZVOUS": "64K"}, fi.DomainAttr{Progress: progress})
			for _, n := range []int{0, 8, 1000, 5000, 20000, 200000} {
				src, dst := make([]byte, n), make([]byte, n)
				exchange := func() {
					check(t, b.ep.TRecv(dst, fi.AddrUnspec, 1, 0, b.req))
					check(t, a.ep.TSend(src, peer, 1, a.req))
					a.read(t, 1, b)
					b.read(t, 1, a)
					check(t, b.ep.Recv(dst, fi.AddrUnspec, b.req))
					check(t, a.ep.Send(src, peer, a.req))
					a.read(t, 1, b)
					b.read(t, 1, a)
				}
				for range 20 {
					exchange()
				}
				if got := testing.AllocsPerRun(50, exchange); got > 0.5 {
					t.Errorf("extension %s, %v, %d bytes: %v allocations an exchange", ext, progress, n, got)
				}
			}
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkPingPong is a round trip of small messages in one process, both sides polled by one goroutine.
func BenchmarkPingPong(b *testing.B) {
	for _, n := range []int{8, 4096} {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			x, y := sides(b, nil, fi.DomainAttr{Threading: fi.ThreadDomain})
			src, dst := make([]byte, n), make([]byte, n)
			for b.Loop() {
				check(b, y.ep.TRecv(dst, fi.AddrUnspec, 1, 0, y.req))
				check(b, x.ep.TSend(src, peer, 1, x.req))
				x.read(b, 1)
				y.read(b, 1)
				check(b, x.ep.TRecv(dst, fi.AddrUnspec, 1, 0, x.req))
				check(b, y.ep.TSend(src, peer, 1, y.req))
				y.read(b, 1)
				x.read(b, 1)
			}
		})
	}
}
