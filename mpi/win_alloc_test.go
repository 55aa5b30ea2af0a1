package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// Accesses to mapped memory allocate nothing.
//
// allocs: Win.Put Win.Get Win.Accumulate Win.GetAccumulate Win.FetchAndOp Win.CompareAndSwap Win.op Win.Flush
func TestWinAllocs(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int64](ctx, c, 8)
		if err != nil {
			return err
		}
		f, err := mpi.WinAllocate[float32](ctx, c, 8)
		if err != nil {
			return err
		}
		if c.Rank() == 1 {
			return errors.Join(w.Free(ctx), f.Free(ctx))
		}
		one, many, old := make([]int64, 1), make([]int64, 7), make([]int64, 7)
		var failed error
		note := func(errs ...error) {
			for _, err := range errs {
				if err != nil {
					failed = err
				}
			}
		}
		if err := errors.Join(w.Lock(ctx, 1, mpi.Shared), f.Lock(ctx, 1, mpi.Shared)); err != nil {
			return err
		}
		if n := testing.AllocsPerRun(100, func() {
			note(w.Put(one, 1, 0), w.Put(many, 1, 1), w.Get(one, 1, 0), w.Get(many, 1, 1), w.Accumulate(many, 1, 0, mpi.Sum),
				w.GetAccumulate(many, old, 1, 0, mpi.Max), w.Flush(ctx, 1))
			v, err := w.FetchAndOp(ctx, 1, 1, 2, mpi.Sum)
			_, err2 := w.CompareAndSwap(ctx, v, 0, 1, 2)
			g, err3 := f.FetchAndOp(ctx, 1, 1, 2, mpi.Sum)
			_, err4 := f.CompareAndSwap(ctx, g, 0, 1, 2)
			note(err, err2, err3, err4)
		}); n != 0 || failed != nil {
			return fmt.Errorf("%v allocations: %w", n, failed)
		}
		if n := testing.AllocsPerRun(100, func() {
			note(w.Unlock(ctx, 1), w.Lock(ctx, 1, mpi.Exclusive))
		}); n != 0 || failed != nil {
			return fmt.Errorf("%v allocations of a lock: %w", n, failed)
		}
		return errors.Join(w.Unlock(ctx, 1), f.Unlock(ctx, 1), w.Free(ctx), f.Free(ctx))
	}, mpi.WithProvider("shm"))
}
