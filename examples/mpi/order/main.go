// Order shows what happens when several ranks put into the same element. Within one epoch their puts are in no order: any of
// them may be the last, and were the element a structure, it might get a part of each. Epochs bring them into an order: what
// is put before a fence is there before what is put behind it. Accumulate needs no order where the operation has none, since
// each element is updated as a whole.
//
//	mpirun -n 4 ./order
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	rank, size := int64(world.Rank()), int64(world.Size())
	win, err := mpi.WinAllocate[int64](ctx, world, 1)
	if err != nil {
		return err
	}
	if err := win.Fence(ctx); err != nil {
		return err
	}
	mine := []int64{rank}

	// The hazard: whose number stays is not known.
	if err := win.Put(mine, 0, 0); err != nil {
		return err
	}
	if err := win.Fence(ctx); err != nil {
		return err
	}
	if got := win.Local()[0]; rank == 0 {
		fmt.Println("at once, somebody's number:", 0 <= got && got < size)
	}

	// The ordered version: one after the other, with a fence in between. The last one stays.
	for turn := range size {
		if turn == rank {
			if err := win.Put(mine, 0, 0); err != nil {
				return err
			}
		}
		if err := win.Fence(ctx); err != nil {
			return err
		}
	}
	if rank == 0 {
		fmt.Println("one after the other:", win.Local()[0])
	}
	if err := win.Fence(ctx); err != nil { // nobody adds before rank 0 has looked
		return err
	}

	// The sum is the same in any order.
	if err := win.Accumulate(mine, 0, 0, mpi.Sum); err != nil {
		return err
	}
	if err := win.Fence(ctx, mpi.NoSucceed); err != nil {
		return err
	}
	if rank == 0 {
		fmt.Println("added to it:", win.Local()[0])
	}
	return win.Free(ctx)
}
