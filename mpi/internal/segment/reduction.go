package segment

import "context"

// reduce is done by the root alone: one step.
func (t *Task) reduce(ctx context.Context) (bool, error) {
	s, at := t.s, t.step(0)
	if s.rank != t.Root {
		if err := s.clear(ctx, at); err != nil {
			return false, err
		}
		copy(t.room(s.rank, at, len(t.In)), t.In)
		s.publish(at, t.Signature)
		return true, nil
	}
	if err := s.awaitAll(ctx, at, t.Signature); err != nil {
		return false, err
	}
	copy(t.room(s.rank, at, len(t.In)), t.In) // the own operand may be where the result goes
	t.fold(at, t.Out, 0, len(t.In))
	s.publish(at, t.Signature)
	return true, nil
}

// allreduceFlat: everybody reduces everything in the order of ranks: one step.
func (t *Task) allreduceFlat(ctx context.Context) (bool, error) {
	s, at := t.s, t.step(0)
	if t.phase == 0 {
		if err := s.clear(ctx, at); err != nil {
			return false, err
		}
		copy(t.room(s.rank, at, len(t.In)), t.In)
		s.publish(at, t.Signature)
		return false, nil
	}
	if err := s.awaitAll(ctx, at, t.Signature); err != nil {
		return false, err
	}
	t.fold(at, t.Out, 0, len(t.In))
	return true, nil
}

// fold reduces what all members have put into a step, from up to to, into dst.
func (t *Task) fold(at uint64, dst []byte, from, to int) {
	n := len(t.In)
	dst = dst[from:to]
	if len(dst) == 0 {
		return
	}
	acc := t.room(0, at, n)[from:to]
	if t.s.members == 1 {
		copy(dst, acc)
	}
	for m := 1; m < t.s.members; m++ {
		t.Kernel(dst, acc, t.room(m, at, n)[from:to])
		acc = dst
	}
}

// block is how many bytes of an allreduce go through the areas at a time: whole elements.
func (t *Task) block() int { return t.s.Area() / t.Size * t.Size }

// part is where member m's part of a block of n bytes begins.
func (t *Task) part(m, n int) int {
	if m == t.s.members {
		return n
	}
	at := n / t.Size * m / t.s.members * t.Size
	if whole := at &^ 63; whole%t.Size == 0 && n/t.s.members >= 256 { // two who write share no line of the cache
		return whole
	}
	return at
}

// allreduceParts: each reduces a part of a block, from the areas of the others and its own In, into its own area, and takes
// the parts of the others from theirs. Two steps a block, three phases. Blocks use the two areas in turn, beginning with the
// one that was not used in the last step of the operation before; when their number is odd another step says that the last
// one, whose area comes next, has been read.
func (t *Task) allreduceParts(ctx context.Context) (bool, error) {
	s, i := t.s, t.phase/3
	from := i * t.block()
	to := min(from+t.block(), len(t.In))
	in, out, n := t.In[from:to], t.Out[from:to], to-from
	at, parity := t.step(2*i), t.step(i)
	switch t.phase % 3 {
	case 0:
		if err := s.clear(ctx, at); err != nil {
			return false, err
		}
		own, low, high := s.area(s.rank, parity), t.part(s.rank, n), t.part(s.rank+1, n)
		copy(own, in[:low])
		copy(own[high:], in[high:])
		s.publish(at, t.Signature)
		return false, nil
	case 1:
		if err := s.awaitAll(ctx, at, t.Signature); err != nil {
			return false, err
		}
		t.foldPart(parity, in, n)
		s.publish(at+1, t.Signature)
		return false, nil
	}
	if err := s.awaitAll(ctx, at+1, t.Signature); err != nil {
		return false, err
	}
	for m := range s.members {
		low, high := t.part(m, n), t.part(m+1, n)
		copy(out[low:high], s.area(m, parity)[low:high])
	}
	if to < len(t.In) {
		return false, nil
	}
	if at+2 == s.step {
		s.publish(s.step, t.Signature)
	}
	return true, nil
}

// partSteps is how many steps allreduceParts has.
func (t *Task) partSteps() uint64 {
	blocks := uint64((len(t.In) + t.block() - 1) / t.block())
	return 2*blocks + blocks%2
}

// foldPart reduces this member's part of a block of n bytes, in the order of ranks.
func (t *Task) foldPart(parity uint64, in []byte, n int) {
	s := t.s
	low, high := t.part(s.rank, n), t.part(s.rank+1, n)
	if low == high {
		return
	}
	operand := func(m int) []byte {
		if m == s.rank {
			return in[low:high]
		}
		return s.area(m, parity)[low:high]
	}
	acc := s.area(s.rank, parity)[low:high]
	left := operand(0)
	if s.members == 1 {
		copy(acc, left)
	}
	for m := 1; m < s.members; m++ {
		t.Kernel(acc, left, operand(m))
		left = acc
	}
}
