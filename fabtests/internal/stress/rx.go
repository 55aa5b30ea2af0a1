package stress

import (
	"errors"
	"sync"

	"github.com/gofabric/gofabric/fi"
)

// rxStream posts what a port receives: what asks for its message in the order of the plan, and beside that what takes the
// next one of whoever sends. One line for both would stand still with a small window: the receive of an early step takes the
// message of a late one, and the receive for the early one's comes behind one whose sender waits for just that.
type rxStream struct {
	p         *port
	mu        sync.Mutex
	asking    rxLine // tagged messages, untagged ones of one sender, and receives to cancel
	accepting rxLine // untagged messages of whoever sends
	follow    []*op  // what goes on in steps of its own: peeks, and receives to cancel
	turns     int

	mode    rxMode
	any     []*op             // receives for whoever sends, in the order posted
	checked int               // of those
	queue   map[place][]*step // untagged messages that are still to come, by sender
	multi   int               // untagged messages that buffers still have to take
	buffers map[*op]bool      // multi-receive buffers that are posted; they stay from phase to phase
	stale   map[*op]bool      // receives that nothing comes for
	seen    map[int]bool      // steps whose message has come
}

// rxLine is receives that are posted one after the other.
type rxLine struct {
	steps []*step
	next  int
	cur   *op // made, but not accepted yet
	late  int // turns that the next receive still waits
	out   int
}

// anyone is the source of a receive that takes a message of whoever sends it.
const anyone = fi.AddrUnspec

// turn posts some receives and goes on with what takes several steps.
func (x *rxStream) turn() (busy bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.turns++
	n := x.p.n
	if x.mode == rxMulti {
		busy = x.postBuffers()
	}
	for i := 0; i < len(x.follow) && !n.stop.Load(); {
		if x.goOn(x.follow[i]) {
			x.follow = append(x.follow[:i], x.follow[i+1:]...)
			busy = true
		} else {
			i++
		}
	}
	busy = x.postLine(&x.accepting) || busy
	return x.postLine(&x.asking) || busy
}

// postLine posts some receives of a line.
func (x *rxStream) postLine(l *rxLine) (busy bool) {
	n := x.p.n
	if l.late > 0 {
		l.late--
		return false
	}
	for budget := 1 + x.turns%5; budget > 0 && l.next < len(l.steps) && l.out < n.RxWindow && !n.stop.Load(); budget-- {
		s := l.steps[l.next]
		if l.cur == nil {
			l.cur = x.make(s)
			if l.late = s.Late; l.late > 0 && s.Recv == recvPlain && s.Kind != cancelOnly {
				return busy
			}
			l.late = 0
		}
		o := l.cur
		if o.what == opRecv || o.what == opRecvAny || o.what == opCancelling {
			if !x.try(o, x.post(o)) {
				return busy
			}
		}
		if o.what == opRecvAny {
			x.any = append(x.any, o)
		}
		if o.what == opPeeking || o.what == opCancelling || s.Recv == recvRace {
			x.follow = append(x.follow, o)
		}
		l.cur = nil
		l.next++
		l.out++
		busy = true
	}
	return busy
}

// try takes the result of posting: true when the operation was accepted.
func (x *rxStream) try(o *op, err error) bool {
	switch {
	case err == nil:
		o.posted, o.done = true, false
		return true
	case err != fi.ErrAgain:
		x.p.n.fail(o.s, "", "posting its receive: %v", x.p.ep.Explain(err))
	}
	return false
}

// make makes the receive of a step.
func (x *rxStream) make(s *step) *op {
	n := x.p.n
	what := opRecv
	size := s.Size
	switch {
	case s.Kind == cancelOnly:
		what, size = opCancelling, 64
	case s.Kind == sendMsg && x.mode == rxAny:
		what, size = opRecvAny, x.longest()
	case s.Recv >= recvPeek:
		what = opPeeking
	}
	o := x.p.newOp(s, what, size)
	soil(o.buf)
	o.iov = split(o.buf, s.RParts, n.h.key(s.ID)+1)
	if what == opRecvAny {
		o.s = nil
	}
	return o
}

// longest is the longest untagged message that is still to come.
func (x *rxStream) longest() int {
	most := 0
	for _, s := range x.accepting.steps {
		most = max(most, s.Size)
	}
	return most
}

// source is where the message of a step comes from, for a receive that asks.
func (x *rxStream) source(s *step) fi.Addr {
	if x.p.peer >= 0 || s.Kind == sendTagged && !s.Directed || s.Kind == cancelOnly {
		return anyone
	}
	return x.p.n.addr[s.From]
}

// post hands a receive to the endpoint.
func (x *rxStream) post(o *op) error {
	ep, s := x.p.ep, o.s
	switch {
	case o.what == opRecvAny && len(o.iov) > 1:
		return ep.RecvV(o.iov, anyone, o)
	case o.what == opRecvAny:
		return ep.Recv(o.buf, anyone, o)
	case s.Kind == sendMsg && len(o.iov) > 1:
		return ep.RecvV(o.iov, x.source(s), o)
	case s.Kind == sendMsg:
		return ep.Recv(o.buf, x.source(s), o)
	case len(o.iov) > 1:
		return ep.TRecvV(o.iov, x.source(s), s.Tag&^s.Ignore, s.Ignore, o)
	}
	return ep.TRecv(o.buf, x.source(s), s.Tag&^s.Ignore, s.Ignore, o)
}

// postBuffers keeps two buffers posted while there are messages to come.
func (x *rxStream) postBuffers() (busy bool) {
	n := x.p.n
	for len(x.buffers) < 2 && x.multi > 0 && !n.stop.Load() {
		o := x.p.newOp(nil, opBuffer, multiMost+int(mix(uint64(x.turns))%(4*multiMost)))
		soil(o.buf)
		if !x.try(o, x.p.ep.RecvMsg(&fi.Msg{Iov: [][]byte{o.buf}, Addr: anyone, Context: o}, fi.OpMultiRecv)) {
			return busy
		}
		x.buffers[o] = true
		busy = true
	}
	return busy
}

// peekEvery is how many turns lie between two looks for a message.
const peekEvery = 3

// goOn does the next thing for an operation, and tells whether it was the last.
func (x *rxStream) goOn(o *op) (last bool) {
	n, s, ep := x.p.n, o.s, x.p.ep
	o.count++
	switch o.what {
	case opCancelling, opRecv: // to be cancelled, for good or to be posted again
		if o.done && !o.posted {
			return true // it has come before
		}
		if o.count <= s.Late {
			return false
		}
		switch err := ep.Cancel(o); {
		case err == nil:
			o.canceled = true
		case errors.Is(err, fi.ErrNoEnt) && o.what == opRecv: // its message is here
		default:
			n.fail(s, "", "cancelling its receive: %v", ep.Explain(err))
		}
		return true
	case opPeeking:
		if o.posted || o.count%peekEvery != 1 {
			return false
		}
		m := fi.TaggedMsg{Addr: x.source(s), Tag: s.Tag &^ s.Ignore, Ignore: s.Ignore, Context: o}
		switch {
		case !o.ready: // look for it
			flags := fi.OpPeek
			if s.Recv == recvClaim || s.Recv == recvClaimDrop {
				flags |= fi.OpClaim
			} else if s.Recv == recvDrop {
				flags |= fi.OpDiscard
			}
			x.try(o, ep.TRecvMsg(&m, flags))
			return false
		case s.Recv == recvPeek, s.Recv == recvRace:
			o.what = opRecv
			if x.try(o, x.post(o)) {
				return true
			}
			o.what = opPeeking
		case s.Recv == recvClaim:
			m.Iov = o.iov
			o.what = opClaiming
			if x.try(o, ep.TRecvMsg(&m, fi.OpClaim)) {
				return true
			}
			o.what = opPeeking
		case s.Recv == recvClaimDrop:
			o.what = opClaiming
			if x.try(o, ep.TRecvMsg(&m, fi.OpClaim|fi.OpDiscard)) {
				return true
			}
			o.what = opPeeking
		}
		return false
	}
	return true
}

// goAgain posts a receive once more that was cancelled before its message came.
func (x *rxStream) goAgain(o *op) {
	o.what, o.ready = opPeeking, true
	o.count = peekEvery - 1
	x.follow = append(x.follow, o)
}
