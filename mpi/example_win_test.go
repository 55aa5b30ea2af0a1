package mpi_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
	"github.com/gofabric/gofabric/mpi/local"
)

// Ranks draw numbers from a counter that lies in rank 0's memory.
func ExampleWin_FetchAndOp() {
	err := local.Run(context.Background(), 4, func(ctx context.Context, world *mpi.Comm) error {
		n := 0
		if world.Rank() == 0 {
			n = 1
		}
		counter, err := mpi.WinAllocate[int64](ctx, world, n)
		if err != nil {
			return err
		}
		if err := counter.Lock(ctx, 0, mpi.Shared); err != nil {
			return err
		}
		for range 10 {
			if _, err := counter.FetchAndOp(ctx, 1, 0, 0, mpi.Sum); err != nil {
				return err
			}
		}
		if err := errors.Join(counter.Unlock(ctx, 0), world.Barrier(ctx)); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(counter.Local()[0])
		}
		return counter.Free(ctx)
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 40
}

// Each rank puts its number into its right neighbour's memory, between two fences.
func ExampleWinAllocate() {
	err := local.Run(context.Background(), 3, func(ctx context.Context, world *mpi.Comm) error {
		win, err := mpi.WinAllocate[int](ctx, world, 1)
		if err != nil {
			return err
		}
		right := (world.Rank() + 1) % world.Size()
		if err := errors.Join(win.Fence(ctx), win.Put([]int{world.Rank()}, right, 0), win.Fence(ctx, mpi.NoSucceed)); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println("rank 0 has", win.Local()[0])
		}
		return win.Free(ctx)
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: rank 0 has 2
}
