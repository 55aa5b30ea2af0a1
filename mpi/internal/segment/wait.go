package segment

import "context"

// How often a member looks before it calls Idle: for about as long as a message between two processors takes some times,
// or hardly at all when there are more members than processors, since the other one is not running then.
const (
	looks        = 400
	crowdedLooks = 20
)

// Crowded tells whether there are more members than processors.
func (s *Segment) Crowded() bool { return s.looks == crowdedLooks }

// publish says that this member has got to a step of an operation.
//
//fabric:fastpath
func (s *Segment) publish(step uint64, sig uint64) {
	raceRelease()
	l := s.line(s.rank, step)
	*l.sig(step) = sig
	l.step.Store(step) // also a fence: who goes to sleep now either sees this or is seen
	if s.sleepers.Load() != 0 {
		s.wakeAll()
	}
}

// await waits until a member has published a step.
//
//fabric:fastpath
func (s *Segment) await(ctx context.Context, member int, step, sig uint64) error {
	l := s.line(member, step)
	for turn := 0; ; turn++ {
		for range s.looks {
			if l.step.Load() >= step {
				raceAcquire()
				if *l.sig(step) != sig {
					return s.differ()
				}
				return nil
			}
		}
		if s.spoiled.Load() != 0 {
			return s.why()
		}
		s.wanted = step
		if err := s.w.Idle(ctx, s, member, turn); err != nil {
			return err
		}
	}
}

// awaitAll waits until all members have published a step.
//
//fabric:fastpath
func (s *Segment) awaitAll(ctx context.Context, step, sig uint64) error {
	for m := range s.members {
		if m != s.rank {
			if err := s.await(ctx, m, step, sig); err != nil {
				return err
			}
		}
	}
	s.seen = step
	return nil
}

// clear waits until what was written two steps ago may be overwritten: all members have got to the step before.
//
//fabric:fastpath
func (s *Segment) clear(ctx context.Context, step uint64) error {
	if s.seen+1 >= step {
		return nil
	}
	return s.clearUpTo(ctx, step-1)
}

// clearUpTo waits until all members have got to a step, whatever they did in it.
//
//go:noinline
func (s *Segment) clearUpTo(ctx context.Context, step uint64) error {
	for m := range s.members {
		if m == s.rank {
			continue
		}
		for turn := 0; s.at(m) < step; turn++ {
			if s.spoiled.Load() != 0 {
				return s.why()
			}
			s.wanted = step
			if err := s.w.Idle(ctx, s, m, turn); err != nil {
				return err
			}
		}
	}
	raceAcquire()
	s.seen = step
	return nil
}

//go:noinline
func (s *Segment) differ() error {
	s.Spoil()
	return ErrMismatch
}

// Doze says that this member sleeps, unless what it waits for has come: then it returns false. Who gets true waits for Wake,
// and calls Up when it gets up without having been woken. It is for Idle.
func (s *Segment) Doze(member int) bool {
	s.sleepers.Add(1)
	s.flags[s.rank].Store(1) // after the count: a publisher that sees neither has published before this
	if s.spoiled.Load() != 0 || s.at(member) >= s.wanted {
		return !s.Up()
	}
	return true
}

// at is the last step that a member has published.
func (s *Segment) at(member int) uint64 {
	return max(s.line(member, 0).step.Load(), s.line(member, 1).step.Load())
}

// Up says that this member does not sleep any more. False: somebody has claimed to wake it, and Wake comes for sure.
func (s *Segment) Up() bool {
	if !s.flags[s.rank].CompareAndSwap(1, 0) {
		return false
	}
	s.sleepers.Add(^uint32(0))
	return true
}

// wakeAll wakes all who sleep.
//
//go:noinline
func (s *Segment) wakeAll() {
	for m, f := range s.flags {
		if f.Load() == 1 && f.CompareAndSwap(1, 0) {
			s.sleepers.Add(^uint32(0))
			s.w.Wake(m)
		}
	}
}
