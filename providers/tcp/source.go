package tcp

import (
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// source is what the domain's engine drives: all sockets. Up to directMax connections are read one after the other, and
// are in no set while somebody polls: that would cost each message 0.2 us. More are in the set (the inner of two epoll
// descriptors), which every poll asks, except for the two busiest.
//
// The engine's goroutine parks on the outer descriptor, which holds the bell and the set. The set rings only while it is
// armed, once, by one call.
type source struct {
	d     *domain
	mu    *driver.Lock // the domain's
	set   *pollSet
	door  *pollSet // listeners and handshakes: the set, or with manual progress one that the engine's goroutine serves
	bells *bells

	armed   atomic.Uint32
	looks   atomic.Uint32 // calls of Ready since it was armed
	sockets uint32        // that polls have to look at; written under the lock, looked at without
	pumps   atomic.Uint32 // the same where all are pumps
	soft    bool          // all are pumps

	// The rest is guarded by the domain's lock.
	epoch   uint64 // counts polls
	clocks  uint64 // and looks at the clock, by polls and by the engine's goroutine
	gathers bool   // sends after the first one of an epoch wait for the next poll
	slots   []slot
	free    []uint32
	asking  int     // sockets in the set whose news a poll must not miss: of handshakes
	conns   []*conn // established
	direct  []*conn // read without the set
	inSet   bool    // direct ones are in the set too, because we are or were armed
	row     int     // times in a row that the set named last alone
	last    *conn
	dirty   []*conn // something waits to be written
	paused  []*conn // not read, for want of room
	timed   []*peer // wait for a moment
	callers []*conn // handshakes of others with us
	dying   []*conn // cannot be written

	h       wire.Header
	v       vec
	chunks  []*chunk
	arrival arrivalBox
	stalled []*peer // deferred operations wait for room
	atomic  asked
	regions []*mr.Region
	pieces  [][]byte
	scratch []byte
	notes   driver.Notes
	alive   watch

	nextScan int // number of connections from which on idle ones are looked for again
}

// Limits of polling.
const (
	directMax = 8                     // connections that are read without asking the set
	hotMax    = 2                     // that are, beside a set
	streak    = 8                     // a connection that the set names alone so often in a row leaves it
	askEvery  = 256                   // polls, when only listeners are in the set
	readMost  = 4                     // reads of a connection and poll
	writeMost = 4                     // writes of a connection and poll
	callMost  = pieceMost + chunkSize // bytes of a call: a piece, and the headers round it, which are not worth another call
	looksMost = 64                    // calls of Ready until somebody is known to poll
)

// chunkSize is the size of prefetch and staging buffers in bytes: 16 KiB and some headers, so that a message of 16 KiB
// comes by one call; a size class of the allocator.
const chunkSize = 18 << 10

type chunk struct{ b [chunkSize]byte }

// slot is an entry of the table by which events of the set find their socket.
type slot struct {
	gen uint32
	s   pollable
}

// pollable is a socket in the set.
type pollable interface {
	ready(events uint32)
}

func newSource(d *domain) (*source, error) {
	s := &source{d: d, gathers: d.info.Domain.Progress == fi.ProgressAuto, soft: d.cfg.kind == pumpSockets}
	s.alive.setUp(d.cfg)
	var err error
	if s.set, err = newPollSet(d.cfg.kind); err != nil {
		return nil, err
	}
	s.door = s.set
	if !s.gathers {
		if s.door, err = newPollSet(d.cfg.kind); err != nil {
			s.set.close()
			return nil, err
		}
	}
	if s.bells, err = newBells(d.cfg.kind); err != nil {
		s.closeSets()
		return nil, err
	}
	err = s.bells.watch(s.set, bellSet, whenArmed)
	if err == nil && s.door != s.set {
		err = s.bells.watch(s.door, bellDoor, always)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *source) close() {
	s.bells.close()
	s.closeSets()
}

func (s *source) closeSets() {
	s.set.close()
	if s.door != s.set {
		s.door.close()
	}
}

// register gives a socket a place in the table.
func (s *source) register(p pollable) uint64 {
	s.count(1)
	var i uint32
	if n := len(s.free); n > 0 {
		i, s.free = s.free[n-1], s.free[:n-1]
	} else {
		i = uint32(len(s.slots))
		s.slots = append(s.slots, slot{})
	}
	t := &s.slots[i]
	t.gen++
	t.s = p
	return uint64(t.gen)<<32 | uint64(i)
}

func (s *source) unregister(token uint64) {
	s.count(^uint32(0))
	i := uint32(token)
	s.slots[i].s = nil
	s.free = append(s.free, i)
}

// Ready looks whether a poll may find something: whether there are sockets, for only a system call could tell more.
// While armed it asks the set. Who calls it again and again polls; a Disarm that ran just before the Arm is made up for.
//
//fabric:fastpath
func (s *source) Ready() bool {
	if s.armed.Load() != 0 {
		if s.looks.Add(1) < looksMost {
			return s.set.peek()
		}
		s.armed.Store(0)
	}
	return atomic.LoadUint32(&s.sockets) != 0 || s.soft && s.readySoft()
}

// Poll writes what was gathered, reads what has come, and writes what that led to.
//
//fabric:fastpath
func (s *source) Poll() {
	armed := s.armed.Load() != 0
	if s.inSet && !armed {
		s.takeOut()
	}
	if len(s.dirty) > 0 {
		s.flush()
	}
	found := false
	for i := 0; i < len(s.direct); i++ {
		c := s.direct[i]
		if c.receive() {
			found = true
		}
		if i >= len(s.direct) || s.direct[i] != c { // it has ended, or was paused
			i--
		}
	}
	switch {
	case armed, s.asking > 0, s.epoch%askEvery == 0, !found && len(s.conns) > directMax:
		s.ask()
	}
	if len(s.timed)+len(s.callers)+len(s.paused)+len(s.dying)+len(s.stalled) > 0 {
		s.rare()
	}
	if len(s.dirty) > 0 {
		s.flush()
	}
	s.epoch++
}

// ask serves the sockets that the set names.
//
//go:noinline
func (s *source) ask() {
	s.askSet(s.set)
	if s.door != s.set {
		s.askSet(s.door)
	}
}

func (s *source) askSet(set *pollSet) {
	n := set.ask()
	for i := range n {
		token, events := set.get(i)
		t := &s.slots[uint32(token)]
		if t.gen != uint32(token>>32) || t.s == nil {
			continue
		}
		t.s.ready(events)
		if n == 1 && len(s.conns) > directMax {
			s.alone(t.s)
		}
	}
}

// alone counts how often a connection was the only busy one; it then leaves the set, and the one that left it longest
// ago goes back.
func (s *source) alone(p pollable) {
	c, ok := p.(*conn)
	if !ok || c.state != connReady {
		return
	}
	if c != s.last {
		s.last, s.row = c, 0
	}
	if s.row++; s.row < streak || s.inSet || c.direct {
		return
	}
	s.row = 0
	if len(s.direct) >= hotMax {
		o := s.direct[0]
		s.undirect(o)
		o.enter()
	}
	c.leave()
	s.makeDirect(c)
}

func (s *source) makeDirect(c *conn) {
	c.direct = true
	s.direct = append(s.direct, c)
}

func (s *source) undirect(c *conn) {
	if c.direct {
		c.direct = false
		s.direct = without(s.direct, c)
	}
}

func without[T comparable](list []T, x T) []T {
	for i, y := range list {
		if x == y {
			n := len(list) - 1
			copy(list[i:], list[i+1:])
			var zero T
			list[n] = zero
			return list[:n]
		}
	}
	return list
}

// join takes a connection that is established.
func (s *source) join(c *conn) {
	s.conns = append(s.conns, c)
	s.watchOver()
	s.capIdle(false)
	switch {
	case len(s.conns) <= directMax:
		c.leave()
		s.makeDirect(c)
		if s.inSet {
			c.enter()
		}
	case len(s.conns) == directMax+1:
		for len(s.direct) > 0 {
			o := s.direct[0]
			s.undirect(o)
			o.enter()
		}
		fallthrough
	default:
		c.enter()
	}
}

// part forgets a connection.
func (s *source) part(c *conn) {
	was := len(s.conns)
	s.conns = without(s.conns, c)
	s.undirect(c)
	s.dirty = without(s.dirty, c)
	s.paused = without(s.paused, c)
	s.dying = without(s.dying, c)
	if s.last == c {
		s.last = nil
	}
	if was == directMax+1 && len(s.conns) == directMax {
		for _, o := range s.conns {
			if !o.direct && !o.isPaused {
				if !s.inSet {
					o.leave()
				}
				s.makeDirect(o)
			}
		}
	}
}

// takeOut takes direct connections out of the set, which they entered when it was armed.
//
//go:noinline
func (s *source) takeOut() {
	s.inSet = false
	for _, c := range s.direct {
		c.leave()
	}
}

// flush writes what waits, one connection after the other.
//
//go:noinline
func (s *source) flush() {
	list := s.dirty
	k := 0
	for i := 0; i < len(list); i++ {
		c := list[i]
		c.flush()
		if c.state == connDead { // it has left the list
			list = s.dirty
			i--
			continue
		}
		if c.out.Len() > 0 && !(c.blocked && c.inSet) {
			list[k] = c
			k++
		} else {
			c.isDirty = false
		}
	}
	clear(list[k:])
	s.dirty = list[:k]
}

// rare does what only some polls have to: clocks, and connections that wait for room.
//
//go:noinline
func (s *source) rare() {
	for i := 0; i < len(s.paused); i++ {
		c := s.paused[i]
		c.tryAgain()
		if i >= len(s.paused) || s.paused[i] != c {
			i--
		}
	}
	for n := len(s.stalled); n > 0; n-- {
		p := s.stalled[0]
		s.stalled = without(s.stalled, p)
		p.stalled = false
		p.resume()
	}
	for i := 0; i < len(s.dying); i++ {
		c := s.dying[i]
		for c.state != connDead && c.receive() {
		}
		if c.state != connDead && !c.isPaused && !sysMayCome(c.fd) {
			c.hungUp()
		}
		if i >= len(s.dying) || s.dying[i] != c {
			i--
		}
	}
	if len(s.timed)+len(s.callers) == 0 {
		return
	}
	now := time.Now()
	s.clocks++
	for i := 0; i < len(s.timed); i++ {
		p := s.timed[i]
		p.onTime(now)
		if i >= len(s.timed) || s.timed[i] != p {
			i--
		}
	}
	for i := 0; i < len(s.callers); i++ {
		c := s.callers[i]
		if now.After(c.deadline) {
			text := "the peer connected and then said nothing"
			if c.ours {
				text = c.owner.noAnswer(c.peerName())
			}
			c.fail(fi.ErrTimedOut, text)
			i--
		}
	}
}

// expire takes note that a connection cannot be written any more.
func (s *source) expire(c *conn) {
	if !c.dying {
		c.dying = true
		s.dying = append(s.dying, c)
	}
}

// getChunk gives an empty buffer.
func (s *source) getChunk() *chunk {
	if n := len(s.chunks) - 1; n >= 0 {
		b := s.chunks[n]
		s.chunks = s.chunks[:n]
		return b
	}
	return new(chunk)
}

// putChunk takes one back; some are kept.
func (s *source) putChunk(b *chunk) {
	if len(s.chunks) < 64 {
		s.chunks = append(s.chunks, b)
	}
}
