package topology

import (
	"fmt"
	"slices"
)

// DistGraph is what one process knows of a graph: whom it receives from and whom it sends to, in the order of the
// neighbourhood collectives (MPI_Dist_graph_create_adjacent, MPI 4.1, 8.5.4). Somebody may be there twice, and oneself.
type DistGraph struct {
	sources, destinations             []int
	sourceWeights, destinationWeights []int // nil: no weights
}

// NewAdjacent makes the part of one of n processes from its own edges. Weights are nil for a graph without (MPI_UNWEIGHTED),
// else one for each edge; all processes have them or none.
//
// Errors: a rank that no process has, weights that are negative, too few or too many, or only on one side.
func NewAdjacent(n int, sources, sourceWeights, destinations, destinationWeights []int) (*DistGraph, error) {
	if (sourceWeights == nil) != (destinationWeights == nil) {
		return nil, fmt.Errorf("only one side of the graph has weights: give them for sources and destinations, or nil for both")
	}
	for _, side := range []struct {
		name           string
		ranks, weights []int
	}{{"source", sources, sourceWeights}, {"destination", destinations, destinationWeights}} {
		for i, r := range side.ranks {
			if r < 0 || r >= n {
				return nil, fmt.Errorf("%s %d of the graph is rank %d: there are 0 to %d", side.name, i, r, n-1)
			}
		}
		if err := checkWeights(side.name, side.weights, len(side.ranks)); err != nil {
			return nil, err
		}
	}
	return &DistGraph{slices.Clone(sources), slices.Clone(destinations), slices.Clone(sourceWeights), slices.Clone(destinationWeights)}, nil
}

func checkWeights(of string, weights []int, edges int) error {
	if weights == nil {
		return nil
	}
	if len(weights) != edges {
		return fmt.Errorf("%d weights for %d edges (%s): give one for each, or nil for none", len(weights), edges, of)
	}
	for i, w := range weights {
		if w < 0 {
			return fmt.Errorf("weight %d (%s) is %d: weights are not negative", i, of, w)
		}
	}
	return nil
}

// Sources gives whom the process receives from, and the weights of these edges, nil in a graph without. The slices are the
// caller's (MPI_Dist_graph_neighbors).
func (g *DistGraph) Sources() (ranks, weights []int) {
	return slices.Clone(g.sources), slices.Clone(g.sourceWeights)
}

// Destinations gives whom the process sends to, as [DistGraph.Sources].
func (g *DistGraph) Destinations() (ranks, weights []int) {
	return slices.Clone(g.destinations), slices.Clone(g.destinationWeights)
}

// Weighted tells whether the edges have weights (MPI_Dist_graph_neighbors_count).
func (g *DistGraph) Weighted() bool { return g.sourceWeights != nil }

// Match finds an edge that only one of its ends knows: all holds the parts of all processes. Collectives on such a graph would
// wait for ever.
func Match(all []*DistGraph) error {
	edges := map[[2]int]int{}
	for r, g := range all {
		for _, d := range g.destinations {
			edges[[2]int{r, d}]++
		}
		for _, s := range g.sources {
			edges[[2]int{s, r}]--
		}
	}
	for r, g := range all { // in the order of ranks, so that everybody finds the same one
		for _, d := range g.destinations {
			if n := edges[[2]int{r, d}]; n > 0 {
				return fmt.Errorf("rank %d has %d as a destination %d times more than %d has it as a source: both ends must list an edge", r, d, n, d)
			}
		}
		for _, s := range g.sources {
			if n := edges[[2]int{s, r}]; n < 0 {
				return fmt.Errorf("rank %d has %d as a source %d times more than %d has it as a destination: both ends must list an edge", r, s, -n, s)
			}
		}
	}
	return nil
}
