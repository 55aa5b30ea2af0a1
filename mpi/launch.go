package mpi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofabric/gofabric/pmi/server"
)

// launchVariable tells a process for which call of Launch it was started.
const launchVariable = "GOFABRIC_MPI_LAUNCH"

type launch struct {
	name   string
	args   []string
	env    []string
	stdout io.Writer
	stderr io.Writer
	init   []Option
	keep   bool
}

// LaunchOption changes what Launch does.
type LaunchOption func(*launch)

// LaunchName names the call, for programs that call Launch several times from one line.
func LaunchName(name string) LaunchOption { return func(l *launch) { l.name += " " + name } }

// LaunchArgs gives the processes other arguments than this process has.
func LaunchArgs(args ...string) LaunchOption { return func(l *launch) { l.args = args } }

// LaunchTest is for tests: the processes run nothing but the test with this name (t.Name()). The test has nothing to do
// before Launch that must not be done by each rank.
func LaunchTest(name string) LaunchOption {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + p + "$"
	}
	return LaunchArgs("-test.run="+strings.Join(parts, "/"), "-test.count=1", "-test.timeout=5m")
}

// LaunchEnv adds variables, "NAME=value", to those of this process.
func LaunchEnv(vars ...string) LaunchOption {
	return func(l *launch) { l.env = append(l.env, vars...) }
}

// LaunchOutput says where the processes write; without it they share the files of this one.
func LaunchOutput(stdout, stderr io.Writer) LaunchOption {
	return func(l *launch) { l.stdout, l.stderr = stdout, stderr }
}

// LaunchInit gives options for Init to the ranks.
func LaunchInit(opts ...Option) LaunchOption {
	return func(l *launch) { l.init = append(l.init, opts...) }
}

// LaunchKeepGoing lets the others go on when a rank fails: for programs that survive that, see Comm.Shrink.
func LaunchKeepGoing() LaunchOption { return func(l *launch) { l.keep = true } }

// Launch runs f as the n ranks of a job, each a process of its own on this host, and returns when all have ended. It
// starts the running program anew n times; each of these must come to the same call of Launch, where it joins the job,
// runs f and exits: what stands behind Launch is executed by the first process only. The first rank that fails ends the
// others. Package mpi/local has ranks that are goroutines.
//
// Errors: what happened first, in words; ErrArg for n.
func Launch(ctx context.Context, n int, f func(ctx context.Context, world *Comm) error, opts ...LaunchOption) error {
	_, file, line, _ := runtime.Caller(1)
	l := launch{
		name: fmt.Sprintf("%s:%d n=%d", filepath.Base(file), line, n),
		args: os.Args[1:], stdout: os.Stdout, stderr: os.Stderr,
	}
	for _, opt := range opts {
		opt(&l)
	}
	switch mine := os.Getenv(launchVariable); {
	case mine == l.name:
		Main(f, l.init...)
		os.Exit(0)
	case mine != "":
		return nil // another call is meant
	}
	if n < 1 {
		return bad("Launch", ErrArg, NoRank, fmt.Sprintf("%d ranks: give 1 at least", n))
	}
	program, err := os.Executable()
	if err != nil {
		return &Error{Op: "Launch", Class: ErrOther, Rank: NoRank, Err: err}
	}
	env := append(append(os.Environ(), l.env...), launchVariable+"="+l.name)
	procs := make([]server.Proc, n)
	for i := range procs {
		procs[i] = server.Proc{
			Rank: i, Path: program, Args: append([]string{program}, l.args...), Env: env, Stdout: l.stdout, Stderr: l.stderr,
		}
	}
	job, err := server.Start(ctx, server.Spec{Procs: procs, KeepGoing: l.keep})
	if err != nil {
		return &Error{Op: "Launch", Class: ErrOther, Rank: NoRank, Err: err}
	}
	if _, err := job.Wait(); err != nil {
		return &Error{Op: "Launch", Class: ErrOther, Rank: NoRank, Err: errors.Join(err, ctx.Err())}
	}
	return nil
}
