package ubertest

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fi"
)

// errVerify is that data or a completion is not what it should be: the test goes on, and has failed.
var errVerify = errors.New("verification failed")

// wrongData makes a failed verification of an error.
func wrongData(err error) error {
	if err == nil {
		return nil
	}
	return fail.Call("ft_verify", fmt.Errorf("%w: %w: %w", errVerify, err, fi.ErrIO))
}

// unit has both sides do n transfers at the same time, and verifies what they did.
func (s *side) unit(n int) error {
	first := error(nil)
	s.rx.each = s.verifyEntry(&first)
	defer func() { s.rx.each = nil }()
	for range n {
		if err := s.fill(); err != nil {
			return err
		}
		if err := s.send(); err != nil {
			return err
		}
		if err := s.wait(&s.tx, 0); err != nil {
			return err
		}
		if !s.t.seesRx() {
			if err := s.empty(); err != nil {
				return err
			}
		}
		if err := s.receiveOne(); err != nil {
			return err
		}
		if err := s.verify(); err != nil && first == nil {
			first = err
		}
	}
	return wrongData(first)
}

// fill writes what is to be transferred, while the other side does not look.
func (s *side) fill() error {
	if err := s.barrier(); err != nil {
		return err
	}
	m := s.mem
	switch {
	case s.t.Class&fi.CapAtomic != 0:
		s.fillAtomic()
	case s.t.Function.reads():
		pattern.Fill(m.region[:s.size])
		clear(m.tx[:s.size])
	default:
		pattern.Fill(m.tx[:s.size])
		if s.t.remote() {
			clear(m.region[:s.size])
		} else {
			clear(m.rx[:s.size])
		}
	}
	// With the domain's lock held once, what its own goroutine writes for the other side comes after what was done here: that
	// side has waited for us, but through another process, where the race detector does not look.
	if _, err := s.rx.q.Read(nil); err != nil && err != fi.ErrAgain { //nolint:errorlint // a bare value
		return s.rx.failed("fi_cq_read", err)
	}
	return s.barrier()
}

// verify looks at what has come.
func (s *side) verify() error {
	m := s.mem
	switch {
	case s.t.Class&fi.CapAtomic != 0:
		return s.verifyAtomic()
	case s.t.Function.reads():
		return pattern.Check(m.tx[:s.size])
	case s.t.remote():
		return pattern.Check(m.region[:s.size])
	}
	return pattern.Check(m.rx[:s.size])
}

// verifyEntry gives what looks at the completions of transfers, as far as their format has something to look at. The first
// that is not right is kept.
func (s *side) verifyEntry(first *error) func(*cq.Entry) error {
	tag := s.rx.tag - uint64(s.posted)
	at := (s.rx.current - s.posted + 2*credits) % credits // contexts come in the order in which receives were posted
	return func(e *cq.Entry) error {
		if !s.t.completesRx() {
			return nil // of an empty message behind a transfer
		}
		if err := s.verifyOne(e, &tag, &at); err != nil && *first == nil {
			*first = err
		}
		return nil
	}
}

// verifyOne looks at one entry. tag and at are what the next message should have: its tag, and its context.
func (s *side) verifyOne(e *cq.Entry, tag *uint64, at *int) error {
	t := s.t
	messages := t.Class&(fi.CapMsg|fi.CapTagged) != 0
	const kinds = fi.CompMsg | fi.CompTagged | fi.CompRMA | fi.CompAtomic | fi.CompSend | fi.CompRecv | fi.CompWrite | fi.CompRead | fi.CompRemoteWrite | fi.CompRemoteRead
	want := fi.CompMsg | fi.CompRecv
	switch {
	case t.Class&fi.CapTagged != 0:
		want = fi.CompTagged | fi.CompRecv
	case t.Class&fi.CapRMA != 0:
		want = fi.CompRMA | fi.CompRemoteWrite
	}
	defer func() { *tag++ }()
	switch {
	case t.Format >= fi.CQFormatTagged && t.Class&fi.CapTagged != 0 && e.Tag != *tag:
		return fmt.Errorf("the completion has tag %d, not %d", e.Tag, *tag)
	case t.Format >= fi.CQFormatData && t.withData() && (e.Flags&fi.CompRemoteCQData == 0 || e.Data != s.data()):
		return fmt.Errorf("the completion has data %#x and flags %v, not data %#x", e.Data, e.Flags, s.data())
	case t.Format >= fi.CQFormatMsg && e.Flags&kinds != want:
		return fmt.Errorf("the completion has flags %v, not %v", e.Flags&kinds, want)
	case t.Format >= fi.CQFormatMsg && messages && e.Len != s.size:
		return fmt.Errorf("the completion has %d bytes, not %d", e.Len, s.size)
	case messages:
		*at = (*at + 1) % credits
		if e.Context != s.rx.contexts[*at] {
			return errors.New("the completion has another receive's context")
		}
	}
	return nil
}
