package shm

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/internal/shmem"
)

// link is a descriptor that the source's goroutine watches. mu is held by that goroutine while it serves the link, and
// by whoever closes it; after the domain's lock, before the source's.
type link struct {
	mu    sync.Mutex
	shut  bool
	s     *source
	token uint64
	kind  linkKind
	conn  *shmem.Conn
	lis   *shmem.Listener
	pidfd int
	e     *endpoint // of a listener or a newcomer
	p     *pair     // once it is known
	gone  bool

	deadline *time.Timer // of a newcomer, or of a listener that found no descriptors
	late     atomic.Bool // a newcomer that has had its time
	bells    bells
}

type linkKind uint8

const (
	linkListener linkKind = iota
	linkNewcomer          // accepted, has not said hello
	linkCaller            // ours, waits for the answer to our hello
	linkPair
	linkProcess // pidfd of a peer
)

// add watches a link.
func (s *source) add(l *link) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return io.ErrClosedPipe
	}
	s.tokens++
	l.s, l.token = s, s.tokens
	s.links[l.token] = l
	s.mu.Unlock()
	fd := l.pidfd
	if l.conn != nil {
		fd = l.conn.FD()
	} else if l.lis != nil {
		fd = l.lis.FD()
	}
	if err := s.poll.Add(fd, shmem.In, l.token); err != nil {
		s.mu.Lock()
		delete(s.links, l.token)
		s.mu.Unlock()
		l.shut = true
		return err
	}
	return nil
}

// remove stops watching a link and closes it. It may be called by anybody who is not serving it.
func (s *source) remove(l *link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.close()
}

// close stops watching a link and closes it. With its lock.
func (l *link) close() {
	if l.shut {
		return
	}
	l.shut = true
	if l.deadline != nil {
		l.deadline.Stop()
	}
	l.s.mu.Lock()
	delete(l.s.links, l.token)
	l.s.mu.Unlock()
	switch {
	case l.conn != nil:
		l.s.poll.Del(l.conn.FD())
		l.conn.Close()
	case l.lis != nil:
		l.s.poll.Del(l.lis.FD())
		l.lis.Close()
	default:
		l.s.poll.Del(l.pidfd)
		shmem.CloseFD(l.pidfd)
	}
}

// serve handles what happened; true says that Poll has work.
func (l *link) serve() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut {
		return false
	}
	switch l.kind {
	case linkListener:
		return l.accept()
	case linkProcess:
		l.close()
		l.s.post(event{kind: evHangup, p: l.p})
		return true
	}
	m := &l.s.msg
	defer m.Close() // descriptors that nobody took
	rung := false
	for range 64 { // not for ever: the peer may ring as fast as we read
		err := l.conn.Recv(m)
		switch {
		case err == shmem.ErrAgain: //nolint:errorlint // documented: a bare value
			return rung
		case err == shmem.ErrTruncated && l.kind == linkPair: //nolint:errorlint // documented: a bare value
			if !l.lost(m.Bytes()) {
				l.bad("it sent more than can be received")
				return true
			}
		case err != nil:
			l.end(err)
			return true
		case m.IsBell():
			if !l.bells.hear(l.s.d.table.sleeps()) {
				l.bad("it rings without being asked to")
				return true
			}
			rung = true
		case l.kind == linkNewcomer:
			return l.greet(m)
		case l.kind == linkCaller:
			l.answer(m)
			rung = true
		default:
			if !l.control(m) {
				l.bad("a control message that does not follow the protocol")
				return true
			}
		}
	}
	return rung
}

// end is the end of the connection.
func (l *link) end(err error) {
	if !l.mute() {
		return
	}
	switch l.kind {
	case linkNewcomer:
		l.close()
	case linkCaller:
		l.s.post(event{kind: evConnected, p: l.p, err: err})
	default:
		l.s.post(event{kind: evHangup, p: l.p})
	}
}

// bad is the end of the connection with a peer that does not follow the protocol.
func (l *link) bad(why string) {
	switch {
	case l.kind != linkPair:
		l.end(errors.New(why))
	case l.mute():
		l.s.post(event{kind: evBroken, p: l.p, err: errors.New(why)})
	}
}

// mute stops listening to a connection whose end is known: it would be ready for ever.
func (l *link) mute() bool {
	if l.gone {
		return false
	}
	l.gone = true
	l.s.poll.Del(l.conn.FD())
	return true
}

// bells counts how often a peer may still ring: once for each time that the domain went to sleep. A peer that rings
// more often would keep our processor busy.
type bells struct {
	heard  uint32 // the sleeps at the last count
	credit int
}

// hear takes a bell; false when it is one too many.
func (b *bells) hear(sleeps uint32) bool {
	b.credit = min(b.credit+int(sleeps-b.heard), maxBells)
	b.heard = sleeps
	b.credit--
	return b.credit >= 0
}

// firstBells is what a peer may have rung before we began to count: it knows our word from the hello on, and several threads
// may have gone to sleep, again and again, until somebody read its answer.
const firstBells = 1 << 10

// maxBells is more than can wait in a socket.
const maxBells = 1 << 16
