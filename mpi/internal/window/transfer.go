package window

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mr"
)

type kind uint8

const (
	kindWrite kind = iota
	kindRead
	kindAtomic
	kindFetch
	kindCompare
)

// transfer is one access by the fabric on its way.
type transfer struct {
	op      device.Op
	t       *target
	request *Request // that it is a part of; nil
	waited  atomic.Uint32

	iov, result, compare [1][]byte
	rma                  [1]fi.RMAIov
	msg                  fi.RMAMsg
	atomic               fi.AtomicMsg
	bits                 [3][16]byte // operand, compare and result of accesses to one element
}

// States of a transfer that somebody waits for.
const (
	awaited uint32 = iota
	arrived
	orphaned // nobody waits any more
)

var transfers = sync.Pool{New: func() any { return new(transfer) }}

// take gives a transfer that counts as under way to a target until it is over.
func (w *Window) take(t *target, r *Request) *transfer {
	x := transfers.Get().(*transfer)
	x.t, x.request = t, r
	x.op.Peer, x.op.Want, x.op.Then, x.op.Owner = t.world, w.tag(msgAccess, t.rank), over, x
	return x
}

// over is called by whoever drives the device.
func over(op *device.Op) {
	x := op.Owner.(*transfer)
	t, r, err := x.t, x.request, op.Err
	x.recycle()
	t.done(err)
	if r != nil {
		r.part(err)
	}
}

// result is called in place of over for a transfer that somebody waits for.
func result(op *device.Op) {
	x := op.Owner.(*transfer)
	if x.waited.CompareAndSwap(awaited, arrived) {
		op.Finish()
		return
	}
	t, err := x.t, op.Err
	x.recycle()
	t.done(err)
}

// wait waits for a transfer of single. After an error, of the context or of the transfer, it is not the caller's any more.
func (w *Window) wait(ctx context.Context, x *transfer) error {
	t := x.t
	if err := w.d.Wait(ctx, &x.op); err != nil && x.waited.CompareAndSwap(awaited, orphaned) {
		return w.unfinished(t, err, "the operation goes on; its result is lost")
	}
	for !x.op.Done() { // it is being finished
		runtime.Gosched()
	}
	err := x.op.Err
	t.done(nil)
	if err != nil {
		x.recycle()
		return w.fault(t, err)
	}
	return nil
}

// recycle gives a transfer back that nobody waits for.
func (x *transfer) recycle() {
	x.op.Reset()
	x.t, x.request = nil, nil
	x.waited.Store(awaited)
	x.iov[0], x.result[0], x.compare[0] = nil, nil, nil
	x.msg, x.atomic = fi.RMAMsg{}, fi.AtomicMsg{}
	transfers.Put(x)
}

// done counts an access as over.
func (t *target) done(err error) {
	if err != nil {
		t.mu.Lock()
		if t.err == nil {
			t.err = err
		}
		t.mu.Unlock()
	}
	if t.pending.Add(-1) > 0 {
		return
	}
	t.mu.Lock()
	var waiters []*device.Op
	if t.pending.Load() == 0 {
		waiters, t.waiters = t.waiters, nil
	}
	t.mu.Unlock()
	for _, op := range waiters {
		op.Finish()
	}
}

// post hands a transfer to the endpoint, and waits while that has no room. After an error the transfer is not on its way.
func (w *Window) post(x *transfer, k kind, at mr.Remote, n int) error {
	t := x.t
	x.rma[0] = fi.RMAIov{Addr: at.Addr, Len: uint64(n), Key: at.Key}
	t.pending.Add(1)
	if x.request != nil {
		x.request.left.Add(1)
	}
	for tries := 0; ; tries++ {
		x.op.Begin()
		err := w.hand(x, k)
		if err == nil {
			return nil
		}
		if err != fi.ErrAgain || w.d.Failed(t.world) { //nolint:errorlint // documented: a bare value
			return w.unposted(x, err)
		}
		if w.d.Poll(); tries%8 == 7 {
			osx.SchedYield()
		}
	}
}

//go:noinline
func (w *Window) unposted(x *transfer, err error) error {
	t, r := x.t, x.request
	x.recycle()
	t.done(nil)
	if r != nil {
		r.part(nil)
	}
	return w.fault(t, err)
}

// fault makes an error of what the fabric says of an access.
func (w *Window) fault(t *target, err error) *Error {
	e := &Error{Kind: Other, Rank: t.rank, Err: err}
	var failed *device.FailedError
	switch {
	case errors.As(err, &failed), device.Gone(err), w.d.Failed(t.world):
		e.Kind = Failed
	case isErrno(err, fi.ErrKeyRejected):
		e.Kind, e.Hint = Range, "its memory is not there any more: it has detached it, or freed the window"
	case isErrno(err, fi.ErrOpNotSupp):
		e.Kind, e.Hint = Cannot, "the provider has no such access"
	}
	return e
}

// unfinished makes an error of a wait that ended before what it was for.
func (w *Window) unfinished(t *target, err error, hint string) *Error {
	var failed *device.FailedError
	e := &Error{Kind: Pending, Rank: t.rank, Err: err, Hint: hint}
	switch {
	case errors.As(err, &failed):
		e.Kind, e.Hint = Failed, ""
		if i := slices.Index(w.c.World, failed.Rank); i >= 0 {
			e.Rank = i
		}
	case w.closed.Load():
		e.Kind = Closed
	}
	return e
}

const (
	written = fi.OpCompletion | fi.OpDeliveryComplete
	fetched = fi.OpCompletion
)

// hand is one attempt.
func (w *Window) hand(x *transfer, k kind) error {
	switch k {
	case kindWrite:
		x.msg = fi.RMAMsg{Iov: x.iov[:], Addr: x.t.addr, RMAIov: x.rma[:], Context: &x.op}
		return w.ep.WriteMsg(&x.msg, written)
	case kindRead:
		x.msg = fi.RMAMsg{Iov: x.iov[:], Addr: x.t.addr, RMAIov: x.rma[:], Context: &x.op}
		return w.ep.ReadMsg(&x.msg, fetched)
	}
	m := &x.atomic
	m.Iov, m.Addr, m.RMAIov, m.Context = x.iov[:], x.t.addr, x.rma[:], &x.op
	switch k {
	case kindAtomic:
		return w.ep.AtomicMsg(m, written)
	case kindFetch:
		return w.ep.FetchAtomicMsg(m, x.result[:], fetched)
	}
	return w.ep.CompareAtomicMsg(m, x.compare[:], x.result[:], fetched)
}
