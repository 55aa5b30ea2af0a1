package tcp

import (
	"cmp"
	"errors"
	"slices"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// Connections cost a descriptor and memory on both sides. Between peers of ours those beyond FI_TCP_MAX_IDLE that were
// used least recently end after a goodbye, and are made again when something is sent. Connections to C peers end only when
// the process has no descriptor left: what C has sent is complete for it as soon as its kernel has it.

// crowdedPause is how long a listener is left alone for want of descriptors.
const crowdedPause = 50 * time.Millisecond

// capIdle ends connections beyond the cap. It is called for each new one, and by the clock; scans come after so many new
// ones that each costs little.
func (s *source) capIdle(now bool) {
	most := s.d.cfg.maxIdle
	if most == 0 || len(s.conns) <= most || !now && len(s.conns) < s.nextScan {
		return
	}
	s.nextScan = len(s.conns) + 1 + most/16
	n := -most
	for _, c := range s.conns {
		if c.mayLeave() && c.bye == byeNone {
			n++
		}
	}
	for _, c := range s.longestIdle(n, (*conn).mayLeave) {
		c.takeLeave()
	}
}

// mayLeave tells whether the connection can end by a goodbye.
func (c *conn) mayLeave() bool {
	return c.state == connReady && c.ext && c.features&wire.FeatureGoodbye != 0 && c.owner.link == nil && !c.detached && c.to.c == c
}

// mayBreak tells whether a connection to a C peer can be closed when there are no descriptors: nothing has moved for a
// while, and nothing is under way that we know of.
func (c *conn) mayBreak() bool {
	return c.state == connReady && !c.ext && c.owner.link == nil && !c.isPaused && c.in.sink == sinkNone && c.buf == nil &&
		len(c.open)+len(c.saved)+len(c.cts) == 0
}

// longestIdle gives up to n quiet connections, those that were used least recently.
func (s *source) longestIdle(n int, which func(*conn) bool) (out []*conn) {
	if n <= 0 {
		return nil
	}
	type idle struct {
		c     *conn
		since time.Duration
	}
	var all []idle
	for _, c := range s.conns {
		if which(c) && c.bye == byeNone && c.quiet() {
			signs, _ := sysLifeSigns(c.fd)
			all = append(all, idle{c, signs.sinceData})
		}
	}
	slices.SortFunc(all, func(a, b idle) int { return cmp.Compare(b.since, a.since) })
	for _, i := range all[:min(n, len(all))] {
		out = append(out, i.c)
	}
	return out
}

// crowded tells whether an error says that there are no descriptors, or no memory for sockets.
func crowded(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM)
}

// breakMost is how long a connection to a C peer must have been silent to be closed for want of descriptors.
const breakMost = time.Second

// silentMost is how long a caller may say nothing when others want its descriptor.
const silentMost = time.Second

// makeRoom gives descriptors back: callers that say nothing go first, and while there are some that still may speak, nobody
// else; then a connection between ours that is idle ends, or one to a C peer.
func (s *source) makeRoom() {
	if s.dropSilent(time.Now()) {
		return
	}
	if l := s.longestIdle(1, (*conn).mayLeave); len(l) > 0 {
		l[0].takeLeave()
		return
	}
	for _, c := range s.longestIdle(1, (*conn).mayBreak) {
		if signs, ok := sysLifeSigns(c.fd); ok && signs.sinceData > breakMost {
			c.fail(fi.ErrCanceled, "closed, for there are no descriptors left")
		}
	}
}

// dropSilent hangs up on callers that have had time to speak; true when there were any callers.
func (s *source) dropSilent(now time.Time) (any bool) {
	due := now.Add(s.d.cfg.callerTime() - silentMost)
	for i := 0; i < len(s.callers); i++ {
		c := s.callers[i]
		if c.state != connCalled {
			continue
		}
		any = true
		if c.deadline.Before(due) {
			c.fail(fi.ErrTimedOut, "the peer connected and then said nothing, and there are no descriptors left")
			i--
		}
	}
	return any
}

// rest leaves a listener alone for a while: it would ring all the time.
func (l *listener) rest(err error) {
	e := l.e
	s := e.d.src
	e.d.logAccept(err)
	s.makeRoom()
	if l.resting {
		return
	}
	l.resting = true
	s.door.remove(l.fd)
	time.AfterFunc(crowdedPause, func() {
		s.mu.LockOther()
		defer s.mu.UnlockOther()
		if e.closed {
			return
		}
		l.resting = false
		s.door.add(l.fd, pollIn, l.token)
		l.ready(0)
		if len(s.dirty) > 0 {
			s.flush()
		}
	})
}

// logAccept tells that connections cannot be taken, once a second.
func (d *domain) logAccept(err error) {
	now := time.Now()
	if !d.src.notes.Log.On(driver.LevelWarn) || now.Sub(d.crowdedAt) < time.Second {
		return
	}
	d.crowdedAt = now
	why, cure := reason(err), "they wait in the listener"
	if crowded(err) {
		cure = "they wait in the listener until descriptors are free; raise ulimit -n"
	}
	d.src.note(func(log driver.Logger) { log.Warn("cannot accept connections", "reason", why, "cure", cure) })
}
