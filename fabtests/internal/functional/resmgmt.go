package functional

import (
	"context"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// resmgmtChoice is what the options of resmgmt_test say.
type resmgmtChoice struct {
	txCQ, rxCQ, tx, rx int
	ops, size          int
	oneCQ, tagged      bool
	delay, table       bool
}

func resmgmtOptions(o *options.Options) []cli.Option {
	own := &resmgmtChoice{ops: 100, size: session.CtrlSize}
	o.Own = own
	return []cli.Option{
		{Short: 'S', Long: "tx-cq-size", Arg: "N", Help: "entries of the queue for transmits (as many as there are operations)", Set: options.Number(&own.txCQ, 1, 1<<20)},
		{Short: 'R', Long: "rx-cq-size", Arg: "N", Help: "entries of the queue for receives (as many as there are operations)", Set: options.Number(&own.rxCQ, 1, 1<<20)},
		{Short: 'm', Long: "operations", Arg: "N", Help: "messages (100)", Set: options.Number(&own.ops, 1, 1<<20)},
		{Short: 'l', Long: "length", Arg: "BYTES", Help: "bytes of a message (1024)", Set: options.Size(&own.size)},
		{Short: 'T', Long: "tx-size", Arg: "N", Help: "transmits that the endpoint has room for (what it offers)", Set: options.Number(&own.tx, 1, 1<<20)},
		{Short: 'X', Long: "rx-size", Arg: "N", Help: "receives that the endpoint has room for (what it offers)", Set: options.Number(&own.rx, 1, 1<<20)},
		{Short: 'j', Long: "shared-cq", Help: "one queue for transmits and receives", Set: options.On(&own.oneCQ)},
		{Short: 't', Long: "tagged", Help: "tagged messages", Set: options.On(&own.tagged)},
		{Short: 'd', Long: "delay", Help: "wait a second before completions of receives are read", Set: options.On(&own.delay)},
		{Short: 'A', Long: "av-table", Help: "insist on FI_AV_TABLE, which is the only kind here", Set: options.On(&own.table)},
	}
}

// resmgmtCaps: the sides find each other and synchronise by plain messages, as those of C do, whatever the rest is.
func resmgmtCaps(o *options.Options) fi.Caps {
	if own, ok := o.Own.(*resmgmtChoice); ok && own.tagged {
		return fi.CapMsg | fi.CapTagged
	}
	return fi.CapMsg
}

// tell prints the choices that were made, as the program of libfabric does.
func (c *resmgmtChoice) tell(env *scenario.Env) {
	for _, n := range []struct {
		name  string
		value int
		given string
	}{
		{"send cq size: ", c.txCQ, "tx-cq-size"}, {"recv cq size: ", c.rxCQ, "rx-cq-size"}, {"tx context size: ", c.tx, "tx-size"},
		{"rx context size: ", c.rx, "rx-size"}, {"max_opts set to ", c.ops, "operations"}, {"Testing Message Size: ", c.size, "length"},
	} {
		if env.Opt.Given(n.given) {
			fmt.Fprintf(env.Out, "%s%d\n", n.name, n.value)
		}
	}
	for _, w := range []struct {
		on   bool
		text string
	}{{c.oneCQ, "using single shared CQ"}, {c.tagged, "tagged messaging enabled"}, {c.table, "AV TABLE enabled"}} {
		if w.on {
			fmt.Fprintln(env.Out, w.text)
		}
	}
}

// runResmgmt posts as many messages and receives as there is room for, reads completions only when there is none, and goes
// on: resource management (FI_RM_ENABLED) loses nothing.
func runResmgmt(env *scenario.Env) error {
	own := env.Opt.Own.(*resmgmtChoice)
	own.tell(env)
	either := func(n int) int {
		if n > 0 {
			return n
		}
		return own.ops
	}
	need := session.Need{Caps: resmgmtCaps(env.Opt), Size: own.size, Connects: true, TxCQSize: either(own.txCQ), RxCQSize: either(own.rxCQ),
		OneCQ: own.oneCQ, TxSize: own.tx, RxSize: own.rx}
	if own.oneCQ && either(own.txCQ) < 2 {
		return &fail.Usage{Text: "resmgmt_test: the one queue of -j has a receive and a transmit at a time: at least 2 entries", Next: "fabtests resmgmt_test --local -j -S 2"}
	}
	if env.Opt.Counters {
		return &fail.Usage{Text: "resmgmt_test: it is about completion queues: no counters", Next: "fabtests resmgmt_test --local"}
	}
	s, err := session.Open(env, need)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Finish has closed it when all went well
	r := &resmgmt{env: env, s: s, own: own}
	what, run := "fi_recv", r.receive
	if s.Client {
		what, run = "fi_send", r.send
	}
	fmt.Fprintf(env.Out, "Start testing for %s operations: %d\n", what, own.ops)
	s.Tags(own.tagged)
	if err := run(); err != nil {
		fmt.Fprintf(env.Out, "ERROR: calling %s loop: %v\n", what, err)
		return err
	}
	if env.Opt.Verbose {
		fmt.Fprintf(env.Out, "Success: Completed %d queued ops\n", own.ops)
		fmt.Fprintf(env.Out, "no room: %d times\n", r.full)
	}
	fmt.Fprintln(env.Out, "GOOD, Completed Overflow Testing")
	s.Tags(false)
	if err := s.Sync(); err != nil {
		return err
	}
	return s.Finish()
}

// resmgmt is one side.
type resmgmt struct {
	env  *scenario.Env
	s    *session.Session
	own  *resmgmtChoice
	full int // times that there was no room
}

// send posts the messages; when there is no room for one it waits for all of those before.
func (r *resmgmt) send() error {
	s := r.s
	if s.Opt.Verify {
		pattern.Fill(s.Tx[:r.own.size])
	}
	for i := range r.own.ops {
		s.TxTag = uint64(i) + 1
		ok, err := s.TryTx(s.Tx[:r.own.size], s.Context(0))
		if err == nil && !ok {
			r.full++
			if err = s.WaitTx(s.TxSeq); err == nil {
				err = s.PostTx(s.Tx[:r.own.size], s.Context(0))
			}
		}
		if err != nil {
			return err
		}
	}
	return s.WaitTx(s.TxSeq)
}

// receive posts receives for the messages. One more is posted already: the last of them, or with tags that one, is for what
// comes afterwards.
func (r *resmgmt) receive() error {
	s := r.s
	for i := 0; i < r.own.ops; {
		s.RxTag = uint64(i) + 1
		ok, err := s.TryRx(s.Rx[:max(r.own.size, session.CtrlSize)], s.Context(0))
		if err != nil {
			return err
		}
		if ok {
			i++
			continue
		}
		r.full++
		all := s.RxSeq // there are more messages to come than receives posted
		if r.own.tagged {
			all--
		}
		if err := r.wait(all); err != nil {
			return err
		}
	}
	if err := r.wait(s.RxSeq - 1); err != nil {
		return err
	}
	if s.Opt.Verify {
		return fail.Call("ft_check_buf", pattern.Check(s.Rx[:r.own.size]))
	}
	return nil
}

// wait waits until total receives have completed since the beginning.
func (r *resmgmt) wait(total uint64) error {
	if r.own.delay && !pause(r.env.Ctx, time.Second) {
		return context.Cause(r.env.Ctx)
	}
	return r.s.WaitRx(total)
}
