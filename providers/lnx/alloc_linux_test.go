package lnx_test

import (
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// drain reads n completions of a node while the other one is driven.
func (n *node) drain(want int, other *node, entries []cq.Entry) {
	for want > 0 {
		k, err := n.q.Read(entries)
		if err == fi.ErrAvail { //nolint:errorlint // documented: a bare value
			n.t.Fatal("an error completion")
		}
		want -= k
		if k == 0 {
			_, _ = other.q.Read(nil) //nolint:errcheck // drives only
		}
	}
}

// TestAllocations runs every fast path over both links; what it calls allocates nothing once there is a route.
//
// allocs: endpoint.to
// allocs: source.Ready
// allocs: source.Poll
func TestAllocations(t *testing.T) {
	a, near, far, toNear, toFar := trio(t)
	for _, c := range []struct {
		name string
		peer *node
		to   fi.Addr
	}{{"shm", near, toNear}, {"tcp", far, toFar}} {
		b, to := c.peer, c.to
		mem := make([]byte, 64)
		region, err := b.d.RegisterMR(mem, fi.AccessRemoteRead|fi.AccessRemoteWrite, &fi.MRAttr{Key: 5})
		b.check(err)
		t.Cleanup(func() { b.check(region.Close()) })
		at := mr.Remote{Addr: region.Remote().Addr, Key: 5}
		buf, old, in, entries := make([]byte, 8), make([]byte, 8), make([]byte, 8), make([]cq.Entry, 8)
		b.knows(a)
		send := func(call func() error, receives bool) func() {
			return func() {
				a.check(call())
				a.drain(1, b, entries)
				if receives {
					b.drain(1, a, entries)
				}
			}
		}
		for name, run := range map[string]func(){
			"Send": send(func() error { // allocs: ops.Send
				b.check(b.ep.Recv(in, fi.AddrUnspec, nil))
				return a.ep.Send(buf, to, nil)
			}, true),
			"TSend": send(func() error { // allocs: ops.TSend
				b.check(b.ep.TRecv(in, fi.AddrUnspec, 1, 0, nil))
				return a.ep.TSend(buf, to, 1, nil)
			}, true),
			"Write":  send(func() error { return a.ep.Write(buf, to, at, nil) }, false),                                         // allocs: ops.Write
			"Read":   send(func() error { return a.ep.Read(buf, to, at, nil) }, false),                                          // allocs: ops.Read
			"Atomic": send(func() error { return a.ep.Atomic(buf, to, at, fi.TypeUint64, fi.AtomicSum, nil) }, false),           // allocs: ops.Atomic
			"Fetch":  send(func() error { return a.ep.FetchAtomic(buf, old, to, at, fi.TypeUint64, fi.AtomicSum, nil) }, false), // allocs: ops.FetchAtomic
			"Compare": send(func() error { // allocs: ops.CompareAtomic
				return a.ep.CompareAtomic(buf, buf, old, to, at, fi.TypeUint64, fi.AtomicCSwap, nil)
			}, false),
		} {
			for range 200 { // connected, and everything that is used again is there
				run()
			}
			if got := a.route(to); got != c.name {
				t.Fatalf("the link is %q, want %q", got, c.name)
			}
			if n := testing.AllocsPerRun(200, run); n > 0 {
				t.Errorf("%s over %s allocates %v times", name, c.name, n)
			}
		}
	}
}
