// Windows makes memory of rank 0 public: rank 0 puts numbers there, and all others get them.
//
//	mpirun -n 8 ./windows
package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/mpi"
)

const length = 8

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	n := 0 // only rank 0 has memory
	if world.Rank() == 0 {
		n = length
	}
	win, err := mpi.WinAllocate[float32](ctx, world, n)
	if err != nil {
		return err
	}
	want, buf := slices.Repeat([]float32{42}, length), make([]float32, length)
	if world.Rank() == 0 {
		copy(buf, want)
		if err := win.Lock(ctx, 0, mpi.Exclusive); err != nil {
			return err
		}
		if err := win.Put(buf, 0, 0); err != nil {
			return err
		}
		if err := win.Unlock(ctx, 0); err != nil {
			return err
		}
	}
	if err := world.Barrier(ctx); err != nil { // what is put is there
		return err
	}
	if world.Rank() != 0 {
		if err := win.Lock(ctx, 0, mpi.Exclusive); err != nil {
			return err
		}
		if err := win.Get(buf, 0, 0); err != nil {
			return err
		}
		if err := win.Unlock(ctx, 0); err != nil { // buf is filled from here on
			return err
		}
		if !slices.Equal(buf, want) {
			return fmt.Errorf("win.Get failed on Rank %d: %v", world.Rank(), buf)
		}
		fmt.Printf("win.Get successfully on Rank %d.\n", world.Rank())
	}
	return win.Free(ctx)
}
