// Scatter hands out rank 0's list, one element to each rank.
//
//	mpirun -n 10 ./scatter
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	var list []int // rank 0 only; there are as many elements as ranks
	if world.Rank() == 0 {
		for i := range world.Size() {
			list = append(list, i)
		}
	}
	mine, err := mpi.ScatterValues(ctx, world, list, 0)
	if err != nil {
		return err
	}
	fmt.Println("rank", world.Rank(), "has", mine)
	return nil
}
