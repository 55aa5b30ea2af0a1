package shm

import (
	"encoding/binary"
	"sync/atomic"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Atomic is done by the processor in mapped memory; everything else is atomicSlow's.
//
//fabric:fastpath
func (o *ops) Atomic(k *fiatomic.Kernel, buf []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.e.atomic(k, rdm.KindAtomic, buf, nil, nil, len(buf), to, dst, ctx, fl)
}

// FetchAtomic is Atomic for the fetching class.
//
//fabric:fastpath
func (o *ops) FetchAtomic(k *fiatomic.Kernel, buf, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	e := o.e
	if len(result) != 8 || len(buf) != 8 || k.Size() != 8 || fl&^immediate != 0 || e.maxAtomic.plain < 8 {
		return e.atomic(k, rdm.KindFetch, buf, nil, result, len(result), to, dst, ctx, fl)
	}
	// One word, the commonest: a counter.
	if !e.mu.TryLock() {
		e.mu.Wait()
	}
	if p := e.dest(to); p != nil && p.direct() {
		if key := p.cached(dst.Key); key != nil {
			lane := p.lane()
			if m := p.enter(lane, key, dst.Addr, 8, rdm.AtomicNeeds(k)); m != nil {
				w := word(m)
				if w != nil && e.Reserve(fl) {
					v := binary.NativeEndian.Uint64(buf)
					var old uint64
					if k.Op() == fi.AtomicSum && k.Datatype() <= fi.TypeUint64 {
						old = atomic.AddUint64(w, v) - v
					} else {
						old, _ = k.Shared64(w, v, 0)
					}
					p.ring.Mine.Leave(lane)
					binary.NativeEndian.PutUint64(result, old)
					e.TxDone(ctx, fl, rdm.KindFetch, 8, 0)
					e.mu.Unlock()
					return nil
				}
				p.ring.Mine.Leave(lane)
			}
		}
	}
	e.mu.Unlock()
	return e.atomic(k, rdm.KindFetch, buf, nil, result, len(result), to, dst, ctx, fl)
}

// CompareAtomic is Atomic for the comparing class.
//
//fabric:fastpath
func (o *ops) CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.e.atomic(k, rdm.KindFetch, buf, compare, result, len(buf), to, dst, ctx, fl)
}

//fabric:fastpath
func (e *endpoint) atomic(k *fiatomic.Kernel, comp fi.CompFlags, buf, compare, result []byte, n int, to fi.Addr, at mr.Remote, ctx any, fl fi.OpFlags) error {
	if fl&^immediate != 0 || n > e.maxAtomic.of(fl) {
		return e.atomicSlow(k, comp, buf, compare, result, n, to, at, ctx, fl)
	}
	if !e.mu.TryLock() {
		e.mu.Wait()
	}
	if p := e.dest(to); p != nil && p.direct() && k.Shared() {
		if key := p.cached(at.Key); key != nil {
			lane := p.lane()
			if m := p.enter(lane, key, at.Addr, n, rdm.AtomicNeeds(k)); m != nil {
				if k.Aligned(m) && e.Reserve(fl) {
					k.ApplyShared(m, buf, compare, result, n/k.Size())
					p.ring.Mine.Leave(lane)
					e.TxDone(ctx, fl, comp, n, 0)
					e.mu.Unlock()
					return nil
				}
				p.ring.Mine.Leave(lane)
			}
		}
	}
	e.mu.Unlock()
	return e.atomicSlow(k, comp, buf, compare, result, n, to, at, ctx, fl)
}

//go:noinline
func (e *endpoint) atomicSlow(k *fiatomic.Kernel, comp fi.CompFlags, buf, compare, result []byte, n int, to fi.Addr, at mr.Remote, ctx any, fl fi.OpFlags) error {
	if err := e.checkAtomic(n, fl); err != 0 {
		return err
	}
	if !e.mu.TryLock() {
		e.mu.Wait()
	}
	defer e.mu.Unlock()
	o := e.newOp()
	if o == nil {
		return e.NoRoom()
	}
	o.atomic(k, comp, ctx, fl)
	o.iov, o.compare, o.result = one(o.iov, buf), one(o.compare, compare), one(o.result, result)
	o.n, o.addr, o.key = n, at.Addr, at.Key
	return e.submit(o, to&0xffffffff)
}

func one(dst [][]byte, b []byte) [][]byte {
	if b == nil {
		return dst
	}
	return append(dst, b)
}

func (o *op) atomic(k *fiatomic.Kernel, comp fi.CompFlags, ctx any, fl fi.OpFlags) {
	o.kind, o.k, o.comp, o.ctx, o.fl = opKindAtomic, k, comp, ctx, fl
}

func (e *endpoint) checkAtomic(n int, fl fi.OpFlags) fi.Errno {
	if uint64(n) > e.Max.Atomic || fl&fi.OpInject != 0 && uint64(n) > e.Inject.Atomic {
		return fi.ErrMsgSize
	}
	return 0
}

// AtomicMsg splits an atomic with several remote ranges into one for each.
func (o *ops) AtomicMsg(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error {
	o.e.mu.Lock()
	defer o.e.mu.Unlock()
	return o.e.atomicLocked(k, m.Iov, compare, result, m.Addr, m.RMAIov, m.Context, fl)
}

func (e *endpoint) atomicLocked(k *fiatomic.Kernel, iov, compare, result [][]byte, to fi.Addr, rma []fi.RMAIov, ctx any, fl fi.OpFlags) error {
	comp := rdm.KindFetch
	if k.Kind() == fi.AtomicBase {
		comp = rdm.KindAtomic
	}
	if len(iov) > iovLimit || len(compare) > iovLimit || len(result) > iovLimit || len(rma) > iovLimit || len(rma) == 0 {
		return fi.ErrInvalid
	}
	n := 0
	for _, v := range rma {
		n += int(v.Len)
	}
	if err := e.checkAtomic(n, fl); err != 0 {
		return err
	}
	var parts [iovLimit]*op
	if !e.take(parts[:len(rma)]) {
		return e.NoRoom()
	}
	off := 0
	for i, v := range rma {
		part := parts[i]
		part.atomic(k, comp, ctx, fl)
		part.n, part.addr, part.key = int(v.Len), v.Addr, v.Key
		part.iov = slice(part.iov, iov, off, part.n)
		part.compare = slice(part.compare, compare, off, part.n)
		part.result = slice(part.result, result, off, part.n)
		off += part.n
	}
	return e.submitParts(parts[:len(rma)], to&0xffffffff, n)
}

// issueAtomic executes an atomic in mapped memory, or asks the target for it.
func (p *pair) issueAtomic(o *op) outcome {
	if (p.direct() || p.directButDeferred()) && o.k.Shared() && !o.mustTell() {
		switch k, st := p.lookup(o.key); st {
		case keyWaits:
			return later
		case keyFound:
			if p.atomicMapped(o, k) {
				return issued
			}
		}
	}
	if p.outbox.Len() > 0 {
		return full
	}
	if p.tooMuch(o) {
		return later
	}
	n := accessBytes + atomicBytes
	if o.k.NeedsOperand() {
		n += o.n
	}
	if o.k.NeedsCompare() {
		n += o.n
	}
	b := p.ring.Tx.Reserve(n)
	if b == nil {
		return full
	}
	clear(b[:accessBytes+atomicBytes])
	le.PutUint32(b, o.id)
	b[4] = p.tell(o)
	le.PutUint64(b[8:], o.key)
	le.PutUint64(b[16:], uint64(o.n))
	h := b[accessBytes:]
	switch o.k.Kind() {
	case fi.AtomicFetch:
		h[0] = 1
	case fi.AtomicCompare:
		h[0] = 2
	}
	h[1], h[2] = byte(o.k.Datatype()), byte(o.k.Op())
	h = h[atomicBytes:]
	if o.k.NeedsOperand() {
		gather(h[:o.n], o.iov, 0)
		h = h[o.n:]
	}
	if o.k.NeedsCompare() {
		gather(h[:o.n], o.compare, 0)
	}
	p.ring.Tx.Commit(opAtomic, 0, o.addr, 0)
	p.bell()
	p.launched(o, false)
	return issued
}

// atomicMapped executes an atomic here; false when the target must decide.
func (p *pair) atomicMapped(o *op, key *keyEntry) bool {
	lane := p.lane()
	m := p.enter(lane, key, o.addr, o.n, rdm.AtomicNeeds(o.k))
	if m == nil {
		return false
	}
	if !o.k.Aligned(m) {
		p.ring.Mine.Leave(lane)
		return false
	}
	s := p.d.scratch[:3*o.n]
	operand, compare, result := s[:o.n], s[o.n:2*o.n], s[2*o.n:]
	gather(operand, o.iov, 0)
	gather(compare, o.compare, 0)
	if !o.k.GivesResult() {
		result = nil
	}
	o.k.ApplyShared(m, operand, compare, result, o.n/o.k.Size())
	scatter(o.result, 0, result)
	p.ring.Mine.Leave(lane)
	p.end(o, 0, "")
	return true
}
