package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// Non-blocking operations may be over in any order, and go on while nobody waits.
func TestNonblocking(t *testing.T) {
	run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		n, me := c.Size(), c.Rank()
		in := []int64{int64(me + 1)}
		sum, top, all := make([]int64, 1), make([]int64, 1), make([]int64, n)
		root := []int64{int64(10 * me)}
		var rs []*mpi.Request
		for _, begin := range []func() (*mpi.Request, error){
			c.Ibarrier,
			func() (*mpi.Request, error) { return mpi.Iallreduce(c, in, sum, mpi.Sum) },
			func() (*mpi.Request, error) { return mpi.Iscan(c, in, top, mpi.Prod) },
			func() (*mpi.Request, error) { return mpi.Iallgather(c, in, all) },
			func() (*mpi.Request, error) { return mpi.Ibcast(c, root, 2) },
		} {
			r, err := begin()
			if err != nil {
				return err
			}
			rs = append(rs, r)
		}
		<-rs[3].Done()
		slices.Reverse(rs)
		if err := mpi.WaitAll(ctx, rs...); err != nil {
			return err
		}
		return errors.Join(eq("sum", sum, []int64{6}), eq("scan", top, []int64{[]int64{1, 2, 6}[me]}),
			eq("all", all, []int64{1, 2, 3}), eq("bcast", root, []int64{20}))
	})
}

// A persistent operation gives the result of what is in its buffers when it is started.
func TestPersistentCollective(t *testing.T) {
	run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		in, out := make([]int32, 4), make([]int32, 4)
		p, err := mpi.AllreduceInit(c, in, out, mpi.Max)
		if err != nil {
			return err
		}
		b, err := c.BarrierInit()
		if err != nil {
			return err
		}
		for i := range int32(20) {
			for k := range in {
				in[k] = i * int32(k+c.Rank())
			}
			if err := mpi.StartAll(p, b); err != nil {
				return err
			}
			if err := mpi.WaitAll(ctx, p.Request, b.Request); err != nil {
				return err
			}
			if err := eq("max", out, []int32{2 * i, 3 * i, 4 * i, 5 * i}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Values may have other shapes at each member; lists are concatenated by the caller's function.
func TestValues(t *testing.T) {
	run(t, 4, func(ctx context.Context, c *mpi.Comm) error {
		me, n := c.Rank(), c.Size()
		type note struct {
			Message string
			Value   int
		}
		got, err := mpi.BcastValue(ctx, c, note{fmt.Sprint("from ", me), 123 + me}, 0)
		if err != nil {
			return err
		}
		if got != (note{"from 0", 123}) {
			return fmt.Errorf("bcast: %v", got)
		}
		var texts []string
		if me == 1 {
			for i := range n {
				texts = append(texts, fmt.Sprintf("index-%d", i))
			}
		}
		text, err := mpi.ScatterValues(ctx, c, texts, 1)
		if err != nil || text != fmt.Sprintf("index-%d", me) {
			return fmt.Errorf("scatter: %q: %w", text, err)
		}
		ragged := slices.Repeat([]int{me}, me+1)
		lists, err := mpi.AllgatherValue(ctx, c, ragged)
		if err != nil {
			return err
		}
		for i, l := range lists {
			if err := eq("allgather", l, slices.Repeat([]int{i}, i+1)); err != nil {
				return err
			}
		}
		gathered, err := mpi.GatherValue(ctx, c, ragged, 2)
		if err != nil || me == 2 && len(gathered) != n || me != 2 && gathered != nil {
			return fmt.Errorf("gather: %v: %w", gathered, err)
		}
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprint(me, i)
		}
		cols, err := mpi.AlltoallValues(ctx, c, rows)
		if err != nil {
			return err
		}
		for i, s := range cols {
			if s != fmt.Sprint(i, me) {
				return fmt.Errorf("alltoall: %q from %d", s, i)
			}
		}
		concat := func(a, b []int) []int { return slices.Concat(a, b) }
		joined, err := mpi.AllreduceValue(ctx, c, ragged, concat)
		if err != nil {
			return err
		}
		up, err := mpi.ScanValue(ctx, c, ragged, concat)
		if err != nil {
			return err
		}
		whole := []int{0, 1, 1, 2, 2, 2, 3, 3, 3, 3}
		at, err := mpi.ReduceValue(ctx, c, ragged, concat, 3)
		if err != nil {
			return err
		}
		if me != 3 {
			at = whole
		}
		return errors.Join(eq("allreduce", joined, whole), eq("scan", up, whole[:(me+1)*(me+2)/2]), eq("reduce", at, whole))
	})
}

// A value that cannot be encoded at one member is an error at all, and the communicator goes on.
func TestUnusableValue(t *testing.T) {
	run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		var v any = "text"
		if c.Rank() == 1 {
			v = func() {}
		}
		if _, err := mpi.AllgatherValue(ctx, c, v); !errors.Is(err, mpi.ErrType) {
			return fmt.Errorf("got %w, want ErrType", err)
		}
		if _, err := mpi.BcastValue(ctx, c, v, 1); !errors.Is(err, mpi.ErrType) {
			return fmt.Errorf("got %w, want ErrType", err)
		}
		vs := []any{v, v, v}
		if _, err := mpi.AlltoallValues(ctx, c, vs); !errors.Is(err, mpi.ErrType) {
			return fmt.Errorf("got %w, want ErrType", err)
		}
		return c.Barrier(ctx)
	})
}

// A context ends the wait, and the operation goes on: by messages, and in shared memory.
func TestCollectiveGoesOn(t *testing.T) {
	for _, before := range []int{0, 10} {
		t.Run(fmt.Sprint(before), func(t *testing.T) {
			run(t, 2, func(ctx context.Context, c *mpi.Comm) error {
				for range before {
					if err := c.Barrier(ctx); err != nil {
						return err
					}
				}
				in, out := []int{c.Rank() + 1}, make([]int, 1)
				if c.Rank() == 0 {
					ended, cancel := context.WithCancel(ctx)
					cancel()
					err := mpi.Allreduce(ended, c, in, out, mpi.Sum)
					var left *mpi.Error
					if !errors.As(err, &left) || left.Request == nil || !errors.Is(err, context.Canceled) || !errors.Is(err, mpi.ErrPending) {
						return fmt.Errorf("got %w", err)
					}
					if err := mpi.Send(ctx, c, in, 1, 0); err != nil {
						return err
					}
					if _, err := left.Request.Wait(ctx); err != nil {
						return err
					}
				} else {
					if _, err := mpi.Recv(ctx, c, make([]int, 1), 0, 0); err != nil {
						return err
					}
					if err := mpi.Allreduce(ctx, c, in, out, mpi.Sum); err != nil {
						return err
					}
				}
				return errors.Join(eq("sum", out, []int{3}), c.Barrier(ctx))
			})
		})
	}
}
