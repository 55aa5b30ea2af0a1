// Shapes exchanges lists that differ from rank to rank and have lists in them. What takes part in a Value call is encoded, so
// that it may be anything, and is combined by a function of the program's.
//
//	mpirun -n 4 ./shapes
package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/mpi"
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	rank, size := world.Rank(), world.Size()
	var list []any // of 4 ranks, rank 1 has [4 5 6 [7 8]]
	for i := range size - 1 {
		list = append(list, size*rank+i)
	}
	var nested []int
	for i := range rank + 1 {
		nested = append(nested, size*rank+size-1+i)
	}
	list = append(list, nested)

	all, err := mpi.AllgatherValue(ctx, world, list)
	if err != nil {
		return err
	}
	fmt.Println("rank", rank, "allgather", all)

	column, err := mpi.AlltoallValues(ctx, world, list)
	if err != nil {
		return err
	}
	fmt.Println("rank", rank, "alltoall", column)

	concat := func(a, b []any) []any { return slices.Concat(a, b) }
	joined, err := mpi.ReduceValue(ctx, world, list, concat, 0)
	if err != nil {
		return err
	}
	if rank == 0 {
		fmt.Println("rank", rank, "reduce", joined)
	}

	joined, err = mpi.AllreduceValue(ctx, world, list, concat)
	if err != nil {
		return err
	}
	fmt.Println("rank", rank, "allreduce", joined)
	return nil
}
