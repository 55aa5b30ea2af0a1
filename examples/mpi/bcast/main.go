// Bcast gives rank 0's list to all ranks, which need not know how long it is.
//
//	mpirun -n 5 ./bcast
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	var list []int
	if world.Rank() == 0 {
		list = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	}
	list, err := mpi.BcastValue(ctx, world, list, 0)
	if err != nil {
		return err
	}
	fmt.Println("rank", world.Rank(), "has", list)
	return nil
}
