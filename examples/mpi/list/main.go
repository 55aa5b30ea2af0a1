// List sends a list from rank 0 to rank 1, who does not know how long it is: it looks at the message before it makes room.
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
		return mpi.Send(ctx, world, []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, tag)
	case 1:
		m, err := world.Mprobe(ctx, 0, tag)
		if err != nil {
			return err
		}
		list := make([]int64, m.Status.Bytes/8)
		if _, err := mpi.RecvMessage(ctx, m, list); err != nil {
			return err
		}
		fmt.Println("rank 1 has", list)
	}
	return nil
}
