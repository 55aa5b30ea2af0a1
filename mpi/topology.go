package mpi

import (
	"context"
	"slices"

	"github.com/gofabric/gofabric/mpi/internal/topology"
)

// cartNeighbors are the neighbours in a grid: in each dimension the one before and the one after. In a ring of one or two
// members what is sent downwards comes in from above: the sources are taken in that order.
func cartNeighbors(g *topology.Cart, ranks []int) *neighborhood {
	h := &neighborhood{sources: ranks, dests: ranks, order: make([]int, len(ranks)), topology: g}
	for i := range h.order {
		h.order[i] = i ^ 1
	}
	return h
}

// Neighbors gives the ranks from which neighbourhood collectives receive, and to which they send, in the order of the blocks;
// ProcNull over the edge of a grid (MPI_Graph_neighbors, MPI_Dist_graph_neighbors; MPI 4.1, 8.6). Both are nil for a communicator
// without topology. The slices are the caller's.
func (c *Comm) Neighbors() (sources, dests []int) {
	if c.around == nil {
		return nil, nil
	}
	return slices.Clone(c.around.sources), slices.Clone(c.around.dests)
}

// badTopology makes the error of a topology that cannot be.
func badTopology(call string, class Class, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: call, Class: class, Rank: NoRank, Err: err}
}

// withTopology makes a communicator of the first n members, with what makes their neighbours. A member whose arguments are
// wrong fails here, and the others with it.
func (c *Comm) withTopology(ctx context.Context, call string, n int, wrong error, make func(rank int) (*neighborhood, error)) (*Comm, error) {
	if err := c.usable(call); err != nil {
		return nil, err
	}
	if c.inter != nil {
		return nil, bad(call, ErrComm, NoRank, "an intercommunicator has no topology: Merge it first")
	}
	mine := []byte{0, byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
	if wrong != nil {
		mine[0] = 1
	}
	all, err := c.shareBytes(ctx, call, mine)
	if err != nil {
		return nil, err
	}
	if wrong != nil {
		return nil, wrong
	}
	for r, b := range all {
		if string(b) != string(mine) {
			return nil, bad(call, ErrTopology, r, "the member has given other arguments, or some that cannot be: all give the same topology")
		}
	}
	id, err := c.agree(ctx, call)
	if err != nil || c.rank >= n {
		return nil, err
	}
	t := c.job.newComm(id, c.members()[:n])
	if t.around, err = make(t.rank); err != nil {
		return nil, badTopology(call, ErrTopology, err)
	}
	return t, nil
}

// DimsCreate chooses the sizes of a grid of n processes (MPI_Dims_create; MPI 4.1, 8.5.2): those of dims that are 0, as close to
// each other as n allows, in an order that does not rise; the others stay. dims is not changed. Local.
//
// Errors: ErrDims.
func DimsCreate(n int, dims []int) ([]int, error) {
	out, err := topology.DimsCreate(n, dims)
	return out, badTopology("DimsCreate", ErrDims, err)
}

// GraphCreate makes a communicator of the first len(index) members with a graph that all know: node i has the neighbours
// edges[index[i-1]:index[i]] (MPI_Graph_create; MPI 4.1, 8.5.3). Other members get nil. Ranks are not reordered. Neighbourhood
// collectives need each edge at both of its ends. Collective; all give the same.
//
// Errors: ErrTopology at all members; ErrComm, ErrClosed, ErrProcFailed; ctx's.
func (c *Comm) GraphCreate(ctx context.Context, index, edges []int) (*Comm, error) {
	const call = "GraphCreate"
	if err := c.usable(call); err != nil {
		return nil, err
	}
	g, err := topology.NewGraph(c.size, index, edges)
	return c.withTopology(ctx, call, len(index), badTopology(call, ErrTopology, err), func(rank int) (*neighborhood, error) {
		ranks, err := g.Neighbours(rank)
		return &neighborhood{sources: ranks, dests: ranks, topology: g}, err
	})
}

// GraphNeighbors gives the neighbours of any node of a communicator of GraphCreate (MPI_Graph_neighbors). Local.
//
// Errors: ErrTopology for another communicator; ErrRank.
func (c *Comm) GraphNeighbors(rank int) ([]int, error) {
	const call = "GraphNeighbors"
	if c.around != nil {
		if g, ok := c.around.topology.(*topology.Graph); ok {
			ranks, err := g.Neighbours(rank)
			return ranks, badTopology(call, ErrRank, err)
		}
	}
	return nil, bad(call, ErrTopology, NoRank, "the communicator has no graph: GraphCreate makes one")
}

// CartOf gives the grid of a communicator that has one, such as a Dup of a Cart's (MPI_Topo_test).
func CartOf(c *Comm) (*Cart, bool) {
	if c == nil || c.around == nil {
		return nil, false
	}
	g, ok := c.around.topology.(*topology.Cart)
	if !ok {
		return nil, false
	}
	return &Cart{c, g}, true
}
