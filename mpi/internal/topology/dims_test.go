package topology

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The first four are the standard's examples (MPI 4.1, 8.5.2).
func TestDimsCreate(t *testing.T) {
	for _, c := range []struct {
		n          int
		dims, want []int
	}{
		{6, []int{0, 0}, []int{3, 2}},
		{7, []int{0, 0}, []int{7, 1}},
		{6, []int{0, 3, 0}, []int{2, 3, 1}},
		{12, []int{0, 0}, []int{4, 3}},
		{16, []int{0, 0, 0}, []int{4, 2, 2}},
		{24, []int{0, 0, 0}, []int{4, 3, 2}},
		{36, []int{0, 0, 0}, []int{4, 3, 3}},
		{72, []int{0, 0, 0}, []int{6, 4, 3}},
		{1000, []int{0, 0, 0}, []int{10, 10, 10}},
		{1 << 20, []int{0, 0, 0, 0, 0, 0, 0}, []int{8, 8, 8, 8, 8, 8, 4}},
		{math.MaxInt32, []int{0, 0}, []int{math.MaxInt32, 1}},
		{1, []int{0, 0}, []int{1, 1}},
		{8, []int{2, 4}, []int{2, 4}},
		{1, nil, nil},
	} {
		if got, err := DimsCreate(c.n, c.dims); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d in %v: %v, %v, want %v", c.n, c.dims, got, err, c.want)
		}
	}
	for _, c := range []struct {
		n    int
		dims []int
		word string
	}{
		{7, []int{0, 3, 0}, "must divide"}, // the standard's last example
		{6, []int{0, -1}, "dimension 1 has size -1"},
		{8, []int{2, 2}, "has 4 places and there are 8"},
		{5, nil, "there are 5"},
		{0, []int{0}, "give 1 to"},
		{-3, []int{0}, "give 1 to"},
	} {
		dims := slices.Clone(c.dims)
		if got, err := DimsCreate(c.n, dims); err == nil || !strings.Contains(err.Error(), c.word) || got != nil {
			t.Errorf("%d in %v: %v, %v does not say %q", c.n, c.dims, got, err, c.word)
		}
		if !slices.Equal(dims, c.dims) {
			t.Error("the argument is changed")
		}
	}
}

// every gives all ways to make n of parts factors that do not rise.
func every(n, parts, limit int, yield func([]int), so ...int) {
	if parts == 0 {
		if n == 1 {
			yield(so)
		}
		return
	}
	for d := 1; d <= min(n, limit); d++ {
		if n%d == 0 {
			every(n/d, parts-1, d, yield, append(slices.Clip(so), d)...)
		}
	}
}

func TestDimsAreTheClosest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, parts := rapid.IntRange(1, 400).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "parts")
		var best []int
		every(n, parts, n, func(f []int) {
			if best == nil || slices.Compare(f, best) < 0 {
				best = slices.Clone(f)
			}
		})
		if got, err := DimsCreate(n, make([]int, parts)); err != nil || !slices.Equal(got, best) {
			t.Fatalf("%d in %d: %v, %v, want %v", n, parts, got, err, best)
		}
	})
}
