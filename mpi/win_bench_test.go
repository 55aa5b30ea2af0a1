package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/mpi/local"
)

// BenchmarkWin shows what one access of rank 0 to rank 1's memory takes.
func BenchmarkWin(b *testing.B) {
	one := func(n int) []int64 { return make([]int64, n) }
	small, large := one(1), one(512)
	put := func(buf []int64) func(context.Context, *mpi.Win[int64]) error {
		return func(ctx context.Context, w *mpi.Win[int64]) error {
			if err := w.Put(buf, 1, 0); err != nil {
				return err
			}
			return w.Flush(ctx, 1)
		}
	}
	locked := func(buf []int64) func(context.Context, *mpi.Win[int64]) error {
		return func(ctx context.Context, w *mpi.Win[int64]) error {
			if err := w.Lock(ctx, 1, mpi.Exclusive); err != nil {
				return err
			}
			if err := w.Put(buf, 1, 0); err != nil {
				return err
			}
			return w.Unlock(ctx, 1)
		}
	}
	for _, c := range []struct {
		name string
		lock bool
		f    func(context.Context, *mpi.Win[int64]) error
	}{
		{"put-flush/8", true, put(small)},
		{"put-flush/4096", true, put(large)},
		{"lock-put-unlock/8", false, locked(small)},
		{"lock-put-unlock/4096", false, locked(large)},
		{"lock-unlock/0", false, func(ctx context.Context, w *mpi.Win[int64]) error {
			return errors.Join(w.Lock(ctx, 1, mpi.Exclusive), w.Unlock(ctx, 1))
		}},
		{"get-flush/8", true, func(ctx context.Context, w *mpi.Win[int64]) error {
			return errors.Join(w.Get(small, 1, 0), w.Flush(ctx, 1))
		}},
		{"accumulate-flush/8", true, func(ctx context.Context, w *mpi.Win[int64]) error {
			return errors.Join(w.Accumulate(small, 1, 0, mpi.Sum), w.Flush(ctx, 1))
		}},
		{"fetch-and-op/8", true, func(ctx context.Context, w *mpi.Win[int64]) error {
			if _, err := w.FetchAndOp(ctx, 1, 1, 0, mpi.Sum); err != nil {
				return err
			}
			return w.Flush(ctx, 1)
		}},
		{"compare-and-swap/8", true, func(ctx context.Context, w *mpi.Win[int64]) error {
			if _, err := w.CompareAndSwap(ctx, 0, 1, 1, 0); err != nil {
				return err
			}
			return w.Flush(ctx, 1)
		}},
	} {
		for _, p := range []string{"shm", "tcp"} {
			b.Run(fmt.Sprintf("call=%s/prov=%s", c.name, p), func(b *testing.B) {
				b.ReportAllocs()
				alone(b, p, c.lock, c.f)
			})
		}
	}
}

// BenchmarkWinFence shows a Put of rank 0 between two fences.
func BenchmarkWinFence(b *testing.B) {
	buf := make([]int64, 1)
	err := local.Run(b.Context(), 2, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int64](ctx, c, 8)
		if err != nil {
			return err
		}
		if err := w.Fence(ctx); err != nil {
			return err
		}
		if c.Rank() == 0 {
			b.ResetTimer()
		}
		for range b.N {
			if c.Rank() == 0 {
				if err := w.Put(buf, 1, 0); err != nil {
					return err
				}
			}
			if err := w.Fence(ctx); err != nil {
				return err
			}
		}
		return w.Free(ctx)
	}, mpi.WithProvider("shm"))
	if err != nil {
		b.Fatal(err)
	}
}

// alone runs f on rank 0 while rank 1 waits.
func alone(b *testing.B, provider string, lock bool, f func(context.Context, *mpi.Win[int64]) error) {
	err := local.Run(b.Context(), 2, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int64](ctx, c, 1024)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			if lock {
				if err := w.Lock(ctx, 1, mpi.Shared); err != nil {
					return err
				}
			}
			if err := f(ctx, w); err != nil {
				return err
			}
			b.ResetTimer()
			for range b.N {
				if err := f(ctx, w); err != nil {
					return err
				}
			}
			b.StopTimer()
			if lock {
				if err := w.Unlock(ctx, 1); err != nil {
					return err
				}
			}
		}
		return w.Free(ctx)
	}, mpi.WithProvider(provider))
	if err != nil {
		b.Fatal(err)
	}
}
