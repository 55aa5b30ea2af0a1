package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// meetConnected connects two sides as libfabric's programs do: the server's receive is posted before it accepts, and the
// client's before it asks, so that the first message finds it.
func (s *Session) meetConnected() error {
	if s.Client {
		if err := s.OpenActive(s.Info); err != nil {
			return err
		}
		if err := s.prepost(); err != nil {
			return err
		}
		_, err := s.Connect(nil)
		return err
	}
	if err := s.Listen(nil); err != nil {
		return err
	}
	return s.AcceptRequest()
}

// AcceptRequest waits for a request, opens the endpoint for it, and accepts.
func (s *Session) AcceptRequest() error {
	e, err := s.Request()
	if err != nil {
		return err
	}
	if err := s.OpenActive(e.Info); err != nil {
		return err
	}
	if err := s.prepost(); err != nil {
		return err
	}
	return s.Accept(nil)
}

func (s *Session) prepost() error {
	if s.need.NoRecv {
		return nil
	}
	return s.Repost()
}

// OpenPassive opens the passive endpoint: at a name, or where getinfo says when that is nil.
func (s *Session) OpenPassive(name []byte) (err error) {
	info := s.Info
	if name != nil {
		info = info.Clone()
		info.SrcAddr = nil
	}
	if s.PEP, err = s.fabric.OpenPassive(info); err != nil {
		return fail.Call("fi_passive_ep", err)
	}
	if name != nil {
		err = s.PEP.SetName(name)
	}
	return fail.Call("fi_setname", err)
}

// Listen makes the server one that clients can connect to.
func (s *Session) Listen(name []byte) error {
	if err := s.OpenPassive(name); err != nil {
		return err
	}
	if err := s.PEP.BindEQ(s.EQ); err != nil {
		return fail.Call("fi_pep_bind", err)
	}
	if err := s.PEP.Listen(); err != nil {
		err = fail.Call("fi_listen", err)
		if errors.Is(err, fi.ErrAddrInUse) {
			err = &fail.Hint{Err: err, Next: fmt.Sprintf("another -B than %s, and the same with -P at the client", s.Opt.SrcPort)}
		}
		return err
	}
	if s.env.Ready != nil {
		s.env.Ready()
	}
	return nil
}

// Request waits for what a client asks for.
func (s *Session) Request() (fi.EQEntry, error) {
	return s.Event(fi.EventConnReq, s.PEP)
}

// Accept answers the request that the endpoint was opened with and waits until the connection is there.
func (s *Session) Accept(data []byte) error {
	if err := s.EP.Accept(data); err != nil {
		return fail.Call("fi_accept", err)
	}
	_, err := s.Event(fi.EventConnected, s.EP)
	return err
}

// Connect asks the server for a connection and waits for it; the event has what the server answered. A server that is not
// there yet is waited for, with a new endpoint for each try.
func (s *Session) Connect(data []byte) (fi.EQEntry, error) {
	var deadline time.Time
	if s.Opt.Timeout > 0 {
		deadline = time.Now().Add(s.Opt.Timeout)
	}
	defer s.tellWaiting(s.Info.DestAddr)()
	for {
		e, err := s.ConnectOnce(data)
		if err == nil || !missing(err) {
			return e, err
		}
		now := time.Now()
		if !deadline.IsZero() && now.After(deadline) {
			return e, s.noServerTo("fi_connect", s.Info.DestAddr)
		}
		select {
		case <-s.env.Ctx.Done():
			return e, context.Cause(s.env.Ctx)
		case <-time.After(retryEvery):
		}
		if err := s.startOver(); err != nil {
			return e, err
		}
	}
}

// startOver opens everything anew after a connection that failed.
func (s *Session) startOver() error {
	if err := s.CloseActive(); err != nil {
		return fail.Call("fi_close", err)
	}
	if err := s.OpenActive(s.Info); err != nil {
		return err
	}
	return s.prepost()
}

// ConnectOnce asks the server for a connection and waits for it; a server that is not there is an error.
func (s *Session) ConnectOnce(data []byte) (fi.EQEntry, error) {
	if len(s.Info.DestAddr) == 0 {
		return fi.EQEntry{}, fail.Call("fi_getinfo", &fi.Error{Op: "getinfo", Provider: s.Info.Fabric.ProvName, Err: fi.ErrAddrNotAvail,
			Hint: "the server's name gave no address"})
	}
	if err := s.EP.Connect(s.Info.DestAddr, data); err != nil {
		return fi.EQEntry{}, fail.Call("fi_connect", err)
	}
	return s.Event(fi.EventConnected, s.EP)
}

// missing tells whether a connection failed because no server is there. One that refuses says so with data, or is there.
func missing(err error) bool {
	bad, ok := errors.AsType[*fi.EQErrEntry](err)
	return absent(err) && !(ok && len(bad.ErrData) > 0)
}

// Reopen replaces the endpoint, which has had its connection, by a new one. There are no receives posted.
func (s *Session) Reopen() error {
	if err := s.closeEndpoints(); err != nil {
		return fail.Call("fi_close", err)
	}
	if err := s.openEndpoints(); err != nil {
		return err
	}
	return s.register()
}

// Event waits for an event of an object; another one is an error.
func (s *Session) Event(want fi.EQEvent, at any) (fi.EQEntry, error) {
	e, err := s.AnyEvent()
	if err == nil && (e.Event != want || e.FID != at) {
		err = fail.Call("fi_eq_sread", fmt.Errorf("unexpected CM event %v of %T, expected %v: %w", e.Event, e.FID, want, fi.ErrOther))
	}
	return e, err
}

// AnyEvent waits for the next event.
func (s *Session) AnyEvent() (e fi.EQEntry, err error) {
	ctx, stop := s.limited()
	defer stop()
	err = s.EQ.SRead(ctx, &e, 0)
	switch {
	case errors.Is(err, fi.ErrAvail):
		bad := new(fi.EQErrEntry)
		if err = s.EQ.ReadErr(bad); err == nil {
			err = bad
		}
		return e, fail.Call("fi_eq_readerr", err)
	case err != nil && s.env.Ctx.Err() != nil:
		return e, context.Cause(s.env.Ctx)
	case err != nil && ctx.Err() != nil:
		return e, s.timedOut()
	case err != nil:
		return e, fail.Call("fi_eq_sread", err)
	}
	return e, nil
}

// Shutdown ends the connections; nothing for other endpoints.
func (s *Session) Shutdown() error {
	if !s.Connected() {
		return nil
	}
	var errs []error
	for _, ep := range s.EPs {
		if err := ep.Shutdown(); !errors.Is(err, fi.ErrNotConn) {
			errs = append(errs, err)
		}
	}
	return fail.Call("fi_shutdown", errors.Join(errs...))
}
