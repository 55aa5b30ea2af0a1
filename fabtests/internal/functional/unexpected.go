package functional

import (
	"fmt"
	"os"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

func unexpectedOptions(o *options.Options) []cli.Option {
	o.Window = 4
	return []cli.Option{
		{Short: 'M', Long: "messages", Arg: "N", Help: "number of concurrent messages (4)", Set: options.Number(&o.Window, 1, 1<<20)},
		{Short: 'C', Long: "cq-data", Help: "transfer remote CQ data", Set: options.On(&o.OneWay)},
	}
}

const unexpectedTag = 0x1234

// unexpectedCaps: a connection has one sender, so that receives name none.
func unexpectedCaps(o *options.Options) fi.Caps {
	if o.EPType == fi.EPMsg {
		return fi.CapTagged
	}
	return fi.CapTagged | fi.CapDirectedRecv
}

// runUnexpected sends messages before the receives are posted, from both sides, and receives them in reverse order.
func runUnexpected(env *scenario.Env) error {
	size, n := 128, env.Opt.Iterations
	if len(env.Opt.Sizes) == 1 {
		size = env.Opt.Sizes[0]
	}
	if n == 0 {
		n = 600
	}
	s, err := session.Open(env, session.Need{Caps: unexpectedCaps(env.Opt), Size: max(size, 1), Windows: true, OOB: true, NoAddress: env.Opt.EPType != fi.EPMsg,
		NoRecv: true, Connects: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	if !s.Connected() {
		if err := meetUnexpected(s); err != nil {
			return err
		}
	}
	u := &unexpected{s: s, size: size, data: env.Opt.OneWay}
	for i := range n {
		if err := u.round(); err != nil {
			return err
		}
		if i%100 == 0 {
			fmt.Fprintf(env.Out, "PID %d GOOD iter %d/%d completed\n", os.Getpid(), i, n)
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "PID %d GOOD all done\n", os.Getpid())
	if err := s.Shutdown(); err != nil {
		return err
	}
	return s.Close()
}

// meetUnexpected lets the client's first messages arrive before the server knows its address: one is received from any
// source, the next, after the insertion, from that source alone.
func meetUnexpected(s *session.Session) error {
	if err := s.GreetOOB(); err != nil {
		return err
	}
	raw, err := s.SwapNames(s.EP)
	if err != nil {
		return err
	}
	receive := func() error {
		if err := s.Repost(); err != nil {
			return err
		}
		return s.WaitRx(s.RxSeq)
	}
	if !s.Client {
		if err := s.Sync(); err != nil {
			return err
		}
		if err := receive(); err != nil {
			return err
		}
		if err := s.Insert(raw); err != nil {
			return err
		}
		s.From = s.Peer
		if err := receive(); err != nil {
			return err
		}
		return s.Send(1)
	}
	if err := s.Insert(raw); err != nil {
		return err
	}
	s.From = s.Peer
	for range 2 {
		if err := s.PostTx(s.Tx[:64], s.Context(0)); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	if err := s.WaitTx(s.TxSeq); err != nil {
		return err
	}
	return receive()
}

type unexpected struct {
	s    *session.Session
	size int
	data bool
}

// round sends a window to the peer and then receives its.
func (u *unexpected) round() error {
	s, n := u.s, u.s.Opt.Window
	for j := range n {
		buf := s.TxSlot(j%s.Slots, u.size)
		if s.Opt.Verify {
			pattern.Fill(buf)
		}
		s.TxTag = unexpectedTag + uint64(j)
		var err error
		if u.data {
			err = s.PostTxData(buf, uint64(u.size), s.Context(j))
		} else {
			err = s.PostTx(buf, s.Context(j))
		}
		if err != nil {
			return err
		}
		if err := s.Progress(); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	for j := range n {
		if err := u.receive(j, unexpectedTag+uint64(n-1-j)); err != nil {
			return err
		}
	}
	if s.Opt.Verify {
		for j := range n {
			if err := pattern.Check(s.RxSlot(j%s.Slots, u.size)); err != nil {
				return fail.Call("ft_check_buf", err)
			}
		}
	}
	return s.WaitTx(s.TxSeq)
}

func (u *unexpected) receive(j int, tag uint64) error {
	s := u.s
	s.RxTag = tag
	if err := s.PostRx(s.RxSlot(j%s.Slots, u.size), s.Context(j)); err != nil {
		return err
	}
	e, err := s.Next(s.RxCQ)
	if err != nil {
		return err
	}
	s.RxDone++
	if u.data && e.Data != uint64(u.size) {
		return fail.Call("wait_recv", fmt.Errorf("incorrect remote CQ data value. Got %d, expected %d: %w", e.Data, u.size, fi.ErrOther))
	}
	if e.Tag != tag || e.Len != u.size {
		return fail.Call("wait_recv", fmt.Errorf("got tag %#x, %d bytes, expected tag %#x, %d bytes: %w", e.Tag, e.Len, tag, u.size, fi.ErrOther))
	}
	return nil
}
