package bench

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

func runRMAPingPong(env *scenario.Env) error {
	op := env.Opt.Op
	if op == "" {
		op = "write"
	}
	usage := func(text string) error {
		return &fail.Usage{Text: "rma_pingpong: " + text, Next: "fabtests rma_pingpong -o writedata"}
	}
	need := session.Need{Caps: fi.CapMsg | fi.CapRMA | fi.CapWrite | fi.CapRemoteWrite, Connects: true, Remote: true}
	switch {
	case op == "read":
		need.Caps = fi.CapMsg | fi.CapRMA
	case op == "write" && env.Opt.Verify:
		return usage("the last byte of a write tells that it has come, not that all of it has: -v goes with writedata and read")
	case env.Opt.Counters:
		return &fail.Usage{Text: "rma_pingpong: completions are not counted here: leave -t counter out", Next: "fabtests rma_pingpong -o " + op}
	}
	s, err := session.Open(env, need)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Finish has closed it when all went well
	if err := s.ExchangeKeys(); err != nil {
		return err
	}
	for _, size := range s.Sizes() {
		n, per := s.Opt.Count(size), 2
		switch {
		case op == "read":
			per = 1
			err = rmaRead(s, size, n)
		case size == 0 && op == "write":
			return usage("a write of 0 bytes has no last byte to wait for")
		default:
			err = rmaPingPong(s, op, size, n)
		}
		if err != nil {
			return err
		}
		if op != "read" || s.Client {
			env.Report.Row(s.Row(size, n, per))
		}
	}
	return s.Finish()
}

// rmaPingPong writes forth and back. The last byte of a plain write is the number of the iteration, and is polled by the
// target; a write with data has a completion there.
func rmaPingPong(s *session.Session, op string, size, n int) error {
	if op == "write" {
		s.Rx[size-1] = 0xff
	}
	if err := s.Sync(); err != nil {
		return err
	}
	inject := size <= s.RMAInject()
	send := func(i int) error {
		buf := s.Tx[:size]
		if s.Opt.Verify || s.Opt.Touch {
			s.Prepare(buf)
		}
		var err error
		switch {
		case op == "writedata" && inject:
			return s.InjectWriteData(buf)
		case op == "writedata":
			err = s.PostWriteData(buf, s.Context(0))
		case inject:
			buf[size-1] = byte(i)
			return s.InjectWrite(buf)
		default:
			buf[size-1] = byte(i)
			err = s.PostWrite(buf, s.Context(0))
		}
		if err != nil {
			return err
		}
		return s.WaitTx(s.TxSeq)
	}
	receive := func(i int) error {
		if op == "write" {
			return s.WaitByte(s.Rx[:size], byte(i))
		}
		return receiveData(s, size)
	}
	if !s.Client {
		send, receive = receive, send
	}
	receive = s.Lapped(2, receive)
	s.WarmUp()
	for i := range n + s.Opt.Warmup {
		if i == s.Opt.Warmup {
			s.Start()
		}
		if err := send(i); err != nil {
			return err
		}
		if err := receive(i); err != nil {
			return err
		}
	}
	s.Stop()
	return nil
}

// receiveData waits for a write with data. It uses up a receive where the provider says so.
func receiveData(s *session.Session, size int) error {
	consumes := s.Info.Mode&fi.ModeRxCQData != 0
	if !consumes {
		s.RxSeq++
	}
	want := s.RxSeq
	if !consumes {
		want-- // the receive for the next message is still posted
	}
	if err := s.WaitRx(want); err != nil {
		return err
	}
	if err := s.Inspect(s.Rx[:max(size-1, 0)]); err != nil { // the last byte may be a number
		return err
	}
	if consumes {
		return s.Repost()
	}
	return nil
}

// rmaRead reads from the server, which only waits for the end.
func rmaRead(s *session.Session, size, n int) error {
	s.Prepare(s.Tx[:size])
	if err := s.Sync(); err != nil {
		return err
	}
	if s.Client {
		for i := range n + s.Opt.Warmup {
			if i == s.Opt.Warmup {
				s.Start()
			}
			if err := s.PostRead(s.Rx[:size], s.Context(0)); err != nil {
				return err
			}
			if err := s.WaitTx(s.TxSeq); err != nil {
				return err
			}
			if err := s.Inspect(s.Rx[:size]); err != nil {
				return err
			}
			if s.Opt.Percentiles {
				s.Lap(1)
			}
		}
		s.Stop()
	}
	if err := s.SyncInBand(); err != nil {
		return err
	}
	return s.Repost()
}
