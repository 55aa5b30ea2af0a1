package mpi_test

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/mpi/local"
)

// Two ranks wait for each other, one waits in a collective operation, and one does something else.
func TestWatchdog(t *testing.T) {
	reports := make(chan string, 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var said string
	err := local.Run(ctx, 4, func(ctx context.Context, c *mpi.Comm) error {
		var err error
		for range 5 { // the last one goes through shared memory
			err = errors.Join(err, c.Barrier(ctx))
		}
		switch c.Rank() {
		case 0:
			_, err = mpi.Recv(ctx, c, []int{0}, 1, 5)
		case 1:
			_, err = mpi.Recv(ctx, c, []int{0}, 0, mpi.AnyTag)
		case 2:
			err = c.Barrier(ctx)
		case 3:
			said = <-reports
			cancel()
		}
		if ctx.Err() != nil {
			err = nil
		}
		return errors.Join(err, c.Leave())
	}, mpi.WithProvider("shm"), mpi.WithWatchdog(300*time.Millisecond, func(text string) { reports <- text }))
	if err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		`^mpi: rank \d: nothing has moved for \d`,
		`rank 0: Recv, rank 1 of the world, tag 5, communicator 0, for [\d.m]+s, at mpi/watchdog_test.go:27\n`,
		`rank 1: Recv, rank 0 of the world, any tag, communicator 0, for [\d.m]+s, at mpi/watchdog_test.go:29\n`,
		`rank 2: Comm.Barrier, (rank \d of the world, )?communicator 0, for [\d.m]+s, at mpi/watchdog_test.go:31\n`,
		`rank 3: (no answer|waits for nothing)`,
		`deadlock: rank 0 waits for 1 waits for 0\n`,
	} {
		if !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("%s is missing in\n%s", want, said)
		}
	}
}

// Nothing is reported of who moves.
func TestWatchdogIsQuiet(t *testing.T) {
	run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		for began := time.Now(); time.Since(began) < 700*time.Millisecond; {
			again := []int{0}
			if time.Since(began) < 600*time.Millisecond {
				again[0] = 1
			}
			if err := mpi.Allreduce(ctx, c, nil, again, mpi.Min); err != nil || again[0] == 0 {
				return err
			}
		}
		return c.Barrier(ctx)
	}, mpi.WithWatchdog(400*time.Millisecond, func(text string) { t.Error(text) }))
}

func TestWatchdogVariable(t *testing.T) {
	t.Setenv("MPI_WATCHDOG", "ten seconds")
	if _, err := mpi.Init(t.Context()); !errors.Is(err, mpi.ErrArg) {
		t.Error(err)
	}
	t.Setenv("MPI_WATCHDOG", "10s")
	c, err := mpi.Init(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
