package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// Side is a process that a scenario has started itself.
type Side struct {
	cmd   *exec.Cmd
	ready chan struct{}
	done  chan struct{} // closed when all output has been read and the process has ended
	err   error
}

// StartSide runs side rank of count of a scenario as a process of its own, whose Options.Child tells it which one it is.
// What it prints goes to out and errOut, one write at a time. The caller's goroutine is locked to its thread until the
// process has ended (on Linux it dies with that thread), and ends every Side with End.
func StartSide(scenario string, args []string, rank, count int, out, errOut io.Writer) (*Side, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fail.Call("exec", err)
	}
	s := &Side{cmd: exec.Command(self, append([]string{scenario}, args...)...), ready: make(chan struct{}), done: make(chan struct{})}
	s.cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d/%d", sideVar, rank, count))
	s.cmd.SysProcAttr = Attributes()
	s.cmd.Stderr = errOut
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, fail.Call("pipe", err)
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fail.Call("exec", err)
	}
	go func() {
		defer close(s.done)
		told := false
		follow(stdout, out, func(perf.Row) {}, func() {
			if !told {
				told = true
				close(s.ready)
			}
		})
		s.err = s.cmd.Wait()
	}()
	return s, nil
}

// Ready waits until the process has called its Env's Ready; false when it has ended instead, or ctx has.
func (s *Side) Ready(ctx context.Context) bool {
	select {
	case <-s.ready:
		return true
	case <-s.done:
	case <-ctx.Done():
	}
	return false
}

// Signal sends it a signal.
func (s *Side) Signal(sig os.Signal) error { return s.cmd.Process.Signal(sig) }

// Wait waits until it has ended, and gives how; or until ctx has, whose cause it gives then.
func (s *Side) Wait(ctx context.Context) error {
	select {
	case <-s.done:
		return s.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Done is closed when it has ended.
func (s *Side) Done() <-chan struct{} { return s.done }

// End kills it unless it has ended, and waits for that.
func (s *Side) End() {
	s.cmd.Process.Kill() //nolint:errcheck // it may have ended
	<-s.done
}
