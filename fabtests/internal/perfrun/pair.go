package perfrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gofabric/gofabric/internal/freeport"
)

func duration(micros float64) time.Duration { return time.Duration(micros * 1e3) }

// Times of a pair of processes: how long a server may take until it listens, how often that is looked at, and how long a
// server may take to end after its client.
const (
	listenWithin = 5 * time.Second
	lookEvery    = 2 * time.Millisecond
	endsWithin   = 2 * time.Second
)

// pair runs a server and a client that meet at a port of this host, each on its processor, and gives what the client
// printed. A client that fails is started once more, at another port: somebody may have been faster. All have ended when it
// returns.
func pair(ctx context.Context, t *task, env []string, server, client func(port string) []string) (string, error) {
	out, err := pairOnce(ctx, t, env, server, client)
	if _, failed := errors.AsType[*exec.ExitError](err); failed && ctx.Err() == nil {
		return pairOnce(ctx, t, env, server, client)
	}
	return out, err
}

// pairOnce runs them once.
func pairOnce(ctx context.Context, t *task, env []string, server, client func(port string) []string) (string, error) {
	runtime.LockOSThread() // they die with the thread that started them, and inherit its processor
	defer runtime.UnlockOSThread()
	port := freeport.Find()
	s, err := launch(t.cpu(0), env, server(port))
	if err != nil {
		return "", err
	}
	defer s.end()
	if err := s.listens(ctx, port); err != nil {
		return "", err
	}
	c, err := launch(t.cpu(1), env, client(port))
	if err != nil {
		return "", err
	}
	defer c.end()
	select {
	case <-c.done:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if c.err != nil {
		return "", c.failed()
	}
	select {
	case <-s.done:
	case <-ctx.Done():
	case <-time.After(endsWithin):
	}
	return c.out.String(), nil
}

// alone runs a program that starts its own processes, and gives what it printed.
func alone(ctx context.Context, env, args []string) (string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p, err := launch(-1, env, args)
	if err != nil {
		return "", err
	}
	defer p.end()
	select {
	case <-p.done:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if p.err != nil {
		return "", p.failed()
	}
	return p.out.String(), nil
}

// process is one that we have started. Its output and err may be read when done is closed.
type process struct {
	cmd       *exec.Cmd
	out, errs bytes.Buffer
	done      chan struct{}
	err       error
}

// launch starts a process on a processor, in a group of its own.
func launch(cpu int, env, args []string) (*process, error) {
	p := &process{cmd: exec.Command(args[0], args[1:]...), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.errs
	p.cmd.WaitDelay = endsWithin // a grandchild may hold its output open
	if err := startOn(cpu, p.cmd); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// end ends it, if it has not ended, with all that it has started. Launchers of MPI get time to end their ranks.
func (p *process) end() {
	select {
	case <-p.done:
	default:
		stopGroup(p.cmd)
	}
	select {
	case <-p.done:
	case <-time.After(endsWithin):
	}
	killGroup(p.cmd)
	<-p.done
}

// failed is the error of one that has failed, with the last that it said.
func (p *process) failed() error {
	said := strings.TrimSpace(p.errs.String())
	if said == "" {
		said = strings.TrimSpace(p.out.String())
	}
	if i := strings.LastIndexByte(said, '\n'); i >= 0 {
		said = said[i+1:]
	}
	if said == "" {
		return fmt.Errorf("it failed: %w", p.err)
	}
	return fmt.Errorf("it failed: %w: %s", p.err, said)
}

// listens waits until somebody listens at a port. It does not connect: that would be the one client which the server waits for.
func (p *process) listens(ctx context.Context, port string) error {
	n, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	limit := time.After(listenWithin)
	for !listening(n) {
		select {
		case <-p.done:
			if p.err != nil {
				return p.failed()
			}
			return errors.New("the server ended before there was a client")
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-limit:
			return fmt.Errorf("the server does not listen after %v", listenWithin)
		case <-time.After(lookEvery):
		}
	}
	return nil
}
