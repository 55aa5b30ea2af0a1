package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/mpi/local"
)

// Calls that need a rank that has gone say so, and do not hang.
func TestWinTargetGone(t *testing.T) {
	for _, p := range []string{"shm", "lnx"} { // tcp takes the time of a connection that fails
		for name, call := range map[string]func(ctx context.Context, w *mpi.Win[int64]) error{
			"Fence": func(ctx context.Context, w *mpi.Win[int64]) error { return w.Fence(ctx) },
			"Start": func(ctx context.Context, w *mpi.Win[int64]) error { return w.Start(ctx, []int{1}) },
			"Wait": func(ctx context.Context, w *mpi.Win[int64]) error {
				return errors.Join(w.Post([]int{1}), w.Wait(ctx))
			},
			"queue": func(ctx context.Context, w *mpi.Win[int64]) error { // rank 1 has gone with the lock of rank 0
				return w.Lock(ctx, 0, mpi.Exclusive)
			},
			"Free": func(ctx context.Context, w *mpi.Win[int64]) error { return w.Free(ctx) },
		} {
			t.Run(p+"/"+name, func(t *testing.T) {
				t.Parallel()
				err := local.Run(t.Context(), 2, func(ctx context.Context, c *mpi.Comm) error {
					w, err := mpi.WinAllocate[int64](ctx, c, 2)
					if err != nil {
						return err
					}
					if c.Rank() == 1 {
						return errors.Join(w.Lock(ctx, 0, mpi.Exclusive), c.Barrier(ctx), c.Leave())
					}
					if err := c.Barrier(ctx); err != nil {
						return err
					}
					if err := call(ctx, w); !errors.Is(err, mpi.ErrProcFailed) {
						return fmt.Errorf("rank 1 has gone: %w", err)
					}
					return c.Leave()
				}, mpi.WithProvider(p))
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}
