package chaos

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// endpoint wraps an endpoint.
type endpoint struct {
	driver.Endpoint
	d     *domain
	m     Mutant
	eng   *driver.Engine
	again atomic.Uint64 // operations for whose completion there was no place
	tx    *shadow
	rx    *shadow
	real  *cq.Queue // where sends and accesses complete
	b     driver.Bindings
	ops   driver.Ops

	counted *cq.Counter // what TriggerEarly counts receives with

	closing bool // guarded by the domain's lock

	mu      sync.Mutex       // order: after the domain's lock
	recvs   map[any][]posted // receives that are posted, by context
	delayed []func()         // what is done a little later, in this order
	timer   *time.Timer
	running sync.WaitGroup // a timer's function
	sends   int
}

// posted is a receive that is posted.
type posted struct {
	user  []byte // the caller's buffer
	given []byte // what the inner provider got
	multi bool
}

func (e *endpoint) Enable(b *driver.Bindings) (driver.Ops, error) {
	mine := e.shadow(b)
	ops, err := e.Endpoint.Enable(&mine)
	if err != nil {
		return ops, err
	}
	e.ops, e.b = ops, mine
	if name, err := e.Name(); err == nil {
		e.d.p.mu.Lock()
		e.d.p.eps[string(name)] = e
		e.d.p.mu.Unlock()
	}
	w := wrapped{e}
	out := driver.Ops{}
	if ops.Msg != nil {
		out.Msg = w
	}
	if ops.Tagged != nil {
		out.Tagged = w
	}
	if ops.RMA != nil {
		out.RMA = w
	}
	if ops.Coll != nil {
		out.Coll = &collectives{Collectives: ops.Coll, e: e}
	}
	if ops.Atomic != nil && e.m != PromiseAtomics {
		out.Atomic = w
	}
	return out, nil
}

// shadow gives the bindings that the inner endpoint gets.
func (e *endpoint) shadow(b *driver.Bindings) driver.Bindings {
	mine := *b
	e.real = b.TxCQ
	e.tx = newShadow(e, b.TxCQ)
	if e.rx = e.tx; b.RxCQ != b.TxCQ {
		e.rx = newShadow(e, b.RxCQ)
	}
	mine.TxCQ, mine.RxCQ = e.tx.queue(), e.rx.queue()
	if e.m == CounterMisses {
		for _, c := range []**cq.Counter{&mine.CntSend, &mine.CntRecv, &mine.CntRead, &mine.CntWrite, &mine.CntRemoteRead, &mine.CntRemoteWrite} {
			*c = missing(*c)
		}
	}
	if e.m == TriggerEarly && b.CntRecv != nil {
		e.counted, mine.CntRecv = b.CntRecv, cq.NewCounter(fi.CounterEventsComp)
	}
	if e.m == SharedTxEndless {
		mine.SharedTx = nil
	}
	return mine
}

// missing gives a counter that forwards three of four changes.
func missing(real *cq.Counter) *cq.Counter {
	if real == nil {
		return nil
	}
	c := cq.NewCounter(fi.CounterEventsComp)
	var value, errs uint64
	n := 0
	c.Want(1)
	c.OnSignal(func() {
		if d := c.Value() - value; d > 0 {
			if n++; n%4 != 3 {
				real.Add(d)
			}
		}
		if d := c.Errs() - errs; d > 0 {
			real.AddErr(d)
		}
		value, errs = c.Value(), c.Errs()
	})
	return c
}

// peer gives the endpoint of this process that an address stands for; nil when there is none.
func (e *endpoint) peer(to fi.Addr) *endpoint {
	if e.b.AV == nil || e.ops == (driver.Ops{}) {
		return nil
	}
	raw, ok := e.b.AV.Lookup(to & (1<<32 - 1))
	if !ok {
		return nil
	}
	e.d.p.mu.Lock()
	defer e.d.p.mu.Unlock()
	return e.d.p.eps[string(raw)]
}

// memory gives n bytes of a peer's region where they lie in one piece; nil when the access is not allowed.
func (e *endpoint) memory(to fi.Addr, at mr.Remote, n int, need fi.Access) []byte {
	p := e.peer(to)
	if p == nil {
		return nil
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	for r := range p.d.regions {
		if r.Key == at.Key {
			if off, err := r.Check(at.Addr, n, need); err == 0 {
				return r.Slice(off, n)
			}
		}
	}
	return nil
}

// reserve takes a place in the real queue for an operation.
func (e *endpoint) reserve(fl fi.OpFlags) bool {
	if fl&fi.OpCompletion == 0 || e.real == nil {
		return true
	}
	e.eng.Lock()
	defer e.eng.Unlock()
	return e.real.Reserve()
}

// post runs an operation that may need a place.
func (e *endpoint) post(fl fi.OpFlags, f func() error) error {
	if !e.reserve(fl) {
		e.again.Add(1)
		return fi.ErrAgain
	}
	err := f()
	if err != nil && fl&fi.OpCompletion != 0 && e.real != nil {
		e.eng.Lock()
		e.real.Release()
		e.eng.Unlock()
	}
	return err
}

// forge completes an operation that was never made.
func (e *endpoint) forge(ctx any, fl fi.OpFlags, kind fi.CompFlags, n int, tag uint64) {
	if fl&fi.OpCompletion != 0 && e.real != nil {
		e.eng.Lock()
		e.real.Put(ctx, kind, n, tag)
		e.eng.Unlock()
	}
}

// later does something in two milliseconds, in the order of the calls.
func (e *endpoint) later(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.delayed = append(e.delayed, f)
	if len(e.delayed) == 1 {
		e.running.Add(1)
		e.timer = time.AfterFunc(2*time.Millisecond, func() {
			defer e.running.Done()
			e.flush()
		})
	}
}

// flush does now what waits.
func (e *endpoint) flush() {
	for {
		e.mu.Lock()
		if len(e.delayed) == 0 {
			e.mu.Unlock()
			return
		}
		f := e.delayed[0]
		e.delayed = e.delayed[1:]
		e.mu.Unlock()
		f()
	}
}

func (e *endpoint) Close() error {
	e.flush()
	e.mu.Lock()
	timer := e.timer
	e.mu.Unlock()
	if timer != nil && timer.Stop() {
		e.running.Done()
	}
	e.running.Wait()
	if name, err := e.Name(); err == nil {
		e.d.p.mu.Lock()
		if e.d.p.eps[string(name)] == e {
			delete(e.d.p.eps, string(name))
		}
		e.d.p.mu.Unlock()
	}
	e.eng.Lock()
	e.closing = true
	e.eng.Unlock()
	err := e.Endpoint.Close()
	switch e.m {
	case LeakGoroutine:
		go func() { select {} }()
	case LeakDescriptor:
		e.d.p.leakDescriptor()
	}
	return err
}

func (e *endpoint) Cancel(ctx any) error {
	e.flush()
	if e.m == CancelLeaves && e.rx != nil {
		e.mu.Lock()
		_, there := e.recvs[ctx]
		e.mu.Unlock()
		if there {
			e.eng.Lock()
			e.rx.real.AddErr(cq.ErrEntry{Entry: cq.Entry{Context: ctx, Flags: fi.CompRecv | fi.CompTagged, Src: fi.AddrNotAvail}, Err: fi.ErrCanceled})
			e.eng.Unlock()
			return nil
		}
	}
	return e.Endpoint.Cancel(ctx)
}

// SetName hands on; fi.ErrNoSys when the inner endpoint cannot.
func (e *endpoint) SetName(raw []byte) error {
	if n, ok := e.Endpoint.(driver.Namer); ok {
		return n.SetName(raw)
	}
	return fi.ErrNoSys
}

// SetMinMultiRecv hands on.
func (e *endpoint) SetMinMultiRecv(n int) error {
	if m, ok := e.Endpoint.(driver.MultiRecver); ok {
		return m.SetMinMultiRecv(n)
	}
	return fi.ErrNoProtoOpt
}

// MinMultiRecv hands on.
func (e *endpoint) MinMultiRecv() int {
	if m, ok := e.Endpoint.(interface{ MinMultiRecv() int }); ok {
		return m.MinMultiRecv()
	}
	return 0
}

// Map hands on; fi.ErrOpNotSupp when the inner endpoint cannot.
func (e *endpoint) Map(ctx context.Context, to fi.Addr, at mr.Remote, n int) ([]byte, func() error, error) {
	m, ok := e.Endpoint.(driver.Mapper)
	if !ok {
		return nil, nil, fi.ErrOpNotSupp
	}
	mem, unmap, err := m.Map(ctx, to, at, n)
	if err == nil && e.m == MapCopies {
		mem = append([]byte{}, mem...)
	}
	return mem, unmap, err
}

// remember keeps a receive's buffers by its context.
func (e *endpoint) remember(ctx any, p posted) {
	if ctx == nil || !reflect.ValueOf(ctx).Comparable() {
		return
	}
	e.mu.Lock()
	e.recvs[ctx] = append(e.recvs[ctx], p)
	e.mu.Unlock()
}

// forget takes the oldest receive with a context.
func (e *endpoint) forget(ctx any, keep bool) (posted, bool) {
	if ctx == nil || !reflect.ValueOf(ctx).Comparable() {
		return posted{}, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	l := e.recvs[ctx]
	if len(l) == 0 {
		return posted{}, false
	}
	p := l[0]
	switch {
	case keep:
	case len(l) == 1:
		delete(e.recvs, ctx)
	default:
		e.recvs[ctx] = l[1:]
	}
	return p, true
}

// arrived does what lies need to do to the buffer of a receive that completes. With the domain's lock.
func (e *endpoint) arrived(c *cq.ErrEntry, isErr bool) {
	p, ok := e.forget(c.Context, false)
	if !ok {
		return
	}
	if p.multi && c.Flags&fi.CompMultiRecv == 0 {
		e.remember(c.Context, p)
	}
	switch {
	case e.m == RecvByteTooFar && !isErr && !p.multi && c.Len < len(p.user):
		p.user[c.Len] ^= 0xff
	case e.m == DataLate && p.given != nil:
		n := min(c.Len, len(p.user))
		e.later(func() {
			e.eng.LockOther()
			copy(p.user[:n], p.given)
			e.eng.UnlockOther()
		})
	case e.m == MultiOverlap && p.multi && !isErr && len(c.Buf) > 0 && &c.Buf[0] != &p.user[0]:
		off := len(p.user) - offset(p.user, c.Buf)
		copy(p.user[off-1:], c.Buf)
		c.Buf = p.user[off-1 : off-1+c.Len : off-1+c.Len]
	}
}

// offset gives how many bytes of whole are left from part on.
func offset(whole, part []byte) int {
	for i := range whole {
		if &whole[i] == &part[0] {
			return len(whole) - i
		}
	}
	return len(whole)
}
