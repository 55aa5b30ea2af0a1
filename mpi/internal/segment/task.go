package segment

import (
	"context"

	"github.com/gofabric/gofabric/mpi/internal/reduce"
)

// Kind is an operation.
type Kind uint8

// Operations. In and Out hold one block of the same length at all members, but for Allgather, whose Out has one of each
// member.
const (
	Barrier   Kind = iota
	Bcast          // Out of the root to Out of the others
	Reduce         // In of all to Out of the root
	Allreduce      // In of all to Out of all
	Allgather      // In of all to Out of all
)

// Task is one operation of a member. In and Out may be the same memory; of Allgather In may be one's own place in Out.
type Task struct {
	Kind      Kind
	Root      int
	In, Out   []byte
	Size      int // bytes of an element
	Kernel    reduce.Kernel
	Signature uint64

	s     *Segment
	first uint64 // the step before its first
	phase int
	act   func(*Task, context.Context) (done bool, err error)
}

// Serves tells whether a segment can do an operation on blocks of a number of bytes, of elements of a size.
func (s *Segment) Serves(k Kind, bytes, size int) bool {
	switch k {
	case Barrier:
		return true
	case Reduce:
		return bytes <= s.Area() // the root does all of the work
	case Allreduce:
		return size <= s.Area()/s.members/2
	}
	return true
}

// flat is up to how many bytes every member reduces everything itself, instead of a part of it in two steps.
func (s *Segment) flat() int { return 8 << 10 / s.members }

// Begin makes a task the segment's next one. The one before must have ended well.
//
//fabric:fastpath
func (s *Segment) Begin(t *Task) {
	t.s, t.first, t.phase = s, s.step, 0
	n := len(t.Out)
	switch t.Kind {
	case Barrier:
		t.act = (*Task).barrier
		s.step++
	case Bcast:
		t.act = (*Task).bcast
		s.step += s.pieces(n)
	case Reduce:
		t.act = (*Task).reduce
		s.step++
	case Allreduce:
		if n = len(t.In); n <= max(s.flat(), inline) {
			t.act = (*Task).allreduceFlat
			s.step++
		} else {
			t.act = (*Task).allreduceParts
			s.step += t.partSteps()
		}
	case Allgather:
		t.act = (*Task).allgather
		s.step += s.pieces(len(t.In))
	}
}

// pieces is in how many steps a block goes through an area.
func (s *Segment) pieces(n int) uint64 { return uint64(max(1, (n+s.Area()-1)/s.Area())) }

// Run executes the task. After an error of Idle it may be called again and goes on; after ErrMismatch, ErrSpoiled and ErrLost the
// segment is of no use any more.
func (t *Task) Run(ctx context.Context) error {
	for {
		if done, err := t.act(t, ctx); done || err != nil {
			return err
		}
		t.phase++
	}
}

// step is the number of the i-th step of the task, from 0.
func (t *Task) step(i int) uint64 { return t.first + 1 + uint64(i) }

// room is where a member puts n bytes in a step.
func (t *Task) room(member int, step uint64, n int) []byte {
	if n <= inline {
		return t.s.line(member, step).data[:n]
	}
	return t.s.area(member, step)[:n]
}

func (t *Task) barrier(ctx context.Context) (bool, error) {
	if t.phase == 0 {
		t.s.publish(t.step(0), t.Signature)
		return false, nil
	}
	return true, t.s.awaitAll(ctx, t.step(0), t.Signature)
}
