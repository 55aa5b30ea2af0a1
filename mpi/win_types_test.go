package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

type plainNumber interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | int | uint | float32 | float64 | complex64 | complex128
}

// sums adds one of each rank to elements of a type, and fetches.
func sums[T plainNumber](ctx context.Context, c *mpi.Comm) error {
	w, err := mpi.WinAllocate[T](ctx, c, 5)
	if err != nil {
		return err
	}
	if err := errors.Join(w.Fence(ctx), w.Accumulate([]T{1, 2, 3}, 1, 1, mpi.Sum), w.Fence(ctx)); err != nil {
		return err
	}
	n := T(0)
	for range c.Size() {
		n++
	}
	if got := w.Local(); c.Rank() == 1 && (got[0] != 0 || got[1] != n || got[2] != 2*n || got[3] != 3*n || got[4] != 0) {
		return fmt.Errorf("%T: %v", n, got)
	}
	if err := w.Fence(ctx, mpi.NoSucceed); err != nil {
		return err
	}
	if c.Rank() == 0 {
		if err := w.Lock(ctx, 1, mpi.Shared); err != nil {
			return err
		}
		a, err := w.FetchAndOp(ctx, 3, 1, 2, mpi.Prod)
		b, err2 := w.CompareAndSwap(ctx, 6*n, 5, 1, 2)
		d, err3 := w.FetchAndOp(ctx, 0, 1, 2, mpi.NoOp)
		if err = errors.Join(err, err2, err3, w.Unlock(ctx, 1)); err != nil || a != 2*n || b != 6*n || d != 5 {
			return fmt.Errorf("%T: %v, %v and %v: %w", n, a, b, d, err)
		}
	}
	return w.Free(ctx)
}

func TestWinTypes(t *testing.T) {
	overAll(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		for _, f := range []func(context.Context, *mpi.Comm) error{
			sums[int8], sums[uint8], sums[int16], sums[uint16], sums[int32], sums[uint32], sums[int64], sums[uint64], sums[int],
			sums[uint], sums[float32], sums[float64], sums[complex64], sums[complex128],
		} {
			if err := f(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// Arrays are accumulated number by number, bools have logical operations, structs are put and swapped.
func TestWinOtherTypes(t *testing.T) {
	type pair struct{ A, B uint32 }
	type gap struct {
		A uint8
		B uint32
	}
	overAll(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		v, err := mpi.WinAllocate[[3]float64](ctx, c, 2)
		if err != nil {
			return err
		}
		b, err := mpi.WinAllocate[bool](ctx, c, 3)
		if err != nil {
			return err
		}
		p, err := mpi.WinAllocate[pair](ctx, c, 2)
		if err != nil {
			return err
		}
		g, err := mpi.WinAllocate[gap](ctx, c, 2)
		if err != nil {
			return err
		}
		if err := errors.Join(v.Fence(ctx), b.Fence(ctx), p.Fence(ctx), g.Fence(ctx),
			v.Accumulate([][3]float64{{1, 2, 3}}, 0, 1, mpi.Sum),
			b.Accumulate([]bool{true, c.Rank() == 1}, 0, 1, mpi.Lor)); err != nil {
			return err
		}
		if c.Rank() == 1 {
			was, err := p.CompareAndSwap(ctx, pair{}, pair{1, 2}, 0, 1)
			if err != nil || was != (pair{}) {
				return fmt.Errorf("swapped %v: %w", was, err)
			}
			if _, err := v.FetchAndOp(ctx, [3]float64{}, 0, 0, mpi.Sum); !errors.Is(err, mpi.ErrType) {
				return fmt.Errorf("fetched an array: %w", err)
			}
			if _, err := g.CompareAndSwap(ctx, gap{}, gap{}, 0, 0); !errors.Is(err, mpi.ErrType) {
				return fmt.Errorf("swapped a struct with gaps: %w", err)
			}
			if err := p.Accumulate([]pair{{}}, 0, 0, mpi.Sum); !errors.Is(err, mpi.ErrOp) {
				return fmt.Errorf("added structs: %w", err)
			}
			if err := b.Accumulate([]bool{true}, 0, 0, mpi.Sum); !errors.Is(err, mpi.ErrOp) {
				return fmt.Errorf("added bools: %w", err)
			}
		}
		if err := errors.Join(v.Fence(ctx), b.Fence(ctx), p.Fence(ctx), g.Fence(ctx)); err != nil {
			return err
		}
		if c.Rank() == 0 && (v.Local()[1] != [3]float64{2, 4, 6} || b.Local()[0] || !b.Local()[1] || !b.Local()[2] || p.Local()[1] != (pair{1, 2})) {
			return fmt.Errorf("%v %v %v", v.Local(), b.Local(), p.Local())
		}
		return errors.Join(v.Free(ctx), b.Free(ctx), p.Free(ctx), g.Free(ctx))
	})
}

// Large accesses go in pieces where they have to.
func TestWinLarge(t *testing.T) {
	overAll(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		const n = 300_000
		w, err := mpi.WinAllocate[int32](ctx, c, n)
		if err != nil {
			return err
		}
		src, dst := make([]int32, n), make([]int32, n)
		for i := range src {
			src[i] = int32(i)
		}
		peer := 1 - c.Rank()
		if err := errors.Join(w.Fence(ctx), w.Put(src, peer, 0), w.Fence(ctx), w.Accumulate(src, peer, 0, mpi.Sum), w.Fence(ctx),
			w.Get(dst, peer, 0), w.Fence(ctx)); err != nil {
			return err
		}
		for i, v := range dst {
			if v != int32(2*i) || w.Local()[i] != v {
				return fmt.Errorf("element %d is %d and %d", i, v, w.Local()[i])
			}
		}
		return w.Free(ctx)
	})
}
