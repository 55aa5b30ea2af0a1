package rdm

import (
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/match"
)

// Wire is what rdm asks of a provider about one peer. All calls are made with the lock held and must not wait.
type Wire interface {
	// Ack tells the sender that its message id (Arrival.Ack) is matched and, but for announced ones, delivered.
	Ack(id uint64)
	// Fetch starts to move an announced message into t; the provider calls t.EP.Finish when it has ended.
	Fetch(t *Transfer)
	// Discard tells the sender of an announced message that nobody wants its data.
	Discard(token [3]uint64)
	// Hold tells the sender that no more eager data can be kept: announce instead; or that it may send data again.
	Hold(on bool)
	// Tail says how many messages the sender may have sent before it heard of the last Hold(true); -1 while it is not
	// known to have heard.
	Tail() int
}

// Peer is a sender as an endpoint sees it. A provider's connection embeds it.
type Peer struct {
	EP   *Endpoint // our endpoint
	Addr fi.Addr   // the sender in our vector (its user id); AddrNotAvail when unknown
	Raw  []byte    // its address, as the vector has it
	Wire Wire

	held  bool // it was told to announce
	heard bool // and has begun to
	tail  int  // messages that it may have sent before that
	later bool // the last message has no place now
}

// Later tells whether the message that Arrive or Eager has just refused has no place now, and forgets that. The provider
// stops reading from this peer, and offers the message again when [Peer.Room] says so.
func (p *Peer) Later() bool {
	l := p.later
	p.later = false
	return l
}

// Room tells whether a message that had no place may have one.
func (p *Peer) Room() bool {
	x, q := p.EP.Rx, p.EP.RxCQ
	return (q == nil || q.Len() < maxUnread/2) && (x.bytes() <= x.budget || p.held && p.Wire.Tail() >= 0)
}

// Unread tells whether the peer has to wait because the application does not read its queue: what peers put there
// without having been asked for it is bounded.
func (p *Peer) Unread() bool {
	q := p.EP.RxCQ
	return q != nil && q.Len() >= maxUnread
}

// Wait refuses what the peer has sent until there is room: the result of an Arrive.
func (p *Peer) Wait() bool {
	p.later = true
	return false
}

// maxUnread is how many entries of a queue may wait for a reader before peers have to wait, too.
const maxUnread = 1 << 16

// Arrival is a message that came in: with its bytes, or announced.
type Arrival struct {
	Tagged    bool
	Announced bool // the data is still at the sender; Token says how to get it
	Group     uint32
	Tag, Data uint64
	Flags     fi.CompFlags // CompRemoteCQData when Data is valid
	Len       int          // bytes of the message
	Payload   []byte       // the bytes, unless announced; copied before Arrive returns
	Ack       uint64       // the sender wants to hear of the match; 0: no
	Token     [3]uint64
}

// Arrive matches a message or keeps it, or loses it if that is how its sender's [Wire] is. False says that it was not taken: it has no place now (see [Peer.Later]), or the
// peer keeps sending though it said that it announces: it does not follow the protocol.
//
//fabric:fastpath
func (p *Peer) Arrive(a *Arrival) bool {
	x := p.EP.Rx
	q := &x.Msg
	if a.Tagged {
		q = &x.Tag
	}
	r := q.Arrive(p.Addr, a.Tag, a.Group)
	if r == nil {
		return p.keep(q, a)
	}
	n := len(a.Payload)
	if a.Announced || n > len(r.Buf) || r.Flags&fi.OpMultiRecv != 0 { // a vector has no Buf
		return p.arriveSlow(q, r, a)
	}
	copyEager(r.Buf, a.Payload)
	kind := a.Flags | KindRecv
	if a.Tagged {
		kind = a.Flags | KindTRecv
	}
	p.EP.recvDone(r.Ctx, r.Flags, kind, n, a.Data, a.Tag, p)
	q.Done(r)
	if a.Ack != 0 {
		p.Wire.Ack(a.Ack)
	}
	return true
}

// Eager is Arrive for the commonest message: whole, of no peer group, without data, and its sender wants no answer. q is
// Rx.Msg or Rx.Tag of the endpoint.
//
//fabric:fastpath
func (p *Peer) Eager(q *match.Queue, kind fi.CompFlags, tag uint64, payload []byte) bool {
	r := q.Arrive(p.Addr, tag, 0)
	if r == nil || len(payload) > len(r.Buf) || r.Flags&fi.OpMultiRecv != 0 { // a vector has no Buf
		return p.eagerSlow(q, r, kind, tag, payload)
	}
	copyEager(r.Buf, payload)
	if e := p.EP; e.rxPlain && r.Flags&fi.OpCompletion != 0 {
		e.counts.Done(rxKind(kind), len(payload))
		e.RxCQ.AddRecv(r.Ctx, kind, len(payload), 0, tag, p.Addr)
	} else {
		e.recvDone(r.Ctx, r.Flags, kind, len(payload), 0, tag, p)
	}
	q.Done(r)
	return true
}

//go:noinline
func (p *Peer) eagerSlow(q *match.Queue, r *match.Recv, kind fi.CompFlags, tag uint64, payload []byte) bool {
	a := &Arrival{Tagged: kind&fi.CompTagged != 0, Tag: tag, Len: len(payload), Payload: payload}
	if r == nil {
		return p.keep(q, a)
	}
	return p.arriveSlow(q, r, a)
}

// arriveSlow serves every case but that of one buffer that is large enough.
//
//go:noinline
func (p *Peer) arriveSlow(q *match.Queue, r *match.Recv, a *Arrival) bool {
	if a.Len == 0 && r.Flags&fi.OpMultiRecv != 0 && p.Unread() { // a buffer takes any number of empty messages
		q.Done(r)
		return p.Wait()
	}
	t := p.transfer(a.Tagged, a.Flags, a.Tag, a.Data, a.Len)
	t.receive(q, r)
	p.move(t, a.Announced, a.Payload, a.Ack, a.Token)
	return true
}

// move starts a transfer whose destination is known: at once for a message that is here, by the provider for one that
// was announced.
func (p *Peer) move(t *Transfer, announced bool, payload []byte, ack uint64, token [3]uint64) {
	if announced {
		t.Ack, t.Token = ack, token
		p.Wire.Fetch(t)
		return
	}
	t.Place(0, payload)
	p.EP.Finish(t, 0, "")
	if ack != 0 {
		p.Wire.Ack(ack)
	}
}

// keep stores a message that no receive matches yet.
//
//go:noinline
func (p *Peer) keep(q *match.Queue, a *Arrival) bool {
	x := p.EP.Rx
	if !a.Announced && x.bytes()+len(a.Payload) > x.budget {
		if _, lossy := p.Wire.(Lossy); lossy {
			return true // lost
		}
		if !p.overBudget() {
			return false
		}
	}
	x.kept.Add(1)
	m := q.Keep(p.Addr, a.Tag, a.Group, a.Payload)
	m.From, m.Flags, m.Data, m.Len = p, a.Flags, a.Data, a.Len
	m.Token = [4]uint64{a.Token[0], a.Token[1], a.Token[2], a.Ack << 1}
	if a.Announced {
		m.Token[3] |= 1
	}
	return true
}

// overBudget decides on a message that is more than we want to keep. Its sender is told to announce. What it sends until
// it has heard of that is kept up to twice the budget and then waits in the ring; what it sent just before it heard is
// kept, since that is little; and then nothing more may come.
func (p *Peer) overBudget() bool {
	x := p.EP.Rx
	if !p.held {
		p.held, p.heard = true, false
		x.held = append(x.held, p)
		x.holds.Add(1)
		p.Wire.Hold(true)
	}
	if !p.heard {
		tail := p.Wire.Tail()
		if tail < 0 {
			p.later = x.bytes() > 2*x.budget
			return !p.later
		}
		p.heard, p.tail = true, tail
	}
	p.tail--
	return p.tail >= 0
}

func (x *Rx) bytes() int { return x.Msg.Bytes() + x.Tag.Bytes() }

func announced(m *match.Msg) bool { return m.Token[3]&1 != 0 }
func ackOf(m *match.Msg) uint64   { return m.Token[3] >> 1 }

// take delivers an unexpected message: into r, or into buf or iov of a receive that was not stored.
func (x *Rx) take(q *match.Queue, m *match.Msg, r *match.Recv, buf []byte, iov [][]byte, ctx any, fl fi.OpFlags) {
	p := m.From.(*Peer)
	t := p.transfer(q == &x.Tag, m.Flags, m.Tag, m.Data, m.Len)
	if r != nil {
		t.receive(q, r)
	} else {
		t.into(buf, iov, ctx, fl)
	}
	p.move(t, announced(m), m.Payload, ackOf(m), [3]uint64(m.Token[:3]))
	q.Free(m)
	if len(x.held) > 0 {
		x.resume()
	}
}

// resume lets held senders send eager data again, when enough was taken.
//
//go:noinline
func (x *Rx) resume() {
	if x.bytes() > x.budget/2 {
		return
	}
	held := x.held
	x.held = nil
	for _, p := range held {
		p.held = false
		p.Wire.Hold(false)
	}
}

// Gone forgets a peer: what it announced can never be fetched and goes; messages that were kept stay, and can be
// received.
func (p *Peer) Gone() {
	x := p.EP.Rx
	for i, h := range x.held {
		if h == p {
			x.held = append(x.held[:i], x.held[i+1:]...)
			break
		}
	}
	p.Wire = deadWire{}
	p.free(announced)
}

// Withdraw takes back a message that no receive has matched: its sender cancelled it. id is the first word of its
// token; found is false when there is no such message. was tells whether it was an announced one.
func (p *Peer) Withdraw(id uint64) (was, found bool) {
	p.EP.Rx.each(func(q *match.Queue) {
		q.EachMessage(func(m *match.Msg) bool {
			if m.From != any(p) || m.Token[0] != id {
				return true
			}
			was, found = announced(m), true
			q.Free(m)
			return false
		})
	})
	if x := p.EP.Rx; len(x.held) > 0 {
		x.resume()
	}
	return was, found
}

// WithdrawAll is Withdraw of all messages whose ids gone names, by one look at what is kept: a peer may have announced as
// many as it likes when its connection ends.
func (p *Peer) WithdrawAll(gone func(id uint64) bool) {
	p.free(func(m *match.Msg) bool { return gone(m.Token[0]) })
}

// free drops what is kept of the peer's messages and named by which.
func (p *Peer) free(which func(m *match.Msg) bool) {
	x := p.EP.Rx
	x.each(func(q *match.Queue) {
		q.EachMessage(func(m *match.Msg) bool {
			if m.From == any(p) && which(m) {
				q.Free(m)
			}
			return true
		})
	})
	if len(x.held) > 0 {
		x.resume()
	}
}

// Readdress says that the sender's address in the vector has changed.
func (p *Peer) Readdress(a fi.Addr) {
	p.Addr = a
	x := p.EP.Rx
	x.each(func(q *match.Queue) {
		q.Readdress(p, a, func(r *match.Recv, m *match.Msg) { x.take(q, m, r, nil, nil, nil, 0) })
	})
}

// deadWire stands for a peer that is gone but has messages that are kept.
type deadWire struct{}

func (deadWire) Ack(uint64)        {}
func (deadWire) Discard([3]uint64) {}
func (deadWire) Hold(bool)         {}
func (deadWire) Tail() int         { return 1 << 30 }
func (deadWire) Fetch(t *Transfer) {
	t.EP.Finish(t, fi.ErrConnReset, "peer closed: the sender ended before its message was fetched")
}
