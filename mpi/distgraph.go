package mpi

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/gofabric/gofabric/mpi/internal/topology"
)

// DistGraphCreateAdjacent makes a communicator of the same members with a graph of which each gives its own edges: those that
// come in from sources, and those that go out to dests (MPI_Dist_graph_create_adjacent; MPI 4.1, 8.5.4). Weights are nil, or
// one for each edge; they are kept and change nothing. Ranks are not reordered. Collective.
//
// Errors: ErrTopology at all members, for edges that cannot be, or that only one of their ends has given; ErrComm, ErrClosed,
// ErrProcFailed; ctx's.
func (c *Comm) DistGraphCreateAdjacent(ctx context.Context, sources, sourceWeights, dests, destWeights []int) (*Comm, error) {
	const call = "DistGraphCreateAdjacent"
	if err := c.usable(call); err != nil {
		return nil, err
	}
	g, err := topology.NewAdjacent(c.size, sources, sourceWeights, dests, destWeights)
	wrong := badTopology(call, ErrTopology, err)
	if err != nil {
		g = new(topology.DistGraph)
		sources, dests = nil, nil
	}
	sources, dests = slices.Clone(sources), slices.Clone(dests)
	if c.inter != nil {
		return nil, bad(call, ErrComm, NoRank, "an intercommunicator has no topology: Merge it first")
	}
	lists, err := c.shareLists(ctx, append(append([]int{len(sources)}, sources...), dests...))
	if err != nil {
		return nil, err
	}
	if wrong == nil {
		wrong = matched(call, c.size, lists)
	}
	return c.withTopology(ctx, call, c.size, wrong, func(int) (*neighborhood, error) {
		return &neighborhood{sources: sources, dests: dests, topology: g}, nil
	})
}

// matched finds an edge that only one end knows.
func matched(call string, n int, lists [][]int) error {
	parts := make([]*topology.DistGraph, n)
	for r, l := range lists {
		at := 0
		if len(l) > 0 && l[0] >= 0 && l[0] < len(l) {
			at = l[0] + 1
		} else {
			return bad(call, ErrTopology, r, "the member has sent what is no list of edges")
		}
		var err error
		if parts[r], err = topology.NewAdjacent(n, l[1:at], nil, l[at:], nil); err != nil {
			return badTopology(call, ErrTopology, err)
		}
	}
	return badTopology(call, ErrTopology, topology.Match(parts))
}

// shareLists gives every member's numbers.
func (c *Comm) shareLists(ctx context.Context, mine []int) ([][]int, error) {
	lens := make([]int, c.size)
	if err := Allgather(ctx, c, []int{len(mine)}, lens); err != nil {
		return nil, err
	}
	lists := make([][]int, c.size)
	for r, n := range lens {
		lists[r] = make([]int, n)
	}
	return lists, Allgatherv(ctx, c, mine, lists)
}

// DistGraphCreate makes a communicator of the same members with a graph whose edges anybody gives: degrees[i] from sources[i] to
// the next ones of dests (MPI_Dist_graph_create; MPI 4.1, 8.5.4). Weights are nil at all members, or one for each edge. Both
// ends of several edges between the same members see them in the same order. Ranks are not reordered. Collective.
//
// Errors: as DistGraphCreateAdjacent.
func (c *Comm) DistGraphCreate(ctx context.Context, sources, degrees, dests, weights []int) (*Comm, error) {
	const call = "DistGraphCreate"
	if err := c.usable(call); err != nil {
		return nil, err
	}
	if c.inter != nil {
		return nil, bad(call, ErrComm, NoRank, "an intercommunicator has no topology: Merge it first")
	}
	edges, err := topology.Edges(c.size, sources, degrees, dests, weights)
	wrong := badTopology(call, ErrTopology, err)
	send := make([][]byte, c.size)
	for r, es := range topology.Scatter(c.size, edges) {
		for _, e := range es {
			for _, x := range [3]int{e.Source, e.Destination, e.Weight} {
				send[r] = binary.LittleEndian.AppendUint64(send[r], uint64(x))
			}
		}
	}
	lens, got := make([]int, c.size), make([]int, c.size)
	for r := range lens {
		lens[r] = len(send[r])
	}
	if err := Alltoall(ctx, c, lens, got); err != nil {
		return nil, err
	}
	recv := make([][]byte, c.size)
	for r, n := range got {
		recv[r] = make([]byte, n)
	}
	if err := Alltoallv(ctx, c, send, recv); err != nil {
		return nil, err
	}
	told := make([][]topology.Edge, c.size)
	for r, b := range recv {
		for ; len(b) >= 24; b = b[24:] {
			var x [3]int
			for i := range x {
				x[i] = int(int64(binary.LittleEndian.Uint64(b[8*i:])))
			}
			told[r] = append(told[r], topology.Edge{Source: x[0], Destination: x[1], Weight: x[2]})
		}
	}
	g, err := topology.Gather(c.size, c.rank, told, weights != nil)
	if wrong == nil {
		wrong = badTopology(call, ErrTopology, err)
	}
	return c.withTopology(ctx, call, c.size, wrong, func(int) (*neighborhood, error) {
		from, _ := g.Sources()
		to, _ := g.Destinations()
		return &neighborhood{sources: from, dests: to, topology: g}, nil
	})
}

// EdgeWeights gives the weights of a communicator of DistGraphCreate or DistGraphCreateAdjacent, in the order of Neighbors; nil
// for a graph without (MPI_Dist_graph_neighbors). The slices are the caller's.
//
// Errors: ErrTopology for another communicator.
func (c *Comm) EdgeWeights() (sources, dests []int, err error) {
	if c.around != nil {
		if g, ok := c.around.topology.(*topology.DistGraph); ok {
			_, sources = g.Sources()
			_, dests = g.Destinations()
			return sources, dests, nil
		}
	}
	return nil, nil, bad("EdgeWeights", ErrTopology, NoRank, "the communicator has no distributed graph: DistGraphCreate makes one")
}
