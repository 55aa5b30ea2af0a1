package ubertest

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/poll"
	"github.com/gofabric/gofabric/fi"
)

// listen makes the server of connected endpoints one that its client finds.
func (s *side) listen() (err error) {
	if s.pep, err = s.fab.OpenPassive(s.info); err != nil {
		return fail.Call("fi_passive_ep", err)
	}
	if err = s.pep.BindEQ(s.eq); err != nil {
		return fail.Call("fi_pep_bind", err)
	}
	return fail.Call("fi_listen", s.pep.Listen())
}

// meet finds the other side's endpoint, posts receives, and learns of the peer's region.
func (s *side) meet() error {
	if _, err := s.swap(encodeStatus(0)); err != nil { // both are open
		return err
	}
	if err := s.find(); err != nil {
		return err
	}
	if err := s.postReceives(); err != nil {
		return err
	}
	return s.exchangeRegions()
}

// find finds the endpoint.
func (s *side) find() error {
	if s.t.EP == fi.EPMsg {
		s.watch()
		defer s.limit()()
		defer s.c.Watch(nil)
		if s.env.Client {
			return s.connect()
		}
		return s.accept()
	}
	raw, err := s.ep.Name()
	if err != nil {
		return fail.Call("fi_getname", err)
	}
	out, err := encodeName(raw)
	if err != nil {
		return err
	}
	in, err := s.swap(out)
	if err != nil {
		return err
	}
	name, err := decodeName(in)
	if err != nil {
		return asLost(err)
	}
	var at [1]fi.Addr
	if _, err := s.av.Insert([][]byte{name}, at[:], 0); err != nil {
		return fail.Call("fi_av_insert", err)
	}
	s.peer = at[0]
	if s.info.Caps&fi.CapDirectedRecv != 0 {
		s.from = s.peer
	}
	return nil
}

// connect asks the server for a connection.
func (s *side) connect() error {
	if err := s.ep.Connect(s.info.DestAddr, nil); err != nil {
		return fail.Call("fi_connect", err)
	}
	_, err := s.event(fi.EventConnected)
	return err
}

// accept waits for the client and takes its connection.
func (s *side) accept() error {
	e, err := s.event(fi.EventConnReq)
	if err != nil {
		return err
	}
	if err := s.openActive(e.Info); err != nil {
		return err
	}
	if err := s.ep.Accept(nil); err != nil {
		return fail.Call("fi_accept", err)
	}
	_, err = s.event(fi.EventConnected)
	return err
}

// event waits for one of a connection, by the wait object of the test.
func (s *side) event(want fi.EQEvent) (e fi.EQEntry, err error) {
	for {
		if err = s.eq.Read(&e, 0); err != fi.ErrAgain { //nolint:errorlint // a bare value
			break
		}
		if err = s.blockEvents(&e); err != fi.ErrAgain { //nolint:errorlint // a bare value
			break
		}
		if err := s.ended(); err != nil {
			return e, err
		}
	}
	switch {
	case errors.Is(err, fi.ErrAvail):
		bad := new(fi.EQErrEntry)
		if err = s.eq.ReadErr(bad); err == nil {
			err = bad
		}
		return e, fail.Call("fi_eq_readerr", err)
	case err != nil && s.ended() != nil:
		return e, s.ended()
	case err != nil:
		return e, fail.Call("fi_eq_sread", err)
	case e.Event != want:
		return e, fail.Call("fi_eq_sread", fmt.Errorf("%v instead of %v: %w", e.Event, want, fi.ErrOther))
	}
	return e, nil
}

// blockEvents waits until there may be an event, which is fi.ErrAgain, or reads it.
func (s *side) blockEvents(e *fi.EQEntry) error {
	switch s.t.EQWait {
	case fi.WaitNone:
		runtime.Gosched()
	case fi.WaitFD:
		if s.eq.TryWait() != nil {
			break
		}
		fd, err := s.eq.FD()
		if err == nil {
			_, err = poll.Readable(fd, pollFor)
		}
		if err != nil {
			return err
		}
	default:
		return s.eq.SRead(s.ctx, e, 0)
	}
	return fi.ErrAgain
}

// exchangeRegions tells each side of the other's region, where it is not what was asked for.
func (s *side) exchangeRegions() error {
	mode := s.info.Domain.MRMode
	if mode&(fi.MRModeVirtAddr|fi.MRModeProvKey) == 0 {
		s.at.Addr, s.at.Key = 0, regionKey
		return nil
	}
	own := s.at
	if mode&fi.MRModeVirtAddr == 0 {
		own.Addr = 0
	}
	in, err := s.swap(encodeRegion(own))
	if err != nil {
		return err
	}
	s.at = decodeRegion(in)
	if mode&fi.MRModeProvKey == 0 {
		s.at.Key = regionKey
	}
	return nil
}
