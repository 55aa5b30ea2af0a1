// Halo computes how heat spreads on a plate. The ranks form a grid and have a block of the plate each, with a rim one cell
// wide, the halo, where the neighbours' outermost cells are copied to before each step. The result is exactly that of one
// process.
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
	g := arrange(world)
	mine := newBlock(g.part(0), g.part(1))
	for range steps {
		if err := exchange(ctx, g, mine); err != nil {
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
			steps, side, side, g.dims[0], g.dims[1], most[0])
	}
	return nil
}

// exchange fills the halo with the neighbours' outermost rows and columns. Where the plate ends there is no neighbour: messages
// to mpi.ProcNull are over at once, and the halo stays cold.
func exchange(ctx context.Context, g *grid, b *block) error {
	var rs []*mpi.Request
	var arrived [2][2][]float64
	for dim := range 2 {
		for end, at := range [2]int{1, b.size(dim)} {
			neighbor := g.neighbors[dim][end]
			arrived[dim][end] = make([]float64, b.size(1-dim))
			in, err := mpi.Irecv(g.comm, arrived[dim][end], neighbor, 0)
			if err != nil {
				return err
			}
			out, err := mpi.Isend(g.comm, b.line(dim, at), neighbor, 0)
			if err != nil {
				return err
			}
			rs = append(rs, in, out)
		}
	}
	if err := mpi.WaitAll(ctx, rs...); err != nil {
		return err
	}
	for dim := range 2 {
		b.setLine(dim, 0, arrived[dim][0])
		b.setLine(dim, b.size(dim)+1, arrived[dim][1])
	}
	return nil
}
