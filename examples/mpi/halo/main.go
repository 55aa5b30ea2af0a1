// Halo computes how heat spreads on a plate. The ranks form a Cartesian grid and have a block of the plate each, with a rim
// one cell wide, the halo, where the neighbours' outermost cells are copied to before each step. The result is exactly that
// of one process.
//
//	mpirun -n 4 ./halo
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

const (
	side  = 48 // cells of the plate, each way
	steps = 100
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	dims, err := mpi.DimsCreate(world.Size(), []int{0, 0})
	if err != nil {
		return err
	}
	grid, err := world.CartCreate(ctx, dims, []bool{false, false})
	if err != nil {
		return err
	}
	defer grid.Close()
	at, err := grid.Coords(grid.Rank())
	if err != nil {
		return err
	}
	part := func(dim int) span { return span{at[dim] * side / dims[dim], (at[dim] + 1) * side / dims[dim]} }
	mine := newBlock(part(0), part(1))
	for range steps {
		if err := exchange(ctx, grid, mine); err != nil {
			return err
		}
		mine.step()
	}

	whole := newBlock(span{0, side}, span{0, side})
	for range steps {
		whole.step()
	}
	most := []float64{mine.distance(whole)}
	if err := mpi.Allreduce(ctx, world, nil, most, mpi.Max); err != nil {
		return err
	}
	if world.Rank() == 0 {
		fmt.Printf("%d steps of %d x %d cells on %d x %d ranks, largest difference from one process: %g\n",
			steps, side, side, dims[0], dims[1], most[0])
	}
	return nil
}

// exchange fills the halo with the neighbours' outermost rows and columns. A view says where in the block these lie, so that
// nothing is copied. Where the plate ends there is no neighbour: what goes to and comes from mpi.ProcNull is over at once, and
// the halo stays cold.
func exchange(ctx context.Context, grid *mpi.Cart, b *block) error {
	var rs []*mpi.Request
	for dim := range 2 {
		before, behind, err := grid.Shift(dim, 1)
		if err != nil {
			return err
		}
		last := b.size(dim)
		for _, e := range []struct{ peer, edge, halo int }{{before, 1, 0}, {behind, last, last + 1}} {
			mem, view := b.line(dim, e.halo)
			in, err := mpi.IrecvView(grid.Comm, mem, view, e.peer, 0)
			if err != nil {
				return err
			}
			mem, view = b.line(dim, e.edge)
			out, err := mpi.IsendView(grid.Comm, mem, view, e.peer, 0)
			if err != nil {
				return err
			}
			rs = append(rs, in, out)
		}
	}
	return mpi.WaitAll(ctx, rs...)
}
