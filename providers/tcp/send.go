package tcp

import (
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// simple are the flags of a send that the fast path serves: its level is reached when the message is in the stage.
const simple = fi.OpCompletion | fi.OpInject | fi.OpInjectComplete | fi.OpMore

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

// Send and TSend put a small message into the stage of a connection that is there; everything else is sendSlow's.

//fabric:fastpath
func (o *ops) Send(buf []byte, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	e := o.e
	if fl&^simple != 0 || len(buf) > e.maxMsg.of(fl) {
		return e.sendSlow(buf, to, 0, data, ctx, fl, rdm.KindSend)
	}
	if !e.mu.TryLock() {
		e.mu.Wait()
	}
	c := e.dest(to)
	if c == nil {
		e.mu.Unlock()
		return e.sendSlow(buf, to, 0, data, ctx, fl, rdm.KindSend)
	}
	if !e.Reserve(fl) {
		e.Again.Add(1)
		e.mu.Unlock()
		return fi.ErrAgain
	}
	b := c.room(wire.BaseSize + len(buf))
	if b == nil {
		e.Unreserve(fl)
		e.Again.Add(1)
		e.mu.Unlock()
		return fi.ErrAgain
	}
	copy(b[c.enc.PutMsg(b, 0, 0, len(buf)):], buf)
	e.TxDone(ctx, fl, rdm.KindSend, len(buf), 0)
	c.push(fl)
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
	c := e.dest(to)
	if c == nil {
		e.mu.Unlock()
		return e.sendSlow(buf, to, tag, data, ctx, fl, rdm.KindTSend)
	}
	if !e.Reserve(fl) {
		e.Again.Add(1)
		e.mu.Unlock()
		return fi.ErrAgain
	}
	b := c.room(wire.BaseSize + 8 + len(buf))
	if b == nil {
		e.Unreserve(fl)
		e.Again.Add(1)
		e.mu.Unlock()
		return fi.ErrAgain
	}
	copy(b[c.enc.PutTagged(b, 0, 0, tag, len(buf)):], buf)
	e.TxDone(ctx, fl, rdm.KindTSend, len(buf), tag)
	c.push(fl)
	e.mu.Unlock()
	return nil
}

// dest is the connection that takes messages to an address at once; nil when there is none, or something waits before
// it. With the lock.
func (e *endpoint) dest(to fi.Addr) *conn {
	if to < fi.Addr(len(e.dests)) {
		if p := e.dests[to]; p != nil && p.deferred.Len() == 0 {
			if c := p.c; c != nil && c.state == connReady && !c.slow {
				return c
			}
		}
	}
	return nil
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
	o := e.newOp()
	if o == nil {
		return e.NoRoom()
	}
	o.iov = append(o.iov, buf)
	return e.submitSend(o, to, tag, data, ctx, fl, kind)
}

// SendMsg is Send in its general form.
func (o *ops) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	return o.e.sendVector(m.Iov, m.Addr, 0, m.Data, m.Context, fl, rdm.KindSend)
}

// TSendMsg is TSend in its general form.
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
	o := e.newOp()
	if o == nil {
		return e.NoRoom()
	}
	o.iov = append(o.iov, iov...)
	return e.submitSend(o, to, tag, data, ctx, fl, kind)
}

func (e *endpoint) submitSend(o *op, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags, kind fi.CompFlags) error {
	o.kind, o.comp, o.fl, o.ctx, o.tag, o.data = opSend, kind, fl, ctx, tag, data
	o.n = length(o.iov)
	most, inject := e.Max.Msg, e.Inject.Msg
	if kind&fi.CompTagged != 0 {
		most, inject = e.Max.Tagged, e.Inject.Tagged
	}
	if uint64(o.n) > most || fl&fi.OpInject != 0 && uint64(o.n) > inject {
		e.recycle(o)
		return fi.ErrMsgSize
	}
	return e.submit(o, to)
}

// submit accepts an operation that was filled in, or returns why not; the operation is then recycled. With the lock.
func (e *endpoint) submit(o *op, to fi.Addr) error {
	p, err := e.peerFor(to)
	if err != 0 {
		e.recycle(o)
		return err
	}
	if !e.Reserve(o.fl) {
		e.recycle(o)
		return e.NoRoom()
	}
	o.to = p
	if p.mustWait(o) {
		p.deferOp(o)
		p.connect()
		return nil
	}
	if p.issue(o) == full {
		e.Unreserve(o.fl)
		e.recycle(o)
		return e.NoRoom()
	}
	return nil
}

// outcome is what issuing an operation led to.
type outcome uint8

const (
	issued outcome = iota // it is under way or done
	full                  // there is no room now
)

// issue starts an operation on the connection, which is there.
func (p *peer) issue(o *op) outcome {
	c := p.c
	switch o.kind {
	case opSend:
		return c.issueSend(o)
	case opAtomic, opWhole:
		return c.issueAtomic(o)
	}
	return c.issueAccess(o)
}

// launched notes that an operation is under way.
func (c *conn) launched(o *op, state opState, waits waitBits) {
	o.c, o.state, o.waits = c, state, waits
	o.to.inFlight++
}

// refuse completes an operation that this peer cannot do.
func (c *conn) refuse(o *op, what string) outcome {
	c.owner.finish(o, fi.ErrOpNotSupp, "the peer "+c.peerName()+" does not speak the extension of this provider: "+what)
	return issued
}

// wireFlags are the flags of a message in a plain stream.
func wireFlags(fl fi.OpFlags) wire.Flags {
	var w wire.Flags
	if fl&fi.OpRemoteCQData != 0 {
		w = wire.FlagData
	}
	if fl&(fi.OpTransmitComplete|fi.OpDeliveryComplete) != 0 {
		w |= wire.FlagDeliver
	}
	return w
}

// issueSend puts a message, or its announcement, into the stream.
func (c *conn) issueSend(o *op) outcome {
	d := c.s.d
	if c.ext {
		if c.features&wire.FeatureRendezvous != 0 && (c.holding || d.cfg.rendezvous > 0 && o.n > d.cfg.rendezvous) {
			return c.announceExt(o)
		}
		return c.sendExt(o)
	}
	if o.fl&fi.OpMatchComplete != 0 {
		return c.refuse(o, "it cannot tell when a receive has matched")
	}
	if l := c.owner.link; l != nil && !l.tagged && o.comp&fi.CompTagged != 0 {
		return c.refuse(o, "tagged messages would crash C's; they are sent where both sides have shared receive contexts")
	}
	if c.version > 0 && d.cfg.maxSaved > 0 && o.n > d.cfg.maxSaved && o.comp&fi.CompTagged != 0 {
		return c.announcePlain(o)
	}
	flags := wireFlags(o.fl)
	b := c.header(wire.BaseSize+8*2, o)
	if b == nil {
		return full
	}
	n := 0
	if o.comp&fi.CompTagged != 0 {
		n = c.enc.PutTagged(b, flags, o.data, o.tag, o.n)
	} else {
		n = c.enc.PutMsg(b, flags, o.data, o.n)
	}
	if flags.WantsAck() {
		c.unacked.Push(o)
	}
	return c.body(o, b, n, flags.WantsAck())
}

// sendExt sends a message to a peer of ours.
func (c *conn) sendExt(o *op) outcome {
	var flags wire.Flags
	if o.fl&fi.OpRemoteCQData != 0 {
		flags = wire.FlagData
	}
	answer := true
	switch {
	case o.fl&fi.OpMatchComplete != 0:
		flags |= wire.FlagMatch
	case o.fl&fi.OpDeliveryComplete != 0:
		flags |= wire.FlagDeliver
	case o.fl&fi.OpTransmitComplete != 0:
		flags |= wire.FlagTransmit
	default:
		answer = false
	}
	if o.n >= aliasFrom {
		n := wire.BaseSize + dataBytes(o.fl)
		if o.comp&fi.CompTagged != 0 {
			n += 8
		}
		if answer {
			n += 8
		}
		c.unalias(n, o.iov[0])
	}
	b := c.header(wire.BaseSize+8*3, o)
	if b == nil {
		return full
	}
	n := 0
	switch tagged := o.comp&fi.CompTagged != 0; {
	case tagged && answer:
		n = c.enc.PutExtTagged(b, flags, o.id, 0, o.data, o.tag, o.n)
	case tagged:
		n = c.enc.PutTagged(b, flags, o.data, o.tag, o.n)
	case answer:
		n = c.enc.PutExtMsg(b, flags, o.id, 0, o.data, o.n)
	default:
		n = c.enc.PutMsg(b, flags, o.data, o.n)
	}
	return c.body(o, b, n, answer)
}

// dataBytes is how much longer the flags of an operation make its header.
func dataBytes(fl fi.OpFlags) int {
	if fl&fi.OpRemoteCQData != 0 {
		return 8
	}
	return 0
}

// header gives room for a header of up to n bytes, and the payload if that is copied; nil when there is none.
func (c *conn) header(n int, o *op) []byte {
	if o.n <= copyMax {
		n += o.n
	}
	return c.room(n)
}

// body sends the payload of o behind its header of n bytes at the beginning of b.
func (c *conn) body(o *op, b []byte, n int, answer bool) outcome {
	waits := waitBits(0)
	if answer {
		waits = waitAnswer
	}
	if o.n <= copyMax {
		gather(b[n:n+o.n], o.iov, 0)
		c.trim(len(b) - n - o.n)
		if fl := o.fl; waits == 0 {
			c.owner.finish(o, 0, "")
			c.push(fl)
		} else {
			c.launched(o, opUnderWay, waits)
			c.push(fl)
		}
		return issued
	}
	c.trim(len(b) - n)
	c.launched(o, opUnderWay, waits|waitWritten)
	fl := o.fl
	c.referAll(o)
	c.pushLarge(fl)
	return issued
}

// referAll makes the buffers of o part of the stream.
func (c *conn) referAll(o *op) {
	last := -1
	for i, b := range o.iov {
		if len(b) > 0 {
			last = i
		}
	}
	for i, b := range o.iov {
		switch {
		case len(b) == 0:
		case i == last:
			c.refer(b, o, nil)
		default:
			c.refer(b, nil, nil)
		}
	}
	if last < 0 {
		o.waits &^= waitWritten
	}
}

// announceExt announces a message to a peer of ours, which then pulls it.
func (c *conn) announceExt(o *op) outcome {
	b := c.room(wire.BaseSize + 8*4)
	if b == nil {
		return full
	}
	o.own()
	var flags wire.Flags
	if o.fl&fi.OpRemoteCQData != 0 {
		flags = wire.FlagData
	}
	n := 0
	if o.comp&fi.CompTagged != 0 {
		n = c.enc.PutExtTaggedRTS(b, flags, o.id, 0, o.data, o.tag, o.n)
	} else {
		n = c.enc.PutExtRTS(b, flags, o.id, 0, o.data, o.n)
	}
	c.trim(len(b) - n)
	c.launched(o, opAnnounced, waitAnswer)
	c.push(o.fl)
	return issued
}

// announcePlain announces a tagged message to a peer of RDM protocol 1.
func (c *conn) announcePlain(o *op) outcome {
	context := uint8(0)
	for i := 1; i <= wire.MaxContext; i++ {
		if c.plainRTS[uint8(i)] == nil {
			context = uint8(i)
			break
		}
	}
	if context == 0 {
		return full
	}
	b := c.room(wire.BaseSize + 8*3)
	if b == nil {
		return full
	}
	n := c.enc.PutTaggedRTS(b, wireFlags(o.fl), context, o.data, o.tag, o.n)
	c.trim(len(b) - n)
	if c.plainRTS == nil {
		c.plainRTS = make(map[uint8]*op)
	}
	c.plainRTS[context] = o
	o.rts = context
	c.launched(o, opAnnounced, waitAnswer)
	c.push(o.fl)
	return issued
}
