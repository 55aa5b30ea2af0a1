package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

func TestWinBadInput(t *testing.T) {
	windows(t, 2, 4, func(ctx context.Context, c *mpi.Comm, w *mpi.Win[int64]) error {
		if err := w.LockAll(ctx); err != nil {
			return err
		}
		v := []int64{7, 7}
		user := mpi.OpFunc(func(acc, in []int64) {}, true)
		fetch := func(rank, at int, op mpi.Op) error { _, err := w.FetchAndOp(ctx, 1, rank, at, op); return err }
		swap := func(rank, at int) error { _, err := w.CompareAndSwap(ctx, 0, 1, rank, at); return err }
		rput := func(rank, at int) error { _, err := w.Rput(v, rank, at); return err }
		for _, b := range []struct {
			what  string
			err   error
			class mpi.Class
		}{
			{"behind the end", w.Put(v, 1, 3), mpi.ErrRMARange},
			{"far behind the end", w.Get(v, 1, 1<<62), mpi.ErrRMARange},
			{"before the beginning", w.Put(v, 1, -1), mpi.ErrRMARange},
			{"far before the beginning", w.Get(v, 0, -1<<63), mpi.ErrRMARange},
			{"nothing behind the end", w.Put(nil, 1, 5), mpi.ErrRMARange},
			{"Accumulate", w.Accumulate(v, 1, 3, mpi.Sum), mpi.ErrRMARange},
			{"FetchAndOp", fetch(1, 4, mpi.Sum), mpi.ErrRMARange},
			{"CompareAndSwap", swap(1, 4), mpi.ErrRMARange},
			{"Rput", rput(0, 3), mpi.ErrRMARange},
			{"rank 2", w.Put(v, 2, 0), mpi.ErrRank},
			{"rank -1", w.Get(v, -1, 0), mpi.ErrRank},
			{"flush rank 2", w.Flush(ctx, 2), mpi.ErrRank},
			{"FetchAndOp rank 9", fetch(9, 0, mpi.Sum), mpi.ErrRank},
			{"no operation", w.Accumulate(v, 1, 0, mpi.Op{}), mpi.ErrOp},
			{"a user's operation", w.Accumulate(v, 1, 0, user), mpi.ErrOp},
			{"an operation of pairs", fetch(1, 0, mpi.MinLoc), mpi.ErrOp},
			{"lengths", w.GetAccumulate(v, v[:1], 1, 0, mpi.Sum), mpi.ErrArg},
			{"a lock of no kind", w.Lock(ctx, 1, 7), mpi.ErrLockType},
			{"attach", func() error { _, err := w.Attach(v); return err }(), mpi.ErrWin},
			{"detach", w.Detach(0), mpi.ErrWin},
		} {
			if !errors.Is(b.err, b.class) {
				return fmt.Errorf("%s: %v, want %w", b.what, b.err, b.class)
			}
		}
		// Nobody, and nothing, is no error.
		r, err := w.Rget(v, mpi.ProcNull, 0)
		if err = errors.Join(err, w.Put(v, mpi.ProcNull, 9), w.Accumulate(v, mpi.ProcNull, 0, mpi.Sum), w.Put(nil, 1, 4)); err != nil {
			return err
		}
		if _, err := r.Wait(ctx); err != nil {
			return err
		}
		if err := errors.Join(w.UnlockAll(ctx), c.Barrier(ctx)); err != nil {
			return err
		}
		for i, v := range w.Local() {
			if v != 0 {
				return fmt.Errorf("element %d is %d after calls that failed", i, v)
			}
		}
		return nil
	})
}

func TestWinAfterFree(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int64](ctx, c, 4)
		if err != nil {
			return err
		}
		if err := errors.Join(w.Free(ctx), w.Free(ctx)); err != nil {
			return err
		}
		_, part := w.SharedQuery(0)
		_, attach := w.Attach(make([]int64, 1))
		for what, err := range map[string]error{
			"Put": w.Put([]int64{1}, 0, 0), "Fence": w.Fence(ctx), "Lock": w.Lock(ctx, 0, mpi.Shared), "Unlock": w.Unlock(ctx, 0),
			"LockAll": w.LockAll(ctx), "Flush": w.Flush(ctx, 0), "Post": w.Post(nil), "Start": w.Start(ctx, nil), "Wait": w.Wait(ctx),
			"Sync": w.Sync(), "SharedQuery": part, "Attach": attach,
		} {
			if !errors.Is(err, mpi.ErrWin) {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		if w.Local() != nil {
			return errors.New("the memory is still there")
		}
		return nil
	})
}

// What cannot be made fails at all members, and leaves a communicator that works.
func TestWinCannotBeMade(t *testing.T) {
	overAll(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		n := 4
		if c.Rank() == 1 {
			n = -1
		}
		if _, err := mpi.WinAllocate[int64](ctx, c, n); err == nil || !errors.Is(err, mpi.ErrArg) && !errors.Is(err, mpi.ErrBuffer) {
			return fmt.Errorf("a negative length: %v", err)
		}
		var err error
		if c.Rank() == 2 {
			_, err = mpi.WinAllocate[float64](ctx, c, 4)
		} else {
			_, err = mpi.WinAllocate[int64](ctx, c, 4)
		}
		if !errors.Is(err, mpi.ErrMismatch) {
			return fmt.Errorf("different types: %v", err)
		}
		if _, err := mpi.WinAllocate[string](ctx, c, 4); !errors.Is(err, mpi.ErrType) {
			return fmt.Errorf("strings: %v", err)
		}
		if _, err := mpi.WinAllocate[int](ctx, nil, 4); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("no communicator: %v", err)
		}
		return c.Barrier(ctx)
	})
}

// A window that nobody has freed goes with its job.
func TestWinLeftOpen(t *testing.T) {
	overAll(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int64](ctx, c, 1000)
		if err != nil {
			return err
		}
		return errors.Join(w.Fence(ctx), w.Put(make([]int64, 1000), 1-c.Rank(), 0), w.Fence(ctx))
	})
}
