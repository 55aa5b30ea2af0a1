package pmi

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gofabric/gofabric/pmi/server"
)

func TestMapping(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
		want []int
	}{
		{"(vector,(0,1,3))", 3, []int{0, 0, 0}},
		{"(vector,(0,1,1))", 2, []int{0, 0}},
		{"(vector,(0,2,1))", 3, []int{0, 1, 0}},
		{"(vector,(0,2,2))", 4, []int{0, 0, 1, 1}},
		{"(vector, (0,1,3), (1,1,2))", 5, []int{0, 0, 0, 1, 1}},
		{"(vector,(0,1,3))", 0, nil},
		{"(vector,(0,0,3))", 3, nil},
		{"(vector,(0,1,0))", 3, nil},
		{"(vector,(0,1,-1))", 3, nil},
		{"(vector,(0,1))", 3, nil},
		{"(vector)", 3, nil},
		{"(vector,", 3, nil},
		{"unknown", 3, nil},
		{"", 3, nil},
	} {
		if got := parseMapping(c.text, c.size); !slices.Equal(got, c.want) {
			t.Errorf("%s for %d: %v, want %v", c.text, c.size, got, c.want)
		}
	}
}

// TestMappingRoundTrip reads what our own launcher writes.
func TestMappingRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 40).Draw(t, "nodes")
		if got := parseMapping(server.Mapping(nodes), len(nodes)); !slices.Equal(got, nodes) {
			t.Fatalf("%v became %v by %s", nodes, got, server.Mapping(nodes))
		}
	})
}

func FuzzMapping(f *testing.F) {
	f.Add("(vector,(0,2,2),(2,1,1))", 7)
	f.Fuzz(func(t *testing.T, s string, size int) {
		size %= 5000
		if got := parseMapping(s, size); got != nil && len(got) != size {
			t.Errorf("%d nodes for %d ranks", len(got), size)
		}
	})
}
