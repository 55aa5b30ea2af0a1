// Package topology holds the virtual topologies of communicators as data: Cartesian grids, graphs, and graphs of which
// each process knows its own part (MPI 4.1, chapter 8).
//
//	dims, err := topology.DimsCreate(12, []int{0, 0}) // 4, 3
//	c, err := topology.NewCart(12, dims, []bool{true, false})
//	from, to := c.Shift(rank, 0, 1)
//
// You need it for the topology calls and the neighbourhood collectives of package mpi, which make the communicators.
//
// Ranks are those of the communicator that has the topology, in the order of the old one: nothing is reordered. Topologies are
// never changed once they are made, keep no slice of the caller and give none of their own that may be written, and may be
// shared by goroutines. The package has no state and reads no environment variables.
package topology

// Null is a neighbour that does not exist (MPI_PROC_NULL).
const Null = -2
