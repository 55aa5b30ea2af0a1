package tcp

import (
	"sync"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// A peer is dead when it has acknowledged nothing for FI_TCP_USER_TIMEOUT though something was sent again and again: a
// broken cable, a host that lost its power. The kernel's own rule (TCP_USER_TIMEOUT) does not serve, for it also takes a
// peer for dead that was stopped and whose window is full; such a one answers every probe, and may go on at any time. So
// a clock of the domain asks the kernel now and then how far each connection is. Idle ones give it nothing to tell: over
// those a ping is sent (between ours; elsewhere TCP's own keep-alive does it).

// lifeSigns are what the system knows of a connection.
type lifeSigns struct {
	stuck     bool          // something was sent again, and has not been acknowledged since
	sinceAck  time.Duration // since the last acknowledgement came
	sinceData time.Duration // since data came or was sent last
}

// watch is the clock. Its fields are guarded by the domain's lock, but for ticking.
type watch struct {
	every   time.Duration // 0: there is nothing to watch for
	most    int           // ticks without an acknowledgement that make a peer dead
	timer   *time.Timer
	runs    bool
	next    int // where in the list of connections the next slice begins
	ticking sync.Mutex
	closed  bool // guarded by ticking
}

// looksInFour: a timeout is noticed a quarter later at most.
const looksInFour = 4

// sliceMost is how many connections are looked at without letting others at the lock.
const sliceMost = 128

// setUp decides how often the connections of a domain are looked at.
func (w *watch) setUp(c *config) {
	if dead := time.Duration(c.options.userTimeoutMS) * time.Millisecond; dead > 0 {
		w.every, w.most = max(dead/looksInFour, 5*time.Millisecond), looksInFour
	}
	if ping := time.Duration(c.options.keepAlive) * time.Second; ping > 0 && c.extension && (w.every == 0 || ping < w.every) {
		if w.every > 0 {
			w.most = int((w.every*looksInFour + ping - 1) / ping)
		}
		w.every = ping
	}
}

// watchOver starts the clock, if it does not run. With the lock.
func (s *source) watchOver() {
	w := &s.alive
	if w.every == 0 || w.runs {
		return
	}
	w.runs = true
	if w.timer == nil {
		w.timer = time.AfterFunc(w.every, s.lookAlive)
	} else {
		w.timer.Reset(w.every)
	}
}

// stopWatch ends it for good. Without the lock.
func (s *source) stopWatch() {
	s.alive.ticking.Lock()
	defer s.alive.ticking.Unlock()
	s.alive.closed = true
	if s.alive.timer != nil {
		s.alive.timer.Stop()
	}
}

// lookAlive is the clock's tick.
func (s *source) lookAlive() {
	w := &s.alive
	w.ticking.Lock()
	defer w.ticking.Unlock()
	if w.closed {
		return
	}
	for more := true; more; {
		s.mu.LockOther()
		more = s.lookSlice()
		if !more {
			s.capIdle(true)
			if len(s.dirty) > 0 {
				s.flush()
			}
			if w.runs = len(s.conns) > 0; w.runs {
				w.timer.Reset(w.every)
			}
		}
		s.mu.UnlockOther()
	}
	s.notes.Flush()
}

// lookSlice looks at some connections; false when that were the last ones.
func (s *source) lookSlice() bool {
	w := &s.alive
	for range sliceMost {
		if w.next >= len(s.conns) {
			w.next = 0
			break
		}
		c := s.conns[w.next]
		w.next++
		if c.look(); c.state == connDead {
			w.next--
		}
	}
	if len(s.dying) > 0 {
		s.rare()
	}
	if len(s.dirty) > 0 {
		s.flush()
	}
	return w.next > 0
}

// look decides whether the peer is alive.
func (c *conn) look() {
	if c.state != connReady || c.dying {
		return
	}
	w := &c.s.alive
	signs, ok := sysLifeSigns(c.fd)
	if !ok {
		return
	}
	if !signs.stuck || signs.sinceAck < w.every {
		c.misses = 0
		c.mayPing(signs)
		return
	}
	if c.misses++; w.most > 0 && int(c.misses) >= w.most {
		c.endWith(syscall.ETIMEDOUT)
		c.s.expire(c)
	}
}

// mayPing sends a ping when the connection has been silent for long.
func (c *conn) mayPing(signs lifeSigns) {
	o := &c.s.d.cfg.options
	if o.keepAlive == 0 || !c.ext || c.features&wire.FeaturePing == 0 || c.bye != byeNone || c.detached || c.out.Len() > 0 {
		return
	}
	if silent := min(signs.sinceAck, signs.sinceData); silent >= time.Duration(o.keepAlive)*time.Second {
		c.ping()
	}
}

// ping gives TCP something to deliver.
func (c *conn) ping() {
	c.pings++
	c.enc.PutExtPing(c.answerRoom(wire.BaseSize+8), c.pings)
	c.markDirty()
}

// suspect has a connection show whether it is alive: its peer asks for another one, as if there was none.
func (c *conn) suspect() {
	switch {
	case c.dying || c.bye != byeNone || c.out.Len() > 0:
	case c.ext && c.features&wire.FeaturePing != 0:
		c.ping()
	default:
		sysKeepAlive(c.fd, 1)
	}
}

// endWith notes why the stream is about to end, if nothing has been noted yet.
func (c *conn) endWith(errno syscall.Errno) {
	if c.cause == 0 {
		c.cause = errno
	}
}

// ending says why the stream has ended.
func (c *conn) ending() (fi.Errno, string) {
	switch e := fi.FromSyscall(c.cause); e {
	case fi.ErrTimedOut:
		return e, "the peer " + c.peerName() + " has not acknowledged anything for a while: its host is down, or cannot be reached"
	case fi.ErrHostUnreach, fi.ErrNetUnreach, fi.ErrNetDown:
		return e, "the peer " + c.peerName() + " cannot be reached any more"
	}
	return fi.ErrConnReset, "peer closed: " + c.peerName() + " closed its endpoint or ended"
}
