package conformance

import (
	"encoding/binary"
	"errors"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// Work that waits: it is taken back, and what described it is the caller's.

// triggerTakeBack takes work back before it begins.
func triggerTakeBack(t *test) {
	p := t.pair()
	a, b, done := p.a.counter(nil), p.a.counter(nil), p.a.counter(nil)
	dom := p.a.n.dom
	work := func(c *fabric.Counter) *fabric.DeferredWork {
		return p.a.deferred(fabric.DeferredWork{Triggering: c, Threshold: 1, Completion: done, OpType: fi.WorkSend, Flags: fi.OpCompletion,
			Msg: &fi.Msg{Iov: [][]byte{make([]byte, 8)}, Addr: t.to(p.a, p.b)}})
	}
	first, second := work(a), work(a)
	third, fourth := work(a), work(b)
	t.check(dom.CancelWork(first))
	if err := dom.CancelWork(first); !errors.Is(err, fi.ErrNoEnt) {
		t.Errorf("taking back again: %v, want %v", err, fi.ErrNoEnt)
	}
	t.check(dom.FlushWork(a))
	for _, w := range []*fabric.DeferredWork{second, third} {
		if err := dom.CancelWork(w); !errors.Is(err, fi.ErrNoEnt) {
			t.Errorf("taking back what was flushed: %v, want %v", err, fi.ErrNoEnt)
		}
	}
	if err := a.Close(); err != nil {
		t.Errorf("closing a counter whose work was taken back: %v", err)
	}
	if err := b.Close(); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("closing a counter that work waits for: %v, want %v", err, fi.ErrBusy)
	}
	if err := done.Close(); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("closing a counter that counts the end of work: %v, want %v", err, fi.ErrBusy)
	}
	other := p.a.counter(nil)
	fifth, sixth := work(b), work(other)
	t.check(dom.FlushWork(nil))
	for _, w := range []*fabric.DeferredWork{fourth, fifth, sixth} {
		if err := dom.CancelWork(w); !errors.Is(err, fi.ErrNoEnt) {
			t.Errorf("taking back what was flushed: %v, want %v", err, fi.ErrNoEnt)
		}
	}
	b.Add(5)
	other.Add(5)
	// Of what was queued with one pointer the oldest goes.
	c, changed := p.a.counter(nil), p.a.counter(nil)
	w := &fabric.DeferredWork{Triggering: c, Threshold: 1, OpType: fi.WorkCntrAdd, Counter: changed}
	for _, w.Value = range []uint64{1, 10, 100} {
		t.check(dom.QueueWork(w))
	}
	t.check(dom.CancelWork(w))
	c.Add(1)
	p.a.reaches(changed, 110, 0)
	t.flush(p.a, p.b) // nothing of it came before, or was counted
	p.a.reaches(done, 0, 0)
}

// triggerSlices changes everything but the buffers when work was queued: it is the caller's again.
func triggerSlices(t *test) {
	p := t.pair()
	region := p.b.reg(regOpts{N: 16})
	c, done := p.a.counter(nil), p.a.counter(nil)
	wrong := make([]byte, 8)
	iov, compare, result := [][]byte{word64(5)}, [][]byte{word64(5)}, [][]byte{make([]byte, 8)}
	old := result[0]
	at := []fi.RMAIov{{Addr: region.remote.Addr, Len: 8, Key: region.remote.Key}}
	m := &fi.Msg{Iov: iov, Addr: t.to(p.a, p.b)}
	w := &fi.RMAMsg{Iov: iov, Addr: m.Addr, RMAIov: at}
	a := &fi.AtomicMsg{Iov: iov, Addr: m.Addr, RMAIov: at, Datatype: fi.TypeUint64, Op: fi.AtomicCSwap}
	work := &fabric.DeferredWork{Triggering: c, Completion: done, EP: p.a.n.eps[0], Msg: m, RMA: w, Atomic: a, Compare: compare, Result: result}
	for i, op := range []fi.WorkOp{fi.WorkSend, fi.WorkWrite, fi.WorkCompareAtomic} {
		if work.Threshold, work.OpType, work.Flags = uint64(i)+1, op, 0; op == fi.WorkWrite {
			work.Flags = fi.OpDeliveryComplete
		}
		t.check(p.a.n.dom.QueueWork(work))
	}
	iov[0], compare[0], result[0], at[0] = wrong, wrong, wrong, fi.RMAIov{}
	*m, *w, *a, *work = fi.Msg{}, fi.RMAMsg{}, fi.AtomicMsg{}, fabric.DeferredWork{}
	r := p.b.recv(call{Form: "recv", N: 8})
	for i := range uint64(3) {
		c.Add(1)
		p.a.reaches(done, i+1, 0)
	}
	t.wait(r)
	if v := binary.NativeEndian.Uint64(r.last().Bytes); v != 5 {
		t.Errorf("the message says %d, want 5", v)
	}
	if now, was := binary.NativeEndian.Uint64(region.bytes(0, 8)), binary.NativeEndian.Uint64(old); now != 5 || was != 5 {
		t.Errorf("written was %d, and the atomic found %d, want 5", now, was)
	}
}

// triggerTakeBackRoom fills a queue with the entries of work that waits: what is taken back gives its places back.
func triggerTakeBackRoom(t *test) {
	const size = 8
	p := t.pair(func(o *openOpts) { o.CQSize = size })
	c, dom := p.a.counter(nil), p.a.n.dom
	w := fabric.DeferredWork{Triggering: c, Threshold: 1, OpType: fi.WorkSend, Flags: fi.OpCompletion, EP: p.a.n.eps[0],
		Msg: &fi.Msg{Iov: [][]byte{make([]byte, 8)}, Addr: t.to(p.a, p.b)}}
	for round := range 4 {
		for range size {
			t.check(dom.QueueWork(&w))
		}
		if round%2 == 0 {
			t.check(dom.FlushWork(c))
			continue
		}
		for range size {
			t.check(dom.CancelWork(&w))
		}
	}
	p.exchange(call{Form: "send", N: 8, Seed: 1}, call{Form: "recv", N: 8})
}
