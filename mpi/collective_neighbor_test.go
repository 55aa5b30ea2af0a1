package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gofabric/gofabric/mpi"
)

// Members of a line talk to the one before and the one after; at the ends there is nobody.
func TestNeighbors(t *testing.T) {
	run(t, 4, func(ctx context.Context, world *mpi.Comm) error {
		me, n := int32(world.Rank()), int32(world.Size())
		if err := mpi.NeighborAllgather(ctx, world, []int32{1}, make([]int32, 2)); !errors.Is(err, mpi.ErrTopology) {
			return fmt.Errorf("without a topology: %w", err)
		}
		c, err := world.Dup(ctx)
		if err != nil {
			return err
		}
		before, after := world.Rank()-1, world.Rank()+1
		want, out := []int32{me - 1, me + 1}, []int32{10*me + 1, 10*me - 1}
		if before < 0 {
			before, want[0] = mpi.ProcNull, -7
		}
		if after == world.Size() {
			after, want[1] = mpi.ProcNull, -7
		}
		around := []int{before, after}
		c.SetNeighbors(around, around)
		fresh := func() []int32 { return []int32{-7, -7} }
		got := fresh()
		if err := mpi.NeighborAllgather(ctx, c, []int32{me}, got); err != nil {
			return err
		}
		if err := eq("allgather", got, want); err != nil {
			return err
		}
		got = fresh() // of the one before what it sent upwards, of the one after what it sent downwards
		if err := mpi.NeighborAlltoall(ctx, c, []int32{out[1], out[0]}, got); err != nil {
			return err
		}
		exchanged := []int32{10*(me-1) + 1, 10*(me+1) - 1}
		if me == 0 {
			exchanged[0] = -7
		}
		if me == n-1 {
			exchanged[1] = -7
		}
		if err := eq("alltoall", got, exchanged); err != nil {
			return err
		}
		// blocks as long as the sender's rank and 1
		recv := [][]int32{make([]int32, me), make([]int32, me+2)}
		mine := make([]int32, me+1)
		for i := range mine {
			mine[i] = me
		}
		if err := mpi.NeighborAllgatherv(ctx, c, mine, recv); err != nil {
			return err
		}
		for i, r := range []int32{me - 1, me + 1} {
			for _, v := range recv[i] {
				if v != r && around[i] != mpi.ProcNull {
					return fmt.Errorf("allgatherv: %v", recv)
				}
			}
		}
		got = fresh()
		r, err := mpi.IneighborAlltoallv(c, [][]int32{{out[1]}, {out[0]}}, [][]int32{got[:1], got[1:]})
		if err != nil {
			return err
		}
		if _, err := r.Wait(ctx); err != nil {
			return err
		}
		if err := mpi.NeighborAlltoall(ctx, c, make([]int32, 3), got); !errors.Is(err, mpi.ErrCount) {
			return fmt.Errorf("three to two: %w", err)
		}
		return eq("alltoallv", got, exchanged)
	})
}
