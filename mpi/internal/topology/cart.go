package topology

import (
	"fmt"
	"slices"
)

// Cart is a grid of processes, in which the last coordinate is the fastest (MPI_Cart_create, MPI 4.1, 8.5.1).
type Cart struct {
	dims     []int
	periodic []bool
	size     int
}

// NewCart makes a grid of given sizes for at most n processes; those with ranks from [Cart.Size] on are not in it. No
// dimension at all is a grid of one process. In a periodic dimension the neighbour of the last one is the first.
//
// Errors: a size below 1, lists of different lengths, or more places than processes.
func NewCart(n int, dims []int, periodic []bool) (*Cart, error) {
	if len(dims) != len(periodic) {
		return nil, fmt.Errorf("a grid with %d sizes and %d periods: give one of each for every dimension", len(dims), len(periodic))
	}
	size := 1
	for i, d := range dims {
		if d < 1 {
			return nil, fmt.Errorf("dimension %d of the grid has size %d: give at least 1 (DimsCreate chooses)", i, d)
		}
		if d > n/size {
			return nil, fmt.Errorf("a grid of %v has more places than the %d processes: make it smaller", dims, n)
		}
		size *= d
	}
	if n < 1 {
		return nil, fmt.Errorf("a grid for %d processes", n)
	}
	return &Cart{slices.Clone(dims), slices.Clone(periodic), size}, nil
}

// Size is the number of places.
func (c *Cart) Size() int { return c.size }

// Dims gives the size of each dimension; the slice is the caller's (MPI_Cart_get; their number is MPI_Cartdim_get).
func (c *Cart) Dims() []int { return slices.Clone(c.dims) }

// Periodic tells of each dimension whether it closes to a ring; the slice is the caller's (MPI_Cart_get).
func (c *Cart) Periodic() []bool { return slices.Clone(c.periodic) }

// Coords gives the coordinates of a rank (MPI_Cart_coords).
//
// Errors: a rank that is not in the grid.
func (c *Cart) Coords(rank int) ([]int, error) {
	if rank < 0 || rank >= c.size {
		return nil, fmt.Errorf("rank %d: the grid has 0 to %d", rank, c.size-1)
	}
	out := make([]int, len(c.dims))
	for i := len(c.dims) - 1; i >= 0; i-- {
		out[i] = rank % c.dims[i]
		rank /= c.dims[i]
	}
	return out, nil
}

// Rank gives the rank at coordinates, which count round in periodic dimensions (MPI_Cart_rank).
//
// Errors: too few or too many, or one outside of a dimension that is not periodic.
func (c *Cart) Rank(coords []int) (int, error) {
	if len(coords) != len(c.dims) {
		return 0, fmt.Errorf("%d coordinates for a grid of %d dimensions", len(coords), len(c.dims))
	}
	rank := 0
	for i, x := range coords {
		d := c.dims[i]
		if c.periodic[i] {
			x = wrap(x, d)
		}
		if x < 0 || x >= d {
			return 0, fmt.Errorf("coordinate %d is %d: dimension %d has 0 to %d and is not periodic", i, coords[i], i, d-1)
		}
		rank = rank*d + x
	}
	return rank, nil
}

func wrap(x, d int) int {
	if x %= d; x < 0 {
		x += d
	}
	return x
}

// Shift gives whom a rank receives from and sends to when all data moves by disp places along a dimension, [Null] over an edge
// (MPI_Cart_shift).
//
// Errors: a dimension that the grid does not have, or a rank that is not in it.
func (c *Cart) Shift(rank, dim, disp int) (from, to int, err error) {
	if dim < 0 || dim >= len(c.dims) {
		return Null, Null, fmt.Errorf("dimension %d: the grid has %d", dim, len(c.dims))
	}
	if rank < 0 || rank >= c.size {
		return Null, Null, fmt.Errorf("rank %d: the grid has 0 to %d", rank, c.size-1)
	}
	step := 1
	for _, d := range c.dims[dim+1:] {
		step *= d
	}
	d := c.dims[dim]
	at := rank / step % d
	place := func(x int, over bool) int {
		if c.periodic[dim] {
			x = wrap(x, d)
		} else if over || x < 0 || x >= d {
			return Null
		}
		return rank + (x-at)*step
	}
	if c.periodic[dim] {
		disp %= d // sums stay small
	}
	over := disp >= d || disp <= -d
	return place(at-disp, over), place(at+disp, over), nil
}

// Neighbours gives the partners of the neighbourhood collectives, from which a rank receives and to which it sends: in each
// dimension the one before and the one after it, [Null] over an edge (MPI 4.1, 8.6). The slice is the caller's.
//
// Errors: a rank that is not in the grid.
func (c *Cart) Neighbours(rank int) ([]int, error) {
	if rank < 0 || rank >= c.size {
		return nil, fmt.Errorf("rank %d: the grid has 0 to %d", rank, c.size-1)
	}
	out := make([]int, 0, 2*len(c.dims))
	for i := range c.dims {
		from, to, err := c.Shift(rank, i, 1)
		if err != nil {
			return nil, err
		}
		out = append(out, from, to)
	}
	return out, nil
}

// Sub cuts the grid into slices of the dimensions that are kept (MPI_Cart_sub): the grid of a slice, the number of the one
// that the rank is in, and its rank there.
//
// Errors: a list that is not one of the grid's dimensions, or a rank that is not in the grid.
func (c *Cart) Sub(rank int, keep []bool) (sub *Cart, slice, at int, err error) {
	if len(keep) != len(c.dims) {
		return nil, 0, 0, fmt.Errorf("%d dimensions to keep or not, of a grid that has %d", len(keep), len(c.dims))
	}
	coords, err := c.Coords(rank)
	if err != nil {
		return nil, 0, 0, err
	}
	sub = &Cart{dims: []int{}, periodic: []bool{}, size: 1}
	for i, d := range c.dims {
		if keep[i] {
			sub.dims = append(sub.dims, d)
			sub.periodic = append(sub.periodic, c.periodic[i])
			sub.size *= d
			at = at*d + coords[i]
		} else {
			slice = slice*d + coords[i]
		}
	}
	return sub, slice, at, nil
}
