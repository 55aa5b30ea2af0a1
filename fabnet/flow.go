package fabnet

import (
	"errors"
	"runtime"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/fifo"
	"github.com/gofabric/gofabric/internal/osx"
)

// Messages carry the bytes of the stream and nothing else; what is to be said beside travels as their remote CQ data. Each
// message with bytes takes one of the credits that the receiver has given: it has posted a receive for it. Messages
// without bytes need none: of those there are never more under way than the spare receives take.
const (
	frameBytes  = 32 << 10 // the longest message
	window      = 8        // credits
	spares      = 4        // receives for messages without bytes: two that give credits back, and the last one
	slots       = window + spares
	giveBack    = window / 2 // credits that are worth a message of their own
	mostCredits = 256        // that we use, of a peer with more memory
	packMax     = 2 << 10    // messages up to this length are put together
	bagBytes    = 8 << 10    // so many of them
	mostBags    = 16
)

// slot is a posted receive.
type slot struct {
	s    *Stream
	buf  []byte
	done bool
	n    int
	h    uint64
	err  *cq.ErrEntry
}

// segment is a piece of what was received and not read.
type segment struct {
	b    []byte
	slot *slot // whose memory b is; nil: it is a bag, in which short messages are put together
}

// inflow is the receiving half of a stream.
type inflow struct {
	slots  []slot
	posted fifo.Queue[*slot] // oldest first: completions may be handed out in another order
	idle   []*slot           // that could not be posted
	unread fifo.Queue[segment]
	bags   int    // of them
	spare  []byte // a bag that is not in use
	owed   int    // credits to give back
	over   bool   // the connection gives no more
}

// frame is a message that is being sent.
type frame struct {
	s   *Stream
	buf []byte
}

// outflow is the sending half.
type outflow struct {
	writing bool // a Write is at it
	credits int
	most    int // credits that the peer has ever given at a time
	frame   int // bytes of a message
	free    []*frame
	sending int  // frames that are not in free
	tries   uint // since there was no room
}

// post posts a receive. With the lock.
func (s *Stream) post(x *slot) {
	x.done, x.err = false, nil
	switch err := s.ep.Recv(x.buf, fi.AddrUnspec, x); {
	case err == nil:
		s.posted.Push(x)
	case errors.Is(err, fi.ErrAgain):
		s.idle = append(s.idle, x)
		s.later()
	}
}

// received takes the completion of a receive.
func (s *Stream) received(x *slot, n int, h uint64, err *cq.ErrEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.done, x.n, x.h, x.err = true, n, h, err
	for s.posted.Len() > 0 && (*s.posted.First()).done {
		s.arrived(s.posted.Pop())
	}
}

// arrived takes what came next. With the lock.
func (s *Stream) arrived(x *slot) {
	switch {
	case x.err != nil:
		s.end(x.err)
		return
	case s.over:
		return
	case x.h&^headerKnown != 0, x.n > 0 && s.fin:
		s.broken("a message that nobody understands")
		return
	}
	if got := int(x.h & headerCredit); got > 0 {
		if s.credits += got; s.credits > s.most {
			s.broken("credits that nobody has used")
			return
		}
		s.wakeWrites()
	}
	if x.h&headerFin != 0 {
		s.fin = true
		s.wakeReads()
	}
	switch {
	case x.n == 0:
		s.post(x)
	case s.readClosed || s.state == closed, s.pack(x.buf[:x.n]):
		s.owed++
		s.post(x)
		s.giveCredits()
	default:
		s.unread.Push(segment{b: x.buf[:x.n], slot: x})
	}
	if s.unread.Len() > 0 {
		s.wakeReads()
	}
}

// pack puts a short message to others, so that its receive can be used again; false when it stays where it is.
func (s *Stream) pack(b []byte) bool {
	if len(b) > packMax {
		return false
	}
	if s.unread.Len() > 0 {
		if last := s.unread.Last(); last.slot == nil && cap(last.b)-len(last.b) >= len(b) {
			last.b = append(last.b, b...)
			return true
		}
	}
	if s.bags == mostBags {
		return false
	}
	bag := s.spare
	if s.spare = nil; bag == nil {
		bag = make([]byte, 0, bagBytes)
	}
	s.bags++
	s.unread.Push(segment{b: append(bag[:0], b...)})
	return true
}

// take reads what has come. With the lock.
func (s *Stream) take(b []byte) (n int) {
	for n < len(b) && s.unread.Len() > 0 {
		g := s.unread.First()
		k := copy(b[n:], g.b)
		n += k
		if k < len(g.b) {
			g.b = g.b[k:]
			break
		}
		s.empty(s.unread.Pop())
	}
	s.giveCredits()
	return n
}

// empty uses the memory of a segment again.
func (s *Stream) empty(g segment) {
	if g.slot == nil {
		s.bags--
		if s.spare == nil && cap(g.b) == bagBytes {
			s.spare = g.b
		}
		return
	}
	s.owed++
	s.post(g.slot)
}

// drop throws away what was not read. With the lock.
func (s *Stream) drop() {
	for s.unread.Len() > 0 {
		s.empty(s.unread.Pop())
	}
	s.giveCredits()
}

// giveCredits tells the peer what it may send, when that is worth it. With the lock.
func (s *Stream) giveCredits() {
	if s.owed < giveBack || s.state != up || s.gone || s.over {
		return
	}
	switch err := s.ep.InjectData(nil, s.header(), fi.AddrUnspec); {
	case err == nil:
		s.owed = 0
	case errors.Is(err, fi.ErrAgain):
		s.later()
	}
}

// header is what a message of ours says; when it is sent, nothing is owed any more.
func (s *Stream) header() uint64 { return uint64(s.owed) }

// later tries once more what has found no room.
func (s *Stream) later() {
	if s.retry == nil {
		s.retry = time.AfterFunc(retryAfter, s.again)
		return
	}
	s.retry.Reset(retryAfter)
}

const retryAfter = time.Millisecond

func (s *Stream) again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == closed {
		return
	}
	idle := s.idle
	s.idle = nil
	for _, x := range idle {
		s.post(x)
	}
	s.giveCredits()
	s.wakeWrites()
}

// send sends a message. With the lock.
func (s *Stream) send(b []byte) error {
	if len(b) <= s.inject {
		if err := s.ep.InjectData(b, s.header(), fi.AddrUnspec); err != nil {
			return err
		}
		s.credits--
		s.owed, s.tries = 0, 0
		return nil
	}
	f := s.newFrame()
	f.buf = append(f.buf[:0], b...)
	if err := s.ep.SendData(f.buf, s.header(), fi.AddrUnspec, f); err != nil {
		s.free = append(s.free, f)
		return err
	}
	s.sending++
	s.credits--
	s.owed, s.tries = 0, 0
	return nil
}

func (s *Stream) newFrame() *frame {
	if n := len(s.free) - 1; n >= 0 {
		f := s.free[n]
		s.free = s.free[:n]
		return f
	}
	return &frame{s: s, buf: make([]byte, 0, frameBytes)}
}

// sent takes the completion of a send.
func (s *Stream) sent(f *frame, err *cq.ErrEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sending--
	s.free = append(s.free, f)
	if err != nil {
		s.gone = true
	}
	if s.state == closed || err != nil {
		s.wakeWrites()
	}
}

// sendFin says that nothing follows. It waits for room, as long as there is a connection. With the lock.
func (s *Stream) sendFin() error {
	for until := time.Now().Add(linger); ; {
		for s.writing { // a Write that has to end first
			s.write.Wait()
		}
		err := s.ep.InjectData(nil, headerFin|s.header(), fi.AddrUnspec)
		switch {
		case err == nil:
			s.owed = 0
			return nil
		case !errors.Is(err, fi.ErrAgain) || time.Now().After(until) || s.gone || s.over:
			return err
		}
		s.breathe()
	}
}

// breathe lets others get on: there was no room for what we have to send, which the peer makes when it reads, mostly at
// once. With the lock, which it gives back meanwhile.
func (s *Stream) breathe() {
	s.tries++
	tries := s.tries
	s.mu.Unlock()
	switch {
	case tries%breaths == 0: // the peer has been slow for a while
		time.Sleep(breath)
	case tries%yieldEvery == 0: // it may want our processor
		osx.SchedYield()
		runtime.Gosched()
	default:
		s.st.pump()
	}
	s.mu.Lock()
}

const (
	yieldEvery = 16
	breaths    = 1 << 10
	breath     = 50 * time.Microsecond
)

// end is the end of the connection, as the oldest receive has seen it. With the lock.
func (s *Stream) end(err *cq.ErrEntry) {
	if !s.over && !s.fin && !errors.Is(err, fi.ErrCanceled) && s.err == nil {
		s.err = err
	}
	s.over, s.gone = true, true
	s.wakeReads()
	s.wakeWrites()
}

// ended tells whether nothing comes any more. With the lock.
func (s *Stream) ended() bool { return s.over }

// broken ends a connection whose peer does not follow the protocol. With the lock.
func (s *Stream) broken(why string) {
	s.err = errors.New("the peer does not follow the protocol of fabnet: " + why)
	s.over, s.gone = true, true
	s.wakeReads()
	s.wakeWrites()
}
