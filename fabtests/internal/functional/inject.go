package functional

import (
	"fmt"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

const injectTag = 0xabcd

// injectOptions are -A and -N.
func injectOptions(o *options.Options) []cli.Option {
	return []cli.Option{
		{Short: 'A', Long: "flag", Arg: "FLAG", Help: "inject or inj_complete (inject)", Values: []string{"inject", "inj_complete"}, Set: func(v string) error {
			switch strings.ToLower(v) {
			case "inject", "inj_complete":
				o.Op = strings.ToLower(v)
				return nil
			}
			return options.Bad(v, "inject or inj_complete")
		}},
		{Short: 'N', Long: "sendmsg", Help: "give the flag to fi_tsendmsg instead of making it the default", Set: options.On(&o.NoPrepost)},
	}
}

// runInject sends with a flag that gives the buffer back early, and overwrites it at once.
func runInject(env *scenario.Env) error {
	flag := fi.OpInject
	if env.Opt.Op == "inj_complete" {
		flag = fi.OpInjectComplete
	}
	need := session.Need{Caps: fi.CapTagged, Size: session.CtrlSize, Connects: true}
	if !env.Opt.NoPrepost { // -N
		need.TxFlags = flag
	}
	s, err := session.Open(env, need)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	size := session.CtrlSize
	if len(s.Opt.Sizes) == 1 {
		size = s.Opt.Sizes[0]
	}
	if size = min(size, s.Slot); flag == fi.OpInject {
		size = min(size, s.Info.Tx.InjectSize)
	}
	fmt.Fprintf(env.Out, "Start testing %v\n", flag)
	s.TxTag, s.RxTag = injectTag, injectTag
	for range max(s.Opt.Iterations, 1) {
		if s.Client {
			err = injectSend(s, flag, size)
		} else {
			err = injectReceive(s, size)
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(env.Out, "GOOD: Completed %v Testing\n", flag)
	if s.Client && s.Connected() { // the end of the connection would end the server's receives: it goes first
		if _, err := s.Event(fi.EventShutdown, s.EP); err != nil {
			return err
		}
	}
	if err := s.Shutdown(); err != nil {
		return err
	}
	return s.Close()
}

func injectSend(s *session.Session, flag fi.OpFlags, size int) error {
	buf := s.Tx[:size]
	if s.Opt.Verify {
		pattern.Fill(buf)
	}
	ctx := s.Context(0)
	var err error
	if s.Opt.NoPrepost { // -N
		err = s.PostTxMsg(buf, ctx, 0, flag)
	} else {
		err = s.PostTx(buf, ctx)
	}
	if err != nil {
		return err
	}
	overwrite := func() {
		for i := range buf {
			buf[i] = 0xb
		}
	}
	if flag == fi.OpInject {
		overwrite()
	}
	if _, err := expectContext(s, "txcq", ctx); err != nil {
		return err
	}
	overwrite()
	return nil
}

func injectReceive(s *session.Session, size int) error {
	ctx := new(int)
	if err := s.PostRx(s.Rx[:size], ctx); err != nil {
		return err
	}
	n, err := expectContext(s, "rxcq", ctx)
	if err != nil {
		return err
	}
	if s.Opt.Verify { // C programs inject less, nothing by default
		return fail.Call("ft_check_buf", pattern.Check(s.Rx[:n]))
	}
	return nil
}

// expectContext takes the next completion of a queue, compares its context and gives its length.
func expectContext(s *session.Session, queue string, want any) (int, error) {
	q, done := s.RxCQ, &s.RxDone
	if queue == "txcq" {
		q, done = s.TxCQ, &s.TxDone
	}
	e, err := s.Next(q)
	if err != nil {
		return 0, err
	}
	*done++
	if e.Context != want {
		return 0, fail.Call("ft_cq_read_verify", fmt.Errorf("%s: completion of another operation: %w", queue, fi.ErrOther))
	}
	return e.Len, nil
}
