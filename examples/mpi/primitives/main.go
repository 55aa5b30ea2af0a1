// Primitives goes through what MPI programs are made of, in twelve steps; each rank prints what it has after each.
//
//	mpirun -n 4 ./primitives
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

type note struct {
	Message string
	Value   int
}

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	for _, steps := range []func(context.Context, *mpi.Comm) error{values, arrays, reductions, messages} {
		if err := steps(ctx, world); err != nil {
			return err
		}
	}
	return nil
}

// show prints a result.
func show(world *mpi.Comm, step string, v any) { fmt.Println("rank", world.Rank(), step, v) }

func values(ctx context.Context, world *mpi.Comm) error {
	if err := world.Barrier(ctx); err != nil { // 1
		return err
	}

	var n note
	if world.Rank() == 0 {
		n = note{"from rank 0", 123}
	}
	n, err := mpi.BcastValue(ctx, world, n, 0) // 2
	if err != nil {
		return err
	}
	show(world, "bcast", n)

	var texts []string
	if world.Rank() == 0 {
		for i := range world.Size() {
			texts = append(texts, fmt.Sprintf("from-0-index-%d", i))
		}
	}
	text, err := mpi.ScatterValues(ctx, world, texts, 0) // 3
	if err != nil {
		return err
	}
	show(world, "scatter", text)
	return nil
}

// local is [0 1 2 3] at rank 0 of 4, [4 5 6 7] at rank 1, and so on.
func local(world *mpi.Comm) []int32 {
	a := make([]int32, world.Size())
	for i := range a {
		a[i] = int32(world.Size()*world.Rank() + i)
	}
	return a
}

func arrays(ctx context.Context, world *mpi.Comm) error {
	n := world.Size()
	var all []int32
	if world.Rank() == 0 {
		all = make([]int32, n*n)
	}
	if err := mpi.Gather(ctx, world, local(world), all, 0); err != nil { // 4
		return err
	}
	if world.Rank() == 0 {
		show(world, "gather", all)
	}

	all = make([]int32, n*n)
	if err := mpi.Allgather(ctx, world, local(world), all); err != nil { // 5
		return err
	}
	show(world, "allgather", all)

	column := make([]int32, n)
	if err := mpi.Alltoall(ctx, world, local(world), column); err != nil { // 6
		return err
	}
	show(world, "alltoall", column)
	return nil
}
