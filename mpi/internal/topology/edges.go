package topology

import "fmt"

// Edge is an edge of a graph that is given in pieces, by any process.
type Edge struct {
	Source, Destination int
	Weight              int // 0 in a graph without
}

// Edges lists the edges that one of n processes gives: degrees[i] from sources[i], to the next ones of destinations
// (MPI_Dist_graph_create, MPI 4.1, 8.5.4). Weights are nil, or one for each edge.
//
// Errors: lists whose lengths do not go together, a rank that no process has, a negative degree or weight.
func Edges(n int, sources, degrees, destinations, weights []int) ([]Edge, error) {
	if len(sources) != len(degrees) {
		return nil, fmt.Errorf("%d sources and %d degrees: give one of each", len(sources), len(degrees))
	}
	if err := checkWeights("edge", weights, len(destinations)); err != nil {
		return nil, err
	}
	edges := make([]Edge, 0, len(destinations))
	for i, s := range sources {
		if s < 0 || s >= n {
			return nil, fmt.Errorf("source %d of the graph is rank %d: there are 0 to %d", i, s, n-1)
		}
		if degrees[i] < 0 || degrees[i] > len(destinations)-len(edges) {
			return nil, fmt.Errorf("source %d has degree %d: %d destinations are left", i, degrees[i], len(destinations)-len(edges))
		}
		for range degrees[i] {
			at := len(edges)
			e := Edge{Source: s, Destination: destinations[at]}
			if e.Destination < 0 || e.Destination >= n {
				return nil, fmt.Errorf("destination %d of the graph is rank %d: there are 0 to %d", at, e.Destination, n-1)
			}
			if weights != nil {
				e.Weight = weights[at]
			}
			edges = append(edges, e)
		}
	}
	if len(edges) != len(destinations) {
		return nil, fmt.Errorf("the degrees add up to %d and there are %d destinations: they must be the same", len(edges), len(destinations))
	}
	return edges, nil
}

// Scatter says what each of n processes must be told of some edges: those that it is an end of, in their order.
func Scatter(n int, edges []Edge) [][]Edge {
	to := make([][]Edge, n)
	for _, e := range edges {
		to[e.Source] = append(to[e.Source], e)
		if e.Destination != e.Source {
			to[e.Destination] = append(to[e.Destination], e)
		}
	}
	return to
}

// Gather makes the part of a process from what all have told it, in the order of their ranks. Both ends of an edge see the edges
// between them in the same order.
//
// Errors: a message with an edge that is not the process's, to no process or of negative weight.
func Gather(n, rank int, from [][]Edge, weighted bool) (*DistGraph, error) {
	g := new(DistGraph)
	if weighted {
		g.sourceWeights, g.destinationWeights = []int{}, []int{}
	}
	for r, edges := range from {
		for _, e := range edges {
			if min(e.Source, e.Destination) < 0 || max(e.Source, e.Destination) >= n || e.Source != rank && e.Destination != rank || e.Weight < 0 {
				return nil, fmt.Errorf("rank %d tells rank %d of the edge %d to %d with weight %d, which cannot be", r, rank, e.Source, e.Destination, e.Weight)
			}
			if e.Source == rank {
				g.destinations = append(g.destinations, e.Destination)
				if weighted {
					g.destinationWeights = append(g.destinationWeights, e.Weight)
				}
			}
			if e.Destination == rank {
				g.sources = append(g.sources, e.Source)
				if weighted {
					g.sourceWeights = append(g.sourceWeights, e.Weight)
				}
			}
		}
	}
	return g, nil
}
