package functional

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/poll"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// runMsgEpoll greets over a connection; each side waits for its completion in an epoll of its own.
func runMsgEpoll(env *scenario.Env) error {
	env.Opt.Wait = options.WaitFD
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg, Size: session.CtrlSize, Connects: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // closed below when all went well
	q := s.RxCQ
	if s.Client {
		q = s.TxCQ
	}
	if err := viaEpoll(env, s, q); err != nil {
		return err
	}
	if err := s.Shutdown(); err != nil {
		return err
	}
	return s.Close()
}

func viaEpoll(env *scenario.Env, s *session.Session, q *fabric.CQ) error {
	if q == nil {
		return &fail.Usage{Text: "msg_epoll: it waits for completions, not for counts: leave -t counter out", Next: "fabtests msg_epoll"}
	}
	fd, err := q.FD()
	if err != nil {
		return fail.Call("fi_control", err)
	}
	p, err := poll.NewEpoll(fd)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return fail.Call("epoll_create1", &fi.Error{Op: "epoll", Provider: s.Info.Fabric.ProvName, Err: fi.ErrNoData, Hint: "this system has none"})
	case err != nil:
		return fail.Call("epoll_create1", err)
	}
	defer p.Close() //nolint:errcheck // nothing was written
	if !s.Client {
		fmt.Fprintln(env.Out, "Waiting for client...")
		if err := epollNext(env, s, q, p); err != nil {
			return err
		}
		return checkGreeting(env, s.Rx)
	}
	fmt.Fprintln(env.Out, "Posting a send...")
	copy(s.Tx, greeting)
	if err := s.PostTx(s.Tx[:len(greeting)], s.Context(0)); err != nil {
		return err
	}
	if err := epollNext(env, s, q, p); err != nil {
		return err
	}
	fmt.Fprintln(env.Out, "Send completion received")
	return nil
}

// epollNext takes the next completion of q, for which it blocks in p.
func epollNext(env *scenario.Env, s *session.Session, q *fabric.CQ, p *poll.Epoll) error {
	ctx, stop := env.Ctx, context.CancelFunc(func() {})
	if s.Opt.Timeout > 0 {
		ctx, stop = context.WithTimeoutCause(ctx, s.Opt.Timeout, fail.Call("epoll_wait", fi.ErrTimedOut))
	}
	defer stop()
	for {
		switch err := q.TryWait(); {
		case err == nil:
			if err := p.Wait(ctx); err != nil {
				return fail.Call("epoll_wait", err)
			}
		case !errors.Is(err, fi.ErrAgain):
			return fail.Call("fi_trywait", err)
		}
		if done, err := s.Take(q); done || err != nil {
			return err
		}
	}
}
