package mpi_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// Small operations that are repeated allocate nothing: in shared memory, and by messages (scans).
func TestCollectiveAllocs(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		in, out := make([]float64, 1), make([]float64, 1)
		prepared, err := mpi.AllreduceInit(c, in, out, mpi.Sum)
		if err != nil {
			return err
		}
		for _, op := range []struct {
			name string
			do   func() error
		}{
			{"barrier", func() error { return c.Barrier(ctx) }},
			{"allreduce", func() error { return mpi.Allreduce(ctx, c, in, out, mpi.Sum) }},
			{"bcast", func() error { return mpi.Bcast(ctx, c, in, 0) }},
			{"scan", func() error { return mpi.Scan(ctx, c, in, out, mpi.Sum) }},
			{"persistent", func() error {
				if err := prepared.Start(); err != nil {
					return err
				}
				_, err := prepared.Wait(ctx)
				return err
			}},
		} {
			var failed error
			f := func() {
				if err := op.do(); err != nil {
					failed = err
				}
			}
			const warm, runs, attempts = 20, 200, 3
			for range warm {
				f()
			}
			least := 1e9
			for range attempts { // who sleeps since the machine has other things to do allocates a bell
				if c.Rank() == 0 {
					least = min(least, testing.AllocsPerRun(runs, f))
				} else {
					for range runs + 1 {
						f()
					}
				}
			}
			if c.Rank() == 0 && least != 0 {
				return fmt.Errorf("%s: %v allocations", op.name, least)
			}
			if failed != nil {
				return fmt.Errorf("%s: %w", op.name, failed)
			}
		}
		return nil
	}, mpi.WithProvider("shm")) // mem allocates for a message
}
