package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofabric/gofabric/mpi"
)

// Post, start, complete and wait round a ring, in each epoch with other values; with Test in place of Wait at times.
func TestWinPostStart(t *testing.T) {
	windows(t, 4, 3, func(ctx context.Context, c *mpi.Comm, w *mpi.Win[int64]) error {
		right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
		for round := range int64(20) {
			if err := errors.Join(w.Post([]int{left}), w.Start(ctx, []int{right}),
				w.Put([]int64{round + int64(c.Rank())}, right, 2), w.Complete(ctx)); err != nil {
				return err
			}
			if round%2 == 0 {
				if err := w.Wait(ctx); err != nil {
					return err
				}
			} else {
				for over := false; !over; {
					var err error
					if over, err = w.Test(); err != nil || ctx.Err() != nil { // another rank may have failed
						return errors.Join(err, ctx.Err())
					}
				}
			}
			if got := w.Local()[2]; got != round+int64(left) {
				return fmt.Errorf("round %d: %d from %d", round, got, left)
			}
		}
		return nil
	})
}

// One target, all others origins; the target may go on to post before they come.
func TestWinPostMany(t *testing.T) {
	overAll(t, 5, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int32](ctx, c, 10)
		if err != nil {
			return err
		}
		for range 5 {
			if c.Rank() == 0 {
				if err := errors.Join(w.Post([]int{4, 1, 3, 2}, mpi.NoStore), w.Wait(ctx)); err != nil {
					return err
				}
				continue
			}
			if err := errors.Join(w.Start(ctx, []int{0}), w.Accumulate([]int32{1, int32(c.Rank())}, 0, 0, mpi.Sum), w.Complete(ctx)); err != nil {
				return err
			}
		}
		if got := w.Local(); c.Rank() == 0 && (got[0] != 20 || got[1] != 50) {
			return fmt.Errorf("%v", got)
		}
		return w.Free(ctx)
	})
}

// Kinds of epochs follow each other, and one that is in the way is an error that changes nothing.
func TestWinEpochs(t *testing.T) {
	windows(t, 2, 4, func(ctx context.Context, c *mpi.Comm, w *mpi.Win[int64]) error {
		peer, v := 1-c.Rank(), []int64{1}
		is := func(class mpi.Class, what string, err error) error {
			if !errors.Is(err, class) {
				return fmt.Errorf("%s: %w, want %w", what, err, class)
			}
			return nil
		}
		put := func() error { return w.Put(v, peer, 0) }
		over := func() error { _, err := w.Test(); return err }
		closed := func(where string) error { // no epoch is open
			_, fetch := w.FetchAndOp(ctx, 1, peer, 0, mpi.Sum)
			_, swap := w.CompareAndSwap(ctx, 1, 1, peer, 0)
			_, rput := w.Rput(v, peer, 0)
			_, racc := w.Raccumulate(v, peer, 0, mpi.Sum)
			for what, err := range map[string]error{
				"Put": put(), "Get": w.Get(v, peer, 0), "Accumulate": w.Accumulate(v, peer, 0, mpi.Sum), "FetchAndOp": fetch,
				"CompareAndSwap": swap, "Rput": rput, "Raccumulate": racc, "Unlock": w.Unlock(ctx, peer), "UnlockAll": w.UnlockAll(ctx),
				"Flush": w.Flush(ctx, peer), "FlushAll": w.FlushAll(ctx), "FlushLocal": w.FlushLocal(ctx, peer),
				"Complete": w.Complete(ctx), "Wait": w.Wait(ctx), "Test": over(),
			} {
				if err := is(mpi.ErrRMASync, where+": "+what, err); err != nil {
					return err
				}
			}
			return nil
		}
		steps := []func() error{
			func() error { return closed("at first") },
			func() error { return w.Fence(ctx) },
			func() error { return w.Lock(ctx, peer, mpi.Shared) }, // the fence's epoch was not used
			put,
			func() error { return is(mpi.ErrRMASync, "a second Lock", w.Lock(ctx, peer, mpi.Shared)) },
			func() error { return is(mpi.ErrRMASync, "LockAll", w.LockAll(ctx)) },
			func() error { return is(mpi.ErrRMASync, "Fence", w.Fence(ctx)) },
			func() error { return is(mpi.ErrRMASync, "Start", w.Start(ctx, []int{peer})) },
			func() error { return is(mpi.ErrRMASync, "Free", w.Free(ctx)) },
			func() error { return is(mpi.ErrRMASync, "Put to another", w.Put(v, c.Rank(), 0)) },
			func() error { return w.Flush(ctx, peer) },
			func() error { return w.Unlock(ctx, peer) },
			func() error { return closed("after Unlock") },
			func() error { return w.LockAll(ctx) },
			put,
			func() error { return w.Put(v, c.Rank(), 1) },
			func() error { return is(mpi.ErrRMASync, "Unlock", w.Unlock(ctx, peer)) },
			func() error { return is(mpi.ErrRMASync, "Lock", w.Lock(ctx, peer, mpi.Shared)) },
			func() error { return w.FlushAll(ctx) },
			func() error { return w.FlushLocalAll(ctx) },
			func() error { return w.UnlockAll(ctx) },
			func() error { return closed("after UnlockAll") },
			func() error { return w.Fence(ctx, mpi.NoPrecede) },
			put,
			func() error { return is(mpi.ErrRMASync, "Lock", w.Lock(ctx, peer, mpi.Shared)) },
			func() error { return is(mpi.ErrRMASync, "Post", w.Post([]int{peer})) },
			func() error { return is(mpi.ErrRMASync, "Free", w.Free(ctx)) },
			func() error { return is(mpi.ErrRMASync, "a wrong promise", w.Fence(ctx, mpi.NoPrecede)) },
			func() error { return is(mpi.ErrArg, "a strange promise", w.Fence(ctx, mpi.NoCheck)) },
			func() error { return w.Fence(ctx, mpi.NoSucceed, mpi.NoStore) },
			func() error { return closed("after NoSucceed") },
			func() error { return w.Post([]int{peer}) },
			func() error { return is(mpi.ErrRMASync, "a second Post", w.Post([]int{peer})) },
			func() error { return is(mpi.ErrRMASync, "Free", w.Free(ctx)) },
			func() error { return w.Start(ctx, []int{peer}) },
			put,
			func() error { return is(mpi.ErrRMASync, "Flush", w.Flush(ctx, peer)) },
			func() error { return is(mpi.ErrRMASync, "Lock", w.Lock(ctx, peer, mpi.Exclusive)) },
			func() error { return is(mpi.ErrRMASync, "Fence", w.Fence(ctx)) },
			func() error { return w.Complete(ctx) },
			func() error { return w.Wait(ctx) },
			func() error { return closed("after Wait") },
			func() error { return w.Lock(ctx, peer, mpi.Exclusive, mpi.NoCheck) },
			put,
			func() error { return w.Unlock(ctx, peer) },
			func() error { return c.Barrier(ctx) },
			func() error { return w.LockAll(ctx, mpi.NoCheck) },
			put,
			func() error { return w.UnlockAll(ctx) },
			func() error { return w.Sync() },
		}
		for i, f := range steps {
			if err := f(); err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
		}
		return nil
	})
}

// A Lock whose context has ended is in nobody's way: the next one waits until it has left the queue.
func TestWinLockAgain(t *testing.T) {
	overAll(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](ctx, c, 1)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			return errors.Join(w.Lock(ctx, 0, mpi.Exclusive), c.Barrier(ctx), c.Barrier(ctx), w.Unlock(ctx, 0), w.Free(ctx))
		}
		if err := c.Barrier(ctx); err != nil {
			return err
		}
		for range 2 { // the second finds the first in the queue
			ended, cancel := context.WithTimeout(ctx, time.Millisecond)
			err = w.Lock(ended, 0, mpi.Exclusive)
			cancel()
			if !errors.Is(err, mpi.ErrPending) || !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("a Lock that ends before it has the lock: %w", err)
			}
		}
		return errors.Join(c.Barrier(ctx), w.Lock(ctx, 0, mpi.Exclusive), w.Unlock(ctx, 0), w.Free(ctx))
	})
}

// A target that calls nothing is served.
func TestWinTargetComputes(t *testing.T) {
	overAll(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinAllocate[uint64](ctx, c, 1)
		if err != nil {
			return err
		}
		if c.Rank() == 1 {
			for n := 0; atomic.LoadUint64(&w.Local()[0]) != 3; n++ {
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
			return w.Free(ctx)
		}
		if err := errors.Join(w.Lock(ctx, 1, mpi.Exclusive), w.Put([]uint64{2}, 1, 0), w.Flush(ctx, 1)); err != nil {
			return err
		}
		old, err := w.FetchAndOp(ctx, 1, 1, 0, mpi.Sum)
		if err != nil || old != 2 {
			return fmt.Errorf("%d, %w", old, err)
		}
		return errors.Join(w.Unlock(ctx, 1), w.Free(ctx))
	})
}
