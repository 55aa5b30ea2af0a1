package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// inEachForm runs a collective operation as a blocking, a non-blocking and twice as a persistent one. check looks at what
// came, and clears it.
func inEachForm(ctx context.Context, now func() error, begin func() (*mpi.Request, error), prepare func() (*mpi.Persistent, error), check func() error) error {
	if err := errors.Join(now(), check()); err != nil {
		return fmt.Errorf("blocking: %w", err)
	}
	r, err := begin()
	if err != nil {
		return err
	}
	if _, err := r.Wait(ctx); err != nil {
		return err
	}
	if err := check(); err != nil {
		return fmt.Errorf("non-blocking: %w", err)
	}
	p, err := prepare()
	if err != nil {
		return err
	}
	for range 2 {
		if err := p.Start(); err != nil {
			return err
		}
		if _, err := p.Wait(ctx); err != nil {
			return err
		}
		if err := check(); err != nil {
			return fmt.Errorf("persistent: %w", err)
		}
	}
	return nil
}

// came compares, and clears for the next time.
func came(got, want []int32) error {
	defer clear(got)
	if !slices.Equal(got, want) {
		return fmt.Errorf("%v, want %v", got, want)
	}
	return nil
}

// Members of a ring exchange with both sides by every call and form there is.
func TestNeighborForms(t *testing.T) {
	run(t, 4, func(ctx context.Context, world *mpi.Comm) error {
		ring, err := world.CartCreate(ctx, []int{world.Size()}, []bool{true})
		if err != nil {
			return err
		}
		c, n := ring.Comm, int32(world.Size())
		me := int32(c.Rank())
		left, right := (me+n-1)%n, (me+1)%n
		got := make([]int32, 2)
		parts := [][]int32{got[:1], got[1:]}
		own, out := []int32{me}, []int32{10 * me, 10*me + 1} // to the left, to the right
		outs := [][]int32{out[:1], out[1:]}
		blocks := func(parts [][]int32) []mpi.Block {
			return []mpi.Block{mpi.BlockOf(parts[0], mpi.View{}), mpi.BlockOf(parts[1], mpi.View{})}
		}
		ranks := func() error { return came(got, []int32{left, right}) }
		crossed := func() error { return came(got, []int32{10*left + 1, 10 * right}) }
		return errors.Join(
			inEachForm(ctx, func() error { return mpi.NeighborAllgather(ctx, c, own, got) },
				func() (*mpi.Request, error) { return mpi.IneighborAllgather(c, own, got) },
				func() (*mpi.Persistent, error) { return mpi.NeighborAllgatherInit(c, own, got) }, ranks),
			inEachForm(ctx, func() error { return mpi.NeighborAllgatherv(ctx, c, own, parts) },
				func() (*mpi.Request, error) { return mpi.IneighborAllgatherv(c, own, parts) },
				func() (*mpi.Persistent, error) { return mpi.NeighborAllgathervInit(c, own, parts) }, ranks),
			inEachForm(ctx, func() error { return mpi.NeighborAlltoall(ctx, c, out, got) },
				func() (*mpi.Request, error) { return mpi.IneighborAlltoall(c, out, got) },
				func() (*mpi.Persistent, error) { return mpi.NeighborAlltoallInit(c, out, got) }, crossed),
			inEachForm(ctx, func() error { return mpi.NeighborAlltoallv(ctx, c, outs, parts) },
				func() (*mpi.Request, error) { return mpi.IneighborAlltoallv(c, outs, parts) },
				func() (*mpi.Persistent, error) { return mpi.NeighborAlltoallvInit(c, outs, parts) }, crossed),
			inEachForm(ctx, func() error { return mpi.NeighborAlltoallw(ctx, c, blocks(outs), blocks(parts)) },
				func() (*mpi.Request, error) { return mpi.IneighborAlltoallw(c, blocks(outs), blocks(parts)) },
				func() (*mpi.Persistent, error) { return mpi.NeighborAlltoallwInit(c, blocks(outs), blocks(parts)) }, crossed),
		)
	})
}

func TestAlltoallwForms(t *testing.T) {
	run(t, 3, func(ctx context.Context, c *mpi.Comm) error {
		send, recv := make([]int32, c.Size()), make([]int32, c.Size())
		var out, in []mpi.Block
		var want []int32
		for i := range send {
			send[i] = int32(10*c.Rank() + i)
			want = append(want, int32(10*i+c.Rank()))
			out = append(out, mpi.BlockOf(send[i:i+1], mpi.View{}))
			in = append(in, mpi.BlockOf(recv[i:i+1], mpi.View{}))
		}
		return inEachForm(ctx, func() error { return mpi.Alltoallw(ctx, c, out, in) },
			func() (*mpi.Request, error) { return mpi.Ialltoallw(c, out, in) },
			func() (*mpi.Persistent, error) { return mpi.AlltoallwInit(c, out, in) },
			func() error { return came(recv, want) })
	})
}
