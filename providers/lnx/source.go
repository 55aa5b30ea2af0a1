package lnx

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/internal/relstore"
)

// source polls the sources of the links. A look at rings costs nanoseconds and one at sockets system calls, so the rest
// waits while the first link delivers: sockets are looked at by every poll when that has found nothing for some
// microseconds, and otherwise every 20 us.
type source struct {
	links atomic.Pointer[sources]

	calm  uint32 // looks in a row at the first link that found nothing, up to calmPolls
	busy  uint32 // polls of it that found something
	since int64  // when the others were last overdue, by the clock of epoch; as calm, written by who polls

	stuck []*attempt // what they hold found no room; guarded by the domain's lock

	bell    chan struct{}
	closed  atomic.Bool
	waiters sync.WaitGroup
}

// sources are those of the links.
type sources struct {
	first driver.Source
	rest  []driver.Source
}

// When others than the first link are polled.
const (
	calmPolls  = 256 // looks that found nothing, from which on there is time for the others: some 2 us
	askClock   = 64  // looks that found nothing between two looks at the clock: longer than a peer needs to answer
	askBusy    = 16  // polls that found something between two looks at the clock
	restAtMost = 20 * time.Microsecond
)

var epoch = time.Now()

func newSource() *source {
	s := &source{calm: calmPolls, bell: make(chan struct{}, 1)}
	s.links.Store(&sources{first: nothing{}})
	return s
}

// start makes the parts be polled.
func (s *source) start(parts []*part) {
	l := &sources{first: parts[0].dom.Source()}
	for _, p := range parts[1:] {
		l.rest = append(l.rest, p.dom.Source())
	}
	s.links.Store(l)
	for _, p := range parts {
		src := p.dom.Source()
		s.waiters.Go(func() {
			for src.Wait() && !s.closed.Load() {
				s.Wake()
			}
		})
	}
	s.Wake() // the engine may have armed us before: then it arms the links
}

// stop ends the goroutines that wait for the parts. The engine has been closed.
func (s *source) stop() {
	s.closed.Store(true)
	l := s.links.Load()
	l.each(driver.Source.Wake)
	s.waiters.Wait()
}

func (l *sources) each(f func(driver.Source)) {
	f(l.first)
	for _, o := range l.rest {
		f(o)
	}
}

// Ready looks whether Poll would find work, or has to look at sockets.
//
//fabric:fastpath
func (s *source) Ready() bool {
	l := s.links.Load()
	if l.first.Ready() {
		relstore.Uint32(&s.calm, 0)
		return true
	}
	n := atomic.LoadUint32(&s.calm)
	if n < calmPolls {
		n++
		relstore.Uint32(&s.calm, n)
		if n%askClock != 0 || !s.overdue() {
			return false
		}
		relstore.Uint32(&s.calm, calmPolls)
	}
	return l.readyRest()
}

//go:noinline
func (l *sources) readyRest() bool {
	for _, o := range l.rest {
		if o.Ready() {
			return true
		}
	}
	return false
}

// overdue tells whether the others have waited for long; who hears so polls them.
//
//go:noinline
func (s *source) overdue() bool {
	now := time.Since(epoch)
	if now-time.Duration(atomic.LoadInt64(&s.since)) < restAtMost {
		return false
	}
	atomic.StoreInt64(&s.since, int64(now))
	return true
}

// Poll takes what has come.
//
//fabric:fastpath
func (s *source) Poll() {
	l := s.links.Load()
	l.first.Poll()
	if len(s.stuck) > 0 {
		s.unstick()
	}
	if len(l.rest) == 0 {
		return
	}
	if atomic.LoadUint32(&s.calm) < calmPolls {
		if s.busy++; s.busy%askBusy != 0 || !s.overdue() {
			return
		}
	}
	s.pollRest(l)
}

//go:noinline
func (s *source) pollRest(l *sources) {
	for _, o := range l.rest {
		o.Poll()
	}
}

// stick has a later poll hand over what an attempt holds. With the lock.
func (s *source) stick(t *attempt) {
	s.stuck = append(s.stuck, t)
	s.freshen()
}

//go:noinline
func (s *source) unstick() {
	stuck := s.stuck
	s.stuck = nil
	for _, t := range stuck {
		t.Run()
	}
}

// freshen has the next look and the next poll reach all links: somebody wants to know what has come by now.
func (s *source) freshen() { relstore.Uint32(&s.calm, calmPolls) }

// Pending tells whether a later Poll is needed that no peer will announce.
func (s *source) Pending() bool {
	l := s.links.Load()
	if len(s.stuck) > 0 || l.first.Pending() {
		return true
	}
	for _, o := range l.rest {
		if o.Pending() {
			return true
		}
	}
	return false
}

// Arm makes all links ring, and looks once more.
func (s *source) Arm() bool {
	s.freshen()
	l := s.links.Load()
	busy := l.first.Arm()
	for _, o := range l.rest {
		busy = o.Arm() || busy
	}
	return busy
}

// Disarm ends that.
func (s *source) Disarm() { s.links.Load().each(driver.Source.Disarm) }

// Wake makes Wait return.
func (s *source) Wake() {
	select {
	case s.bell <- struct{}{}:
	default:
	}
}

// Wait blocks until a link or Wake rings.
func (s *source) Wait() bool {
	<-s.bell
	return !s.closed.Load()
}

// nothing is polled before there are links.
type nothing struct{}

func (nothing) Ready() bool   { return false }
func (nothing) Poll()         {}
func (nothing) Pending() bool { return false }
func (nothing) Arm() bool     { return false }
func (nothing) Disarm()       {}
func (nothing) Wait() bool    { return false }
func (nothing) Wake()         {}
