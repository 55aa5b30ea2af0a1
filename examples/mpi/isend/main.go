// Isend begins to send and ends without waiting: leaving the job delivers what was sent.
//
//	mpirun -n 2 ./isend
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	const tag = 11
	switch world.Rank() {
	case 0:
		_, err := mpi.IsendValue(world, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, tag)
		return err
	case 1:
		list, _, err := mpi.RecvValue[[]int](ctx, world, 0, tag)
		if err != nil {
			return err
		}
		fmt.Println("rank 1 has", list)
	}
	return nil
}
