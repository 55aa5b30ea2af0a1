package tcp

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/internal/shmem"
)

// bells are what a goroutine parks on: sets that ring, and a bell of our own. On Linux that is the outer of two epoll
// descriptors; elsewhere a channel.
type bells struct {
	outer *shmem.Epoll // nil: the portable path
	wake  *shmem.EventFD
	rung  atomic.Uint32 // what has rung, but for epoll's

	ringing chan struct{} // the portable path's
	closed  chan struct{}
	mu      sync.Mutex
	until   time.Time // guarded by mu
	moved   atomic.Bool
}

// What rings.
const (
	bellWake = 1 << iota
	bellSet
	bellDoor
	bellLate // the deadline has come
)

func newBells(kind socketKind) (*bells, error) {
	b := &bells{closed: make(chan struct{})}
	if kind == pumpSockets {
		b.ringing = make(chan struct{}, 1)
		return b, nil
	}
	var err error
	if b.outer, err = shmem.NewEpoll(); err != nil {
		return nil, err
	}
	if b.wake, err = shmem.NewEventFD(); err == nil {
		err = b.outer.Add(b.wake.FD(), shmem.In, bellWake)
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// watch has a set ring: as what; always, or once after each call of arm.
func (b *bells) watch(s *pollSet, what uint32, when ringing) error {
	s.soft.mu.Lock()
	s.soft.ring = func() { b.ring(what) }
	s.soft.always = when == always
	s.soft.mu.Unlock()
	if b.outer == nil {
		return nil
	}
	events := shmem.Events(0)
	if when == always {
		events = shmem.In
	}
	return b.outer.Add(s.epoll.fd, events, uint64(what))
}

// ringing says when a set rings.
type ringing uint8

const (
	whenArmed ringing = iota
	always
)

// arm has a set ring once.
func (b *bells) arm(s *pollSet, what uint32) {
	if b.outer != nil {
		_ = b.outer.Modify(s.epoll.fd, shmem.In|shmem.Events(oneShot), uint64(what))
	}
	if s.soft.members.Load() != 0 || b.outer == nil {
		s.soft.armed.Store(true)
	}
}

// ring makes park return.
func (b *bells) ring(what uint32) {
	b.rung.Or(what)
	if b.outer != nil {
		b.wake.Ring()
		return
	}
	select {
	case b.ringing <- struct{}{}:
	default:
	}
}

// park blocks until something rings, and says what; false when the bells are closed. One goroutine parks.
func (b *bells) park() (what uint32, ok bool) {
	if b.outer == nil {
		return b.parkSoft()
	}
	if err := b.outer.Park(); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return bellLate, true
		}
		return 0, false
	}
	var evs [4]shmem.Event // Park may have taken that of the set, which comes once
	n := b.outer.Wait(evs[:])
	for i := range evs[:n] {
		if t := evs[i].Token(); t == bellWake {
			b.wake.Drain()
		} else {
			what |= uint32(t)
		}
	}
	return what | b.rung.Swap(0), true
}

func (b *bells) parkSoft() (what uint32, ok bool) {
	for {
		b.mu.Lock()
		until := b.until
		b.mu.Unlock()
		var late <-chan time.Time
		if !until.IsZero() {
			late = time.After(time.Until(until))
		}
		select {
		case <-b.ringing:
		case <-late:
			return bellLate | b.rung.Swap(0), true
		case <-b.closed:
			return 0, false
		}
		moved := b.moved.Swap(false)
		if what = b.rung.Swap(0); what != 0 || !moved {
			return what, true
		}
	}
}

// setDeadline has park return at a moment; the zero time is never.
func (b *bells) setDeadline(t time.Time) {
	if b.outer != nil {
		_ = b.outer.SetDeadline(t)
		return
	}
	b.mu.Lock()
	b.until = t
	b.mu.Unlock()
	b.moved.Store(true)
	select {
	case b.ringing <- struct{}{}:
	default:
	}
}

func (b *bells) close() {
	if b.outer == nil {
		close(b.closed)
		return
	}
	b.outer.Close()
	if b.wake != nil {
		b.wake.Close()
	}
}
