package conformance

import (
	"errors"
	"math"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// triggerSetBack sees that work begins whose threshold was reached for a moment only, and that no threshold is out of reach
// because successes and errors are together more than a number can say.
func triggerSetBack(t *test) {
	p := t.pair()
	c, done, sent := p.a.counter(nil), p.a.counter(nil), p.a.counter(nil)
	r := p.b.recv(call{Form: "trecv", N: 8, Tag: 5})
	for _, threshold := range []uint64{5, 1 << 63, math.MaxUint64} {
		p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: threshold, OpType: fi.WorkCntrAdd, Counter: done, Value: 1})
	}
	send := p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: 6, Completion: sent, OpType: fi.WorkTSend,
		Tagged: &fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Addr: t.to(p.a, p.b), Tag: 5}})
	c.Add(5)
	c.Set(0)
	p.a.reaches(done, 1, 0)
	c.Set(1 << 63)
	c.Set(0)
	p.a.reaches(done, 2, 0)
	p.a.reaches(sent, 1, 0)
	t.wait(r)
	if err := p.a.n.dom.CancelWork(send); !errors.Is(err, fi.ErrNoEnt) {
		t.Errorf("taking back what has begun: %v, want %v", err, fi.ErrNoEnt)
	}
	c.AddErr(2)
	c.Set(math.MaxUint64)
	c.Set(0)
	p.a.reaches(done, 3, 0)
	t.check(c.Close())
}

// triggerStats ends work that the provider never had, by Cancel, by a refusal when its time has come, and by Close: each has
// failed in the numbers of the endpoint and of the domain, as it has in the queue and the counter.
func triggerStats(t *test) {
	p := t.pair()
	p.a.uncounted = true
	c, done := p.a.counter(nil), p.a.counter(nil)
	ep, dom := p.a.n.eps[0], p.a.n.dom
	failed := func(s fi.OpTable) uint64 { return s[fi.OpKindTSend].Failed }
	before, sum := failed(ep.Stats().Ops), failed(dom.Stats().Endpoint.Ops)
	check := func(n uint64) {
		t.Helper()
		p.a.reaches(done, 0, n)
		if e := t.raw(p.a, p.a.n.txq, 1)[0]; e.Err == 0 || e.Flags != fi.CompSend|fi.CompTagged {
			t.Errorf("the entry is %v, want that of a send that failed", &e)
		}
		if one, all := failed(ep.Stats().Ops)-before, failed(dom.Stats().Endpoint.Ops)-sum; one != n || all != n {
			t.Errorf("%d sends have failed: the endpoint's numbers say %d, the domain's %d", n, one, all)
		}
	}
	send := func(threshold uint64, n int, fl fi.OpFlags) *int {
		ctx := new(int)
		p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: threshold, Completion: done, OpType: fi.WorkTSend, Flags: fl,
			Tagged: &fi.TaggedMsg{Iov: [][]byte{make([]byte, n)}, Addr: t.to(p.a, p.b), Tag: 2, Context: ctx}})
		return ctx
	}
	t.check(ep.Cancel(send(2, 8, 0)))
	check(1)
	send(1, int(ep.InjectSizes().Tagged)+1, fi.OpInject)
	c.Add(1)
	check(2)
	send(2, 8, fi.OpCompletion)
	t.check(ep.Close())
	check(3)
}

// triggerNoRoom begins more than there may be room for, to a peer that does not receive: what waits for room can be cancelled,
// and ends as the rest does when the endpoint is closed.
func triggerNoRoom(t *test) {
	const count = 3000
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	p.exchange(call{Form: "tsend", N: 8, Tag: 1}, call{Form: "trecv", N: 8, Tag: 1}) // they know each other
	c, done := p.a.counter(nil), p.a.counter(nil)
	buf := make([]byte, 2000)
	ended := make(map[any]int, count)
	last := new(int)
	for i := range count {
		ctx := new(int)
		if i == count-1 {
			ctx = last
		}
		ended[ctx] = 0
		p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: 1, Completion: done, OpType: fi.WorkTSend,
			Tagged: &fi.TaggedMsg{Iov: [][]byte{buf}, Addr: t.to(p.a, p.b), Tag: 2, Context: ctx}})
	}
	ep := p.a.n.eps[0]
	c.Add(1)
	done.Read()
	switch err := ep.Cancel(last); {
	case err == nil:
		if e := t.raw(p.a, p.a.n.txq, 1)[0]; e.Context != any(last) || e.Err != fi.ErrCanceled || e.Text == "" {
			t.Errorf("what was cancelled ended with %v, context %v, want %v", &e, e.Context, fi.ErrCanceled)
		}
		delete(ended, last)
	case !t.cell.automatic() && done.Read() != count: // else the peer's progress may have made room meanwhile
		t.Errorf("Cancel found nothing (%v), and %d of %d have ended", err, done.Read(), count)
	}
	t.check(ep.Close())
	for range done.ReadErr() - uint64(count-len(ended)) {
		e := t.raw(p.a, p.a.n.txq, 1)[0]
		if _, ours := ended[e.Context]; !ours || e.Err != fi.ErrCanceled || e.Text == "" {
			t.Fatalf("what had no room ended with %v, context %v, want %v", &e, e.Context, fi.ErrCanceled)
		}
		delete(ended, e.Context)
	}
	if n := done.Read() + done.ReadErr(); n != count {
		t.Errorf("%d of %d have ended", n, count)
	}
}
