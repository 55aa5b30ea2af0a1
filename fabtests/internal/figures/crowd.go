package figures

import (
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// tagCrowd is that of the messages by which the client connects to the many.
const tagCrowd = 1 << 40

// runCrowd measures a ping-pong of two endpoints while theirs is the only connection of both domains, and again when the
// client has connected to many more endpoints of the server's domain, which then say nothing.
func runCrowd(env *scenario.Env) error {
	n := env.Opt.Window
	if env.Opt.Counters {
		return &fail.Usage{Text: "crowd: it counts the messages of some endpoints only, which a counter cannot tell apart", Next: "fabtests crowd -t queue"}
	}
	need := session.Need{Caps: fi.CapTagged, Size: session.CtrlSize}
	if !env.Client {
		need.Endpoints = 1 + n
	}
	s, err := session.Open(env, need)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Finish has closed it when all went well
	const size = 8
	count := s.Opt.Count(size)
	for _, crowd := range []int{0, n} {
		if crowd > 0 && env.Client {
			err = joinCrowd(s, crowd)
		} else if crowd > 0 {
			err = beCrowd(s, s.EPs[1:])
		}
		if err != nil {
			return err
		}
		if err := s.Sync(); err != nil {
			return err
		}
		// Much does not count: both rows shall be as warm.
		if err := s.PingPong(size, count, max(s.Opt.Warmup, count/10), s.SendOrInject, s.Receive); err != nil {
			return err
		}
		env.Report.Row(perf.Row{Name: fmt.Sprintf("%d bytes, one way, %d connections", size, 1+crowd),
			Value: float64(s.Elapsed.Nanoseconds()) / 1e3 / float64(2*count), Unit: "us"})
	}
	return s.Finish()
}

// beCrowd tells the client where the endpoints are, and waits until each has heard from it.
func beCrowd(s *session.Session, eps []*fabric.Endpoint) error {
	for _, ep := range eps {
		name, err := ep.Name()
		if err != nil {
			return fail.Call("fi_getname", err)
		}
		if err := ep.TRecv(s.Rx[s.Slot:][:0], fi.AddrUnspec, tagCrowd, 0, s.Context(0)); err != nil {
			return fail.Call("fi_trecv", err)
		}
		s.Tx[0] = byte(copy(s.Tx[1:s.Slot], name))
		if err := s.PostTx(s.Tx[:session.CtrlSize], s.Context(0)); err != nil {
			return err
		}
		if err := s.WaitTx(s.TxSeq); err != nil {
			return err
		}
	}
	err := s.WaitRx(s.RxDone + uint64(len(eps)))
	s.RxDone -= uint64(len(eps)) // they are none of the exchange
	return err
}

// joinCrowd connects to n endpoints of the server.
func joinCrowd(s *session.Session, n int) error {
	to := make([]fi.Addr, n)
	for i := range to {
		if err := s.WaitRx(s.RxSeq); err != nil {
			return err
		}
		if _, err := s.AV.Insert([][]byte{s.Rx[1:][:s.Rx[0]]}, to[i:i+1], 0); err != nil {
			return fail.Call("fi_av_insert", err)
		}
		if err := s.Repost(); err != nil { // the next name goes where this one was
			return err
		}
	}
	for _, a := range to {
		if err := s.EP.TSend(s.Tx[:0], a, tagCrowd, s.Context(0)); err != nil {
			return fail.Call("fi_tsend", err)
		}
		err := s.WaitTx(s.TxSeq + 1)
		s.TxDone--
		if err != nil {
			return err
		}
	}
	return nil
}
