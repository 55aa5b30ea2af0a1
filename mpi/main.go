package mpi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main is the main function of a program that is a member of a job: it joins, runs f, and leaves. An error of f, or of
// joining, is printed and ends the whole job with status 1. An interrupt, which is also what launchers send when another rank
// has failed, ends f's context; if that is f's error, nothing is printed.
func Main(f func(ctx context.Context, world *Comm) error, opts ...Option) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	world, err := Init(ctx, opts...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:gocritic // the process ends: there is nothing to stop
	}
	if err := f(ctx, world); err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) { // ended from outside, by who says why
			_ = world.Leave()
			os.Exit(1)
		}
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", world.Rank(), err)
		_ = world.Abort(1)
		os.Exit(1)
	}
	if err := world.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", world.Rank(), err)
		os.Exit(1)
	}
}
