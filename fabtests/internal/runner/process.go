package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
)

// grace is how long a process gets to end by itself: after it was told to, or when its peer has failed. Tests shorten it.
var grace = 2 * time.Second

// program is a command to start.
type program struct {
	who     string
	argv    []string
	env     []string // besides ours
	foreign bool     // not ours: it knows nothing of Supervised
	remote  bool     // another one on another host is meant: env is a part of argv
}

// running is a process of a test.
type running struct {
	*program
	cmd     *exec.Cmd
	out     *output
	life    io.Closer     // its standard input, whose end tells one of ours to end
	done    chan struct{} // closed when it has ended and all its output is there
	err     error
	stopped bool
}

// start starts it. The thread of the caller must live as long as the process: on Linux they die together.
func (p *program) start() (*running, error) {
	r := &running{program: p, cmd: exec.Command(p.argv[0], p.argv[1:]...), out: newOutput(), done: make(chan struct{})}
	r.cmd.Env = append(os.Environ(), p.env...)
	r.cmd.SysProcAttr = local.Attributes()
	r.cmd.Stdout, r.cmd.Stderr = r.out, r.out
	r.cmd.WaitDelay = grace // for those of its children that keep its output open
	if !p.foreign {
		in, err := r.cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		r.life = in
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(r.done)
		if r.err = r.cmd.Wait(); errors.Is(r.err, exec.ErrWaitDelay) { // somebody that it has started holds its output
			local.KillGroup(r.cmd.Process)
		}
	}()
	return r, nil
}

// stop ends it: it is told to, and killed with its group when it does not listen.
func (r *running) stop() {
	select {
	case <-r.done:
		return
	default:
	}
	r.stopped = true
	if r.life != nil {
		r.life.Close() //nolint:errcheck // it may have ended
	}
	r.cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck // as above; not every system has it
	select {
	case <-r.done:
	case <-time.After(grace):
		local.KillGroup(r.cmd.Process)
		<-r.done
	}
	local.KillGroup(r.cmd.Process) // what it has started
}

// ended describes it after its end.
func (r *running) ended() Ended {
	e := Ended{Who: r.who, Command: r.line(), Output: r.out.String(), Stopped: r.stopped, Foreign: r.foreign}
	var exit *exec.ExitError
	switch {
	case r.err == nil || errors.Is(r.err, exec.ErrWaitDelay):
	case errors.As(r.err, &exit):
		e.Status = exit.ExitCode()
	default:
		e.Lost = r.err.Error()
	}
	return e
}

// line is the command as it is typed.
func (p *program) line() string {
	words := p.argv
	if !p.remote {
		words = append(shown(p.env), words...)
	}
	return fail.CommandLine(words)
}

// shown are the variables that matter to one who types the command again.
func shown(env []string) []string {
	var out []string
	for _, v := range env {
		if !strings.HasPrefix(v, supervisedVar+"=") && !strings.HasPrefix(v, "GOMAXPROCS=") {
			out = append(out, v)
		}
	}
	return out
}

// one runs a single process.
func one(ctx context.Context, p *program) []Ended {
	r, err := p.start()
	if err != nil {
		return []Ended{{Who: p.who, Command: p.line(), Lost: err.Error()}}
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		r.stop()
	}
	return []Ended{r.ended()}
}

// pair runs a server and, when reachable says that it is there, its client. When one side fails the other gets a moment.
func pair(ctx context.Context, server, client *program, reachable func(context.Context, *running) bool) []Ended {
	s, err := server.start()
	if err != nil {
		return []Ended{{Who: server.who, Command: server.line(), Lost: err.Error()}}
	}
	if !reachable(ctx, s) {
		s.stop()
		e := s.ended()
		if e.Status == 0 && !e.Stopped && e.Lost == "" {
			e.Lost = "it ended before its client could come"
		}
		return []Ended{e}
	}
	c, err := client.start()
	if err != nil {
		s.stop()
		return []Ended{s.ended(), {Who: client.who, Command: client.line(), Lost: err.Error()}}
	}
	sides := []*running{s, c}
	var moment <-chan time.Time
	waiting := []<-chan struct{}{s.done, c.done}
	for waiting[0] != nil || waiting[1] != nil {
		i := 0
		select {
		case <-waiting[0]:
		case <-waiting[1]:
			i = 1
		case <-moment:
			s.stop()
			c.stop()
			return []Ended{s.ended(), c.ended()}
		case <-ctx.Done():
			s.stop()
			c.stop()
			return []Ended{s.ended(), c.ended()}
		}
		waiting[i] = nil
		if sides[i].err != nil && moment == nil {
			moment = time.After(grace)
		}
	}
	return []Ended{s.ended(), c.ended()}
}
