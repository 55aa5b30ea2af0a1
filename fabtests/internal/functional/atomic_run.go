package functional

import (
	"bytes"
	"fmt"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// atomicRun is one operation on one data type.
type atomicRun struct {
	s    *session.Session
	kind fi.AtomicKind
	op   fi.AtomicOp
	dt   fi.Datatype

	operand []byte // in the transmit buffer
	result  []byte
	compare []byte
	ctx     any
}

func newAtomicRun(s *session.Session, kind fi.AtomicKind, op fi.AtomicOp, dt fi.Datatype) *atomicRun {
	n := dt.Size()
	a := &atomicRun{s: s, kind: kind, op: op, dt: dt, operand: s.Tx[:n], ctx: s.Context(0)}
	if kind != fi.AtomicBase {
		a.result = make([]byte, n)
	}
	if kind == fi.AtomicCompare {
		a.compare = make([]byte, n)
	}
	return a
}

// valid asks whether the endpoint can do it.
func (a *atomicRun) valid() error {
	var err error
	switch a.kind {
	case fi.AtomicBase:
		_, err = a.s.EP.AtomicValid(a.dt, a.op)
	case fi.AtomicFetch:
		_, err = a.s.EP.FetchAtomicValid(a.dt, a.op)
	default:
		_, err = a.s.EP.CompareAtomicValid(a.dt, a.op)
	}
	return err
}

// once runs the operation and, with -v, checks what it did.
func (a *atomicRun) once() error {
	if !a.s.Opt.Verify {
		return a.execute()
	}
	before := pattern.Element(a.dt)
	copy(a.operand, before)
	copy(a.s.Rx, before)
	copy(a.compare, before)
	clear(a.result)
	if err := a.s.Sync(); err != nil {
		return err
	}
	if err := a.execute(); err != nil {
		return err
	}
	if err := a.s.Sync(); err != nil {
		return err
	}
	return fail.Call("ft_check_atomic", a.check(before))
}

// execute posts the operation and waits for it.
func (a *atomicRun) execute() error {
	s := a.s
	for {
		var err error
		switch a.kind {
		case fi.AtomicBase:
			err = s.EP.Atomic(a.operand, s.Peer, s.Remote, a.dt, a.op, a.ctx)
		case fi.AtomicFetch:
			err = s.EP.FetchAtomic(a.operand, a.result, s.Peer, s.Remote, a.dt, a.op, a.ctx)
		default:
			err = s.EP.CompareAtomic(a.operand, a.compare, a.result, s.Peer, s.Remote, a.dt, a.op, a.ctx)
		}
		if err == nil {
			s.TxSeq++
			return s.WaitTx(s.TxSeq)
		}
		if err != fi.ErrAgain { //nolint:errorlint // a bare value
			return fail.Call("fi_atomic", err)
		}
		if err := s.Progress(); err != nil {
			return err
		}
	}
}

// check computes what our memory must hold now, and what came back: both sides did the same to each other.
func (a *atomicRun) check(before []byte) error {
	k, err := fiatomic.Lookup(a.kind, a.dt, a.op)
	if err != nil {
		return err
	}
	n := a.dt.Size()
	target := bytes.Clone(before)
	var operand, compare, old []byte
	if k.NeedsOperand() {
		operand = a.operand
	}
	if k.NeedsCompare() {
		compare = a.compare
	}
	if k.GivesResult() {
		old = make([]byte, n)
	}
	if err := k.Apply(target, operand, compare, old, 1); err != nil {
		return err
	}
	if got := a.s.Rx[:n]; !bytes.Equal(got, target) {
		return fmt.Errorf("%v on %v: target is %x, expected %x: %w", a.op, a.dt, got, target, fi.ErrIO)
	}
	if old != nil && !bytes.Equal(a.result, old) {
		return fmt.Errorf("%v on %v: result is %x, expected %x: %w", a.op, a.dt, a.result, old, fi.ErrIO)
	}
	return nil
}
