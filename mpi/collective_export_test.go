package mpi

import "github.com/gofabric/gofabric/internal/coll"

// SetNeighbors stands for a topology.
func (c *Comm) SetNeighbors(sources, dests []int) {
	c.around = &neighborhood{sources: sources, dests: dests}
}

// AllreduceAlgorithm is the algorithm of an Allreduce of n ints, and whether it goes by messages because it was named.
func (c *Comm) AllreduceAlgorithm(n int) (name string, named bool) {
	a := coll.Args{Coll: coll.Allreduce, Members: c.size, Rank: c.rank, Count: n, Size: 8}
	return c.table().Choose(a).String(), c.byChoice(a.Coll)
}
