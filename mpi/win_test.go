package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// overAll runs a job over the providers that differ in how they reach memory.
func overAll(t *testing.T, n int, f func(ctx context.Context, c *mpi.Comm) error) {
	for _, p := range []string{"mem", "shm", "tcp", "lnx"} {
		t.Run(p, func(t *testing.T) { run(t, n, f, mpi.WithProvider(p)) })
	}
}

// The first tutorial: rank 0 puts into its own window, the others get it.
func TestWinTutorial(t *testing.T) {
	for _, p := range []string{"mem", "shm", "tcp", "lnx"} {
		t.Run(p, func(t *testing.T) {
			var mu sync.Mutex
			var lines []string
			run(t, 8, func(ctx context.Context, world *mpi.Comm) error {
				size := 0
				if world.Rank() == 0 {
					size = 8
				}
				win, err := mpi.WinAllocate[float32](ctx, world, size)
				if err != nil {
					return err
				}
				buf := make([]float32, 8)
				if world.Rank() == 0 {
					for i := range buf {
						buf[i] = 42
					}
					if err := errors.Join(win.Lock(ctx, 0, mpi.Exclusive), win.Put(buf, 0, 0), win.Unlock(ctx, 0), world.Barrier(ctx)); err != nil {
						return err
					}
					return win.Free(ctx)
				}
				if err := errors.Join(world.Barrier(ctx), win.Lock(ctx, 0, mpi.Exclusive), win.Get(buf, 0, 0), win.Unlock(ctx, 0)); err != nil {
					return err
				}
				for _, v := range buf {
					if v != 42 {
						return fmt.Errorf("got %v", buf)
					}
				}
				mu.Lock()
				lines = append(lines, fmt.Sprintf("win.Get successfully on Rank %d.", world.Rank()))
				mu.Unlock()
				return win.Free(ctx)
			}, mpi.WithProvider(p))
			slices.Sort(lines)
			if len(lines) != 7 || lines[0] != "win.Get successfully on Rank 1." || lines[6] != "win.Get successfully on Rank 7." {
				t.Error(lines)
			}
		})
	}
}

// windows runs f with a window of each kind that has n elements at each rank, over each provider.
func windows(t *testing.T, ranks, n int, f func(ctx context.Context, c *mpi.Comm, w *mpi.Win[int64]) error) {
	kinds := map[string]func(ctx context.Context, c *mpi.Comm) (*mpi.Win[int64], error){
		"allocate": func(ctx context.Context, c *mpi.Comm) (*mpi.Win[int64], error) {
			return mpi.WinAllocate[int64](ctx, c, n)
		},
		"create": func(ctx context.Context, c *mpi.Comm) (*mpi.Win[int64], error) {
			return mpi.WinCreate(ctx, c, make([]int64, n))
		},
		"shared": func(ctx context.Context, c *mpi.Comm) (*mpi.Win[int64], error) {
			return mpi.WinAllocateShared[int64](ctx, c, n)
		},
	}
	for name, make := range kinds {
		t.Run(name, func(t *testing.T) {
			overAll(t, ranks, func(ctx context.Context, c *mpi.Comm) error {
				w, err := make(ctx, c)
				if name == "shared" && c.Provider() == "tcp" {
					if !errors.Is(err, mpi.ErrUnsupported) {
						return fmt.Errorf("a shared window over tcp: %w", err)
					}
					return nil
				}
				if err != nil {
					return err
				}
				return errors.Join(f(ctx, c, w), w.Free(ctx))
			})
		})
	}
}

func TestWinFence(t *testing.T) {
	windows(t, 4, 5, func(ctx context.Context, c *mpi.Comm, w *mpi.Win[int64]) error {
		right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
		for round := range int64(20) {
			if err := errors.Join(w.Fence(ctx), w.Put([]int64{round, int64(c.Rank())}, right, 1), w.Fence(ctx)); err != nil {
				return err
			}
			if got := w.Local()[1:3]; got[0] != round || got[1] != int64(left) {
				return fmt.Errorf("round %d: %v", round, got)
			}
			got := make([]int64, 3)
			if err := errors.Join(w.Get(got, right, 1), w.Fence(ctx, mpi.NoSucceed)); err != nil {
				return err
			}
			if got[0] != round || got[1] != int64(c.Rank()) {
				return fmt.Errorf("round %d: got %v", round, got)
			}
		}
		return nil
	})
}

func TestWinFetchAndOp(t *testing.T) {
	const each = 25
	windows(t, 4, 3, func(ctx context.Context, c *mpi.Comm, w *mpi.Win[int64]) error {
		if err := w.LockAll(ctx); err != nil {
			return err
		}
		last := int64(-1)
		for range each {
			old, err := w.FetchAndOp(ctx, 1, 1, 2, mpi.Sum)
			if err != nil {
				return err
			}
			if old <= last {
				return fmt.Errorf("%d after %d", old, last)
			}
			last = old
		}
		if err := errors.Join(w.UnlockAll(ctx), c.Barrier(ctx)); err != nil {
			return err
		}
		if got := w.Local()[2]; c.Rank() == 1 && got != int64(each*c.Size()) {
			return fmt.Errorf("%d, want %d", got, each*c.Size())
		}
		return nil
	})
}

// Accumulates of several ranks to the same elements are not lost, without any lock; the owner's are among them.
func TestWinAccumulateIsAtomic(t *testing.T) {
	for _, p := range []string{"mem", "shm"} {
		t.Run(p, func(t *testing.T) {
			const each = 1_000_000
			var started atomic.Int32
			run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
				w, err := mpi.WinAllocate[float64](ctx, c, 4)
				if err = errors.Join(err, w.Fence(ctx)); err != nil {
					return err
				}
				add := []float64{1, 2, 3}
				for started.Add(1); started.Load() < 3; {
					runtime.Gosched() // all at once
				}
				for range each {
					if err := w.Accumulate(add, 0, 1, mpi.Sum); err != nil {
						return err
					}
				}
				if err := w.Fence(ctx); err != nil {
					return err
				}
				if got, n := w.Local(), float64(each*c.Size()); c.Rank() == 0 && !slices.Equal(got, []float64{0, n, 2 * n, 3 * n}) {
					return fmt.Errorf("%v, want multiples of %v", got, n)
				}
				return w.Free(ctx)
			}, mpi.WithProvider(p))
		})
	}
}

// Increments by Get and Put under an exclusive lock are not lost.
func TestWinLockExcludes(t *testing.T) {
	const each = 15
	windows(t, 6, 1, func(ctx context.Context, c *mpi.Comm, w *mpi.Win[int64]) error {
		v := make([]int64, 1)
		for range each {
			if err := errors.Join(w.Lock(ctx, 0, mpi.Exclusive), w.Get(v, 0, 0), w.Flush(ctx, 0)); err != nil {
				return err
			}
			v[0]++
			if err := errors.Join(w.Put(v, 0, 0), w.Unlock(ctx, 0)); err != nil {
				return err
			}
		}
		if err := c.Barrier(ctx); err != nil {
			return err
		}
		if c.Rank() == 0 && w.Local()[0] != int64(each*c.Size()) {
			return fmt.Errorf("%d, want %d", w.Local()[0], each*c.Size())
		}
		return nil
	})
}
