package tcp

import "time"

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
	s.bells.arm(s.set, bellSet)
	return s.set.peek()
}

// Disarm ends that; the set may ring once more.
func (s *source) Disarm() { s.armed.Store(0) }

// Wake makes Wait return.
func (s *source) Wake() { s.bells.ring(bellWake) }

// Wait blocks until a socket or Wake rings.
func (s *source) Wait() bool {
	for {
		s.notes.Flush()
		what, ok := s.bells.park()
		if !ok {
			return false
		}
		if what&(bellDoor|bellLate) != 0 {
			s.serveDoor()
		}
		if what != bellLate {
			return true
		}
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
	s.bells.setDeadline(again)
	s.mu.UnlockOther()
}

// remind sees that the clock is looked at although no socket tells anything: with manual progress by the engine's goroutine,
// else by the tick, which does not run while everybody is blocked.
func (s *source) remind() {
	if s.door != s.set {
		s.bells.setDeadline(time.Now().Add(firstPause))
		return
	}
	s.d.eng.Kick()
}
