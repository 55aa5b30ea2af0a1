// List sends a list from rank 0 to rank 1, who needs not know how long it is: a value may be of any type that can be encoded.
//
//	mpirun -n 2 ./list
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
		return mpi.SendValue(ctx, world, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, tag)
	case 1:
		list, _, err := mpi.RecvValue[[]int](ctx, world, 0, tag)
		if err != nil {
			return err
		}
		fmt.Println("rank 1 has", list)
	}
	return nil
}
