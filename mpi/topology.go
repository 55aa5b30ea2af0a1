package mpi

import (
	"context"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/topology"
)

// hood is with whom a member exchanges in neighbourhood collectives (MPI 4.1, 8.6). Blocks are numbered in the order of the
// topology's neighbours, ProcNull included.
type hood struct {
	topology any   // *topology.Cart, Graph or DistGraph
	sources  []int // ranks in the order in which coll must know them
	from     []int // the block that each of these is for
	dests    []int
	to       []int
	ins      int // blocks that are received
	outs     int // blocks that are sent
}

// cartHood are the neighbours in a grid. In a ring of one or two members what is sent downwards comes in from above: the
// sources are listed that way.
func cartHood(g *topology.Cart, ranks []int) *hood {
	h := &hood{topology: g, ins: len(ranks), outs: len(ranks)}
	for i, r := range ranks {
		if r != topology.Null {
			h.dests, h.to = append(h.dests, r), append(h.to, i)
		}
		if s := ranks[i^1]; s != topology.Null {
			h.sources, h.from = append(h.sources, s), append(h.from, i^1)
		}
	}
	return h
}

// listHood are neighbours that are listed.
func listHood(t any, sources, dests []int) *hood {
	return &hood{topology: t, sources: sources, from: upTo(len(sources)), dests: dests, to: upTo(len(dests)), ins: len(sources), outs: len(dests)}
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Neighbors gives the ranks from which neighbourhood collectives receive, and to which they send, in the order of the blocks;
// ProcNull over the edge of a grid (MPI_Graph_neighbors, MPI_Dist_graph_neighbors; MPI 4.1, 8.6). Both are nil for a communicator
// without topology. The slices are the caller's.
func (c *Comm) Neighbors() (sources, dests []int) {
	if c.hood == nil {
		return nil, nil
	}
	return c.hood.list(c.hood.ins, c.hood.sources, c.hood.from), c.hood.list(c.hood.outs, c.hood.dests, c.hood.to)
}

func (h *hood) list(n int, ranks, places []int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = ProcNull
	}
	for i, r := range ranks {
		all[places[i]] = r
	}
	return all
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
func (c *Comm) withTopology(ctx context.Context, call string, n int, wrong error, make func(rank int) (*hood, error)) (*Comm, error) {
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
	if t.hood, err = make(t.rank); err != nil {
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
	return c.withTopology(ctx, call, len(index), badTopology(call, ErrTopology, err), func(rank int) (*hood, error) {
		ranks, err := g.Neighbours(rank)
		return listHood(g, ranks, ranks), err
	})
}

// GraphNeighbors gives the neighbours of any node of a communicator of GraphCreate (MPI_Graph_neighbors). Local.
//
// Errors: ErrTopology for another communicator; ErrRank.
func (c *Comm) GraphNeighbors(rank int) ([]int, error) {
	const call = "GraphNeighbors"
	if c.hood != nil {
		if g, ok := c.hood.topology.(*topology.Graph); ok {
			ranks, err := g.Neighbours(rank)
			return ranks, badTopology(call, ErrRank, err)
		}
	}
	return nil, bad(call, ErrTopology, NoRank, "the communicator has no graph: GraphCreate makes one")
}

// neighbors makes of a call a neighbourhood exchange: send has one slice for each destination, or one for all of them; recv
// one for each source.
func (k *collective) neighbors(c *Comm, send, recv [][]byte) {
	if k.err != nil {
		return
	}
	h, v := c.hood, &coll.Vector{}
	k.args.Vector = v
	if h == nil {
		k.wrong(ErrTopology, "the communicator has no topology: CartCreate, GraphCreate and DistGraphCreate make ones that have")
		return
	}
	one := k.args.Coll == coll.NeighborAllgather
	if len(recv) != h.ins || !one && len(send) != h.outs {
		k.wrong(ErrCount, "%d slices to send and %d to receive, for %d destinations and %d sources", len(send), len(recv), h.outs, h.ins)
		return
	}
	v.Sources, v.Dests = h.sources, h.dests
	for _, at := range h.from {
		v.Recv, k.outs = append(v.Recv, len(recv[at])/k.args.Size), append(k.outs, recv[at])
	}
	if one {
		k.args.Count, k.in = len(send[0])/k.args.Size, send[0]
		return
	}
	for _, at := range h.to {
		v.Send, k.ins = append(v.Send, len(send[at])/k.args.Size), append(k.ins, send[at])
	}
}

// CartOf gives the grid of a communicator that has one, such as a Dup of a Cart's (MPI_Topo_test).
func CartOf(c *Comm) (*Cart, bool) {
	if c == nil || c.hood == nil {
		return nil, false
	}
	g, ok := c.hood.topology.(*topology.Cart)
	if !ok {
		return nil, false
	}
	return &Cart{c, g}, true
}
