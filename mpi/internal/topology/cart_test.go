package topology

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func says(t *testing.T, err error, word string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), word) {
		t.Errorf("%v does not say %q", err, word)
	}
}

func cart(t *testing.T, n int, dims []int, periodic ...bool) *Cart {
	t.Helper()
	c, err := NewCart(n, dims, periodic)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Row-major order, as the standard draws it for a grid of 3 by 4 (MPI 4.1, 8.5.1).
func TestCartOrder(t *testing.T) {
	c := cart(t, 13, []int{3, 4}, false, true)
	if c.Size() != 12 || !slices.Equal(c.Dims(), []int{3, 4}) || !slices.Equal(c.Periodic(), []bool{false, true}) {
		t.Error("wrong grid")
	}
	for rank, want := range map[int][]int{0: {0, 0}, 1: {0, 1}, 4: {1, 0}, 7: {1, 3}, 11: {2, 3}} {
		if got, err := c.Coords(rank); err != nil || !slices.Equal(got, want) {
			t.Errorf("rank %d is at %v, %v", rank, got, err)
		}
	}
	if r, err := c.Rank([]int{2, -1}); err != nil || r != 11 {
		t.Error(r, err)
	}
	if r, err := c.Rank([]int{1, 9}); err != nil || r != 5 {
		t.Error(r, err)
	}
	n, err := c.Neighbours(0)
	if err != nil || !slices.Equal(n, []int{Null, 4, 3, 1}) {
		t.Error(n, err)
	}
}

// The neighbours in periodic dimensions of 1 and 2 are the same process twice.
func TestCartSmallRings(t *testing.T) {
	c := cart(t, 2, []int{1, 2}, true, true)
	if n, _ := c.Neighbours(1); !slices.Equal(n, []int{1, 1, 0, 0}) {
		t.Error(n)
	}
	if from, to, err := c.Shift(0, 1, -3); err != nil || from != 1 || to != 1 {
		t.Error(from, to, err)
	}
	if from, to, err := c.Shift(0, 1, 0); err != nil || from != 0 || to != 0 {
		t.Error(from, to, err)
	}
	none := cart(t, 5, nil)
	if r, err := none.Rank(nil); err != nil || r != 0 || none.Size() != 1 {
		t.Error(r, err)
	}
	if n, err := none.Neighbours(0); err != nil || len(n) != 0 {
		t.Error(n, err)
	}
}

func TestCartRefusals(t *testing.T) {
	fail := func(_ any, err error) error { return err }
	says(t, fail(NewCart(11, []int{3, 4}, []bool{true, true})), "more places than the 11")
	says(t, fail(NewCart(11, []int{1 << 20, 1 << 20}, []bool{true, true})), "more places")
	says(t, fail(NewCart(11, []int{3, 0}, []bool{true, true})), "dimension 1 of the grid has size 0")
	says(t, fail(NewCart(11, []int{3}, nil)), "one of each")
	says(t, fail(NewCart(0, nil, nil)), "0 processes")
	c := cart(t, 12, []int{3, 4}, false, true)
	says(t, fail(c.Coords(12)), "0 to 11")
	says(t, fail(c.Coords(-1)), "0 to 11")
	says(t, fail(c.Rank([]int{3, 0})), "dimension 0 has 0 to 2 and is not periodic")
	says(t, fail(c.Rank([]int{1})), "1 coordinates for a grid of 2")
	says(t, fail(c.Neighbours(12)), "0 to 11")
	_, _, err := c.Shift(0, 2, 1)
	says(t, err, "dimension 2: the grid has 2")
	_, _, err = c.Shift(12, 0, 1)
	says(t, err, "rank 12")
	_, _, _, err = c.Sub(0, []bool{true})
	says(t, err, "1 dimensions to keep")
	_, _, _, err = c.Sub(12, []bool{true, true})
	says(t, err, "rank 12")
}

// The standard's example cuts a grid of 2 by 3 by 4 to one of 3 grids of 2 by 4 (MPI 4.1, 8.5.7).
func TestCartSub(t *testing.T) {
	c := cart(t, 24, []int{2, 3, 4}, true, false, true)
	members := map[int][]int{}
	for rank := range 24 {
		sub, slice, at, err := c.Sub(rank, []bool{true, false, true})
		if err != nil || !slices.Equal(sub.Dims(), []int{2, 4}) || !slices.Equal(sub.Periodic(), []bool{true, true}) || sub.Size() != 8 {
			t.Fatal(sub, err)
		}
		if at != len(members[slice]) {
			t.Fatalf("rank %d has rank %d in slice %d", rank, at, slice)
		}
		members[slice] = append(members[slice], rank)
	}
	if len(members) != 3 || !slices.Equal(members[1], []int{4, 5, 6, 7, 16, 17, 18, 19}) {
		t.Error(members)
	}
	sub, slice, at, err := c.Sub(23, []bool{false, false, false})
	if err != nil || sub.Size() != 1 || slice != 23 || at != 0 || len(sub.Dims()) != 0 {
		t.Error(sub, slice, at, err)
	}
}

func TestCartLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 4).Draw(t, "dims")
		periodic := make([]bool, len(dims))
		for i := range periodic {
			periodic[i] = rapid.Bool().Draw(t, "periodic")
		}
		c, err := NewCart(256, dims, periodic)
		if err != nil {
			t.Fatal(err)
		}
		rank := rapid.IntRange(0, c.Size()-1).Draw(t, "rank")
		at, err := c.Coords(rank)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := c.Rank(at); err != nil || back != rank {
			t.Fatalf("rank %d is at %v, where %d is (%v)", rank, at, back, err)
		}
		if len(dims) == 0 {
			return
		}
		dim, disp := rapid.IntRange(0, len(dims)-1).Draw(t, "dim"), rapid.IntRange(-9, 9).Draw(t, "disp")
		place := func(by int) int { // by way of the coordinates
			x := slices.Clone(at)
			x[dim] += by
			r, err := c.Rank(x)
			if err != nil {
				return Null
			}
			return r
		}
		from, to, err := c.Shift(rank, dim, disp)
		if err != nil || from != place(-disp) || to != place(disp) {
			t.Fatalf("shift of %d by %d in %d of %v: %d, %d, %v, want %d, %d", rank, disp, dim, dims, from, to, err, place(-disp), place(disp))
		}
		if to != Null {
			if back, _, _ := c.Shift(to, dim, disp); back != rank {
				t.Fatalf("%d sends to %d, which receives from %d", rank, to, back)
			}
		}
		keep := make([]bool, len(dims))
		for i := range keep {
			keep[i] = rapid.Bool().Draw(t, "keep")
		}
		sub, _, place2, err := c.Sub(rank, keep)
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		for i, x := range at {
			if keep[i] {
				want = append(want, x)
			}
		}
		if got, err := sub.Coords(place2); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v in the slice, want %v (%v)", got, want, err)
		}
	})
}
