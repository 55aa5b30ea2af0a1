// Gather collects a number of each rank at rank 0.
//
//	mpirun -n 5 ./gather
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	list, err := mpi.GatherValue(ctx, world, world.Rank(), 0)
	if err != nil {
		return err
	}
	if list == nil {
		fmt.Println("rank", world.Rank(), "has nothing")
		return nil
	}
	fmt.Println("rank", world.Rank(), "has", list)
	return nil
}
