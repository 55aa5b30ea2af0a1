package conformance

import (
	"runtime"
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("alloc",
	testCase{name: "msg", need: msg, where: local, run: func(t *test) { allocMessages(t, "") }},
	testCase{name: "tagged", need: tagged, where: local, run: func(t *test) { allocMessages(t, "t") }},
	testCase{name: "message-forms", need: msg | tagged, where: local, run: allocForms},
	testCase{name: "unexpected", need: tagged, where: local, run: allocUnexpected},
	testCase{name: "rma", need: rma, where: local, run: func(t *test) { allocRMA(t, 8, 1000) }},
	testCase{name: "rma-large", need: rma, where: local, run: func(t *test) { allocRMA(t, 65536) }},
	testCase{name: "atomic", need: atom, where: local, run: allocAtomic},
	testCase{name: "contexts", need: tagged | fi.CapNamedRxCtx, where: local, run: allocContexts},
	testCase{name: "empty-read", need: tagged, where: local, run: allocEmpty},
)

// fastOps counts the allocations of f in the steady state.
func (t *test) fastOps(what string, f func()) {
	for range 300 {
		f()
	}
	runtime.GC()
	best := 1e9
	for range 3 { // somebody else's goroutine may allocate; not three times
		best = min(best, testing.AllocsPerRun(200, f))
	}
	if best != 0 {
		t.Errorf("%s: %v allocations an operation", what, best)
	}
}

// drain reads until n completions have come.
func (t *test) drain(e []cq.Entry, qs ...*reader) {
	for _, r := range qs {
		for {
			n, err := r.q.Read(e)
			if n > 0 {
				break
			}
			if err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
				t.Fatalf("reading a completion: %v", err)
			}
			r.drive() // the steady state has both sides poll
		}
	}
}

func allocMessages(t *test, x string) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	a, b, to := p.a.n.eps[0], p.b.n.eps[0], p.a.addr(p.b)
	tx, rx := p.a.txReader(), p.b.reader()
	var e [1]cq.Entry
	ctx := new(int)
	for _, n := range t.fit(0, 8, 64, 1000, 4096, 65536) {
		src, dst := make([]byte, n), make([]byte, n)
		t.fastOps(x+"send and "+x+"recv", func() {
			if x == "" {
				t.check(b.Recv(dst, anyone, ctx))
				t.check(a.Send(src, to, ctx))
			} else {
				t.check(b.TRecv(dst, anyone, 7, 0, ctx))
				t.check(a.TSend(src, to, 7, ctx))
			}
			t.drain(e[:], rx, tx)
		})
		if n > p.a.info.Tx.InjectSize {
			continue
		}
		t.fastOps(x+"inject", func() {
			if x == "" {
				t.check(b.Recv(dst, anyone, ctx))
				if p.a.noData() {
					t.check(a.Inject(src, to))
				} else {
					t.check(a.InjectData(src, 3, to))
				}
			} else {
				t.check(b.TRecv(dst, anyone, 7, 0, ctx))
				t.check(a.TInjectData(src, 3, to, 7))
			}
			t.drain(e[:], rx)
		})
	}
}

// allocContexts sends between contexts of scalable endpoints, in both forms.
func allocContexts(t *test) {
	a, b := t.seps(t.tc.need)
	to := fi.RxAddr(a.peer, 2, sepBits)
	src, dst := make([]byte, 64), make([]byte, 64)
	m := &fi.TaggedMsg{Iov: [][]byte{src}, Addr: to, Tag: 3, Context: m1}
	var e [1]cq.Entry
	drain := func() {
		for _, q := range []*fabric.CQ{b.qs[sepCount+2], a.qs[1]} {
			for n := 0; n == 0; n, _ = q.Read(e[:]) {
				a.qs[1].Read(e[:0])
				b.qs[1].Read(e[:0])
			}
		}
	}
	t.fastOps("tsend and trecv of contexts", func() {
		t.check(b.rx[2].TRecv(dst, fi.AddrUnspec, 3, 0, m1))
		t.check(a.tx[1].TSend(src, to, 3, m1))
		drain()
	})
	t.fastOps("tsendmsg of a context", func() {
		t.check(b.rx[2].TRecv(dst, fi.AddrUnspec, 3, 0, m1))
		t.check(a.tx[1].TSendMsg(m, 0))
		drain()
	})
}

func allocForms(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	a, b, to := p.a.n.eps[0], p.b.n.eps[0], p.a.addr(p.b)
	tx, rx := p.a.txReader(), p.b.reader()
	var e [1]cq.Entry
	src, dst := make([]byte, 100), make([]byte, 100)
	m := &fi.Msg{Iov: [][]byte{src[:40], src[40:]}, Addr: to, Context: m1}
	r := &fi.Msg{Iov: [][]byte{dst[:10], dst[10:]}, Addr: anyone, Context: m1}
	tm := &fi.TaggedMsg{Iov: m.Iov, Addr: to, Tag: 3, Context: m1}
	tr := &fi.TaggedMsg{Iov: r.Iov, Addr: anyone, Tag: 3, Context: m1}
	t.fastOps("sendmsg and recvmsg", func() {
		t.check(b.RecvMsg(r, 0))
		t.check(a.SendMsg(m, 0))
		t.drain(e[:], rx, tx)
	})
	t.fastOps("tsendmsg and trecvmsg", func() {
		t.check(b.TRecvMsg(tr, 0))
		t.check(a.TSendMsg(tm, t.levels(fi.OpDeliveryComplete)))
		t.drain(e[:], rx, tx)
	})
}

var m1 = new(int)

func allocUnexpected(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	a, b, to := p.a.n.eps[0], p.b.n.eps[0], p.a.addr(p.b)
	rx := p.b.reader()
	var e [1]cq.Entry
	src, dst := make([]byte, 500), make([]byte, 500)
	t.fastOps("unexpected messages", func() {
		for i := range uint64(4) {
			t.check(a.TInject(src, to, i))
		}
		b.Domain()
		for i := range uint64(4) {
			t.check(b.TRecv(dst, anyone, 3-i, 0, m1))
		}
		for range 4 {
			t.drain(e[:], rx)
		}
	})
}

func allocRMA(t *test, lens ...int) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	a, to := p.a.n.eps[0], p.a.addr(p.b)
	tx := p.a.txReader()
	m := p.b.reg(regOpts{N: 1 << 16, Key: 1})
	var e [1]cq.Entry
	for _, n := range lens {
		buf := make([]byte, n)
		t.fastOps("write", func() {
			t.check(a.Write(buf, to, m.remote, m1))
			t.drain(e[:], tx)
		})
		t.fastOps("read", func() {
			t.check(a.Read(buf, to, m.remote, m1))
			t.drain(e[:], tx)
		})
	}
}

func allocAtomic(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	a, to := p.a.n.eps[0], p.a.addr(p.b)
	tx := p.a.txReader()
	m := p.b.reg(regOpts{N: 64, Key: 1})
	var e [1]cq.Entry
	buf, res, cmp := make([]byte, 8), make([]byte, 8), make([]byte, 8)
	t.fastOps("atomic", func() {
		t.check(a.Atomic(buf, to, m.remote, fi.TypeUint64, fi.AtomicSum, m1))
		t.drain(e[:], tx)
	})
	t.fastOps("fetch_atomic", func() {
		t.check(a.FetchAtomic(buf, res, to, m.remote, fi.TypeUint64, fi.AtomicSum, m1))
		t.drain(e[:], tx)
	})
	t.fastOps("compare_atomic", func() {
		t.check(a.CompareAtomic(buf, cmp, res, to, m.remote, fi.TypeUint64, fi.AtomicCSwap, m1))
		t.drain(e[:], tx)
	})
}

func allocEmpty(t *test) {
	p := t.pair()
	var e [4]cq.Entry
	t.fastOps("an empty read", func() { p.b.n.rxq.Read(e[:]) })
	t.fastOps("a counter", func() { p.b.n.cnt[cntRecv].Read() })
}
