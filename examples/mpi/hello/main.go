// Hello is the first program: every rank says who it is, and all know the sum of their numbers.
//
//	mpirun -n 4 ./hello
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func main() {
	mpi.Main(func(ctx context.Context, world *mpi.Comm) error {
		sum := []float64{float64(world.Rank())}
		if err := mpi.Allreduce(ctx, world, nil, sum, mpi.Sum); err != nil {
			return err
		}
		fmt.Printf("hello from rank %d of %d, the sum is %g\n", world.Rank(), world.Size(), sum[0])
		return nil
	})
}
