package functional

import (
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// The tags of the two receives.
const (
	cancelTag   = 0xC
	standardTag = 0xA
)

// runRecvCancel cancels one of two posted receives; the other one, and the same posted again, must still work.
func runRecvCancel(env *scenario.Env) error {
	s, err := session.Open(env, session.Need{Caps: fi.CapTagged, Size: session.CtrlSize, Connects: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	say := func(text string) {
		if env.Opt.Verbose {
			fmt.Fprintln(env.Out, text)
		}
	}
	if s.Client {
		err = cancelClient(s, say)
	} else {
		err = cancelServer(s, say)
	}
	if err != nil {
		return err
	}
	if err := s.Shutdown(); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	fmt.Fprintln(env.Out, "GOOD: Completed Recv Cancel Test")
	return nil
}

func cancelClient(s *session.Session, say func(string)) error {
	if err := s.Receive(1); err != nil { // the server is ready
		return err
	}
	for _, m := range []struct {
		tag  uint64
		name string
	}{{standardTag, "STANDARD"}, {cancelTag, "CANCEL"}} {
		s.TxTag = m.tag
		if err := s.PostTx(s.Tx[:session.CtrlSize], s.Context(0)); err != nil {
			return err
		}
		say(m.name + " msg posted to server")
	}
	if err := s.WaitTx(s.TxSeq); err != nil || !s.Connected() {
		return err
	}
	return s.Receive(1) // the server has all: what it has not received is gone with the connection
}

func cancelServer(s *session.Session, say func(string)) error {
	canceled, standard := new(int), new(int)
	buf := s.Rx[:session.CtrlSize]
	s.RxTag = cancelTag
	if err := s.PostRx(buf, canceled); err != nil {
		return err
	}
	s.RxTag = standardTag
	if err := s.PostRx(buf, standard); err != nil {
		return err
	}
	if err := s.EP.Cancel(canceled); err != nil {
		return fail.Call("fi_cancel", err)
	}
	_, err := s.Next(s.RxCQ)
	e, isErr := errors.AsType[*cq.ErrEntry](err)
	switch {
	case err == nil:
		return fail.Call("fi_cq_read", fmt.Errorf("no error CQ entry in cq_read detected: %w", fi.ErrOther))
	case !isErr:
		return err
	}
	say("GOOD: detected error cq entry")
	switch {
	case e.Err != fi.ErrCanceled:
		return fail.Call("fi_cq_readerr", fmt.Errorf("error code is incorrect: %w", e))
	case e.Flags&fi.CompRecv == 0 || e.Context != any(canceled):
		return fail.Call("fi_cq_readerr", fmt.Errorf("cancelled completion flags or context are incorrect: %w", fi.ErrOther))
	}
	say("GOOD: error entry has expected values")
	if err := s.RxCQ.ReadErr(new(cq.ErrEntry)); !errors.Is(err, fi.ErrAgain) {
		return fail.Call("fi_cq_readerr", fmt.Errorf("another CQ error entry was populated: %w", fi.ErrOther))
	}
	say("GOOD: no extra error entries detected")
	if err := s.Send(1); err != nil { // the client may send
		return err
	}
	if _, err := expectContext(s, "rxcq", standard); err != nil {
		return err
	}
	say("GOOD: Completed uncancelled recv")
	s.RxTag = cancelTag
	if err := s.PostRx(buf, canceled); err != nil {
		return err
	}
	if _, err := expectContext(s, "rxcq", canceled); err != nil {
		return err
	}
	say("GOOD: Completed reposted cancelled recv")
	if s.Connected() {
		return s.Send(1)
	}
	return nil
}
