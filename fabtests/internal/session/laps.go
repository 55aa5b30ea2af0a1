package session

import "time"

// Lap records the time since the last one, or since Start, as that of n transfers that came one after another. It does
// nothing without --percentiles, at the server, and while nothing is measured yet.
func (s *Session) Lap(n int) {
	if s.laps == nil || s.warming || n == 0 {
		return
	}
	now := time.Now()
	s.laps.Record(now.Sub(s.lapBegan) / time.Duration(n))
	s.lapBegan = now
}

// Lapped is a step after which a lap of n transfers ends. Without --percentiles it is the step itself, so that loops whose
// mean is measured are as they were.
func (s *Session) Lapped(n int, step func(int) error) func(int) error {
	if !s.Opt.Percentiles || !s.Client {
		return step
	}
	return func(i int) error {
		if err := step(i); err != nil {
			return err
		}
		s.Lap(n)
		return nil
	}
}
