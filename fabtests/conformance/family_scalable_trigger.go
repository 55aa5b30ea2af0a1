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

// counter opens a counter of the scalable endpoint's domain.
func (x *sep) counter() *fabric.Counter {
	c, err := x.n.dom.OpenCounter(nil)
	x.t.check(err)
	x.n.later(c.Close)
	return c
}

// queue queues work that must be accepted.
func (x *sep) queue(w fabric.DeferredWork) *fabric.DeferredWork {
	x.t.check(x.n.dom.QueueWork(&w))
	return &w
}

// quiet drives all sides until f holds; no queue must have an entry.
func (t *test) quiet(what string, f func() bool, all ...*sep) {
	t.Helper()
	var e [1]cq.Entry
	for end := time.Now().Add(t.patience); !f(); runtime.Gosched() {
		for _, x := range all {
			for _, q := range x.qs {
				if n, err := q.Read(e[:]); n != 0 || !errors.Is(err, fi.ErrAgain) {
					t.Fatalf("%s: a queue has %v, %v", what, e[0].Flags, q.Explain(err))
				}
			}
		}
		if time.Now().After(end) {
			t.Fatalf("%s did not happen within %v", what, t.patience)
		}
	}
}

// sepDeferred defers operations of every kind on transmit contexts, and receives on receive contexts: each begins at its
// threshold, by its own context and in no other order, and shows in no queue. One that is cancelled does not begin, and one
// whose context closes fails.
func sepDeferred(t *test) {
	a, b := t.seps(t.tc.need)
	all := []*sep{a, b}
	mem := make([]byte, 64)
	region, err := b.n.dom.RegisterMR(mem, remoteRights, &fi.MRAttr{Key: 5})
	t.check(err)
	b.n.later(region.Close)
	at := region.Remote()
	ranges := func(off, n uint64) []fi.RMAIov { return []fi.RMAIov{{Addr: at.Addr + off, Len: n, Key: at.Key}} }
	ca, da, cb, db := a.counter(), a.counter(), b.counter(), b.counter()
	var in, out [sepCount][]byte
	for i := range sepCount {
		in[i], out[i] = make([]byte, 3000), make([]byte, 3000)
		fill(out[i], uint64(i+1), 0)
		b.queue(fabric.DeferredWork{Triggering: cb, Threshold: 1, Completion: db, OpType: fi.WorkTRecv, EP: b.rx[i],
			Tagged: &fi.TaggedMsg{Iov: [][]byte{in[i]}, Addr: fi.AddrUnspec, Tag: uint64(i)}})
	}
	got, old := make([]byte, 24), make([]byte, 8)
	var works []fabric.DeferredWork
	for i, ep := range a.tx {
		works = append(works, fabric.DeferredWork{OpType: fi.WorkTSend, EP: ep, Flags: fi.OpDeliveryComplete,
			Tagged: &fi.TaggedMsg{Iov: [][]byte{out[i]}, Addr: fi.RxAddr(a.peer, i, sepBits), Tag: uint64(i)}})
	}
	works = append(works,
		fabric.DeferredWork{OpType: fi.WorkWrite, EP: a.tx[2], Flags: fi.OpDeliveryComplete,
			RMA: &fi.RMAMsg{Iov: [][]byte{out[0][:24]}, Addr: a.peer, RMAIov: ranges(8, 24)}},
		fabric.DeferredWork{OpType: fi.WorkAtomic, EP: a.tx[0], Flags: fi.OpDeliveryComplete, Atomic: &fi.AtomicMsg{
			Iov: [][]byte{word64(7)}, Addr: a.peer, RMAIov: ranges(0, 8), Datatype: fi.TypeUint64, Op: fi.AtomicSum}},
		fabric.DeferredWork{OpType: fi.WorkFetchAtomic, EP: a.tx[1], Result: [][]byte{old}, Atomic: &fi.AtomicMsg{
			Iov: [][]byte{word64(1)}, Addr: a.peer, RMAIov: ranges(0, 8), Datatype: fi.TypeUint64, Op: fi.AtomicSum}},
		fabric.DeferredWork{OpType: fi.WorkRead, EP: a.tx[1], RMA: &fi.RMAMsg{Iov: [][]byte{got}, Addr: a.peer, RMAIov: ranges(8, 24)}})
	for i := len(works) - 1; i >= 0; i-- { // the last first: the thresholds decide
		w := works[i]
		w.Triggering, w.Completion, w.Threshold = ca, da, uint64(i)+1
		a.queue(w)
	}
	gone := a.queue(fabric.DeferredWork{Triggering: ca, Threshold: uint64(len(works)), Completion: da, OpType: fi.WorkTSend, EP: a.tx[0],
		Tagged: &fi.TaggedMsg{Iov: [][]byte{out[0]}, Addr: fi.RxAddr(a.peer, 0, sepBits), Tag: 99}})
	t.check(a.n.dom.CancelWork(gone))
	cb.Add(1)
	for i := range works {
		if v := da.Read(); v != uint64(i) {
			t.Fatalf("%d operations have ended before the threshold of number %d", v, i)
		}
		ca.Add(1)
		t.quiet("the end of a deferred operation", func() bool { return da.Read() > uint64(i) || da.ReadErr() > 0 }, all...)
		if e := da.ReadErr(); e > 0 {
			t.Fatalf("%v has failed", works[i].OpType)
		}
	}
	t.quiet("the end of the receives", func() bool { return db.Read() == sepCount }, all...)
	for i := range sepCount {
		if !bytes.Equal(in[i], out[i]) {
			t.Errorf("receive context %d did not get what transmit context %d has sent", i, i)
		}
	}
	if v := binary.NativeEndian.Uint64(old); v != 7 || !bytes.Equal(got, out[0][:24]) {
		t.Errorf("the fetch found %d, want 7; the read brought %x", v, got)
	}
	// Work of a context that closes has failed, and says so to the queue that the context had.
	a.queue(fabric.DeferredWork{Triggering: ca, Threshold: 100, Completion: da, OpType: fi.WorkTSend, EP: a.tx[2],
		Tagged: &fi.TaggedMsg{Iov: [][]byte{out[2]}, Addr: fi.RxAddr(a.peer, 2, sepBits), Tag: 2, Context: &out}})
	t.check(a.tx[2].Close())
	var bad cq.ErrEntry
	if err := a.qs[2].ReadErr(&bad); err != nil || bad.Err != fi.ErrCanceled || bad.Context != any(&out) {
		t.Errorf("work of a context that has closed: %v, %v, context %v", err, bad.Err, bad.Context)
	}
	ca.Set(100)
	t.quiet("the error at the completion counter", func() bool { return da.ReadErr() == 1 }, all...)
	if v := da.Read(); v != uint64(len(works)) {
		t.Errorf("%d operations have ended, want %d", v, len(works))
	}
}

// sepTriggered posts operations with fi.OpTrigger on contexts: they begin at their thresholds, and complete to the queue of
// their context as others do.
func sepTriggered(t *test) {
	a, b := t.seps(t.tc.need)
	all := []*sep{a, b}
	ca, cb := a.counter(), b.counter()
	var in, out [sepCount][8]byte
	var sends, recvs [sepCount]*fabric.TriggeredContext
	for i := range sepCount {
		sends[i] = &fabric.TriggeredContext{Counter: ca, Threshold: uint64(sepCount - i)}
		recvs[i] = &fabric.TriggeredContext{Counter: cb, Threshold: 1}
		copy(out[i][:], word64(uint64(i+5)))
		t.check(b.rx[i].TRecvMsg(&fi.TaggedMsg{Iov: [][]byte{in[i][:]}, Addr: fi.AddrUnspec, Tag: 3, Context: recvs[i]}, fi.OpTrigger))
		t.check(a.tx[i].TSendMsg(&fi.TaggedMsg{Iov: [][]byte{out[i][:]}, Addr: fi.RxAddr(a.peer, i, sepBits), Tag: 3, Context: sends[i]}, fi.OpTrigger))
	}
	cb.Add(1)
	for i := sepCount - 1; i >= 0; i-- { // that with the lowest threshold first
		for k := range 500 {
			var e [1]cq.Entry
			if n, _ := a.qs[i].Read(e[:]); n > 0 {
				t.Fatalf("poll %d: the send of transmit context %d has completed before its threshold", k, i)
			}
		}
		ca.Add(1)
		got := t.collect(map[*fabric.CQ]int{a.qs[i]: 1, b.qs[sepCount+i]: 1}, all...)
		if s, r := got[a.qs[i]][0], got[b.qs[sepCount+i]][0]; s.Context != any(sends[i]) || r.Context != any(recvs[i]) || in[i] != out[i] {
			t.Errorf("contexts %d: the send completes with %v, the receive with %v and %x", i, s.Context, r.Context, in[i])
		}
	}
}
