package topology

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The standard's example: four processes with neighbours 1 3, 0, 3, 0 2 (MPI 4.1, 8.5.3).
func TestGraph(t *testing.T) {
	index, edges := []int{2, 3, 4, 6}, []int{1, 3, 0, 3, 0, 2}
	g, err := NewGraph(5, index, edges)
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range [][]int{{1, 3}, {0}, {3}, {0, 2}} {
		got, err := g.Neighbours(rank)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("rank %d: %v, %v", rank, got, err)
		}
		clear(got)
	}
	i, e := g.Get()
	if g.Size() != 4 || !slices.Equal(i, index) || !slices.Equal(e, edges) {
		t.Error(i, e)
	}
	_, err = g.Neighbours(4)
	says(t, err, "0 to 3")
	_, err = NewGraph(3, index, edges)
	says(t, err, "4 nodes for 3")
	_, err = NewGraph(4, []int{2, 1}, []int{0})
	says(t, err, "index 0 of the graph is 2")
	_, err = NewGraph(4, []int{1, 0}, []int{0})
	says(t, err, "index 1 of the graph is 0")
	_, err = NewGraph(4, []int{1}, []int{0, 0})
	says(t, err, "ends with 1 and there are 2")
	_, err = NewGraph(4, []int{1}, []int{1})
	says(t, err, "node 1: there are 0 to 0")
	if g, err := NewGraph(4, []int{2}, []int{0, 0}); err != nil || g.Size() != 1 { // itself, twice
		t.Error(err)
	}
}

func TestAdjacent(t *testing.T) {
	g, err := NewAdjacent(4, []int{1, 1, 2}, []int{5, 0, 7}, []int{3}, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	s, w := g.Sources()
	if !slices.Equal(s, []int{1, 1, 2}) || !slices.Equal(w, []int{5, 0, 7}) || !g.Weighted() {
		t.Error(s, w)
	}
	d, w := g.Destinations()
	if !slices.Equal(d, []int{3}) || !slices.Equal(w, []int{2}) {
		t.Error(d, w)
	}
	plain, err := NewAdjacent(4, nil, nil, nil, nil)
	if err != nil || plain.Weighted() {
		t.Error(err)
	}
	empty, err := NewAdjacent(4, nil, []int{}, nil, []int{})
	if err != nil || !empty.Weighted() {
		t.Error(err)
	}
	_, err = NewAdjacent(4, []int{4}, nil, nil, nil)
	says(t, err, "source 0 of the graph is rank 4")
	_, err = NewAdjacent(4, nil, nil, []int{0, -1}, nil)
	says(t, err, "destination 1 of the graph is rank -1")
	_, err = NewAdjacent(4, []int{0}, []int{1}, nil, nil)
	says(t, err, "only one side")
	_, err = NewAdjacent(4, []int{0}, []int{1, 2}, nil, []int{})
	says(t, err, "2 weights for 1 edges")
	_, err = NewAdjacent(4, []int{0}, []int{-1}, nil, []int{})
	says(t, err, "weight 0 (source) is -1")
}

func TestEdgesRefusals(t *testing.T) {
	fail := func(_ any, err error) error { return err }
	says(t, fail(Edges(4, []int{0}, nil, nil, nil)), "1 sources and 0 degrees")
	says(t, fail(Edges(4, []int{4}, []int{0}, nil, nil)), "rank 4")
	says(t, fail(Edges(4, []int{0}, []int{2}, []int{1}, nil)), "1 destinations are left")
	says(t, fail(Edges(4, []int{0}, []int{-1}, []int{1}, nil)), "degree -1")
	says(t, fail(Edges(4, []int{0}, []int{1}, []int{1, 2}, nil)), "add up to 1")
	says(t, fail(Edges(4, []int{0}, []int{1}, []int{9}, nil)), "destination 0 of the graph is rank 9")
	says(t, fail(Edges(4, []int{0}, []int{1}, []int{1}, []int{})), "0 weights for 1")
	says(t, fail(Edges(4, []int{0}, []int{1}, []int{1}, []int{-2})), "is -2")
	for _, e := range []Edge{{Source: 1, Destination: 2}, {Source: 0, Destination: 4}, {Source: -1}, {Weight: -1}} {
		says(t, fail(Gather(4, 0, [][]Edge{nil, {e}}, true)), "rank 1 tells rank 0")
	}
}

// However the edges are spread over those who give them, every process gets its own, and both ends agree.
func TestEdgesMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		weighted := rapid.Bool().Draw(t, "weighted")
		rank := rapid.IntRange(0, n-1)
		told := make([][][]Edge, n) // by receiver, then by sender
		for r := range told {
			told[r] = make([][]Edge, n)
		}
		var all []Edge
		for r := range n {
			var sources, degrees, destinations []int
			var weights []int
			if weighted {
				weights = []int{}
			}
			for range rapid.IntRange(0, 3).Draw(t, "sources") {
				sources = append(sources, rank.Draw(t, "source"))
				d := rapid.SliceOfN(rank, 0, 4).Draw(t, "destinations")
				degrees = append(degrees, len(d))
				destinations = append(destinations, d...)
				for range d {
					if weighted {
						weights = append(weights, rapid.IntRange(0, 9).Draw(t, "weight"))
					}
				}
			}
			edges, err := Edges(n, sources, degrees, destinations, weights)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, edges...)
			for to, list := range Scatter(n, edges) {
				told[to][r] = list
			}
		}
		parts := make([]*DistGraph, n)
		for r := range parts {
			g, err := Gather(n, r, told[r], weighted)
			if err != nil {
				t.Fatal(err)
			}
			var sources, sourceWeights, destinations, destinationWeights []int
			for _, e := range all {
				if e.Source == r {
					destinations, destinationWeights = append(destinations, e.Destination), append(destinationWeights, e.Weight)
				}
				if e.Destination == r {
					sources, sourceWeights = append(sources, e.Source), append(sourceWeights, e.Weight)
				}
			}
			s, sw := g.Sources()
			d, dw := g.Destinations()
			if !slices.Equal(s, sources) || !slices.Equal(d, destinations) || g.Weighted() != weighted ||
				weighted && (!slices.Equal(sw, sourceWeights) || !slices.Equal(dw, destinationWeights)) {
				t.Fatalf("rank %d has %v %v, %v %v; want %v %v, %v %v", r, s, sw, d, dw, sources, sourceWeights, destinations, destinationWeights)
			}
			parts[r] = g
		}
		if err := Match(parts); err != nil {
			t.Fatal(err)
		}
		if len(all) > 0 { // one end forgets an edge
			g := parts[all[0].Source]
			g.destinations = g.destinations[1:]
			if Match(parts) == nil {
				t.Fatal("a lost edge is not found")
			}
		}
	})
}
