package ubertest

import (
	"bytes"
	"fmt"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fi"
)

// shifts are how far from each other operands, targets and comparands begin in the pattern, when the peer knows that, too: one
// in three comparands is that of the target. C's program has the same values in operands and targets, and zeros to compare.
const (
	targetShift  = 7
	compareShift = 19
)

// fillAtomic writes operands, targets and comparands.
func (s *side) fillAtomic() {
	m, dt := s.mem, s.t.Datatype
	n := s.count * dt.Size()
	pattern.FillElements(m.tx[:n], dt, 0)
	clear(m.compare[:n])
	if s.ours {
		pattern.FillElements(m.region[:n], dt, targetShift)
		pattern.FillElements(m.compare[:n], dt, compareShift)
		for i := 0; i < n; i += 3 * dt.Size() {
			copy(m.compare[i:i+dt.Size()], m.region[i:])
		}
	} else {
		pattern.FillElements(m.region[:n], dt, 0)
	}
	copy(m.sent[:n], m.tx)
	copy(m.before[:n], m.region)
	clear(m.result[:n])
}

// verifyAtomic computes what our region must hold now, and what came back: both sides did the same to each other.
func (s *side) verifyAtomic() error {
	m, dt, op := s.mem, s.t.Datatype, s.t.Op
	k, err := fiatomic.Lookup(s.t.Function.atomicKind(), dt, op)
	if err != nil {
		return err
	}
	n := s.count * dt.Size()
	target := bytes.Clone(m.before[:n])
	var operand, compare, old []byte
	if k.NeedsOperand() {
		operand = m.sent[:n]
	}
	if k.NeedsCompare() {
		compare = m.compare[:n]
	}
	if k.GivesResult() {
		old = make([]byte, n)
	}
	if err := k.Apply(target, operand, compare, old, s.count); err != nil {
		return err
	}
	if i := differ(m.region[:n], target, dt); i >= 0 {
		return fmt.Errorf("%v on %v: element %d of the target is %x, not %x", op, dt, i, element(m.region, i, dt), element(target, i, dt))
	}
	if i := differ(m.result[:n], old, dt); old != nil && i >= 0 {
		return fmt.Errorf("%v on %v: element %d of the result is %x, not %x", op, dt, i, element(m.result, i, dt), element(old, i, dt))
	}
	return nil
}

// differ gives the first element in which two buffers differ; -1 for none.
func differ(got, want []byte, dt fi.Datatype) int {
	for i := range len(want) / dt.Size() {
		if !bytes.Equal(element(got, i, dt), element(want, i, dt)) {
			return i
		}
	}
	return -1
}

func element(b []byte, i int, dt fi.Datatype) []byte { return b[i*dt.Size():][:dt.Size()] }
