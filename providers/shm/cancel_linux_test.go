package shm

import (
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// wantCanceled cancels the operation that was posted with ctx, and waits for it to say so.
func wantCanceled(t testing.TB, n *node, ops *posted, post func(ctx any) error) {
	t.Helper()
	o := &oneOp{p: ops}
	n.must(t, func() error { return post(o) })
	ops.open++
	if err := n.ep.Cancel(o); err != nil {
		t.Fatal(err)
	}
	errs := ops.errs
	ops.settle(t, "a cancelled operation", patient)
	if ops.errs != errs+1 || o.seen != 1 {
		t.Errorf("completed %d times, %d in error: %s", o.seen, ops.errs-errs, ops.text)
	}
	if err := n.ep.Cancel(o); err == nil {
		t.Error("it can be cancelled twice")
	}
}

// TestCancelStates cancels operations in every state.
func TestCancelStates(t *testing.T) {
	leaves(t)
	n, other := newNode(t, opt{}), newNode(t, opt{})
	toOther := n.insert(t, other.addr)
	ops := &posted{n: n}
	mem := alloc(t, 1<<20)
	calling := newNode(t, opt{env: map[string]string{"FI_SHM_CONNECT_TIMEOUT": "60000"}}) // longer than the machine may stand still
	nobody := calling.insert(t, []byte(prefix+"nobody-is-here"))
	for _, k := range []string{"small", "large", "write", "read-heap-1M", "atomic", "vector"} {
		wantCanceled(t, calling, &posted{n: calling}, kinds(calling, nobody, mem)[k]) // while it connects
	}
	exchangeOnce(t, n, other)
	wantCanceled(t, n, ops, kinds(n, toOther, mem)["large"])   // announced, not matched
	wantCanceled(t, n, ops, kinds(n, toOther, mem)["matched"]) // at the peer, not matched
	eventually(t, "nothing is left at the peer", func() bool { return other.state() == "" }, n, other)

	p, addr := peer(t, nil, "sink")
	to := n.insert(t, addr)
	ops.post(t, kinds(n, to, mem)["matched"])
	ops.settle(t, "the first", patient)
	p.stop()
	late := &posted{n: n}
	late.post(t, kinds(n, to, mem)["write-heap-1M"]) // what comes now stays behind it
	for _, k := range []string{"small", "large", "write", "vector"} {
		wantCanceled(t, n, ops, kinds(n, to, mem)[k])
	}
	p.signal(syscall.SIGCONT)
	late.settle(t, "the write", patient)
	if late.errs > 0 {
		t.Error(late.text)
	}
	n.idle(t)
}

// TestCancelRace cancels messages that may be matched at the same moment: each completes once on both sides, and a
// message that was given back is never received.
func TestCancelRace(t *testing.T) {
	leaves(t)
	a, b := newNode(t, opt{}), newNode(t, opt{})
	to := a.insert(t, b.addr)
	exchangeOnce(t, a, b)
	tx, rx := &posted{n: a}, &posted{n: b}
	canceled, delivered := 0, 0
	for i := range 2000 {
		size := []int{8, 20000}[i%2]
		o := &oneOp{p: &posted{n: a, open: 1}}
		a.must(t, func() error {
			return a.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{make([]byte, size)}, Addr: to, Tag: uint64(i), Context: o}, fi.OpCompletion|fi.OpMatchComplete)
		})
		in := &oneOp{p: &posted{n: b, open: 1}}
		recv := func() {
			if err := b.ep.TRecv(make([]byte, size), fi.AddrUnspec, uint64(i), 0, in); err != nil {
				t.Fatal(err)
			}
		}
		early := rand.IntN(2) == 0
		if early {
			recv()
		}
		for range rand.IntN(30) {
			rx.reap(t)
		}
		if err := a.ep.Cancel(o); err != nil && o.seen == 0 {
			for o.seen == 0 && tx.reap(t) {
			}
		}
		eventually(t, "the send", func() bool { tx.reap(t); rx.reap(t); return o.seen == 1 })
		switch {
		case o.p.errs == 1: // given back: the receive must not get it
			canceled++
			if !early {
				recv()
			}
			for range 20 {
				rx.reap(t)
			}
			if in.seen != 0 {
				t.Fatal("a message was given back and received")
			}
			if err := b.ep.Cancel(in); err != nil {
				t.Fatal(err)
			}
		default:
			delivered++
			if !early {
				recv()
			}
		}
		eventually(t, "the receive", func() bool { rx.reap(t); tx.reap(t); return in.seen == 1 })
	}
	t.Log(canceled, "given back,", delivered, "delivered")
	if canceled == 0 || delivered == 0 {
		t.Error("one of the two never happens")
	}
	a.idle(t)
	b.idle(t)
}

// TestAddressChanges inserts and removes a sender's address while it is connected: from then on its messages, also those
// that wait, come from the address that it has.
func TestAddressChanges(t *testing.T) {
	leaves(t)
	caps := allCaps | fi.CapSource | fi.CapDirectedRecv
	a, b := newNode(t, opt{caps: caps}), newNode(t, opt{caps: caps})
	to := a.insert(t, b.addr)
	buf := make([]byte, 20000)
	src := func(size int, tag uint64, wait bool) fi.Addr {
		t.Helper()
		post := func() {
			if err := b.ep.TRecv(buf[:size], fi.AddrUnspec, tag, 0, buf); err != nil {
				t.Fatal(err)
			}
		}
		if !wait {
			post()
		}
		a.must(t, func() error { return a.ep.TSend(make([]byte, size), to, tag, nil) })
		if wait {
			eventually(t, "it waits", func() bool {
				n := 0
				b.locked(func() { n = b.drv.Rx.Tag.Unexpected() })
				return n == 1
			}, b)
			return 0
		}
		c := b.waitOK(t)
		a.waitOK(t)
		return c.Src
	}
	for round := range 3 {
		for _, size := range []int{8, 20000} {
			if s := src(size, 1, false); s != fi.AddrNotAvail {
				t.Fatal("an unknown sender is known as", s)
			}
			src(size, 2, true)
			at := b.insert(t, a.addr)
			if err := b.ep.TRecv(buf, at, 2, 0, buf); err != nil { // from the address: the one that waits
				t.Fatal(err)
			}
			if c := b.waitOK(t); c.Src != at {
				t.Errorf("round %d: a message that waited comes from %d, want %d", round, c.Src, at)
			}
			a.waitOK(t)
			if s := src(size, 3, false); s != at {
				t.Errorf("round %d: from %d, want %d", round, s, at)
			}
			// A directed receive is posted before the address is removed: it stays for that address.
			if err := b.av.Remove([]fi.Addr{at}); err != nil {
				t.Fatal(err)
			}
			if s := src(size, 4, false); s != fi.AddrNotAvail {
				t.Fatal("a sender that was removed is known as", s)
			}
		}
		// The sender removes and inserts its peer.
		if err := a.av.Remove([]fi.Addr{to}); err != nil {
			t.Fatal(err)
		}
		if err := a.ep.TSend(buf[:8], to, 1, nil); err == nil {
			t.Error("an address that was removed is taken")
		}
		to = a.insert(t, b.addr)
	}
	pairs := 0
	a.locked(func() { pairs = len(a.dom.pairs) })
	if pairs != 1 {
		t.Error(pairs, "pairs: the connection should have stayed")
	}
}

// TestFence: a fenced operation, and what comes after it, waits for everything before it to the same peer.
func TestFence(t *testing.T) {
	leaves(t)
	a, b := newNode(t, opt{}), newNode(t, opt{})
	to := a.insert(t, b.addr)
	shared := alloc(t, 1<<20)
	b.region(t, shared.Bytes(), 1)
	heap := make([]byte, 1<<20)
	b.region(t, heap, 2)
	exchangeOnce(t, a, b)
	ops := &posted{n: a}
	for i := range 200 {
		// A large message that nobody wants yet, then a fenced write: it must not be in memory before the message is taken.
		v := byte(i + 1)
		big := make([]byte, 30000)
		ops.post(t, func(ctx any) error { return a.ep.TSend(big, to, 5, ctx) })
		ops.post(t, func(ctx any) error {
			return a.ep.WriteMsg(&fi.RMAMsg{Iov: [][]byte{{v}}, Addr: to, Context: ctx,
				RMAIov: []fi.RMAIov{{Len: 1, Key: uint64(1 + i%2)}}}, fi.OpCompletion|fi.OpFence)
		})
		for range 20 {
			ops.reap(t)
			b.q.Read(nil) //nolint:errcheck // only drives
		}
		if i%2 == 0 && volatile(shared.Bytes(), 0) && shared.Bytes()[0] == v || i%2 == 1 && heap[0] == v {
			t.Fatal("a fenced write has overtaken a message")
		}
		in := &posted{n: b}
		in.post(t, func(ctx any) error { return b.ep.TRecv(make([]byte, 30000), fi.AddrUnspec, 5, 0, ctx) })
		eventually(t, "both", func() bool { in.reap(t); ops.reap(t); return in.open+ops.open == 0 })
		got := shared.Bytes()[0]
		if i%2 == 1 {
			b.locked(func() { got = heap[0] })
		}
		if got != v || ops.errs > 0 {
			t.Fatal("round", i, got, ops.text)
		}
	}
	a.idle(t)
	b.idle(t)
	runtime.KeepAlive(heap)
}
