package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// What all members do wrong is an error at all, and nothing has happened.
func TestWrongCollectives(t *testing.T) {
	run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
		a, b, three := make([]int32, 2), make([]int32, 4), make([]int32, 3)
		for _, w := range []struct {
			name  string
			class mpi.Class
			do    func() error
		}{
			{"root 2", mpi.ErrRoot, func() error { return mpi.Bcast(ctx, c, a, 2) }},
			{"root -1", mpi.ErrRoot, func() error { return mpi.Reduce(ctx, c, a, a, mpi.Sum, -1) }},
			{"pointers", mpi.ErrType, func() error { return mpi.Bcast(ctx, c, []string{"a"}, 0) }},
			{"lengths", mpi.ErrCount, func() error { return mpi.Allreduce(ctx, c, a, b, mpi.Sum) }},
			{"one buffer", mpi.ErrBuffer, func() error { return mpi.Allreduce(ctx, c, a, a, mpi.Sum) }},
			{"gather", mpi.ErrCount, func() error { return mpi.Allgather(ctx, c, a, three) }},
			{"uneven", mpi.ErrCount, func() error { return mpi.Alltoall(ctx, c, nil, three) }},
			{"counts", mpi.ErrCount, func() error { return mpi.ReduceScatter(ctx, c, a, a, []int{1}, mpi.Sum) }},
			{"negative", mpi.ErrCount, func() error { return mpi.ReduceScatter(ctx, c, a, nil, []int{3, -1}, mpi.Sum) }},
			{"slices", mpi.ErrCount, func() error { return mpi.Alltoallv(ctx, c, [][]int32{a}, [][]int32{a, a}) }},
			{"type", mpi.ErrOp, func() error { return mpi.Allreduce(ctx, c, nil, []float64{1}, mpi.Band) }},
			{"other type", mpi.ErrOp, func() error { return mpi.Allreduce(ctx, c, nil, []float64{1}, times) }},
			{"windows", mpi.ErrOp, func() error { return mpi.Allreduce(ctx, c, nil, a, mpi.Replace) }},
			{"no operation", mpi.ErrOp, func() error { return mpi.Scan(ctx, c, nil, a, mpi.Op{}) }},
			{"begun", mpi.ErrRoot, func() error { _, err := mpi.Ibcast(c, a, 7); return err }},
			{"prepared", mpi.ErrCount, func() error { _, err := mpi.AlltoallInit(c, a, b); return err }},
			{"no communicator", mpi.ErrComm, func() error { return mpi.Bcast(ctx, nil, a, 0) }},
		} {
			var e *mpi.Error
			if err := w.do(); !errors.Is(err, w.class) || !errors.As(err, &e) || e.Hint == "" && e.Err == nil {
				return fmt.Errorf("%s: got %w, want %v with an explanation", w.name, err, w.class)
			}
		}
		d, err := c.Dup(ctx)
		if err != nil {
			return err
		}
		if err := d.Close(); err != nil {
			return err
		}
		if err := d.Barrier(ctx); !errors.Is(err, mpi.ErrComm) {
			return fmt.Errorf("a closed communicator: %w", err)
		}
		return c.Barrier(ctx)
	})
}

// differing are calls that do not fit to each other: rank 0 makes the first, the others the second.
var differing = []struct {
	name  string
	calls [2]func(ctx context.Context, c *mpi.Comm) error
}{
	{"operations", [2]func(ctx context.Context, c *mpi.Comm) error{
		func(ctx context.Context, c *mpi.Comm) error {
			return mpi.Allreduce(ctx, c, nil, make([]int, 3), mpi.Sum)
		},
		func(ctx context.Context, c *mpi.Comm) error {
			return mpi.Allreduce(ctx, c, nil, make([]int, 3), mpi.Max)
		},
	}},
	{"counts", [2]func(ctx context.Context, c *mpi.Comm) error{
		func(ctx context.Context, c *mpi.Comm) error {
			return mpi.Allreduce(ctx, c, nil, make([]int, 3), mpi.Sum)
		},
		func(ctx context.Context, c *mpi.Comm) error {
			return mpi.Allreduce(ctx, c, nil, make([]int, 30000), mpi.Sum)
		},
	}},
	{"roots", [2]func(ctx context.Context, c *mpi.Comm) error{
		func(ctx context.Context, c *mpi.Comm) error {
			return mpi.Scatter(ctx, c, make([]int, 6), make([]int, 2), 0)
		},
		func(ctx context.Context, c *mpi.Comm) error {
			return mpi.Scatter(ctx, c, make([]int, 6), make([]int, 2), 1)
		},
	}},
	{"roots that wait to be received from", [2]func(ctx context.Context, c *mpi.Comm) error{
		func(ctx context.Context, c *mpi.Comm) error { return mpi.Bcast(ctx, c, make([]int, 50000), 0) },
		func(ctx context.Context, c *mpi.Comm) error { return mpi.Bcast(ctx, c, make([]int, 50000), 1) },
	}},
	{"types", [2]func(ctx context.Context, c *mpi.Comm) error{
		func(ctx context.Context, c *mpi.Comm) error { return mpi.Alltoall(ctx, c, nil, make([]int64, 6)) },
		func(ctx context.Context, c *mpi.Comm) error { return mpi.Alltoall(ctx, c, nil, make([]float64, 6)) },
	}},
	{"kinds", [2]func(ctx context.Context, c *mpi.Comm) error{
		func(ctx context.Context, c *mpi.Comm) error { return c.Barrier(ctx) },
		func(ctx context.Context, c *mpi.Comm) error { return mpi.Scan(ctx, c, nil, make([]int, 2), mpi.Sum) },
	}},
	{"one is wrong", [2]func(ctx context.Context, c *mpi.Comm) error{
		func(ctx context.Context, c *mpi.Comm) error { return mpi.Bcast(ctx, c, make([]int, 2), 99) },
		func(ctx context.Context, c *mpi.Comm) error { return mpi.Bcast(ctx, c, make([]int, 2), 0) },
	}},
	{"blocks", [2]func(ctx context.Context, c *mpi.Comm) error{
		func(ctx context.Context, c *mpi.Comm) error {
			return mpi.Gatherv(ctx, c, make([]int, 1), [][]int{make([]int, 1), make([]int, 4), make([]int, 2)}, 0)
		},
		func(ctx context.Context, c *mpi.Comm) error { return mpi.Gatherv(ctx, c, make([]int, 0), nil, 0) },
	}},
}

// Members that call different things learn of it, at once or with the next operation, and nobody hangs.
func TestMismatch(t *testing.T) {
	for _, before := range []int{0, 5} { // by messages, in shared memory
		for _, d := range differing {
			t.Run(fmt.Sprint(d.name, " after ", before), func(t *testing.T) {
				t.Parallel()
				run(t, 3, func(ctx context.Context, world *mpi.Comm) error {
					c, err := world.Dup(ctx)
					if err != nil {
						return err
					}
					for range before {
						if err := c.Barrier(ctx); err != nil {
							return err
						}
					}
					err = d.calls[min(c.Rank(), 1)](ctx, c)
					for range 3 { // who had nothing to wait for learns of it here
						if err == nil || errors.Is(err, mpi.ErrRoot) {
							err = c.Barrier(ctx)
						}
					}
					if !errors.Is(err, mpi.ErrMismatch) {
						return fmt.Errorf("got %w, want ErrMismatch", err)
					}
					if err := c.Barrier(ctx); !errors.Is(err, mpi.ErrMismatch) {
						return fmt.Errorf("afterwards: %w, want ErrMismatch", err)
					}
					return world.Barrier(ctx) // others are not concerned
				})
			})
		}
	}
}
