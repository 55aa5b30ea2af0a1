package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// retryEvery is the pause between two tries to reach a server that is not there yet.
const retryEvery = 20 * time.Millisecond

// meet posts the first receive and finds the peer.
func (s *Session) meet() error {
	if !s.need.NoRecv {
		if err := s.Repost(); err != nil {
			return err
		}
	}
	if !s.Client && s.env.Ready != nil {
		s.env.Ready()
	}
	if s.oob != nil && !s.need.NoAddress && !s.need.NoExchange {
		if err := s.GreetOOB(); err != nil {
			return err
		}
	}
	switch {
	case s.need.NoAddress || s.need.NoExchange:
		return nil
	case s.exchangesOOB():
		return s.Reacquaint()
	case s.Client:
		return s.Introduce(s.Info.DestAddr)
	}
	return s.Meet()
}

// Insert gives the peer a name in the address vector and makes it the one that is talked to.
func (s *Session) Insert(raw []byte) error {
	var out [1]fi.Addr
	if _, err := s.AV.Insert([][]byte{raw}, out[:], 0); err != nil {
		return fail.Call("fi_av_insert", err)
	}
	s.Peer = out[0]
	return nil
}

// Introduce is the client's part of the exchange by messages: the server learns our address and answers. A server that
// is not there yet is waited for.
func (s *Session) Introduce(server []byte) error {
	if len(server) == 0 {
		return fail.Call("fi_getinfo", &fi.Error{Op: "getinfo", Provider: s.Info.Fabric.ProvName, Err: fi.ErrAddrNotAvail,
			Hint: "the server's name gave no address"})
	}
	if err := s.Insert(server); err != nil {
		return err
	}
	name, err := s.EP.Name()
	if err != nil {
		return fail.Call("fi_getname", err)
	}
	if s.Datagrams() {
		return s.introduceAgain(server, name)
	}
	n := copy(s.Tx, name)
	if err := s.SendToNew(s.Tx[:n]); err != nil {
		return err
	}
	if err := s.WaitRx(s.RxSeq); err != nil {
		return err
	}
	return s.Repost()
}

// SendToNew sends the first message to the server, which may not be there yet.
func (s *Session) SendToNew(buf []byte) error {
	var deadline time.Time
	if s.Opt.Timeout > 0 {
		deadline = time.Now().Add(s.Opt.Timeout)
	}
	defer s.tellWaiting(s.Info.DestAddr)()
	for {
		seq, done := s.TxSeq, s.TxDone
		err := s.PostTx(buf, s.contexts[0])
		if err == nil {
			if err = s.WaitTx(s.TxSeq); err == nil {
				return nil
			}
		}
		if !absent(err) || !deadline.IsZero() && time.Now().After(deadline) {
			for range 2 { // the receive with the same context is the first; what is not taken back, closing waits for
				s.EP.Cancel(s.contexts[0]) //nolint:errcheck // not every provider takes a send back
			}
			return s.noServer(s.Info.DestAddr, err)
		}
		s.TxSeq, s.TxDone = seq, done // that message never was
		select {
		case <-s.env.Ctx.Done():
			return context.Cause(s.env.Ctx)
		case <-time.After(retryEvery):
		}
	}
}

// introduceAgain is Introduce by datagrams, which nobody misses: our address is sent until the server answers. It has the
// time of introduceEvery to do that, or would take the next one for the first message of the run.
func (s *Session) introduceAgain(server, name []byte) error {
	defer s.tellWaiting(server)()
	var p patience
	for next := time.Now(); s.RxDone < s.RxSeq; {
		if now := time.Now(); now.After(next) {
			next = now.Add(introduceEvery)
			s.TxSeq = 0 // all of these are one
			if err := s.PostTx(s.Tx[:copy(s.Tx, name)], s.contexts[0]); err != nil {
				return err
			}
		}
		err := s.Progress()
		if err == nil {
			err = s.lookForRx()
		}
		if err == nil {
			err = s.tired(&p)
		}
		if err != nil {
			return s.noServer(server, err)
		}
	}
	s.TxDone = s.TxSeq
	return s.Repost()
}

// introduceEvery is the pause between two introductions by datagrams.
const introduceEvery = 2 * time.Second

// lookForRx takes a completion of a receive if there is one.
func (s *Session) lookForRx() error {
	if s.RxCntr != nil {
		s.RxDone = s.RxCntr.Read()
		return nil
	}
	ok, err := s.Take(s.RxCQ)
	if ok {
		s.RxDone++
	}
	return err
}

// absent tells whether an error may mean that the peer has not been started yet.
func absent(err error) bool {
	for _, e := range []fi.Errno{fi.ErrConnRefused, fi.ErrHostUnreach, fi.ErrNoEnt, fi.ErrConnReset, fi.ErrAddrNotAvail, fi.ErrNotConn} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (s *Session) noServer(server []byte, err error) error {
	if !absent(err) && !errors.Is(err, fi.ErrTimedOut) {
		return err
	}
	return s.noServerTo("fi_send", server)
}

// noServerTo is the error of a client whose server did not come.
func (s *Session) noServerTo(call string, server []byte) error {
	return &fail.Hint{
		Err: fail.Call(call, &fi.Error{Op: "connect", Provider: s.Info.Fabric.ProvName, Err: fi.ErrTimedOut,
			Hint: fmt.Sprintf("no server at %s for %v", fi.FormatAddr(s.Info.AddrFormat, server), s.Opt.Timeout)}),
		Next: startServer(s.Info.AddrFormat, s.Opt.Server),
	}
}

// startServer says what a client needs at an address. A server that is told nothing may listen on IPv4 alone.
func startServer(f fi.AddrFormat, name string) string {
	next := "start the server first: the same command without the server's name"
	if f == fi.AddrFormatSockaddr6 {
		next += "; if it runs, it listens on IPv4 only: give it -s " + name
	}
	return next
}

// Meet is the server's part.
func (s *Session) Meet() error {
	n, err := s.waitName()
	if err != nil {
		return err
	}
	if err := s.Insert(s.Rx[:n]); err != nil {
		return err
	}
	if err := s.Repost(); err != nil {
		return err
	}
	if err := s.PostTx(s.Tx[:1], s.contexts[0]); err != nil {
		return err
	}
	return s.WaitTx(s.TxSeq)
}

// waitName waits for the message with the client's address and tells how long it is. A counter does not know: the address
// is the beginning of the buffer then.
func (s *Session) waitName() (int, error) {
	if s.RxCQ == nil {
		return CtrlSize, s.WaitRx(s.RxSeq)
	}
	e, err := s.Next(s.RxCQ)
	if err != nil {
		return 0, err
	}
	s.RxDone++
	return e.Len, nil
}
