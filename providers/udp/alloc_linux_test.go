package udp_test

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
)

// read polls until n completions have come.
func (s *side) read(n int) {
	var e [8]cq.Entry
	for n > 0 {
		k, err := s.q.Read(e[:min(n, len(e))])
		if err != nil && err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
			s.t.Fatal(s.q.Explain(err))
		}
		n -= k
	}
}

// TestSteadyStateAllocatesNothing exchanges datagrams with a peer that is known and with one that is not.
//
// allocs: ops.Send, ops.Recv, source.Ready, source.Poll, sock.receive, sock.deliver, sock.send, sock.recv, rawSend
// allocs: batch.rawRecv, batch.data, batch.from, sockName.key, endpoint.dest, known.sender
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if osx.RaceEnabled {
		t.Skip("known: the race detector allocates")
	}
	for _, progress := range []fi.Progress{fi.ProgressAuto, fi.ProgressManual} {
		h := &fi.Hints{Domain: &fi.DomainAttr{Progress: progress}}
		a, b := pair(t, nil, h)
		stranger := open(t, nil, h, netip.AddrPort{})
		to := stranger.knows(b.name())
		for _, n := range []int{0, 8, 1472} {
			src, dst := make([]byte, n), make([]byte, n)
			vec := &fi.Msg{Iov: [][]byte{src[:n/2], src[n/2:]}, Context: a.ctx}
			exchange := func() {
				for range 4 {
					check(t, b.ep.Recv(dst, fi.AddrUnspec, b.ctx))
				}
				check(t, a.ep.Send(src, 0, a.ctx))
				check(t, a.ep.Inject(src, 0))
				check(t, a.ep.SendMsg(vec, fi.OpCompletion))
				check(t, stranger.ep.Inject(src, to))
				a.read(2)
				b.read(4)
			}
			for range 20 {
				exchange()
			}
			if got := testing.AllocsPerRun(50, exchange); got > 0.5 {
				t.Errorf("%v, %d bytes: %v allocations an exchange", progress, n, got)
			}
		}
	}
}

// BenchmarkPingPong is a round trip in one process, both sides polled by one goroutine.
func BenchmarkPingPong(b *testing.B) {
	for _, n := range []int{8, 1472} {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			x, y := pair(b, nil, &fi.Hints{Domain: &fi.DomainAttr{Threading: fi.ThreadDomain}})
			src, dst := make([]byte, n), make([]byte, n)
			for b.Loop() {
				for _, w := range [][2]*side{{x, y}, {y, x}} {
					check(b, w[1].ep.Recv(dst, fi.AddrUnspec, w[1].ctx))
					check(b, w[0].ep.Send(src, 0, w[0].ctx))
					w[0].read(1)
					w[1].read(1)
				}
			}
		})
	}
}

// BenchmarkStream sends as much as is received, in windows that the socket's buffer holds.
func BenchmarkStream(b *testing.B) {
	const window = 32
	for _, n := range []int{8, 1472} {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			x, y := pair(b, nil, &fi.Hints{Domain: &fi.DomainAttr{Threading: fi.ThreadDomain}})
			src, dst := make([]byte, n), make([]byte, n)
			b.SetBytes(int64(n * window))
			for b.Loop() {
				for range window {
					check(b, y.ep.Recv(dst, fi.AddrUnspec, y.ctx))
					check(b, x.ep.Inject(src, 0))
				}
				y.read(window)
			}
			b.ReportMetric(float64(b.N)*window/b.Elapsed().Seconds(), "msgs/s")
		})
	}
}
