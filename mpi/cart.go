package mpi

import (
	"context"

	"github.com/gofabric/gofabric/mpi/internal/topology"
)

// Cart is a communicator whose members stand in a grid, in which the last coordinate is the fastest (MPI_Cart_create; MPI 4.1,
// 8.5.1).
type Cart struct {
	*Comm
	grid *topology.Cart
}

// CartCreate makes a communicator of the first members, in a grid of these sizes; in periodic dimensions the neighbour of the
// last is the first (MPI_Cart_create). Members for which there is no place get nil. Ranks are not reordered. Collective; all
// give the same.
//
// Errors: ErrDims at all members, for a grid that cannot be; ErrTopology for different ones; ErrComm, ErrClosed,
// ErrProcFailed; ctx's.
func (c *Comm) CartCreate(ctx context.Context, dims []int, periodic []bool) (*Cart, error) {
	const call = "CartCreate"
	if err := c.usable(call); err != nil {
		return nil, err
	}
	size := 0
	g, err := topology.NewCart(c.size, dims, periodic)
	if err == nil {
		size = g.Size()
	}
	return c.withCart(ctx, call, g, size, badTopology(call, ErrDims, err))
}

func (c *Comm) withCart(ctx context.Context, call string, g *topology.Cart, size int, wrong error) (*Cart, error) {
	t, err := c.withTopology(ctx, call, size, wrong, func(rank int) (*neighborhood, error) {
		ranks, err := g.Neighbours(rank)
		return cartNeighbors(g, ranks), err
	})
	if t == nil || err != nil {
		return nil, err
	}
	return &Cart{t, g}, nil
}

// Dims gives the size of each dimension (MPI_Cart_get). The slice is the caller's.
func (c *Cart) Dims() []int { return c.grid.Dims() }

// Periodic tells of each dimension whether it closes to a ring (MPI_Cart_get). The slice is the caller's.
func (c *Cart) Periodic() []bool { return c.grid.Periodic() }

// Coords gives the coordinates of a rank (MPI_Cart_coords).
//
// Errors: ErrRank.
func (c *Cart) Coords(rank int) ([]int, error) {
	x, err := c.grid.Coords(rank)
	return x, badTopology("Coords", ErrRank, err)
}

// RankOf gives the rank at coordinates, which count round in periodic dimensions (MPI_Cart_rank).
//
// Errors: ErrArg, coordinates that are not in the grid.
func (c *Cart) RankOf(coords ...int) (int, error) {
	r, err := c.grid.Rank(coords)
	return r, badTopology("RankOf", ErrArg, err)
}

// Shift gives from whom one receives and to whom one sends when all data moves by disp places along a dimension, ProcNull over
// an edge: what SendRecv needs (MPI_Cart_shift).
//
// Errors: ErrDims, no such dimension.
func (c *Cart) Shift(dim, disp int) (from, to int, err error) {
	from, to, err = c.grid.Shift(c.Rank(), dim, disp)
	return from, to, badTopology("Shift", ErrDims, err)
}

// Sub cuts the grid into slices of the dimensions that are kept, each a communicator of its own (MPI_Cart_sub). Collective;
// all give the same.
//
// Errors: ErrDims, not one value for each dimension; as Split.
func (c *Cart) Sub(ctx context.Context, keep ...bool) (*Cart, error) {
	const call = "Sub"
	g, slice, at, err := c.grid.Sub(c.Rank(), keep)
	if err != nil {
		return nil, badTopology(call, ErrDims, err)
	}
	s, err := c.split(ctx, call, slice, at)
	if err != nil {
		return nil, err
	}
	ranks, err := g.Neighbours(s.rank)
	if err != nil {
		return nil, badTopology(call, ErrTopology, err)
	}
	s.around = cartNeighbors(g, ranks)
	return &Cart{s, g}, nil
}
