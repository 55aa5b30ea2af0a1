package mem

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// ops are the endpoint's operations.
type ops struct{ e *endpoint }

func (o ops) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	return o.e.Receiver().Recv(buf, from, ctx, fl)
}
func (o ops) RecvMsg(m *fi.Msg, fl fi.OpFlags) error { return o.e.Receiver().RecvMsg(m, fl) }
func (o ops) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error {
	return o.e.Receiver().TRecv(buf, from, tag, ignore, ctx, fl)
}
func (o ops) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error { return o.e.Receiver().TRecvMsg(m, fl) }

func (o ops) Send(buf []byte, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	return o.e.send(&message{iov: [][]byte{buf}, data: data, ctx: ctx, fl: fl, kind: rdm.KindSend}, to, o.e.Max.Msg, o.e.Inject.Msg)
}

func (o ops) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	if len(m.Iov) > iovLimit {
		return fi.ErrInvalid
	}
	return o.e.send(&message{iov: clone(m.Iov), data: m.Data, ctx: m.Context, fl: fl, kind: rdm.KindSend}, m.Addr, o.e.Max.Msg, o.e.Inject.Msg)
}

func (o ops) TSend(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error {
	return o.e.send(&message{iov: [][]byte{buf}, tag: tag, data: data, ctx: ctx, fl: fl, kind: rdm.KindTSend}, to, o.e.Max.Tagged, o.e.Inject.Tagged)
}

func (o ops) TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	if len(m.Iov) > iovLimit {
		return fi.ErrInvalid
	}
	return o.e.send(&message{iov: clone(m.Iov), tag: m.Tag, data: m.Data, ctx: m.Context, fl: fl, kind: rdm.KindTSend}, m.Addr, o.e.Max.Tagged, o.e.Inject.Tagged)
}

func clone(iov [][]byte) [][]byte { return append([][]byte(nil), iov...) }

// message is a send.
type message struct {
	iov       [][]byte
	tag, data uint64
	ctx       any
	fl        fi.OpFlags
	kind      fi.CompFlags
}

// pending is a send that waits for the peer's receive.
type pending struct {
	message
	id   uint64
	n    int
	from *endpoint
	peer *peer // the peer's view of us
	to   *dest
}

// end completes a pending send.
func (s *pending) end(err fi.Errno, text string) {
	delete(s.from.pending, s.id)
	s.from.waiting.Add(-1)
	s.from.SharedTx.Give()
	s.from.TxEnd(s.ctx, s.fl, s.kind, s.n, s.tag, err, text)
	s.from.landed(s.to)
}

func (e *endpoint) send(m *message, to fi.Addr, most, inject uint64) error {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	return e.sendLocked(m, to, most, inject)
}

func (e *endpoint) sendLocked(m *message, to fi.Addr, most, inject uint64) error {
	n := length(m.iov)
	if uint64(n) > most || m.fl&fi.OpInject != 0 && uint64(n) > inject {
		return fi.ErrMsgSize
	}
	if e.datagrams {
		return e.cast(m, n, to)
	}
	return e.post(to, m.fl, func(d *dest, target *endpoint, group uint32) {
		e.deliver(m, n, d, target, group)
	}, func(err fi.Errno) { e.TxFail(m.ctx, m.fl, m.kind, n, m.tag, err, why(err)) }, func() {
		if m.fl&fi.OpInject != 0 {
			m.iov = [][]byte{gather(m.iov)}
		}
	})
}

// why says why there was no target.
func why(err fi.Errno) string {
	switch err {
	case fi.ErrCanceled:
		return ended
	case fi.ErrAccess:
		return otherKey
	}
	return "no endpoint of this process has the address: enable the peer first, and insert its Name"
}

// post runs an operation on a peer now, or when a fence allows it. keep makes copies of buffers that the caller gets
// back at once. With the lock.
func (e *endpoint) post(to fi.Addr, fl fi.OpFlags, run func(d *dest, target *endpoint, group uint32), fail func(fi.Errno), keep func()) error {
	group := uint32(0)
	if e.Info.Domain.MaxGroupID > 0 {
		group, to = uint32(to>>32), fi.Addr(uint32(to))
	}
	if e.closed {
		return fi.ErrBadFD
	}
	d := e.dest(to)
	if err := e.unreachable(d); err != 0 {
		return err
	}
	if len(e.pending) >= queueSize || !e.SharedTx.Take() {
		return e.NoRoom()
	}
	if !e.Reserve(fl) {
		e.SharedTx.Give()
		return e.NoRoom()
	}
	do := func() {
		last := e.nextID
		if target, err := e.target(d); err == 0 {
			run(d, target, group)
		} else {
			fail(err)
		}
		if e.nextID == last { // it has completed
			e.SharedTx.Give()
		}
	}
	if len(d.deferred) > 0 || fl&fi.OpFence != 0 && d.inFlight > 0 {
		keep()
		fenced := fl&fi.OpFence != 0
		d.deferred = append(d.deferred, deferredOp{do, fenced})
		e.waiting.Add(1)
		return nil
	}
	do()
	return nil
}

// unreachable tells why nothing can be posted to d.
func (e *endpoint) unreachable(d *dest) fi.Errno {
	switch {
	case e.link != nil:
		return e.link.down()
	case d == nil:
		return fi.ErrInvalid
	}
	return 0
}

// target gives the endpoint that d stands for.
func (e *endpoint) target(d *dest) (*endpoint, fi.Errno) {
	if e.link != nil {
		if e.link.state != linkUp {
			return nil, fi.ErrCanceled
		}
		return e.link.peer, 0
	}
	if t, ok := e.d.p.byName[d.raw].(*endpoint); ok && t.link == nil && !t.datagrams {
		if !e.has(d.key) || !t.has(d.key) {
			return nil, fi.ErrAccess
		}
		return t, 0
	}
	return nil, fi.ErrConnRefused
}

func (e *endpoint) dest(to fi.Addr) *dest {
	if e.link != nil {
		return &e.link.to
	}
	if d := e.dests[to]; d != nil {
		return d
	}
	raw, ok := e.AV.Lookup(to)
	if !ok {
		return nil
	}
	d := &dest{key: e.keys[0]}
	if e.Keyed {
		raw, d.key = driver.SplitAddr(raw)
	}
	d.raw = string(raw)
	e.dests[to] = d
	return d
}

// landed says that an operation to d has completed; what waited for that goes on.
func (e *endpoint) landed(d *dest) {
	d.inFlight--
	for len(d.deferred) > 0 && !(d.deferred[0].fenced && d.inFlight > 0) {
		op := d.deferred[0]
		d.deferred = d.deferred[1:]
		e.waiting.Add(-1)
		op.do()
	}
}

// deliver hands a message to the target.
func (e *endpoint) deliver(m *message, n int, d *dest, target *endpoint, group uint32) {
	p := target.sender(e, d.key)
	a := rdm.Arrival{Tagged: m.kind&fi.CompTagged != 0, Group: group, Tag: m.tag, Len: n}
	if m.fl&fi.OpRemoteCQData != 0 {
		a.Data, a.Flags = m.data, fi.CompRemoteCQData
	}
	a.Announced = p.holding || n > announceAt
	waits := a.Announced && m.fl&fi.OpInject == 0 || m.fl&(fi.OpDeliveryComplete|fi.OpMatchComplete) != 0
	if !waits && !a.Announced {
		a.Payload = flat(m.iov)
		p.Arrive(&a)
		e.TxEnd(m.ctx, m.fl, m.kind, n, m.tag, 0, "")
		return
	}
	s := &pending{message: *m, id: e.nextID + 1, n: n, from: e, peer: p, to: d}
	e.nextID++
	e.pending[s.id] = s
	e.waiting.Add(1)
	d.inFlight++
	a.Token[0] = s.id
	if a.Announced {
		if m.fl&fi.OpInject != 0 {
			s.iov = [][]byte{gather(m.iov)}
		}
		p.Arrive(&a)
		return
	}
	a.Payload, a.Ack = flat(m.iov), s.id
	p.Arrive(&a)
}

// Ack, Fetch, Discard and Hold are what the receiver asks of its sender p.from.
func (p *peer) Ack(id uint64) {
	if s := p.from.pending[id]; s != nil {
		s.end(0, "")
	}
}

func (p *peer) Fetch(t *rdm.Transfer) {
	s := p.from.pending[t.Token[0]]
	if s == nil {
		t.EP.Finish(t, fi.ErrConnReset, "peer closed: the sender ended before its message was fetched")
		return
	}
	off := 0
	for _, b := range s.iov {
		t.Place(off, b)
		off += len(b)
	}
	t.Got = t.Size
	t.EP.Finish(t, 0, "")
	s.end(0, "")
}

func (p *peer) Discard(token [3]uint64) { p.Ack(token[0]) }

func (p *peer) Hold(on bool) { p.holding = on }

// Tail is never needed: the next message is announced.
func (p *peer) Tail() int { return 1 << 30 }

func length(iov [][]byte) (n int) {
	for _, b := range iov {
		n += len(b)
	}
	return n
}

// flat gives the bytes as one slice, a copy only if there are several.
func flat(iov [][]byte) []byte {
	if len(iov) == 1 {
		return iov[0]
	}
	return gather(iov)
}

func gather(iov [][]byte) []byte {
	out := make([]byte, 0, length(iov))
	for _, b := range iov {
		out = append(out, b...)
	}
	return out
}

// scatter copies src over the buffers.
func scatter(iov [][]byte, src []byte) {
	for _, b := range iov {
		src = src[copy(b, src):]
	}
}
