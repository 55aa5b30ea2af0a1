package conformance

import (
	"encoding/binary"
	"errors"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// Triggered operations: those with fi.OpTrigger.
var _ = add("triggered",
	testCase{name: "contexts", need: trig | msg | tagged | rma | atom, where: local, run: triggerContexts},
	testCase{name: "alias", need: trig | msg | tagged | rma | atom, where: local, run: triggerAlias},
	testCase{name: "cancel", need: trig | tagged, where: local, run: triggerCancel},
	testCase{name: "wrong", need: trig | msg | tagged | rma | atom, where: local, run: triggeredWrong},
)

// forms are the message forms on an endpoint with triggered contexts, and what their completions say.
func (t *test) forms(p *pair, region *region, got []byte) []struct {
	name  string
	flags fi.CompFlags
	post  func(ep *fabric.Endpoint, ctx any, fl fi.OpFlags) error
} {
	to := t.to(p.a, p.b)
	data := word64(5)
	word := []fi.RMAIov{{Addr: region.remote.Addr, Len: 8, Key: region.remote.Key}}
	atomic := func(op fi.AtomicOp, ctx any) *fi.AtomicMsg {
		return &fi.AtomicMsg{Iov: [][]byte{data}, Addr: to, RMAIov: word, Datatype: fi.TypeUint64, Op: op, Context: ctx}
	}
	return []struct {
		name  string
		flags fi.CompFlags
		post  func(ep *fabric.Endpoint, ctx any, fl fi.OpFlags) error
	}{
		{"send", fi.CompSend | fi.CompMsg, func(ep *fabric.Endpoint, ctx any, fl fi.OpFlags) error {
			return ep.SendMsg(&fi.Msg{Iov: [][]byte{data}, Addr: to, Context: ctx}, fl)
		}},
		{"tsend", fi.CompSend | fi.CompTagged, func(ep *fabric.Endpoint, ctx any, fl fi.OpFlags) error {
			return ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{data}, Addr: to, Tag: 2, Context: ctx}, fl)
		}},
		{"write", fi.CompWrite | fi.CompRMA, func(ep *fabric.Endpoint, ctx any, fl fi.OpFlags) error {
			return ep.WriteMsg(&fi.RMAMsg{Iov: [][]byte{data}, Addr: to, RMAIov: word, Context: ctx}, fl)
		}},
		{"read", fi.CompRead | fi.CompRMA, func(ep *fabric.Endpoint, ctx any, fl fi.OpFlags) error {
			return ep.ReadMsg(&fi.RMAMsg{Iov: [][]byte{got}, Addr: to, RMAIov: word, Context: ctx}, fl)
		}},
		{"atomic", fi.CompWrite | fi.CompAtomic, func(ep *fabric.Endpoint, ctx any, fl fi.OpFlags) error {
			return ep.AtomicMsg(atomic(fi.AtomicSum, ctx), fl)
		}},
		{"fetch_atomic", fi.CompRead | fi.CompAtomic, func(ep *fabric.Endpoint, ctx any, fl fi.OpFlags) error {
			return ep.FetchAtomicMsg(atomic(fi.AtomicSum, ctx), [][]byte{got}, fl)
		}},
		{"compare_atomic", fi.CompRead | fi.CompAtomic, func(ep *fabric.Endpoint, ctx any, fl fi.OpFlags) error {
			return ep.CompareAtomicMsg(atomic(fi.AtomicCSwap, ctx), [][]byte{data}, [][]byte{got}, fl)
		}},
	}
}

// triggerContexts posts operations with fi.OpTrigger: they begin in the order of their thresholds, and complete as others.
func triggerContexts(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	region := p.b.reg(regOpts{N: 8})
	got := make([]byte, 8)
	ca, cb := p.a.counter(nil), p.b.counter(nil)
	in, tin := make([]byte, 8), make([]byte, 8)
	r1, r2 := &fabric.TriggeredContext{Counter: cb, Threshold: 1}, &fabric.TriggeredContext{Counter: cb, Threshold: 2}
	eb := p.b.n.eps[0]
	t.check(eb.TRecvMsg(&fi.TaggedMsg{Iov: [][]byte{tin}, Addr: fi.AddrUnspec, Tag: 2, Context: r2}, fi.OpTrigger))
	t.check(eb.RecvMsg(&fi.Msg{Iov: [][]byte{in}, Addr: fi.AddrUnspec, Context: r1}, fi.OpTrigger))
	forms := t.forms(p, region, got)
	ctxs := make([]*fabric.TriggeredContext, len(forms))
	for i := len(forms) - 1; i >= 0; i-- {
		ctxs[i] = &fabric.TriggeredContext{Counter: ca, Threshold: uint64(i) + 1}
		t.check(forms[i].post(p.a.n.eps[0], ctxs[i], fi.OpTrigger))
	}
	cb.Add(2)
	for i, f := range forms {
		var one [1]cq.Entry
		if n, _ := p.a.n.txq.Read(one[:]); n != 0 {
			t.Fatalf("%v has completed before the threshold of %s", one[0].Flags, f.name)
		}
		ca.Add(1)
		e := t.raw(p.a, p.a.n.txq, 1)[0]
		if e.Err != 0 || e.Flags != f.flags || e.Context != any(ctxs[i]) {
			t.Fatalf("%s: the entry is %v, %v, context %v", f.name, e.Flags, e.Err, e.Context)
		}
	}
	for _, e := range t.raw(p.b, p.b.n.rxq, 2) {
		if e.Err != 0 || e.Len != 8 || e.Context != any(r1) && e.Context != any(r2) {
			t.Errorf("a receive's entry is %v, %v, context %v", e.Flags, e.Err, e.Context)
		}
	}
	for i, want := range []uint64{2, 0, 2, 2} { // send, receive, read or fetch, write or atomic
		c := p.a.n.cnt[[]int{cntSend, cntRecv, cntRead, cntWrite}[i]]
		if i == 2 {
			want = 3
		}
		if v := c.Read(); v != want {
			t.Errorf("counter %d is at %d, want %d", i, v, want)
		}
	}
}

// triggerAlias makes an alias all of whose calls are triggered; an inject is not, for it has no context.
func triggerAlias(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	region := p.b.reg(regOpts{N: 8})
	to := t.to(p.a, p.b)
	c := p.a.counter(nil)
	ep := p.a.n.eps[0]
	flags, rflags := fi.OpTrigger, fi.OpTrigger
	tx, err := ep.Alias(&flags, nil)
	t.check(err)
	rx, err := p.b.n.eps[0].Alias(nil, &rflags)
	t.check(err)
	data, got := word64(5), make([]byte, 8)
	at := region.remote
	for _, f := range []struct {
		name  string
		flags fi.CompFlags
		post  func(ctx any) error
	}{
		{"send", fi.CompSend | fi.CompMsg, func(ctx any) error { return tx.Send(data, to, ctx) }},
		{"sendv", fi.CompSend | fi.CompMsg, func(ctx any) error { return tx.SendV([][]byte{data}, to, ctx) }},
		{"tsend", fi.CompSend | fi.CompTagged, func(ctx any) error { return tx.TSend(data, to, 2, ctx) }},
		{"tsendv", fi.CompSend | fi.CompTagged, func(ctx any) error { return tx.TSendV([][]byte{data}, to, 2, ctx) }},
		{"write", fi.CompWrite | fi.CompRMA, func(ctx any) error { return tx.Write(data, to, at, ctx) }},
		{"writev", fi.CompWrite | fi.CompRMA, func(ctx any) error { return tx.WriteV([][]byte{data}, to, at, ctx) }},
		{"read", fi.CompRead | fi.CompRMA, func(ctx any) error { return tx.Read(got, to, at, ctx) }},
		{"readv", fi.CompRead | fi.CompRMA, func(ctx any) error { return tx.ReadV([][]byte{got}, to, at, ctx) }},
		{"atomic", fi.CompWrite | fi.CompAtomic, func(ctx any) error { return tx.Atomic(data, to, at, fi.TypeUint64, fi.AtomicSum, ctx) }},
		{"fetch_atomic", fi.CompRead | fi.CompAtomic, func(ctx any) error {
			return tx.FetchAtomic(data, got, to, at, fi.TypeUint64, fi.AtomicSum, ctx)
		}},
		{"atomic read", fi.CompRead | fi.CompAtomic, func(ctx any) error {
			return tx.FetchAtomic(nil, got, to, at, fi.TypeUint64, fi.AtomicRead, ctx)
		}},
		{"compare_atomic", fi.CompRead | fi.CompAtomic, func(ctx any) error {
			return tx.CompareAtomic(data, data, got, to, at, fi.TypeUint64, fi.AtomicCSwap, ctx)
		}},
	} {
		ctx := &fabric.TriggeredContext{Counter: c, Threshold: c.Read() + 1}
		t.check(f.post(ctx))
		var one [1]cq.Entry
		if n, _ := p.a.n.txq.Read(one[:]); n != 0 {
			t.Fatalf("%s has completed before its threshold", f.name)
		}
		c.Add(1)
		if e := t.raw(p.a, p.a.n.txq, 1)[0]; e.Err != 0 || e.Flags != f.flags || e.Context != any(ctx) {
			t.Fatalf("%s: the entry is %v, %v, context %v", f.name, e.Flags, e.Err, e.Context)
		}
		if err := f.post(new(int)); !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("%s with a context that says no counter: %v, want %v", f.name, err, fi.ErrInvalid)
		}
	}
	for name, err := range map[string]error{
		"inject": tx.Inject(data, to), "injectdata": tx.InjectData(data, 1, to), "tinject": tx.TInject(data, to, 1),
		"inject_write": tx.InjectWrite(data, to, at), "inject_atomic": tx.InjectAtomic(data, to, at, fi.TypeUint64, fi.AtomicSum),
	} {
		if !errors.Is(err, fi.ErrOpNotSupp) {
			t.Errorf("%s: %v, want %v", name, err, fi.ErrOpNotSupp)
		}
	}
	cb := p.b.counter(nil)
	for i, post := range []func(ctx any) error{
		func(ctx any) error { return rx.Recv(make([]byte, 8), fi.AddrUnspec, ctx) },
		func(ctx any) error { return rx.RecvV([][]byte{make([]byte, 8)}, fi.AddrUnspec, ctx) },
		func(ctx any) error { return rx.TRecv(make([]byte, 8), fi.AddrUnspec, 2, 0, ctx) },
		func(ctx any) error { return rx.TRecvV([][]byte{make([]byte, 8)}, fi.AddrUnspec, 2, 0, ctx) },
	} {
		ctx := &fabric.TriggeredContext{Counter: cb, Threshold: uint64(i) + 1}
		t.check(post(ctx))
		cb.Add(1)
		if e := t.raw(p.b, p.b.n.rxq, 1)[0]; e.Err != 0 || e.Len != 8 || e.Context != any(ctx) {
			t.Fatalf("a receive's entry is %v, %v, context %v", e.Flags, e.Err, e.Context)
		}
	}
	// Calls with flags of their own are as on the endpoint, and injected data belongs to the caller at once.
	t.check(tx.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{data}, Addr: to, Tag: 2}, 0))
	ctx := &fabric.TriggeredContext{Counter: c, Threshold: c.Read() + 1}
	t.check(tx.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{data}, Addr: to, Tag: 2, Context: ctx}, fi.OpInject|fi.OpTrigger))
	copy(data, word64(99))
	t.raw(p.a, p.a.n.txq, 1)
	c.Add(1)
	t.raw(p.a, p.a.n.txq, 1)
	for range 2 {
		buf := make([]byte, 8)
		t.check(p.b.n.eps[0].TRecv(buf, fi.AddrUnspec, 2, 0, nil))
		t.raw(p.b, p.b.n.rxq, 1)
		if v := binary.NativeEndian.Uint64(buf); v != 5 {
			t.Errorf("the message says %d, want 5: its buffer was read when it belonged to the caller", v)
		}
	}
}

// triggerCancel ends triggered operations that wait, and one that has begun.
func triggerCancel(t *test) {
	p := t.pair()
	p.a.uncounted = true
	c := p.a.counter(nil)
	ep := p.a.n.eps[0]
	send := func(threshold uint64) *fabric.TriggeredContext {
		ctx := &fabric.TriggeredContext{Counter: c, Threshold: threshold}
		t.check(ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Addr: t.to(p.a, p.b), Tag: 2, Context: ctx}, fi.OpTrigger|fi.OpMatchComplete))
		return ctx
	}
	first, second := send(2), send(1)
	c.Add(1)
	for _, ctx := range []*fabric.TriggeredContext{first, second} {
		t.check(ep.Cancel(ctx))
		if e := t.raw(p.a, p.a.n.txq, 1)[0]; e.Err != fi.ErrCanceled || e.Context != any(ctx) {
			t.Errorf("the entry is %v, context %v, want %v", &e, e.Context, fi.ErrCanceled)
		}
		if err := ep.Cancel(ctx); !errors.Is(err, fi.ErrNoEnt) {
			t.Errorf("cancelling again: %v, want %v", err, fi.ErrNoEnt)
		}
	}
	c.Add(5)
	p.a.reaches(p.a.n.cnt[cntSend], 0, 2)
}

// triggeredWrong makes calls that cannot be.
func triggeredWrong(t *test) {
	p := t.pair()
	ep := p.a.n.eps[0]
	c, other := p.a.counter(nil), p.b.counter(nil)
	region := p.b.reg(regOpts{N: 8})
	for _, f := range t.forms(p, region, make([]byte, 8)) {
		for _, ctx := range []any{nil, new(int), (*fabric.TriggeredContext)(nil), &fabric.TriggeredContext{}, &fabric.TriggeredContext{Counter: other}} {
			if err := f.post(ep, ctx, fi.OpTrigger); !errors.Is(err, fi.ErrInvalid) {
				t.Errorf("%s with context %#v: %v, want %v", f.name, ctx, err, fi.ErrInvalid)
			}
		}
		if err := f.post(ep, &fabric.TriggeredContext{Counter: c}, fi.OpTrigger|fi.OpPeek); !errors.Is(err, fi.ErrBadFlags) {
			t.Errorf("%s with fi.OpPeek: %v, want %v", f.name, err, fi.ErrBadFlags)
		}
	}
	if err := ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{make([]byte, p.a.n.info.Tx.InjectSize+1)}, Addr: t.to(p.a, p.b), Context: &fabric.TriggeredContext{Counter: c}},
		fi.OpTrigger|fi.OpInject); !errors.Is(err, fi.ErrMsgSize) {
		t.Errorf("an inject that is too long: %v, want %v", err, fi.ErrMsgSize)
	}
}
