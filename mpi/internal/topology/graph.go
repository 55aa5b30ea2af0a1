package topology

import (
	"fmt"
	"slices"
)

// Graph is a graph of which every process knows all edges (MPI_Graph_create, MPI 4.1, 8.5.3).
type Graph struct {
	index []int // edges of nodes 0 to i
	edges []int
}

// NewGraph makes the graph of the first len(index) of n processes: node i has the neighbours edges[index[i-1]:index[i]]. A
// neighbour may be there twice, or be the node itself; that one has another as its neighbour says nothing of the other way.
//
// Errors: more nodes than processes, an index that falls or does not end with the edges, an edge to no node.
func NewGraph(n int, index, edges []int) (*Graph, error) {
	if len(index) > n {
		return nil, fmt.Errorf("a graph of %d nodes for %d processes: make it smaller", len(index), n)
	}
	last := 0
	for i, x := range index {
		if x < last || x > len(edges) {
			return nil, fmt.Errorf("index %d of the graph is %d: it counts the edges of nodes 0 to %d, between %d and the %d that there are",
				i, x, i, last, len(edges))
		}
		last = x
	}
	if last != len(edges) {
		return nil, fmt.Errorf("the index of the graph ends with %d and there are %d edges: they must be the same", last, len(edges))
	}
	for i, e := range edges {
		if e < 0 || e >= len(index) {
			return nil, fmt.Errorf("edge %d of the graph leads to node %d: there are 0 to %d", i, e, len(index)-1)
		}
	}
	return &Graph{slices.Clone(index), slices.Clone(edges)}, nil
}

// Size is the number of nodes (MPI_Graphdims_get).
func (g *Graph) Size() int { return len(g.index) }

// Get gives index and edges as in [NewGraph]; the slices are the caller's (MPI_Graph_get).
func (g *Graph) Get() (index, edges []int) { return slices.Clone(g.index), slices.Clone(g.edges) }

// Neighbours gives the neighbours of a node in their order, which are its partners in neighbourhood collectives both ways
// (MPI_Graph_neighbors). The slice is the caller's.
//
// Errors: a rank that is not in the graph.
func (g *Graph) Neighbours(rank int) ([]int, error) {
	if rank < 0 || rank >= len(g.index) {
		return nil, fmt.Errorf("rank %d: the graph has 0 to %d", rank, len(g.index)-1)
	}
	first := 0
	if rank > 0 {
		first = g.index[rank-1]
	}
	return slices.Clone(g.edges[first:g.index[rank]]), nil
}
