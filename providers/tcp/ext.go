package tcp

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// pieceMost is how many bytes of an announced message, or of a read, leave as one message: what else waits goes in
// between.
const pieceMost = 1 << 20

// beginExt handles what only peers of ours send. False: it breaks the protocol, or there is no room (Later).
func (c *conn) beginExt(h *wire.Header, here []byte) bool {
	switch h.Op {
	case wire.ExtRTS, wire.ExtTaggedRTS:
		return c.announcedExt(h)
	case wire.ExtPull:
		return c.pullAsked(h)
	case wire.ExtData:
		return c.pullData(h)
	case wire.ExtDone:
		return c.doneBy(h)
	case wire.ExtCancel:
		if c.cancels == nil {
			c.cancels = make(map[uint64]struct{})
		}
		c.cancels[uint64(h.ID)] = struct{}{}
	case wire.ExtRead:
		c.readExt(h)
	case wire.ExtReadData:
		return c.readData(h)
	case wire.ExtAtomic:
		return c.atomicAsked(h, here)
	case wire.ExtResult:
		return c.atomicResult(h)
	case wire.ExtHold:
		c.holding = h.Context != 0
		c.slow = c.holding || c.bye != byeNone
		if c.holding {
			c.enc.PutExtHeld(c.answerRoom(wire.BaseSize+8), h.Serial)
			c.markDirty()
		}
	case wire.ExtHeld:
		if h.Serial > c.heldUp || h.Serial <= c.heldAck {
			return false
		}
		c.heldAck = h.Serial
	case wire.ExtPing:
		c.enc.PutExtPong(c.answerRoom(wire.BaseSize+8), h.Serial)
		c.markDirty()
	case wire.ExtPong:
	case wire.ExtGoodbye:
		return c.goodbye(h.Context)
	default:
		return false
	}
	return true
}

// Hold asks the peer to announce its messages, or says that this is over. A plain peer cannot be asked: it waits in the
// socket when too much has come.
func (c *conn) Hold(on bool) {
	c.refusing = on
	c.sendHold(c.keeping)
}

// sendHold tells the peer what holds now, unless already says that something else had it held before, and still has.
func (c *conn) sendHold(already bool) {
	if already || !c.ext || c.features&wire.FeatureRendezvous == 0 || c.state != connReady {
		return
	}
	v := uint8(0)
	if c.keeping || c.refusing {
		v = 1
		c.heldUp++
	}
	c.enc.PutExtHold(c.answerRoom(wire.BaseSize+8), v, c.heldUp)
	c.markDirty()
}

// Tail tells whether the peer has begun to announce: from there on nothing else comes.
func (c *conn) Tail() int {
	if c.heldUp == 0 || c.heldAck != c.heldUp {
		return -1
	}
	return 0
}

// announcedExt takes an announcement.
func (c *conn) announcedExt(h *wire.Header) bool {
	token := uint64(h.ID)
	if _, twice := c.open[token]; twice || c.pulls[h.ID] != nil || len(c.open) > idIndex {
		return false
	}
	a := &c.s.arrival.a
	*a = rdm.Arrival{Tagged: h.Op == wire.ExtTaggedRTS, Announced: true, Group: h.Group, Len: h.Size, Ack: token,
		Token: [3]uint64{token, fromPull}}
	if a.Tagged {
		a.Tag = h.Tag
	}
	if h.Flags&wire.FlagData != 0 {
		a.Data, a.Flags = h.Data, fi.CompRemoteCQData
	}
	c.opened(token)
	if !c.Arrive(a) {
		delete(c.open, token)
		return false
	}
	return true
}

// pull asks for as much of an announced message as its receive takes.
func (c *conn) pull(t *rdm.Transfer) {
	delete(c.open, t.Token[0])
	if t.Size == 0 {
		c.pulled(t)
		return
	}
	id := uint32(t.Token[0])
	if c.pulls == nil {
		c.pulls = make(map[uint32]*rdm.Transfer)
	}
	c.pulls[id] = t
	c.enc.PutExtPull(c.answerRoom(wire.BaseSize+16), id, t.Size)
	c.markDirty()
}

// pulled ends the receive of an announced message, and tells its sender.
func (c *conn) pulled(t *rdm.Transfer) {
	id := uint32(t.Token[0])
	delete(c.pulls, id)
	c.EP.Finish(t, 0, "")
	c.done(id, 0)
}

// pullData begins to take a piece of an announced message.
func (c *conn) pullData(h *wire.Header) bool {
	t := c.pulls[h.ID]
	if t == nil || h.Offset != t.Got || h.Payload > t.Size-t.Got {
		return false
	}
	c.in.sink, c.in.t = sinkPulled, t
	return true
}

// pullAsked sends an announced message of ours.
func (c *conn) pullAsked(h *wire.Header) bool {
	o := c.find(h.ID)
	if o == nil || o.kind != opSend || o.state != opAnnounced && o.state != opCanceling || h.Size > o.n {
		return false
	}
	o.state, o.pulling, o.moved = opUnderWay, h.Size, 0
	c.sendPiece(o)
	return true
}

// sendPiece sends the next piece of what the peer has asked for.
func (c *conn) sendPiece(o *op) {
	n := min(o.pulling-o.moved, pieceMost)
	o.waits |= waitWritten
	c.unalias(wire.BaseSize+16, piece(o.iov, o.moved, n))
	c.enc.PutExtData(c.answerRoom(wire.BaseSize+16), o.id, o.moved, n)
	for n > 0 {
		b := piece(o.iov, o.moved, n)
		n -= len(b)
		o.moved += len(b)
		var last *op
		if n == 0 {
			last = o
		}
		c.refer(b, last, nil)
	}
	c.markDirty()
}

// written says that the buffers of o have left, or a piece of them.
func (c *conn) written(o *op) {
	if o.pulling > o.moved {
		c.sendPiece(o)
		return
	}
	o.reached(waitWritten)
}

// doneBy ends an operation of ours.
func (c *conn) doneBy(h *wire.Header) bool {
	o := c.find(h.ID)
	if o == nil || o.waits&waitAnswer == 0 || c.in.o == o {
		return false
	}
	if h.Errno == 0 && (o.kind == opRead || o.kind == opAtomic && o.k.GivesResult()) {
		return false
	}
	if o.kind == opSend && h.Errno == fi.ErrCanceled && o.state != opCanceling {
		return false
	}
	o.err = h.Errno
	o.pulling = o.moved // whatever is not written yet is not wanted
	o.reached(waitAnswer)
	return true
}

// withdraw gives messages back to their sender that no receive has matched: all that it has asked for in what is being
// handled, for each look goes through everything that is kept, of all peers.
//
//go:noinline
func (c *conn) withdraw() {
	asked := c.cancels
	c.cancels = nil
	if c.state != connReady {
		return
	}
	c.WithdrawAll(func(id uint64) bool {
		if _, ok := asked[id]; !ok {
			return false
		}
		delete(asked, id)
		delete(c.open, id)
		c.forget(id)
		c.done(uint32(id), fi.ErrCanceled)
		return true
	})
}

// readExt answers a read.
func (c *conn) readExt(h *wire.Header) {
	regions, pieces, n, err := c.source(h)
	if err != 0 {
		c.done(h.ID, err)
		return
	}
	if len(pieces) > 0 {
		c.unalias(wire.BaseSize+16, pieces[0])
	}
	c.enc.PutExtReadData(c.answerRoom(wire.BaseSize+16), h.ID, 0, n)
	c.referRegions(h, regions, pieces)
}

// readData begins to take what a read of ours brings.
func (c *conn) readData(h *wire.Header) bool {
	o := c.find(h.ID)
	if o == nil || o.kind != opRead || o.waits&waitAnswer == 0 || h.Offset != o.moved || h.Payload > o.n-o.moved {
		return false
	}
	c.in.sink, c.in.o = sinkRead, o
	if h.Payload == o.n-o.moved {
		c.in.flags = inLastPart
	}
	return true
}

// atomicAsked executes an atomic of the peer.
func (c *conn) atomicAsked(h *wire.Header, here []byte) bool {
	c.s.atomic = asked{id: h.ID, a: h.Atomic, at: h.RMA[0], n: h.Size, part: rdm.Part(h.Context)}
	if !c.ranges.Takes(c.s.atomic.part) {
		return false
	}
	if len(here) == h.Payload {
		c.runAtomic(here)
		if h.Payload > 0 { // it is handled
			c.r += h.Payload
			c.in.left = 0
			h.Payload = 0
		}
		return true
	}
	c.pending = c.s.atomic
	c.in.sink, c.in.saved = sinkAtomic, &savedMsg{b: make([]byte, h.Payload)}
	return true
}

// asked is an atomic that a peer wants.
type asked struct {
	id   uint32
	a    wire.Atomic
	at   fi.RMAIov
	n    int
	part rdm.Part
}

// runAtomic executes the atomic that was asked for last; values are its operands and what they are compared with.
func (c *conn) runAtomic(values []byte) {
	q := c.s.atomic
	if c.pending.id != 0 {
		q = c.pending
		c.pending = asked{}
	}
	k, err := fiatomic.Lookup(q.a.Kind, q.a.Type, q.a.Op)
	if err != nil {
		c.ranges.Add(&c.owner.Endpoint, q.part, false, nil, 0, fi.ErrOpNotSupp)
		c.done(q.id, fi.ErrOpNotSupp)
		return
	}
	var operand, compare, result []byte
	if k.NeedsOperand() {
		operand, values = values[:q.n], values[q.n:]
	}
	if k.NeedsCompare() {
		compare = values[:q.n]
	}
	if k.GivesResult() {
		result = c.s.results(q.n)
	}
	r, errno := c.AtomicRange(k, q.at.Key, q.at.Addr, operand, compare, result, q.n/k.Size())
	c.ranges.Add(&c.owner.Endpoint, q.part, rdm.AtomicWrites(k), r, q.n, errno)
	if errno != 0 {
		c.done(q.id, errno)
		return
	}
	if !k.GivesResult() {
		c.done(q.id, 0)
		return
	}
	c.enc.PutExtResult(c.answerRoom(wire.BaseSize+8), q.id, q.n)
	for len(result) > 0 {
		n := min(len(result), copyMax)
		copy(c.answerRoom(n), result[:n])
		result = result[n:]
	}
	c.markDirty()
}

// results gives a buffer for old values.
func (s *source) results(n int) []byte {
	if cap(s.scratch) < n {
		s.scratch = make([]byte, n)
	}
	return s.scratch[:n]
}

// atomicResult begins to take the old values of an atomic of ours.
func (c *conn) atomicResult(h *wire.Header) bool {
	o := c.find(h.ID)
	if o == nil || o.kind != opAtomic || !o.k.GivesResult() || o.waits&waitAnswer == 0 || h.Payload != length(o.result) {
		return false
	}
	o.iov, o.result = o.result, o.iov // they are read like a read
	o.moved = 0
	c.in.sink, c.in.o, c.in.flags = sinkRead, o, inLastPart
	return true
}
