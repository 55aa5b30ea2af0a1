package ubertest

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// data is what operations carry for the peer's completion: the constant of fabtests, in the 4 bytes that are asked for or
// as much as the provider has.
func (s *side) data() uint64 {
	if n := s.info.Domain.CQDataSize; n < 8 {
		return session.CQData & (1<<(8*n) - 1)
	}
	return session.CQData
}

// again repeats a call while the provider has no room.
func (s *side) again(name string, call func() error) error {
	var p patience
	for {
		err := call()
		if err != fi.ErrAgain { //nolint:errorlint // documented: bare values
			return fail.Call(name, err)
		}
		if err := s.tx.look(); err != nil {
			return err
		}
		if err := s.rx.look(); err != nil {
			return err
		}
		if err := s.tired(&p); err != nil {
			return err
		}
	}
}

// expectTx notes what one operation will leave on this side.
func (s *side) expectTx(entry bool) {
	if s.tx.cntr != nil {
		s.tx.events++
	}
	if entry {
		s.tx.entries++
	}
}

// send begins one transfer of the test.
func (s *side) send() error {
	if s.tx.owed() >= credits {
		if err := s.wait(&s.tx, credits-1); err != nil {
			return err
		}
	}
	entry := s.t.completesTx()
	var ctx any
	if entry {
		ctx = s.tx.context()
	}
	var err error
	switch {
	case s.t.Class&fi.CapAtomic != 0:
		err = s.atomic(ctx)
	case s.t.Class&fi.CapRMA != 0:
		err = s.rma(ctx)
	case s.t.Class&fi.CapTagged != 0:
		err = s.taggedSend(ctx)
	default:
		err = s.plainSend(ctx)
	}
	if err != nil {
		return err
	}
	s.expectTx(entry)
	if s.t.Function.injects() && s.t.Type == unitTest {
		clear(s.mem.tx[:s.size]) // it was copied, or the peer will notice
	}
	return nil
}

// empty sends an empty message behind the transfers of a test, with a completion whatever the queue is bound like.
func (s *side) empty() error {
	if err := s.wait(&s.tx, 0); err != nil {
		return err
	}
	ctx := s.tx.context()
	err := s.again("fi_sendmsg", func() error {
		if s.t.Class&fi.CapTagged != 0 {
			return s.ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{s.mem.tx[:0]}, Addr: s.peer, Tag: s.tx.tag, Context: ctx}, fi.OpCompletion)
		}
		return s.ep.SendMsg(&fi.Msg{Iov: [][]byte{s.mem.tx[:0]}, Addr: s.peer, Context: ctx}, fi.OpCompletion)
	})
	if err != nil {
		return err
	}
	if s.t.Class&fi.CapTagged != 0 {
		s.tx.tag++
	}
	s.expectTx(true)
	return s.wait(&s.tx, 0)
}

// receive waits for n transfers of the other side.
func (s *side) receive(n int) error {
	if s.rx.cntr != nil {
		s.rx.events += uint64(n)
	}
	if s.t.completesRx() {
		s.rx.entries += uint64(n)
	}
	taken := 0
	if !s.t.remote() || s.t.withData() && s.t.Mode&fi.ModeRxCQData != 0 {
		taken = n
	}
	return s.arrived(taken)
}

// receiveEmpty waits for an empty message.
func (s *side) receiveEmpty() error {
	if s.rx.cntr != nil {
		s.rx.events++
	}
	if s.t.receiveCompletes() {
		s.rx.entries++
	}
	return s.arrived(1)
}

// arrived waits for all that was expected, while there are receives for it. taken is how many of them it takes.
func (s *side) arrived(taken int) error {
	for taken > 0 { // more than are posted come one half after another
		part := min(taken, s.posted)
		if err := s.wait(&s.rx, uint64(taken-part)); err != nil {
			return err
		}
		taken -= part
		if s.posted -= part; s.posted < credits/2 {
			if err := s.postReceives(); err != nil {
				return err
			}
		}
	}
	return s.wait(&s.rx, 0)
}
