package multinode

import (
	"slices"
	"testing"
)

// TestPatterns: who sends to whom among three.
func TestPatterns(t *testing.T) {
	want := map[string][3][2][]int{ // by rank: targets, sources
		"full_mesh": {{{0, 1, 2}, {0, 1, 2}}, {{0, 1, 2}, {0, 1, 2}}, {{0, 1, 2}, {0, 1, 2}}},
		"ring":      {{{1}, {2}}, {{2}, {0}}, {{0}, {1}}},
		"gather":    {{nil, {1, 2}}, {{0}, nil}, {{0}, nil}},
		"broadcast": {{{1, 2}, nil}, {nil, {0}}, {nil, {0}}},
	}
	for _, p := range patterns {
		for rank, w := range want[p.name] {
			if got := p.targets(rank, 3); !slices.Equal(got, w[0]) {
				t.Errorf("%s: rank %d sends to %v, want %v", p.name, rank, got, w[0])
			}
			if got := p.sources(rank, 3); !slices.Equal(got, w[1]) {
				t.Errorf("%s: rank %d receives from %v, want %v", p.name, rank, got, w[1])
			}
		}
	}
}
