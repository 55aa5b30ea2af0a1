// Array sends the numbers 0 to 9 from rank 0 to rank 1 as plain memory: the receiver says how many it takes.
//
//	mpirun -n 2 ./array
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	const tag = 11
	numbers := make([]int32, 10)
	switch world.Rank() {
	case 0:
		for i := range numbers {
			numbers[i] = int32(i)
		}
		return mpi.Send(ctx, world, numbers, 1, tag)
	case 1:
		st, err := mpi.Recv(ctx, world, numbers, 0, tag)
		if err != nil {
			return err
		}
		fmt.Printf("rank 1 has %v, %d bytes from rank %d\n", numbers, st.Bytes, st.Source)
	}
	return nil
}
