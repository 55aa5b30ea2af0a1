package conformance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

const trig = fi.CapTrigger

// Deferred work and triggered operations. What the cases queue is not known to the suite, which finds entries and counts
// that nobody asked for.
var _ = add("trigger",
	testCase{name: "kinds", need: trig | msg | tagged | rma | atom, where: local, run: triggerKinds},
	testCase{name: "not-early", need: trig | tagged, where: local, kind: core, run: triggerNotEarly},
	testCase{name: "set-back", need: trig | tagged, where: local, run: triggerSetBack},
	testCase{name: "by-receive", need: trig | tagged, where: local, kind: core, run: triggerByReceive},
	testCase{name: "once", need: trig | tagged, where: local, run: triggerOnce},
	testCase{name: "order", need: trig | tagged, where: local, run: triggerOrder},
	testCase{name: "chain", need: trig | tagged, where: local, kind: core, run: triggerChain},
	testCase{name: "counters", need: trig | msg, where: local, run: triggerCounters},
	testCase{name: "errors", need: trig | rma | msg, where: local, run: triggerErrors},
	testCase{name: "completion", need: trig | tagged, where: local, run: triggerCompletion},
	testCase{name: "take-back", need: trig | msg, where: local, run: triggerTakeBack},
	testCase{name: "stats", need: trig | tagged, where: local, run: triggerStats},
	testCase{name: "no-room", need: trig | tagged, where: local, kind: core, run: triggerNoRoom},
	testCase{name: "slices-again", need: trig | msg | rma | atom, where: local, run: triggerSlices},
	testCase{name: "take-back-room", need: trig | msg, where: local, run: triggerTakeBackRoom},
	testCase{name: "close", need: trig | tagged, where: local, run: triggerClose},
	testCase{name: "wrong", need: trig | msg | tagged | rma | atom, where: local, run: triggerWrong},
	testCase{name: "not-asked-for", need: trig | msg, where: local, run: triggerNotAskedFor},
	testCase{name: "not-offered", need: msg, lacks: trig, where: local, run: triggerNotAskedFor},
)

// deferred queues work that must be accepted.
func (s *side) deferred(w fabric.DeferredWork) *fabric.DeferredWork {
	if w.EP == nil && w.OpType < fi.WorkCntrSet {
		w.EP = s.n.eps[0]
	}
	s.t.check(s.n.dom.QueueWork(&w))
	return &w
}

// reaches waits until a counter shows values and errors.
func (s *side) reaches(c *fabric.Counter, value, errs uint64) {
	s.t.until("a counter's change", func() bool { return c.Read() >= value && c.ReadErr() >= errs }, s)
	if v, e := c.Read(), c.ReadErr(); v != value || e != errs {
		s.t.Fatalf("the counter is at %d and %d errors, want %d and %d", v, e, value, errs)
	}
}

// triggerKinds defers each kind of operation. None begins before its time, and none shows in queues or counters of the
// endpoints.
func triggerKinds(t *test) {
	p := t.pair()
	to := t.to(p.a, p.b)
	const n = 3000
	region := p.b.reg(regOpts{N: n, Seed: 1})
	at := []fi.RMAIov{{Addr: region.remote.Addr, Len: n, Key: region.remote.Key}}
	word := []fi.RMAIov{{Addr: region.remote.Addr, Len: 8, Key: region.remote.Key}}
	data, got, in, tin := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
	fill(data, 7, 0)
	first := binary.NativeEndian.Uint64(data)
	old, old2 := make([]byte, 8), make([]byte, 8)
	ca, da := p.a.counter(nil), p.a.counter(nil)
	cb, db := p.b.counter(nil), p.b.counter(nil)
	p.b.deferred(fabric.DeferredWork{Triggering: cb, Threshold: 1, Completion: db, OpType: fi.WorkRecv, Msg: &fi.Msg{Iov: [][]byte{in}, Addr: fi.AddrUnspec}})
	p.b.deferred(fabric.DeferredWork{Triggering: cb, Threshold: 1, Completion: db, OpType: fi.WorkTRecv, Tagged: &fi.TaggedMsg{Iov: [][]byte{tin}, Addr: fi.AddrUnspec, Tag: 4}})
	sum := &fi.AtomicMsg{Iov: [][]byte{word64(1)}, Addr: to, RMAIov: word, Datatype: fi.TypeUint64, Op: fi.AtomicSum}
	swap := &fi.AtomicMsg{Iov: [][]byte{word64(9)}, Addr: to, RMAIov: word, Datatype: fi.TypeUint64, Op: fi.AtomicCSwap}
	steps := []fabric.DeferredWork{
		{OpType: fi.WorkSend, Msg: &fi.Msg{Iov: [][]byte{data[:5], data[5:]}, Addr: to}},
		{OpType: fi.WorkTSend, Tagged: &fi.TaggedMsg{Iov: [][]byte{data}, Addr: to, Tag: 4}, Flags: fi.OpTransmitComplete},
		{OpType: fi.WorkWrite, RMA: &fi.RMAMsg{Iov: [][]byte{data}, Addr: to, RMAIov: at}, Flags: fi.OpDeliveryComplete},
		{OpType: fi.WorkRead, RMA: &fi.RMAMsg{Iov: [][]byte{got}, Addr: to, RMAIov: at}},
		{OpType: fi.WorkAtomic, Atomic: sum, Flags: fi.OpDeliveryComplete},
		{OpType: fi.WorkFetchAtomic, Atomic: sum, Result: [][]byte{old}},
		{OpType: fi.WorkCompareAtomic, Atomic: swap, Compare: [][]byte{word64(first + 2)}, Result: [][]byte{old2}},
	}
	for i := len(steps) - 1; i >= 0; i-- { // the last first: the thresholds decide
		w := steps[i]
		w.Triggering, w.Completion, w.Threshold = ca, da, uint64(i)+1
		p.a.deferred(w)
	}
	t.flush(p.a, p.b)
	p.a.reaches(da, 0, 0)
	p.b.reaches(db, 0, 0)
	cb.Add(1)
	for i := range steps {
		ca.Add(1)
		p.a.reaches(da, uint64(i)+1, 0)
	}
	p.b.reaches(db, 2, 0)
	if !bytes.Equal(in, data) || !bytes.Equal(tin, data) || !bytes.Equal(got, data) {
		t.Errorf("messages or a read brought something else than what was sent")
	}
	if a, b := binary.NativeEndian.Uint64(old), binary.NativeEndian.Uint64(old2); a != first+1 || b != first+2 {
		t.Errorf("the atomics found %d and %d, want %d and %d", a, b, first+1, first+2)
	}
	if v := binary.NativeEndian.Uint64(region.bytes(0, 8)); v != 9 {
		t.Errorf("the last atomic left %d, want 9", v)
	}
}

// triggerNotEarly sees that work waits for its threshold, and begins when the threshold is there.
func triggerNotEarly(t *test) {
	p := t.pair()
	c, done := p.a.counter(nil), p.a.counter(nil)
	r := p.b.recv(call{Form: "trecv", N: 8, Tag: 5})
	send := func(threshold uint64) {
		p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: threshold, Completion: done, OpType: fi.WorkTSend,
			Tagged: &fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Addr: t.to(p.a, p.b), Tag: 5}, Flags: fi.OpTransmitComplete})
	}
	send(3)
	for _, step := range []func(){func() {}, func() { c.Add(1) }, func() { c.AddErr(1) }, func() { c.Set(0) }} {
		step()
		t.flush(p.a, p.b)
		if r.done() || done.Read() != 0 {
			t.Fatalf("the counter is at %d and %d errors, and the work for 3 has begun", c.Read(), c.ReadErr())
		}
	}
	c.Set(2)
	p.a.reaches(done, 1, 0)
	t.wait(r)
	r = p.b.recv(call{Form: "trecv", N: 8, Tag: 5})
	send(3) // it is there: at once
	p.a.reaches(done, 2, 0)
	t.wait(r)
}

// triggerByReceive answers a message when it has come, and not when its receive is posted: with automatic progress nobody
// polls the side that answers.
func triggerByReceive(t *test) {
	p := t.pair()
	answer, r := p.a.recv(call{Form: "trecv", N: 8, Tag: 2}), p.b.recv(call{Form: "trecv", N: 8, Tag: 1})
	p.b.deferred(fabric.DeferredWork{Triggering: p.b.n.cnt[cntRecv], Threshold: 1, OpType: fi.WorkTSend,
		Tagged: &fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Addr: t.to(p.b, p.a), Tag: 2}})
	t.flush(p.b, p.a)
	if answer.done() {
		t.Errorf("the answer came before the question")
	}
	t.wait(p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 1}), answer)
	t.wait(r)
}

// triggerOnce sees that work begins once.
func triggerOnce(t *test) {
	p := t.pair()
	c, done := p.a.counter(nil), p.a.counter(nil)
	p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: 1, Completion: done, OpType: fi.WorkTSend,
		Tagged: &fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Addr: t.to(p.a, p.b), Tag: 5}})
	r, again := p.b.recv(call{Form: "trecv", N: 8, Tag: 5}), p.b.recv(call{Form: "trecv", N: 8, Tag: 5})
	for range 3 {
		c.Add(1)
		t.flush(p.a, p.b)
	}
	t.wait(r)
	p.a.reaches(done, 1, 0)
	if again.done() {
		t.Errorf("the work has been done twice")
	}
	t.check(again.cancel())
	t.fails(again, fi.ErrCanceled)
}

// triggerOrder reaches several thresholds at once.
func triggerOrder(t *test) {
	p := t.pair()
	c, done := p.a.counter(nil), p.a.counter(nil)
	queued := []uint64{3, 1, 2, 2, 5, 1, 4}
	want := []byte{1, 5, 2, 3, 0, 6} // the 5 stays
	for i, threshold := range queued {
		p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: threshold, Completion: done, OpType: fi.WorkTSend,
			Tagged: &fi.TaggedMsg{Iov: [][]byte{{byte(i)}}, Addr: t.to(p.a, p.b), Tag: 5}})
	}
	c.Set(4)
	p.a.reaches(done, uint64(len(want)), 0)
	var got []byte
	for range want {
		r := p.b.recv(call{Form: "trecv", N: 1, Tag: 5})
		t.wait(r)
		got = append(got, r.last().Bytes...)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("began in the order %v, want %v", got, want)
	}
	t.check(p.a.n.dom.FlushWork(c))
}

// triggerChain makes a side answer by itself: with automatic progress nothing there is polled.
func triggerChain(t *test) {
	const rounds = 10
	p := t.pair()
	came, sent := p.b.counter(nil), p.b.counter(nil)
	buf := make([]byte, 8)
	for i := range uint64(rounds) {
		p.b.deferred(fabric.DeferredWork{Triggering: sent, Threshold: i, Completion: came, OpType: fi.WorkTRecv,
			Tagged: &fi.TaggedMsg{Iov: [][]byte{buf}, Addr: fi.AddrUnspec, Tag: 1}})
		p.b.deferred(fabric.DeferredWork{Triggering: came, Threshold: i + 1, Completion: sent, OpType: fi.WorkTSend,
			Tagged: &fi.TaggedMsg{Iov: [][]byte{buf}, Addr: t.to(p.b, p.a), Tag: 2}})
	}
	for range rounds {
		s := p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 1, Seed: 3})
		r := p.a.recv(call{Form: "trecv", N: 8, Tag: 2})
		t.wait(s, r)
		t.got(r, s.as(call{Form: "tsend", N: 8, Tag: 2, Seed: 3}))
	}
	p.b.reaches(sent, rounds, 0)
}

// as is an operation that did the same as o by another call.
func (o *op) as(c call) *op { return &op{s: o.s, call: c} }

// triggerCounters sets counters, and adds to them.
func triggerCounters(t *test) {
	p := t.pair()
	a, b, c := p.a.counter(nil), p.a.counter(nil), p.a.counter(nil)
	p.a.deferred(fabric.DeferredWork{Triggering: a, Threshold: 2, OpType: fi.WorkCntrAdd, Counter: b, Value: 7})
	p.a.deferred(fabric.DeferredWork{Triggering: a, Threshold: 1, OpType: fi.WorkCntrSet, Counter: b, Value: 40})
	p.a.deferred(fabric.DeferredWork{Triggering: b, Threshold: 47, OpType: fi.WorkCntrAdd, Counter: c, Value: 1})
	b.Add(5) // what is set does not depend on it
	t.flush(p.a, p.b)
	p.a.reaches(b, 5, 0)
	a.Add(2)
	p.a.reaches(c, 1, 0)
	p.a.reaches(b, 47, 0)
}

// triggerErrors counts an error, which has an entry with the cause, and which counts for thresholds.
func triggerErrors(t *test) {
	p := t.pair()
	c, done, next := p.a.counter(nil), p.a.counter(nil), p.a.counter(nil)
	buf := make([]byte, 8)
	ctx := new(int)
	p.a.deferred(fabric.DeferredWork{Triggering: done, Threshold: 1, OpType: fi.WorkCntrAdd, Counter: next, Value: 1})
	p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: 1, Completion: done, OpType: fi.WorkWrite,
		RMA: &fi.RMAMsg{Iov: [][]byte{buf}, Addr: t.to(p.a, p.b), RMAIov: []fi.RMAIov{{Len: 8, Key: 12345}}, Context: ctx}})
	c.Add(1)
	e := t.raw(p.a, p.a.n.txq, 1)[0]
	if e.Err != fi.ErrKeyRejected || e.Context != any(ctx) || e.Text == "" || e.Flags != fi.CompWrite|fi.CompRMA {
		t.Errorf("the entry is %v, context %v, want %v", &e, e.Context, fi.ErrKeyRejected)
	}
	p.a.reaches(done, 0, 1)
	p.a.reaches(next, 1, 0)
}

// raw reads n entries of a queue of s, and polls the other sides if they need it.
func (t *test) raw(s *side, q *fabric.CQ, n int) (out []cq.ErrEntry) {
	for end := time.Now().Add(t.patience); len(out) < n; {
		var one [1]cq.Entry
		switch k, err := q.Read(one[:]); {
		case k == 1:
			out = append(out, cq.ErrEntry{Entry: one[0]})
		case err == fi.ErrAvail: //nolint:errorlint // documented: a bare value
			var e cq.ErrEntry
			t.check(q.ReadErr(&e))
			out = append(out, e)
		default:
			for _, o := range t.sides {
				if o != s && !t.cell.automatic() {
					o.poll()
				}
			}
			runtime.Gosched()
			t.alive()
		}
		if time.Now().After(end) {
			t.Fatalf("%d entries within %v, want %d", len(out), t.patience, n)
		}
	}
	return out
}

// triggerCompletion asks for entries: then the endpoint reports and counts as it does for other operations.
func triggerCompletion(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	ca, da, cb := p.a.counter(nil), p.a.counter(nil), p.b.counter(nil)
	buf := make([]byte, 100)
	sc, rc := new(int), new(int)
	p.b.deferred(fabric.DeferredWork{Triggering: cb, Threshold: 1, OpType: fi.WorkTRecv, Flags: fi.OpCompletion,
		Tagged: &fi.TaggedMsg{Iov: [][]byte{buf}, Addr: fi.AddrUnspec, Tag: 4, Context: rc}})
	p.a.deferred(fabric.DeferredWork{Triggering: ca, Threshold: 1, Completion: da, OpType: fi.WorkTSend, Flags: fi.OpCompletion,
		Tagged: &fi.TaggedMsg{Iov: [][]byte{make([]byte, 9)}, Addr: t.to(p.a, p.b), Tag: 4, Context: sc}})
	ca.Add(1)
	cb.Add(1)
	s := t.raw(p.a, p.a.n.txq, 1)[0]
	r := t.raw(p.b, p.b.n.rxq, 1)[0]
	if s.Err != 0 || s.Context != any(sc) || s.Flags != fi.CompSend|fi.CompTagged {
		t.Errorf("the sender's entry is %v %v, context %v", s.Flags, s.Err, s.Context)
	}
	if r.Err != 0 || r.Context != any(rc) || r.Flags != fi.CompRecv|fi.CompTagged || r.Len != 9 || r.Tag != 4 {
		t.Errorf("the receiver's entry is %v %v, context %v, %d bytes, tag %d", r.Flags, r.Err, r.Context, r.Len, r.Tag)
	}
	p.a.reaches(da, 1, 0)
	p.a.reaches(p.a.n.cnt[cntSend], 1, 0)
	p.b.reaches(p.b.n.cnt[cntRecv], 1, 0)
}

// triggerClose closes an endpoint with work that waits, and work that has begun.
func triggerClose(t *test) {
	p := t.pair()
	p.a.uncounted = true
	c, done, begun := p.a.counter(nil), p.a.counter(nil), p.a.counter(nil)
	ctx := new(int)
	p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: 2, Completion: done, OpType: fi.WorkTSend, Flags: fi.OpCompletion,
		Tagged: &fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Addr: t.to(p.a, p.b), Tag: 2, Context: ctx}})
	p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: 1, Completion: done, OpType: fi.WorkTRecv,
		Tagged: &fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Addr: fi.AddrUnspec, Tag: 2, Context: ctx}})
	p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: 1, OpType: fi.WorkCntrAdd, Counter: begun, Value: 1})
	c.Add(1)
	p.a.reaches(begun, 1, 0)
	ep := p.a.n.eps[0]
	t.check(ep.Close())
	p.a.reaches(done, 0, 2)
	for _, q := range []*fabric.CQ{p.a.n.txq, p.a.n.rxq} {
		if e := t.raw(p.a, q, 1)[0]; e.Err != fi.ErrCanceled || e.Context != any(ctx) || e.Text == "" {
			t.Errorf("the entry is %v, context %v, want %v", &e, e.Context, fi.ErrCanceled)
		}
	}
	c.Add(1)
	w := &fabric.DeferredWork{Triggering: c, OpType: fi.WorkTSend, EP: ep, Tagged: &fi.TaggedMsg{}}
	if err := p.a.n.dom.QueueWork(w); !errors.Is(err, fi.ErrBadFD) {
		t.Errorf("work of a closed endpoint: %v, want %v", err, fi.ErrBadFD)
	}
	closed := p.a.counter(nil)
	t.check(closed.Close())
	w = &fabric.DeferredWork{Triggering: closed, OpType: fi.WorkCntrAdd, Counter: c}
	if err := p.a.n.dom.QueueWork(w); !errors.Is(err, fi.ErrBadFD) {
		t.Errorf("work for a closed counter: %v, want %v", err, fi.ErrBadFD)
	}
}

// triggerWrong makes requests that cannot be.
func triggerWrong(t *test) {
	p := t.pair()
	dom, ep := p.a.n.dom, p.a.n.eps[0]
	c, other := p.a.counter(nil), p.b.counter(nil)
	m, tm, rm := &fi.Msg{Addr: t.to(p.a, p.b)}, &fi.TaggedMsg{}, &fi.RMAMsg{}
	am := &fi.AtomicMsg{Datatype: fi.TypeUint64, Op: fi.AtomicSum, RMAIov: []fi.RMAIov{{Len: 8}}}
	for _, x := range []struct {
		w    *fabric.DeferredWork
		want fi.Errno
	}{
		{nil, fi.ErrInvalid},
		{&fabric.DeferredWork{OpType: fi.WorkSend, EP: ep, Msg: m}, fi.ErrInvalid},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkSend, EP: ep}, fi.ErrInvalid},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkSend, Msg: m}, fi.ErrInvalid},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkTSend, EP: ep, Msg: m}, fi.ErrInvalid},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkRead, EP: ep, Tagged: tm}, fi.ErrInvalid},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkAtomic, EP: ep, RMA: rm}, fi.ErrInvalid},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkAtomic, EP: ep, Atomic: am}, fi.ErrInvalid}, // no operand
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkOp(99), EP: ep, Msg: m, Atomic: am}, fi.ErrInvalid},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkCntrAdd}, fi.ErrInvalid},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkCntrAdd, Counter: c, Completion: c}, fi.ErrInvalid},
		{&fabric.DeferredWork{Triggering: other, OpType: fi.WorkSend, EP: ep, Msg: m}, fi.ErrDomain},
		{&fabric.DeferredWork{Triggering: c, Completion: other, OpType: fi.WorkSend, EP: ep, Msg: m}, fi.ErrDomain},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkSend, EP: p.b.n.eps[0], Msg: m}, fi.ErrDomain},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkCntrSet, Counter: other}, fi.ErrDomain},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkSend, EP: ep, Msg: m, Flags: fi.OpPeek}, fi.ErrBadFlags},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkSend, EP: ep, Msg: m, Flags: fi.OpTrigger}, fi.ErrBadFlags},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkTRecv, EP: ep, Tagged: tm, Flags: fi.OpPeek}, fi.ErrBadFlags},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkRecv, EP: ep, Msg: m, Flags: fi.OpMultiRecv}, fi.ErrBadFlags},
		{&fabric.DeferredWork{Triggering: c, OpType: fi.WorkRead, EP: ep, RMA: rm, Flags: fi.OpInject}, fi.ErrBadFlags},
	} {
		err := dom.QueueWork(x.w)
		var text *fi.Error
		if !errors.Is(err, x.want) || !errors.As(err, &text) || text.Hint == "" {
			t.Errorf("%+v: %v, want %v and a hint", x.w, err, x.want)
		}
	}
	if err := dom.FlushWork(other); !errors.Is(err, fi.ErrDomain) {
		t.Errorf("flushing another domain's counter: %v, want %v", err, fi.ErrDomain)
	}
	if err := dom.CancelWork(nil); !errors.Is(err, fi.ErrNoEnt) {
		t.Errorf("taking nothing back: %v, want %v", err, fi.ErrNoEnt)
	}
}

// triggerNotAskedFor opens an endpoint without FI_TRIGGER: everything of it is refused.
func triggerNotAskedFor(t *test) {
	s := t.newSide(t.opts(msg, func(o *openOpts) { o.NoTrigger = true }))
	if s.n.info.Caps&trig != 0 {
		t.Fatalf("FI_TRIGGER is there without being asked for by the case")
	}
	ep := s.n.eps[0]
	c := s.counter(nil)
	w := &fabric.DeferredWork{Triggering: c, OpType: fi.WorkSend, EP: ep, Msg: &fi.Msg{}}
	if err := s.n.dom.QueueWork(w); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("QueueWork: %v, want %v", err, fi.ErrNoSys)
	}
	w = &fabric.DeferredWork{Triggering: c, OpType: fi.WorkCntrAdd, Counter: c}
	if err := s.n.dom.QueueWork(w); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("QueueWork of an operation on a counter: %v, want %v", err, fi.ErrNoSys)
	}
	flags := fi.OpTrigger
	if _, err := ep.Alias(&flags, nil); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("Alias: %v, want %v", err, fi.ErrNoSys)
	}
	if err := ep.SendMsg(&fi.Msg{Context: &fabric.TriggeredContext{Counter: c}}, fi.OpTrigger); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("SendMsg: %v, want %v", err, fi.ErrNoSys)
	}
}
