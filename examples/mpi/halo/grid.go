package main

import (
	"github.com/gofabric/gofabric/mpi"
)

// grid is how the ranks are arranged: as near to a square as their number allows.
type grid struct {
	comm      *mpi.Comm
	dims      [2]int
	coords    [2]int
	neighbors [2][2]int // of both directions the one before and the one behind; mpi.ProcNull at the ends
}

func arrange(world *mpi.Comm) *grid {
	g := &grid{comm: world, dims: [2]int{world.Size(), 1}}
	for d := 2; d*d <= world.Size(); d++ {
		if world.Size()%d == 0 {
			g.dims = [2]int{world.Size() / d, d}
		}
	}
	g.coords = [2]int{world.Rank() / g.dims[1], world.Rank() % g.dims[1]}
	for dim, stride := range [2]int{g.dims[1], 1} {
		g.neighbors[dim] = [2]int{mpi.ProcNull, mpi.ProcNull}
		if g.coords[dim] > 0 {
			g.neighbors[dim][0] = world.Rank() - stride
		}
		if g.coords[dim] < g.dims[dim]-1 {
			g.neighbors[dim][1] = world.Rank() + stride
		}
	}
	return g
}

// part is what this rank has of the rows (0) or columns (1).
func (g *grid) part(dim int) span {
	return span{g.coords[dim] * side / g.dims[dim], (g.coords[dim] + 1) * side / g.dims[dim]}
}
