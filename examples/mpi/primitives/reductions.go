package main

import (
	"context"

	"github.com/gofabric/gofabric/mpi"
)

func reductions(ctx context.Context, world *mpi.Comm) error {
	n := world.Size()
	sum := make([]int32, n)
	if err := mpi.Reduce(ctx, world, local(world), sum, mpi.Sum, 0); err != nil { // 7
		return err
	}
	if world.Rank() == 0 {
		show(world, "reduce", sum)
	}

	if err := mpi.Allreduce(ctx, world, local(world), sum, mpi.Sum); err != nil { // 8
		return err
	}
	show(world, "allreduce", sum)
	long := multiples(world, n+3)
	if err := mpi.Allreduce(ctx, world, nil, long, mpi.Sum); err != nil { // in place
		return err
	}
	show(world, "allreduce", long)

	if err := mpi.Scan(ctx, world, local(world), sum, mpi.Sum); err != nil { // 9
		return err
	}
	show(world, "scan", sum)

	one := make([]int32, 1)
	if err := mpi.ReduceScatterBlock(ctx, world, multiples(world, n), one, mpi.Sum); err != nil {
		return err
	}
	show(world, "reduce_scatter", one)
	return nil
}

// multiples are 0, r, 2r ... at rank r.
func multiples(world *mpi.Comm, n int) []int32 {
	a := make([]int32, n)
	for i := range a {
		a[i] = int32(world.Rank() * i)
	}
	return a
}
