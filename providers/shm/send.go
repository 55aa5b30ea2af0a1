package shm

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// simple are the flags of a send that the fast path serves: a completion or none, and a level that is reached when the
// message is in the ring.
const simple = fi.OpCompletion | fi.OpInject | fi.OpInjectComplete | fi.OpTransmitComplete | fi.OpMore

// waits are the levels for which the peer's answer is needed.
const waits = fi.OpDeliveryComplete | fi.OpMatchComplete

// ops are the operations of an enabled endpoint. Receives are those of rdm.
type ops struct {
	*rdm.Rx
	e *endpoint
}

// sharedOps are those of an endpoint whose receives are posted on a shared context.
type sharedOps struct {
	rdm.NoReceiver
	*ops
}

// Send and TSend put a small message into the ring of a connected peer; everything else is sendSlow's. They differ in
// constants only: one function for both costs a call and ten arguments, a tenth of the way.

//fabric:fastpath
func (o *ops) Send(buf []byte, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	e := o.e
	if fl&^simple != 0 || len(buf) > e.maxMsg.of(fl) {
		return e.sendSlow(buf, to, 0, data, ctx, fl, rdm.KindSend)
	}
	if !e.mu.TryLock() {
		e.mu.Wait()
	}
	p := e.dest(to)
	if p == nil || !p.quick() {
		e.mu.Unlock()
		return e.sendSlow(buf, to, 0, data, ctx, fl, rdm.KindSend)
	}
	if !e.Reserve(fl) {
		e.mu.Unlock()
		return fi.ErrAgain
	}
	if !p.ring.Tx.Put(opEager, 0, 0, 0, buf) {
		return e.noRoom(p, len(buf), 0, ctx, fl, rdm.KindSend)
	}
	e.TxDone(ctx, fl, rdm.KindSend, len(buf), 0)
	p.bell()
	e.mu.Unlock()
	return nil
}

//fabric:fastpath
func (o *ops) TSend(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error {
	e := o.e
	if fl&^simple != 0 || len(buf) > e.maxTagged.of(fl) {
		return e.sendSlow(buf, to, tag, data, ctx, fl, rdm.KindTSend)
	}
	if !e.mu.TryLock() {
		e.mu.Wait()
	}
	p := e.dest(to)
	if p == nil || !p.quick() {
		e.mu.Unlock()
		return e.sendSlow(buf, to, tag, data, ctx, fl, rdm.KindTSend)
	}
	if !e.Reserve(fl) {
		e.mu.Unlock()
		return fi.ErrAgain
	}
	if !p.ring.Tx.Put(opEager|eagerTagged, 0, tag, 0, buf) {
		return e.noRoom(p, len(buf), tag, ctx, fl, rdm.KindTSend)
	}
	e.TxDone(ctx, fl, rdm.KindTSend, len(buf), tag)
	p.bell()
	e.mu.Unlock()
	return nil
}

// noRoom ends a send that has found the ring full. With the lock, which it gives back.
//
//go:noinline
func (e *endpoint) noRoom(p *pair, n int, tag uint64, ctx any, fl fi.OpFlags, kind fi.CompFlags) error {
	defer e.mu.Unlock()
	if e.lossy && p.stuck() {
		e.TxDone(ctx, fl, kind, n, tag) // it is lost
		return nil
	}
	e.Unreserve(fl)
	return fi.ErrAgain
}

// dest is the pair that messages to an address take, once there is one. With the lock.
func (e *endpoint) dest(to fi.Addr) *pair {
	if to < fi.Addr(len(e.dests)) {
		return e.dests[to]
	}
	return nil
}

// quick tells whether an operation can go straight to the ring: nothing that was posted before still waits.
func (p *pair) quick() bool {
	return p.waiting == 0 && p.outbox.Len() == 0 && !p.holding
}

// bell wakes a peer that sleeps. The caller has published; who sleeps makes sure by a barrier that one of the two sees
// the other.
//
//fabric:fastpath
func (p *pair) bell() {
	if v := atomic.LoadUint32(p.asleep); v&1 != 0 && v != p.rung {
		p.ringBell(v)
	}
}

//go:noinline
func (p *pair) ringBell(v uint32) {
	p.rung = v
	p.conn.Ring()
}

// fastLimits are the lengths that the fast path takes, without and with OpInject.
type fastLimits struct{ plain, inject int }

func (l *fastLimits) of(fl fi.OpFlags) int {
	if fl&fi.OpInject != 0 {
		return l.inject
	}
	return l.plain
}

//go:noinline
func (e *endpoint) sendSlow(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags, kind fi.CompFlags) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lossy {
		return e.castLocked([][]byte{buf}, to, tag, data, ctx, fl, kind)
	}
	o := e.newOp()
	if o == nil {
		return fi.ErrAgain
	}
	o.iov = append(o.iov, buf)
	return e.submitSend(o, to, tag, data, ctx, fl, kind)
}

func (o *ops) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	return o.e.sendVector(m.Iov, m.Addr, 0, m.Data, m.Context, fl, rdm.KindSend)
}

func (o *ops) TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	return o.e.sendVector(m.Iov, m.Addr, m.Tag, m.Data, m.Context, fl, rdm.KindTSend)
}

func (e *endpoint) sendVector(iov [][]byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags, kind fi.CompFlags) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sendLocked(iov, to, tag, data, ctx, fl, kind)
}

func (e *endpoint) sendLocked(iov [][]byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags, kind fi.CompFlags) error {
	if len(iov) > iovLimit {
		return fi.ErrInvalid
	}
	if e.lossy {
		return e.castLocked(iov, to, tag, data, ctx, fl, kind)
	}
	o := e.newOp()
	if o == nil {
		return fi.ErrAgain
	}
	for _, b := range iov {
		if len(b) > 0 {
			o.iov = append(o.iov, b)
		}
	}
	return e.submitSend(o, to, tag, data, ctx, fl, kind)
}

func (e *endpoint) submitSend(o *op, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags, kind fi.CompFlags) error {
	o.kind, o.comp, o.fl, o.ctx, o.tag, o.data = opKindSend, kind, fl, ctx, tag, data
	o.n = length(o.iov)
	most, inject := e.Max.Msg, e.Inject.Msg
	if kind&fi.CompTagged != 0 {
		most, inject = e.Max.Tagged, e.Inject.Tagged
	}
	if uint64(o.n) > most || fl&fi.OpInject != 0 && uint64(o.n) > inject {
		e.recycle(o)
		return fi.ErrMsgSize
	}
	group := to >> 32
	if group > maxGroup {
		e.recycle(o)
		return fi.ErrInvalid
	}
	o.group = uint16(group)
	return e.submit(o, to&0xffffffff)
}

// issueSend puts a message into the ring, or announces it.
func (p *pair) issueSend(o *op) outcome {
	if o.n > eagerMax || p.holding {
		return p.announce(o)
	}
	if p.outbox.Len() > 0 {
		return full
	}
	code, pre := uint8(opEager), 0
	if o.comp&fi.CompTagged != 0 {
		code |= eagerTagged
	}
	if o.fl&fi.OpRemoteCQData != 0 {
		code |= eagerData
	}
	if o.fl&waits != 0 {
		code |= eagerAck
		pre = 8
	}
	b := p.ring.Tx.Reserve(pre + o.n)
	if b == nil {
		return full
	}
	if pre != 0 {
		le.PutUint64(b, uint64(o.id))
	}
	o.gather(b[pre:], 0)
	p.ring.Tx.Commit(code, o.group, o.tag, o.data)
	p.bell()
	if pre != 0 {
		p.launched(o, false)
		return issued
	}
	p.end(o, 0, "")
	return issued
}
