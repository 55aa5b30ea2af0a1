package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// Memory that is attached later is reached by the numbers that Attach gives, and not after Detach.
func TestWinDynamic(t *testing.T) {
	overAll(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinCreateDynamic[int64](ctx, c)
		if err != nil {
			return err
		}
		a, b := make([]int64, 4), make([]int64, 2)
		at := make([]int, 2)
		if c.Rank() == 0 {
			if at[0], err = w.Attach(a); err != nil {
				return err
			}
			if at[1], err = w.Attach(b); err != nil {
				return err
			}
		}
		if err := errors.Join(mpi.Bcast(ctx, c, at, 0), w.LockAll(ctx)); err != nil {
			return err
		}
		if c.Rank() == 2 {
			if err := errors.Join(w.Put([]int64{5, 6}, 0, at[0]+2), w.Put([]int64{7}, 0, at[1]), w.Flush(ctx, 0)); err != nil {
				return err
			}
		}
		if _, err := w.FetchAndOp(ctx, 1, 0, at[1]+1, mpi.Sum); err != nil {
			return err
		}
		for what, err := range map[string]error{
			"behind the end":       w.Put([]int64{1, 1}, 0, at[0]+3),
			"between":              w.Put([]int64{1}, 0, at[1]-1),
			"0":                    w.Put([]int64{1}, 0, 0),
			"before the beginning": w.Put([]int64{1}, 0, -1),
			"nothing there":        w.Put([]int64{1}, 1, at[0]),
		} {
			if !errors.Is(err, mpi.ErrRMARange) {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		if err := errors.Join(w.FlushAll(ctx), c.Barrier(ctx)); err != nil {
			return err
		}
		if c.Rank() == 0 {
			if a[2] != 5 || a[3] != 6 || b[0] != 7 || b[1] != int64(c.Size()) {
				return fmt.Errorf("%v %v", a, b)
			}
			if err := errors.Join(w.Detach(at[0])); err != nil {
				return err
			}
			if err := w.Detach(at[0]); !errors.Is(err, mpi.ErrBuffer) {
				return fmt.Errorf("detached twice: %w", err)
			}
		}
		if err := c.Barrier(ctx); err != nil {
			return err
		}
		if err := errors.Join(w.Put([]int64{9}, 0, at[0]), w.Flush(ctx, 0)); !errors.Is(err, mpi.ErrRMARange) {
			return fmt.Errorf("put into what is detached: %w", err)
		}
		return errors.Join(w.UnlockAll(ctx), w.Free(ctx))
	})
}

// Numbers of what was attached are not used twice, and a table has an end.
func TestWinAttachMany(t *testing.T) {
	run(t, 1, func(ctx context.Context, c *mpi.Comm) error {
		w, err := mpi.WinCreateDynamic[byte](ctx, c)
		if err != nil {
			return err
		}
		seen := map[int]bool{}
		var ats []int
		for range 3 {
			for len(ats) < 1024 {
				at, err := w.Attach(make([]byte, 8))
				if err != nil || seen[at] {
					return fmt.Errorf("%d, seen: %v: %w", at, seen[at], err)
				}
				seen[at] = true
				ats = append(ats, at)
			}
			if _, err := w.Attach(make([]byte, 8)); !errors.Is(err, mpi.ErrBuffer) {
				return fmt.Errorf("one too many: %w", err)
			}
			for _, at := range ats[500:] {
				if err := w.Detach(at); err != nil {
					return err
				}
			}
			ats = ats[:500]
		}
		if err := errors.Join(w.Lock(ctx, 0, mpi.Shared), w.Put([]byte{3}, 0, ats[77]+5), w.Unlock(ctx, 0)); err != nil {
			return err
		}
		return w.Free(ctx)
	})
}

// The parts of a shared window follow each other, and all see the same memory.
func TestWinShared(t *testing.T) {
	for _, p := range []string{"mem", "shm"} {
		t.Run(p, func(t *testing.T) {
			run(t, 4, func(ctx context.Context, c *mpi.Comm) error {
				w, err := mpi.WinAllocateShared[int32](ctx, c, c.Rank()) // rank 0 has nothing
				if err != nil {
					return err
				}
				for i := range w.Local() {
					w.Local()[i] = int32(10*c.Rank() + i)
				}
				if err := errors.Join(w.Sync(), c.Barrier(ctx), w.Sync()); err != nil {
					return err
				}
				first, err := w.SharedQuery(mpi.ProcNull)
				if err != nil || len(first) != 1 || first[0] != 10 {
					return fmt.Errorf("the first part is %v: %w", first, err)
				}
				for r := range c.Size() {
					part, err := w.SharedQuery(r)
					if err != nil || len(part) != r {
						return fmt.Errorf("rank %d's part is %v: %w", r, part, err)
					}
					for i, v := range part {
						if v != int32(10*r+i) {
							return fmt.Errorf("rank %d's part is %v", r, part)
						}
					}
					if n, err := w.Len(r); n != r || err != nil {
						return fmt.Errorf("rank %d has %d: %w", r, n, err)
					}
				}
				if _, err := w.SharedQuery(4); !errors.Is(err, mpi.ErrRank) {
					return err
				}
				return w.Free(ctx)
			}, mpi.WithProvider(p))
		})
	}
}

// Windows leave no descriptors behind.
func TestWinLeavesNothing(t *testing.T) {
	count := func() int {
		d, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("known: this system does not list a process's descriptors")
		}
		return len(d)
	}
	before := count()
	run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		first := 0
		for i := range 10 {
			w, err := mpi.WinAllocate[int64](ctx, c, 100)
			if err != nil {
				return err
			}
			s, err := mpi.WinAllocateShared[int64](ctx, c, 100)
			if err != nil {
				return err
			}
			for r := range c.Size() {
				if err := errors.Join(w.Lock(ctx, r, mpi.Shared), w.Put([]int64{1}, r, 0), w.Unlock(ctx, r)); err != nil {
					return err
				}
			}
			if err := errors.Join(w.Free(ctx), s.Free(ctx), c.Barrier(ctx)); err != nil {
				return err
			}
			if i == 1 {
				first = count()
			}
			if err := c.Barrier(ctx); err != nil {
				return err
			}
		}
		// What a communicator has shared for its collectives goes a little later than the communicator.
		if now := count(); c.Rank() == 0 && now > first+8 {
			return fmt.Errorf("%d descriptors after 20 windows, %d after 4", now, first)
		}
		return c.Barrier(ctx)
	}, mpi.WithProvider("shm"))
	if after := count(); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}
