package shm

import (
	"encoding/binary"
	"github.com/gofabric/gofabric/internal/memcopy"
	"math/bits"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// immediate are the flags of accesses that are served in mapped memory: every level is reached when the call returns.
const immediate = simple | waits

// direct tells whether an access may be done in mapped memory now: nothing that it must not overtake is on its way to
// the target, and the target does not want to count.
func (p *pair) direct() bool {
	return p.waiting == 0 && p.accesses == 0 && atomic.LoadUint32(p.tableAt.events) == 0
}

// unlockedCopy is from how many bytes on the domain's lock is given back during a copy.
const unlockedCopy = 32 << 10

// Write writes to mapped memory at once; everything else is accessSlow's.
//
//fabric:fastpath
func (o *ops) Write(buf []byte, to fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	e := o.e
	if fl&^immediate != 0 || len(buf) > e.maxRMA.of(fl) {
		return e.accessSlow(opKindWrite, buf, to, dst, data, ctx, fl)
	}
	if !e.mu.TryLock() {
		e.mu.Wait()
	}
	p := e.dest(to)
	if p != nil && p.direct() {
		if k := p.cached(dst.Key); k != nil {
			lane := p.lane()
			if m := p.enter(lane, k, dst.Addr, len(buf), fi.AccessRemoteWrite); m != nil {
				if !e.Reserve(fl) {
					p.ring.Mine.Leave(lane)
					e.Again.Add(1)
					e.mu.Unlock()
					return fi.ErrAgain
				}
				switch {
				case len(buf) == 8:
					binary.NativeEndian.PutUint64(m, binary.NativeEndian.Uint64(buf))
				case len(buf) < unlockedCopy:
					memcopy.Out(m, buf)
				default:
					p.copyUnlocked(lane, k.block, m, buf, memcopy.Out)
				}
				p.ring.Mine.Leave(lane)
				e.TxDone(ctx, fl, rdm.KindWrite, len(buf), 0)
				e.mu.Unlock()
				return nil
			}
		}
	}
	e.mu.Unlock()
	return e.accessSlow(opKindWrite, buf, to, dst, data, ctx, fl)
}

// Read reads from mapped memory at once; everything else is accessSlow's.
//
//fabric:fastpath
func (o *ops) Read(buf []byte, from fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error {
	e := o.e
	if fl&^immediate != 0 || len(buf) > e.maxRMA.plain {
		return e.accessSlow(opKindRead, buf, from, src, 0, ctx, fl)
	}
	if !e.mu.TryLock() {
		e.mu.Wait()
	}
	p := e.dest(from)
	if p != nil && p.direct() {
		if k := p.cached(src.Key); k != nil {
			lane := p.lane()
			if m := p.enter(lane, k, src.Addr, len(buf), fi.AccessRemoteRead); m != nil {
				if !e.Reserve(fl) {
					p.ring.Mine.Leave(lane)
					e.Again.Add(1)
					e.mu.Unlock()
					return fi.ErrAgain
				}
				if len(buf) < unlockedCopy {
					memcopy.In(buf, m)
				} else {
					p.copyUnlocked(lane, k.block, buf, m, memcopy.In)
				}
				p.ring.Mine.Leave(lane)
				e.TxDone(ctx, fl, rdm.KindRead, len(buf), 0)
				e.mu.Unlock()
				return nil
			}
		}
	}
	e.mu.Unlock()
	return e.accessSlow(opKindRead, buf, from, src, 0, ctx, fl)
}

// lane gives a free busy word. With all in use (by goroutines that copy without the lock) the last is shared: the region
// then looks free a little early, to an owner that closes it in the middle of an access.
func (p *pair) lane() int {
	if p.lanes == 0 {
		return 0
	}
	return min(bits.TrailingZeros8(^p.lanes), 3)
}

// copyUnlocked copies without the lock, in pieces, with the mapping held.
//
//go:noinline
func (p *pair) copyUnlocked(lane int, block uint64, dst, src []byte, move func(dst, src []byte) int) {
	if p.lanes == 1<<3-1 { // the last lane stays for short copies
		move(dst, src)
		return
	}
	m := p.blocks[block]
	m.users++
	p.lanes |= 1 << lane
	p.d.eng.Unlock()
	for len(src) > 0 {
		n := move(dst, src[:min(len(src), stepBytes)])
		dst, src = dst[n:], src[n:]
	}
	p.d.eng.Lock()
	p.lanes &^= 1 << lane
	m.release()
}

func (o *ops) WriteMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	return o.e.accessVector(opKindWrite, m, fl)
}
func (o *ops) ReadMsg(m *fi.RMAMsg, fl fi.OpFlags) error { return o.e.accessVector(opKindRead, m, fl) }

//go:noinline
func (e *endpoint) accessSlow(kind opKind, buf []byte, to fi.Addr, at mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	if err := e.checkAccess(kind, len(buf), fl); err != 0 {
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
	o.access(kind, data, ctx, fl)
	if len(buf) > 0 {
		o.iov = append(o.iov, buf)
	}
	o.n, o.addr, o.key = len(buf), at.Addr, at.Key
	return e.submit(o, to&0xffffffff)
}

func (o *op) access(kind opKind, data uint64, ctx any, fl fi.OpFlags) {
	o.kind, o.fl, o.ctx, o.data, o.comp = kind, fl, ctx, data, rdm.KindWrite
	if kind == opKindRead {
		o.comp = rdm.KindRead
	}
}

func (e *endpoint) checkAccess(kind opKind, n int, fl fi.OpFlags) fi.Errno {
	if uint64(n) > e.Max.RMA || kind == opKindWrite && fl&fi.OpInject != 0 && uint64(n) > e.Inject.RMA {
		return fi.ErrMsgSize
	}
	return 0
}

// accessVector splits an access with several remote ranges into one for each.
func (e *endpoint) accessVector(kind opKind, m *fi.RMAMsg, fl fi.OpFlags) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.accessLocked(kind, m.Iov, m.Addr, m.RMAIov, m.Data, m.Context, fl)
}

func (e *endpoint) accessLocked(kind opKind, iov [][]byte, to fi.Addr, rma []fi.RMAIov, data uint64, ctx any, fl fi.OpFlags) error {
	n := length(iov)
	if len(iov) > iovLimit || len(rma) > iovLimit || len(rma) == 0 || !rdm.SameLength(n, rma) {
		return fi.ErrInvalid
	}
	if err := e.checkAccess(kind, n, fl); err != 0 {
		return err
	}
	var parts [iovLimit]*op
	if !e.take(parts[:len(rma)]) {
		return e.NoRoom()
	}
	off := 0
	for i, v := range rma {
		o := parts[i]
		o.access(kind, data, ctx, fl)
		o.addr, o.key, o.n = v.Addr, v.Key, int(v.Len)
		o.iov = slice(o.iov, iov, off, o.n)
		off += o.n
		if i < len(rma)-1 {
			o.fl &^= fi.OpRemoteCQData // the last part carries the data
		}
	}
	return e.submitParts(parts[:len(rma)], to&0xffffffff, n)
}

// slice appends the parts of n bytes at off of the buffers to dst.
func slice(dst, iov [][]byte, off, n int) [][]byte {
	for _, b := range iov {
		if off >= len(b) {
			off -= len(b)
			continue
		}
		if n == 0 {
			break
		}
		k := min(n, len(b)-off)
		dst = append(dst, b[off:off+k])
		n -= k
		off = 0
	}
	return dst
}

// take takes operations for all parts, or for none.
func (e *endpoint) take(parts []*op) bool {
	for i := range parts {
		if parts[i] = e.newPart(); parts[i] == nil {
			for _, o := range parts[:i] {
				e.recycle(o)
			}
			return false
		}
	}
	return true
}

// submitParts accepts the parts of one operation, or none of them.
func (e *endpoint) submitParts(parts []*op, to fi.Addr, n int) error {
	if len(parts) == 1 {
		return e.submit(parts[0], to)
	}
	parent := e.newOp()
	fail := func(err fi.Errno) error {
		if parent != nil {
			e.recycle(parent)
		}
		for _, o := range parts {
			e.recycle(o)
		}
		return err
	}
	if parent == nil {
		return fail(e.NoRoom())
	}
	p, err := e.pairFor(to)
	if err != 0 {
		return fail(err)
	}
	first := parts[0]
	if !e.Reserve(first.fl) {
		return fail(e.NoRoom())
	}
	parent.kind, parent.comp, parent.fl, parent.ctx = opKindParent, first.comp, first.fl, first.ctx
	parent.parts, parent.total, parent.state = len(parts), n, opWhole
	for i, o := range parts {
		o.parent, o.to = parent, p
		if i < len(parts)-1 {
			o.part = rdm.PartMore
		}
		if p.mustWait(o) || p.issue(o) != issued {
			p.deferOp(o)
		}
	}
	if p.state == ready {
		p.resume()
	}
	return nil
}

// issueAccess does a read or a write in mapped memory, or asks the target for it.
func (p *pair) issueAccess(o *op) outcome {
	if (p.direct() || p.directButDeferred()) && !o.mustTell() {
		switch k, st := p.lookup(o.key); st {
		case keyWaits:
			return later
		case keyFound:
			if r, done := p.accessMapped(o, k); done {
				return r
			}
		}
	}
	if p.outbox.Len() > 0 {
		return full
	}
	if p.tooMuch(o) {
		return later
	}
	large := o.n > eagerMax
	code, extra := uint8(opRead), 0
	if o.kind == opKindWrite {
		code = opWrite
		if large {
			code = opWriteLarge
		} else {
			extra = o.n
		}
	}
	b := p.ring.Tx.Reserve(accessBytes + extra)
	if b == nil {
		return full
	}
	h := b[:accessBytes]
	clear(h)
	le.PutUint32(h, o.id)
	if o.fl&fi.OpRemoteCQData != 0 {
		h[4] = accessData
	}
	h[4] |= p.tell(o)
	le.PutUint64(h[8:], o.key)
	le.PutUint64(h[16:], uint64(o.n))
	le.PutUint64(h[40:], uint64(o.whole()))
	if code == opWriteLarge {
		o.own()
		r, addr, block := p.chooseRoad(o)
		h[5] = byte(r)
		le.PutUint64(h[24:], addr)
		le.PutUint64(h[32:], block)
	}
	o.gather(b[accessBytes:], 0)
	if o.kind == opKindRead && large {
		p.expect(o)
	}
	p.ring.Tx.Commit(code, 0, o.addr, o.data)
	p.bell()
	p.launched(o, large)
	return issued
}

// mustTell tells whether the target waits for a part, because it has executed one before.
func (o *op) mustTell() bool { return o.parent != nil && o.parent.told }

// tell gives the bits that say to the target where a part stands in its operation, as far as the target executes that. All
// parts behind the first one that it executes must come, too, unless they are cancelled.
func (p *pair) tell(o *op) uint8 {
	if o.parent == nil || !p.tellsParts {
		return 0
	}
	part := o.part
	if o.parent.told {
		part |= rdm.PartRest
	}
	o.parent.told = true
	return uint8(part) << accessPart
}

// whole is how many bytes the call had that the operation is, or is a part of: what the target reports with remote data.
func (o *op) whole() int {
	if o.parent != nil {
		return o.parent.total
	}
	return o.n
}

// directButDeferred is direct for an operation that has just been taken from the deferred ones.
func (p *pair) directButDeferred() bool {
	return p.resuming && p.state == ready && p.accesses == 0 && p.blocking == 0 && atomic.LoadUint32(p.tableAt.events) == 0
}

// accessMapped does a read or write of one range in mapped memory. done is false when the target must decide.
func (p *pair) accessMapped(o *op, k *keyEntry) (r outcome, done bool) {
	notify := o.fl&fi.OpRemoteCQData != 0 && o.kind == opKindWrite
	if notify && (p.outbox.Len() > 0 || p.ring.Tx.Reserve(0) == nil) {
		return full, true
	}
	need := fi.AccessRemoteRead
	if o.kind == opKindWrite {
		need = fi.AccessRemoteWrite
	}
	lane := p.lane()
	m := p.enter(lane, k, o.addr, o.n, need)
	if m == nil {
		return 0, false
	}
	if o.kind == opKindWrite {
		o.gather(m, 0)
	} else {
		scatter(o.iov, 0, m)
	}
	p.ring.Mine.Leave(lane)
	if notify {
		p.ring.Tx.Put(opNotify, 1, uint64(o.whole()), o.data, nil)
		p.bell()
	}
	p.end(o, 0, "")
	return issued, true
}

// expect prepares for the blocks that a large read brings.
func (p *pair) expect(o *op) {
	in := p.newInbound(o.id, o.n)
	in.r = o
	if p.inbound == nil {
		p.inbound = make(map[uint64]*inbound)
	}
	p.inbound[inKey(o.id, blockOfRead)] = in
}
