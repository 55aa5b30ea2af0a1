package tcp

import (
	"errors"
	"os"
	"time"

	"github.com/gofabric/gofabric/internal/shmem"
)

// Pending tells whether a later Poll is needed that no peer will announce.
func (s *source) Pending() bool {
	return len(s.timed)+len(s.callers)+len(s.paused)+len(s.dying)+len(s.stalled) > 0 || s.unwritten()
}

// unwritten tells whether something waits that could be written now.
func (s *source) unwritten() bool {
	for _, c := range s.dirty {
		if !c.blocked && !c.dying {
			return true
		}
	}
	return false
}

// Arm makes sockets ring, and looks once more.
func (s *source) Arm() bool {
	if s.unwritten() {
		return true
	}
	if !s.inSet {
		s.inSet = true
		for _, c := range s.direct {
			c.enter()
		}
	}
	s.looks.Store(0)
	s.armed.Store(1)
	_ = s.outer.Modify(s.set.fd, shmem.In|shmem.Events(oneShot), bellSet)
	return s.set.peek()
}

// Disarm ends that; the set may ring once more.
func (s *source) Disarm() { s.armed.Store(0) }

// Wake makes Wait return.
func (s *source) Wake() { s.wake.Ring() }

// Wait blocks until a socket or Wake rings.
func (s *source) Wait() bool {
	for {
		s.notes.Flush()
		if err := s.outer.Park(); err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				return false
			}
			s.serveDoor()
			continue
		}
		var evs [4]shmem.Event // Park may have taken that of the set, which comes once
		n := s.outer.Wait(evs[:])
		for i := range evs[:n] {
			switch evs[i].Token() {
			case bellWake:
				s.wake.Drain()
			case bellDoor:
				s.serveDoor()
			}
		}
		return true
	}
}

// serveDoor advances handshakes with manual progress: neither side needs to make a call for the other one's.
func (s *source) serveDoor() {
	s.mu.LockOther()
	s.askSet(s.door)
	s.rare()
	if len(s.dirty) > 0 {
		s.flush()
	}
	again := time.Time{}
	if len(s.timed)+len(s.callers) > 0 {
		again = time.Now().Add(firstPause)
	}
	_ = s.outer.SetDeadline(again)
	s.mu.UnlockOther()
}

// remind has the engine's goroutine look at the clock, with manual progress.
func (s *source) remind() {
	if s.door != s.set {
		_ = s.outer.SetDeadline(time.Now().Add(firstPause))
	}
}
