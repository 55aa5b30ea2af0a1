package interop_test

import "github.com/gofabric/gofabric/mpi"

// grid makes a Cartesian topology and exchanges with the neighbours in it.
func (r *rank) grid(c *mpi.Comm) error {
	var n, periodic, count int
	if err := r.numbers(&n, &periodic, &count); err != nil {
		return err
	}
	dims, err := mpi.DimsCreate(c.Size(), make([]int, n))
	if err != nil {
		return err
	}
	wraps, doubled := make([]bool, n), false
	for i := range wraps {
		wraps[i] = periodic>>i&1 != 0
		doubled = doubled || wraps[i] && dims[i] < 3
	}
	g, err := c.CartCreate(r.ctx, dims, wraps)
	if err != nil {
		return err
	}
	at, err := g.Coords(g.Rank())
	if err != nil {
		return err
	}
	for i := range dims {
		from, to, err := g.Shift(i, 1)
		if err != nil {
			return err
		}
		r.say("dimension %d: %d of %d, from %d to %d", i, at[i], dims[i], max(from, -1), max(to, -1))
	}
	k := integers[int32]()
	mine, recv := k.filled(r.step, opPlain, r.me, 1, 2*n*count), k.filled(r.step, opPlain, r.me, 2, 2*n*count)
	if err := mpi.NeighborAllgather(r.ctx, g.Comm, mine[:count], recv); err != nil {
		return err
	}
	r.say("gathered: %016x", k.digest(recv))
	if !doubled { // which of two messages of one neighbour is for which side, not all agree on
		if err := mpi.NeighborAlltoall(r.ctx, g.Comm, mine, recv); err != nil {
			return err
		}
		r.say("exchanged: %016x", k.digest(recv))
	}
	return g.Close()
}
