package session

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// A receive that names no sender waits for ever when the only one there is has gone: a datagram endpoint has no event for
// that. The library's log tells, so a side listens to it, and its waits end instead of hanging.

// grace is how long after the news a run may still end by itself: what the peer sent before is there already.
const grace = 200 * time.Millisecond

// hangup is a handler of log lines that ends a side's context when the peer has gone.
type hangup struct {
	client bool
	end    context.CancelCauseFunc
}

// listen gives the side a context that ends with its peer.
func (s *Session) listen(env *scenario.Env) {
	side := *env
	side.Ctx, s.hangup.end = context.WithCancelCause(env.Ctx)
	s.hangup.client = env.Client
	s.env = &side
}

// logTo are the options of fabric.Open.
func (s *Session) logTo() []fabric.Option {
	if s.hangup.end == nil {
		return nil
	}
	return []fabric.Option{fabric.WithSlog(&s.hangup)}
}

// Enabled wants what is told in a few lines.
func (h *hangup) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

// WithAttrs and WithGroup change nothing: only lines of the library come here.
func (h *hangup) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup is as WithAttrs.
func (h *hangup) WithGroup(string) slog.Handler { return h }

// Handle looks for the end of the peer.
func (h *hangup) Handle(_ context.Context, r slog.Record) error {
	if r.Message != "peer closed" && r.Message != "connection broken" {
		return nil
	}
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "peer", "pid", "reason":
			text += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		}
		return true
	})
	who := "server"
	if !h.client {
		who = "client"
	}
	time.AfterFunc(grace, func() {
		h.end(&fail.Hint{
			Err:  fail.Call("fi_cq_read", &fi.Error{Op: "wait", Err: fi.ErrConnReset, Hint: text}),
			Next: "look at what the " + who + " printed",
		})
	})
	return nil
}
