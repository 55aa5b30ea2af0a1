package segment

import "context"

// Phase i of bcast and allgather is their i-th step.

// bcast goes through the root's areas, piece by piece.
func (t *Task) bcast(ctx context.Context) (bool, error) {
	s, at := t.s, t.step(t.phase)
	from := t.phase * s.Area()
	part := t.Out[from:min(from+s.Area(), len(t.Out))]
	if s.rank == t.Root {
		free := at
		if t.phase > 1 {
			free-- // the others publish when they have read
		}
		if err := s.clear(ctx, free); err != nil {
			return false, err
		}
		copy(t.room(s.rank, at, len(part)), part)
	} else {
		if err := s.await(ctx, t.Root, at, t.Signature); err != nil {
			return false, err
		}
		copy(part, t.room(t.Root, at, len(part)))
	}
	s.publish(at, t.Signature)
	return at == s.step, nil
}

// allgather goes through everybody's areas. A phase publishes, the next one reads.
func (t *Task) allgather(ctx context.Context) (bool, error) {
	s, i := t.s, t.phase/2
	at, n := t.step(i), len(t.In)
	from := i * s.Area()
	to := min(from+s.Area(), n)
	if t.phase%2 == 0 {
		if err := s.clear(ctx, at); err != nil {
			return false, err
		}
		copy(t.room(s.rank, at, to-from), t.In[from:to])
		s.publish(at, t.Signature)
		return false, nil
	}
	if err := s.awaitAll(ctx, at, t.Signature); err != nil {
		return false, err
	}
	for m := range s.members {
		if m == s.rank {
			copy(t.Out[m*n+from:m*n+to], t.In[from:to])
		} else {
			copy(t.Out[m*n+from:m*n+to], t.room(m, at, to-from))
		}
	}
	return at == s.step, nil
}
