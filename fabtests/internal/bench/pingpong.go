package bench

import (
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// runPingPong makes the run function of a ping-pong.
func runPingPong(need session.Need) func(*scenario.Env) error {
	return func(env *scenario.Env) error {
		need := need
		need.OOBSync = env.Opt.EPType == fi.EPDgram && env.Opt.PeerVersion != 0 // C's program trusts datagrams with nothing else
		s, err := session.Open(env, need)
		if err != nil {
			return err
		}
		defer s.Close() //nolint:errcheck // Finish has closed it when all went well
		for _, size := range s.Sizes() {
			n := s.Opt.Count(size)
			if err := pingPong(s, size, n); err != nil {
				return err
			}
			env.Report.Row(s.Row(size, n, 2))
		}
		if s.Opt.NoPrepost {
			if err := s.Repost(); err != nil {
				return err
			}
		}
		return s.Finish()
	}
}

// pingPong exchanges messages of a size; the client speaks first.
func pingPong(s *session.Session, size, n int) error {
	receive := s.Receive
	if s.Opt.NoPrepost {
		receive = s.ReceiveLate
		if err := s.SyncLate(); err != nil {
			return err
		}
	} else if err := s.Sync(); err != nil {
		return err
	}
	if s.Opt.Pause > 0 {
		receive = later(s, receive)
	}
	return s.PingPong(size, n, s.Opt.Warmup, s.SendOrInject, receive)
}

// later has the answer to a message wait.
func later(s *session.Session, receive func(int) error) func(int) error {
	return func(size int) error {
		if err := receive(size); err != nil {
			return err
		}
		time.Sleep(s.Opt.Pause)
		return nil
	}
}
