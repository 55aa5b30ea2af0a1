package shm

import (
	"errors"
	"slices"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// Who connects says hello at once. Until then we know only its user, so it has a short time, and not many may be in that
// state: beyond, the oldest has to go.
const (
	helloTime    = 2 * time.Second
	maxNewcomers = 256
	fullPause    = 100 * time.Millisecond // between two attempts to accept without free descriptors
)

// accept lets in who has come.
func (l *link) accept() bool {
	for range 64 {
		c, err := l.lis.Accept()
		switch {
		case err == shmem.ErrAgain: //nolint:errorlint // documented: a bare value
			return false
		case err != nil: // no descriptors, mostly: who waits goes on waiting
			l.pauseAccepting(err)
			return false
		}
		cred, err := c.Cred()
		if err == nil {
			if why := stranger(cred); why != "" {
				err = errors.New(why)
			}
		}
		if err != nil {
			l.s.d.logRefused(cred.PID, err.Error())
			c.Close()
			continue
		}
		l.s.welcome(c, l.e)
	}
	return false
}

// welcome watches a connection that has to say hello soon.
func (s *source) welcome(c *shmem.Conn, e *endpoint) {
	n := &link{kind: linkNewcomer, conn: c, e: e}
	if s.add(n) != nil {
		c.Close()
		return
	}
	n.mu.Lock()
	n.deadline = time.AfterFunc(helloTime, n.expire)
	n.mu.Unlock()
	s.newcomers = append(s.newcomers, n)
	if len(s.newcomers) <= maxNewcomers {
		return
	}
	s.keepNewcomers(func(*link) bool { return true })
	if len(s.newcomers) > maxNewcomers {
		s.remove(s.newcomers[0])
		s.newcomers = slices.Delete(s.newcomers, 0, 1)
	}
}

// waits tells whether a link is a newcomer's that has said nothing.
func (l *link) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.shut && l.kind == linkNewcomer
}

// expire says that a newcomer has had its time. What it may have said meanwhile is heard first.
func (l *link) expire() {
	l.late.Store(true)
	l.s.late.Store(true)
	l.s.knock()
}

// sendAway ends the connections of newcomers that are late. Everything that has come through sockets was heard.
func (s *source) sendAway() {
	s.late.Store(false)
	s.keepNewcomers(func(n *link) bool {
		if n.late.Load() {
			s.remove(n)
			return false
		}
		return true
	})
}

// keepNewcomers drops those from the list that are no newcomers any more, or that keep does not want.
func (s *source) keepNewcomers(keep func(n *link) bool) {
	live := s.newcomers[:0]
	for _, n := range s.newcomers {
		if n.waits() && keep(n) {
			live = append(live, n)
		}
	}
	clear(s.newcomers[len(live):])
	s.newcomers = live
}

// pauseAccepting stops looking at the listener for a while: it would be ready for ever.
func (l *link) pauseAccepting(err error) {
	l.s.poll.Del(l.lis.FD())
	if l.deadline == nil {
		l.s.d.logRefused(0, "connections wait: "+err.Error())
	}
	l.deadline = time.AfterFunc(fullPause, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.shut {
			l.s.poll.Add(l.lis.FD(), shmem.In, l.token)
		}
	})
}

// greet reads a newcomer's hello and makes the pair, or tells it why not.
func (l *link) greet(m *shmem.Message) bool {
	h, err := parseHello(m.Bytes())
	if err != nil {
		return l.refuse(fi.ErrProto, err.Error())
	}
	if h.kind != l.e.kind() {
		return l.refuse(fi.ErrProto, l.e.otherwise(h.kind))
	}
	if !l.e.has(h.key) {
		return l.refuse(fi.ErrAccess, otherKey)
	}
	fds, err := m.Take(2)
	if err != nil {
		return l.refuse(fi.ErrProto, "the hello came without its memory")
	}
	defer shmem.CloseFD(fds[0])
	defer shmem.CloseFD(fds[1])
	cred, err := l.conn.Cred()
	if err != nil {
		l.close()
		return false
	}
	if !l.e.calls.hear(l.e.idOf(h.name, h.key), l.e.incarnation, h.incarnation, cred.PID) {
		return l.refuse(statusCrossed, "we call you")
	}
	if err := l.take(h, fds, cred.PID); err != nil {
		l.e.calls.heard(l.e.idOf(h.name, h.key))
		return l.refuse(fi.ErrProto, err.Error())
	}
	l.become(linkPair)
	gone := l.watchProcess()
	l.s.post(event{kind: evAccepted, p: l.p, e: l.e})
	if gone {
		l.s.post(event{kind: evHangup, p: l.p})
	}
	return true
}

// take makes a pair of a newcomer with a good hello, and answers.
func (l *link) take(h *hello, fds []int, pid int) error {
	d := l.s.d
	rings, err := shmem.MapPeer(fds[0], ring.PairBytes, shmem.ReadWrite, shmem.Populate)
	if err != nil {
		return err
	}
	p, err := d.newPair(l.e, h.name, h.key, rings, ring.Taker, h.first, h.features)
	if err == nil {
		p.tableAt, err = mapTable(fds[1])
	}
	if err != nil {
		rings.Unmap()
		return err
	}
	p.conn, p.pid, p.link, p.inc = l.conn, pid, l, h.incarnation
	p.asleep = p.tableAt.asleep
	p.probe(h)
	if err := l.conn.Send(l.e.hello(d, h.key).marshal(), d.table.file.FD()); err != nil {
		p.tableAt.m.Unmap()
		rings.Unmap()
		return err
	}
	l.p = p
	return nil
}

// refuse tells a newcomer why not.
func (l *link) refuse(status fi.Errno, reason string) bool {
	if status != statusCrossed {
		cred, _ := l.conn.Cred()
		l.s.d.logRefused(cred.PID, reason)
	}
	l.conn.Send((&hello{status: status, reason: reason}).marshal())
	l.close()
	return false
}

// become makes a link that of a pair.
func (l *link) become(kind linkKind) {
	if l.deadline != nil {
		l.deadline.Stop()
	}
	l.kind = kind
	l.bells = bells{heard: l.s.d.table.sleeps(), credit: firstBells}
}

// answer reads the answer to our hello.
func (l *link) answer(m *shmem.Message) {
	ev := event{kind: evConnected, p: l.p}
	h, err := parseHello(m.Bytes())
	switch {
	case err != nil:
		ev.err = err
	case h.status == statusCrossed:
		ev.kind = evCrossed
	case h.status == fi.ErrAccess:
		ev.h, ev.err = h, errOtherKey
	case h.status != 0:
		ev.h, ev.err = h, errors.New("refused: "+h.reason)
	case h.kind != l.p.ep.kind():
		ev.err = errors.New("it is an endpoint of another type")
	case h.key != l.p.key:
		ev.err = errOtherKey
	default:
		var fds []int
		if fds, ev.err = m.Take(1); ev.err == nil {
			var t *peerTable
			if t, ev.err = mapTable(fds[0]); ev.err == nil {
				ev.h, ev.t = h, t
			}
			shmem.CloseFD(fds[0])
		}
	}
	if ev.t == nil {
		l.mute()
		l.s.post(ev)
		return
	}
	l.become(linkPair)
	gone := l.watchProcess()
	l.s.post(ev)
	if gone {
		l.s.post(event{kind: evHangup, p: l.p})
	}
}

// watchProcess makes the end of the peer's process known even while a child of it holds the socket open; true says that
// it has ended already.
func (l *link) watchProcess() (gone bool) {
	fd, err := l.conn.PidFD()
	switch {
	case errors.Is(err, syscall.ESRCH):
		return true
	case err != nil:
		return false // the hang-up has to do
	}
	w := &link{kind: linkProcess, pidfd: fd, p: l.p}
	if l.s.add(w) != nil {
		shmem.CloseFD(fd)
		return false
	}
	l.p.process.Store(w)
	return false
}
