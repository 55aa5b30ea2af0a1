// Split divides the ranks into those with even and with odd numbers, which then work apart: each half has a communicator of
// its own, with ranks from 0 on.
//
//	mpirun -n 5 ./split
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	all, err := world.Split(ctx, 0, 0) // all in one, in the same order
	if err != nil {
		return err
	}
	defer all.Close()
	same, err := world.Compare(all)
	if err != nil {
		return err
	}

	half, err := world.Split(ctx, world.Rank()%2, world.Rank())
	if err != nil {
		return err
	}
	defer half.Close()
	sum := []int{world.Rank()}
	if err := mpi.Allreduce(ctx, half, nil, sum, mpi.Sum); err != nil {
		return err
	}
	fmt.Printf("rank %d is %d of %d in its half, which has %v with sum %d; Split(0, 0) is %v, Self has %d\n",
		world.Rank(), half.Rank(), half.Size(), half.Group().Ranks(), sum[0], same, world.Self().Size())
	return nil
}
