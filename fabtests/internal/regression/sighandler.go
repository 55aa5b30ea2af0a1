package regression

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
)

// Sides of the test: processes with an endpoint.
const (
	withHandler    = iota // signals go to the application's handler: that of fabtests
	withoutHandler        // signals end the process
	signalSides
)

// handled is the exit status of a process whose handler has run, as shells have it.
const handled = 130

// runSignals sends signals to processes with an open endpoint: with a handler of their own it must run, without one they
// must die of the signal.
func runSignals(env *scenario.Env) error {
	if env.Opt.Child.On {
		return waitForSignal(env)
	}
	if runtime.GOOS == "windows" {
		return fail.Call("kill", &fi.Error{Op: "kill", Err: fi.ErrNoSys, Hint: "there are no signals to send on this system"})
	}
	runtime.LockOSThread() // children die with the thread that started them
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithCancel(env.Ctx)
	if env.Opt.Timeout > 0 {
		ctx, cancel = context.WithTimeout(env.Ctx, env.Opt.Timeout)
	}
	defer cancel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for rank := range signalSides {
			if err := sendSignal(ctx, env, rank, sig); err != nil {
				if cause := context.Cause(env.Ctx); cause != nil {
					return cause
				}
				fmt.Fprintln(env.Out, "Fail: child killed by SIGKILL or exited with error")
				return err
			}
		}
	}
	fmt.Fprintln(env.Out, "Pass: child caught SIGINT and exited as expected")
	return nil
}

// failure is an error whose exit status is 1.
type failure struct{ error }

// ExitCode is that of C programs for a failure without a number.
func (failure) ExitCode() int { return 1 }

// Unwrap gives the error.
func (f failure) Unwrap() error { return f.error }

// sendSignal starts a process, sends it a signal and looks at how it ends.
func sendSignal(ctx context.Context, env *scenario.Env, rank int, sig syscall.Signal) error {
	var args []string
	for _, a := range [][2]string{{"--provider", env.Opt.Provider}, {"--domain", env.Opt.Domain}, {"--fabric", env.Opt.Fabric}, {"--source", env.Opt.SrcAddr}} {
		if a[1] != "" {
			args = append(args, a[0], a[1])
		}
	}
	said := &firstWords{}
	side, err := local.StartSide("sighandler_test", args, rank, signalSides, said, said)
	if err != nil {
		return err
	}
	defer side.End()
	if !side.Ready(ctx) {
		return ended(ctx, side, said)
	}
	if err := side.Signal(sig); err != nil {
		return fail.Call("kill", err)
	}
	err = side.Wait(ctx)
	exit, _ := errors.AsType[*exec.ExitError](err)
	if exit == nil {
		return failure{fmt.Errorf("%v did not end the process: %v", sig, err)}
	}
	status, _ := exit.Sys().(syscall.WaitStatus)
	how := fmt.Sprintf("the process ended with status %d", exit.ExitCode())
	if status.Signaled() {
		how = fmt.Sprintf("the process died of %v", status.Signal())
	}
	if env.Opt.Verbose {
		fmt.Fprintf(env.Out, "%v, %s: %s\n", sig, [...]string{"with a handler", "without a handler"}[rank], how)
	}
	good := exit.ExitCode() == handled
	if rank == withoutHandler {
		good = status.Signaled() && status.Signal() == sig
	}
	if !good {
		return failure{fmt.Errorf("%v: %s; it said %q", sig, how, said.text())}
	}
	return nil
}

// ended is the error of a process that has not come as far as to be ready.
func ended(ctx context.Context, side *local.Side, said *firstWords) error {
	err := side.Wait(ctx)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
		fmt.Fprint(os.Stderr, said.text()) // it has explained itself
		return &local.Exit{Who: "the child", Code: exit.ExitCode()}
	}
	return failure{fmt.Errorf("the child did not open its endpoint: %v; it said %q", err, said.text())}
}

// waitForSignal is the process that gets the signal.
func waitForSignal(env *scenario.Env) error {
	if env.Opt.Child.Rank == withoutHandler { // before the provider could take the signals itself
		signal.Reset(syscall.SIGINT, syscall.SIGTERM)
	}
	s, err := session.Alone(env, session.Need{Caps: fi.CapMsg, Size: session.CtrlSize})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // the signal is what counts
	env.Ready()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if err := s.Progress(); err != nil {
			return err
		}
		select {
		case <-env.Ctx.Done():
			return context.Cause(env.Ctx)
		case <-tick.C:
		}
	}
}
