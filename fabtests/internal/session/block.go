package session

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/poll"
	"github.com/gofabric/gofabric/fi"
)

// watchdog ends blocking waits that take too long. A context with a deadline for each wait would cost more than many a
// wait takes; so there is one context, and a goroutine that looks now and then whether the same wait is still going on.
type watchdog struct {
	waits atomic.Uint64 // odd during a wait
	ctx   context.Context
	end   context.CancelCauseFunc
	stopc chan struct{}
}

// errTooLong is the cause for which the watchdog ends a wait.
var errTooLong = errors.New("wait took too long")

func (w *watchdog) start(parent context.Context, timeout time.Duration) {
	w.ctx, w.end = context.WithCancelCause(parent)
	w.stopc = make(chan struct{})
	if timeout == 0 {
		return
	}
	go w.watch(timeout)
}

func (w *watchdog) watch(timeout time.Duration) {
	const looks = 8 // within a timeout
	t := time.NewTicker(max(timeout/looks, time.Millisecond))
	defer t.Stop()
	var last uint64
	same := 0
	for {
		select {
		case <-t.C:
			if n := w.waits.Load(); n != last || n%2 == 0 {
				last, same = n, 0
			} else if same++; same >= looks {
				w.end(errTooLong)
				return
			}
		case <-w.stopc:
			return
		}
	}
}

func (w *watchdog) stop() {
	if w.end != nil {
		close(w.stopc)
		w.end(nil)
	}
}

// enter begins a blocking wait, unless one goes on.
func (s *Session) enter() {
	if s.blocked.ctx == nil {
		s.blocked.start(s.env.Ctx, s.Opt.Timeout)
	}
	if s.blocked.waits.Load()%2 == 0 {
		s.blocked.waits.Add(1)
	}
}

// leave ends it: something has come.
func (s *Session) leave() {
	if s.blocked.waits.Load()%2 == 1 {
		s.blocked.waits.Add(1)
	}
}

// block is a read that blocks, the way -c says. fi.ErrAgain says that nothing has come yet.
func (s *Session) block(q *fabric.CQ, dst []cq.Entry) (int, error) {
	s.enter()
	if s.Opt.Wait == options.WaitFD {
		if err := q.TryWait(); err == nil {
			fd, err := q.FD()
			if err != nil {
				return 0, fail.Call("fi_control", err)
			}
			if _, err := poll.Readable(fd, 100*time.Millisecond); err != nil {
				return 0, fail.Call("poll", err)
			}
		}
		if s.blocked.ctx.Err() != nil {
			return 0, s.interrupted()
		}
		return 0, fi.ErrAgain
	}
	n, err := q.SRead(s.blocked.ctx, dst)
	switch {
	case n > 0 || err == fi.ErrAgain || err == fi.ErrAvail: //nolint:errorlint // bare values
		if err == fi.ErrAvail { //nolint:errorlint // a bare value
			return 0, fi.ErrAgain // the next read tells
		}
		return n, err
	case s.blocked.ctx.Err() != nil:
		return 0, s.interrupted()
	}
	return 0, fail.Call("fi_cq_sread", err)
}

// blockCounter waits for a counter the way -c says.
func (s *Session) blockCounter(c *fabric.Counter, total uint64) error {
	s.enter()
	if s.Opt.Wait == options.WaitFD {
		if err := c.TryWait(c.Read(), c.ReadErr()); err == nil {
			fd, err := c.FD()
			if err != nil {
				return fail.Call("fi_control", err)
			}
			if _, err := poll.Readable(fd, 100*time.Millisecond); err != nil {
				return fail.Call("poll", err)
			}
		}
		if s.blocked.ctx.Err() != nil {
			return s.interrupted()
		}
		return nil
	}
	err := c.Wait(s.blocked.ctx, total)
	switch {
	case err == nil || errors.Is(err, fi.ErrAvail):
		return nil
	case s.blocked.ctx.Err() != nil:
		return s.interrupted()
	}
	return fail.Call("fi_cntr_wait", err)
}

func (s *Session) interrupted() error {
	if err := context.Cause(s.blocked.ctx); !errors.Is(err, errTooLong) {
		return err
	}
	return s.timedOut()
}
