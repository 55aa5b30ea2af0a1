package mpi

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func group(t *testing.T) func(g Group, err error) Group {
	return func(g Group, err error) Group {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
}

func expectGroup(t *testing.T, g Group, want ...int) {
	t.Helper()
	if !slices.Equal(g.Ranks(), want) || g.Size() != len(want) || g.Empty() != (len(want) == 0) {
		t.Errorf("got %v of %d, want %v", g, g.Size(), want)
	}
}

func TestGroupRanks(t *testing.T) {
	g := newGroup([]int{4, 9, 0, 7}, 9)
	if g.Rank() != 1 || g.RankOf(7) != 3 || g.RankOf(5) != Undefined || g.RankOf(-1) != Undefined || g.RankOf(math.MaxInt) != Undefined {
		t.Error("wrong ranks")
	}
	if g.World(2) != 0 || g.World(4) != Undefined || g.World(-1) != Undefined || !g.Contains(0) || g.Contains(1) {
		t.Error("wrong world ranks")
	}
	var none Group
	if none.Size() != 0 || none.Rank() != Undefined || none.World(0) != Undefined || !none.Empty() || none.String() != "group[]" {
		t.Error("the empty group is not empty")
	}
	if g.String() != "group[4 9 0 7]" {
		t.Error(g)
	}
	list := g.Ranks()
	list[0] = 99
	expectGroup(t, g, 4, 9, 0, 7)
	far := newGroup([]int{1 << 30, 5}, 5)
	if far.Rank() != 1 || far.RankOf(1<<30) != 0 || far.RankOf(6) != Undefined {
		t.Error("wrong ranks of members far apart")
	}
}

func TestGroupParts(t *testing.T) {
	ok := group(t)
	g := newGroup([]int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 13)
	expectGroup(t, ok(g.Incl(3, 0, 9)), 13, 10, 19)
	expectGroup(t, ok(g.Incl()))
	expectGroup(t, ok(g.Excl(9, 0, 5)), 11, 12, 13, 14, 16, 17, 18)
	expectGroup(t, ok(g.Excl()), g.Ranks()...)
	expectGroup(t, ok(g.Excl(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)))
	expectGroup(t, ok(g.RangeIncl(Range{1, 6, 2}, Range{9, 8, -1})), 11, 13, 15, 19, 18)
	expectGroup(t, ok(g.RangeIncl(Range{2, 2, 5})), 12)
	expectGroup(t, ok(g.RangeIncl(Range{0, 99, 100})), 10) // the last need not be reached, nor exist
	expectGroup(t, ok(g.RangeIncl()))
	expectGroup(t, ok(g.RangeExcl(Range{1, 9, 4}, Range{2, 0, -2})), 13, 14, 16, 17, 18)
}

func TestGroupRefusals(t *testing.T) {
	g := newGroup([]int{10, 11, 12, 13}, 13)
	refuse := func(class Class, word string) func(h Group, err error) {
		return func(h Group, err error) {
			t.Helper()
			if !errors.Is(err, class) || !strings.Contains(err.Error(), word) || !h.Empty() {
				t.Errorf("%v, %v is not %v with %q", h, err, class, word)
			}
		}
	}
	refuse(ErrRank, "rank 4: there are 0 to 3")(g.Incl(0, 4))
	refuse(ErrRank, "rank -1")(g.Excl(-1))
	refuse(ErrRank, "rank 2 is given twice")(g.Incl(2, 1, 2))
	refuse(ErrRank, "twice")(g.Excl(0, 0))
	refuse(ErrRank, "empty")(Group{}.Incl(0))
	refuse(ErrArg, "0 to 3 by 0")(g.RangeIncl(Range{0, 3, 0}))
	refuse(ErrArg, "by -1")(g.RangeExcl(Range{0, 3, -1}))
	refuse(ErrArg, "by 1")(g.RangeIncl(Range{3, 0, 1}))
	refuse(ErrRank, "rank 4")(g.RangeIncl(Range{0, math.MaxInt, 1}))
	refuse(ErrRank, "rank 50")(newGroup(identity(10), 0).RangeIncl(Range{0, 99, 50}))
	refuse(ErrRank, "rank 7")(g.RangeIncl(Range{7, 8, 1}))
	refuse(ErrRank, "twice")(g.RangeIncl(Range{0, 2, 1}, Range{2, 3, 1}))
	if _, err := g.Translate([]int{0, 5}, g); !errors.Is(err, ErrRank) {
		t.Error(err)
	}
}

func TestGroupTranslate(t *testing.T) {
	g, h := newGroup([]int{1, 2, 3}, 1), newGroup([]int{3, 5, 1}, 1)
	got, err := g.Translate([]int{2, 1, ProcNull, 0}, h)
	if err != nil || !slices.Equal(got, []int{0, Undefined, ProcNull, 2}) {
		t.Error(got, err)
	}
}

func TestGroupCompare(t *testing.T) {
	g := newGroup([]int{1, 2, 3}, 1)
	for _, c := range []struct {
		h    Group
		want Comparison
	}{{g, Ident}, {newGroup([]int{1, 2, 3}, 7), Ident}, {newGroup([]int{3, 1, 2}, 1), Similar}, {newGroup([]int{1, 2}, 1), Unequal},
		{newGroup([]int{1, 2, 4}, 1), Unequal}, {Group{}, Unequal}} {
		if got, back := g.Compare(c.h), c.h.Compare(g); got != c.want || back != c.want {
			t.Errorf("%v and %v: %v, %v, want %v", g, c.h, got, back, c.want)
		}
	}
	if (Group{}).Compare(newGroup(nil, 3)) != Ident || Similar.String() != "similar" || Comparison(9).String() != "comparison(9)" {
		t.Error("wrong words")
	}
}

// A process keeps knowing itself.
func TestGroupSelf(t *testing.T) {
	g, h := newGroup([]int{1, 2, 3}, 3), newGroup([]int{3, 4}, 3)
	var none Group
	for _, x := range []Group{none.Union(g), g.Union(none), g.Union(h), g.Intersection(h), h.Difference(newGroup([]int{4}, 3))} {
		if x.Rank() == Undefined {
			t.Errorf("%v does not know its process", x)
		}
	}
	if none.Union(newGroup(nil, 3)).Union(Group{}).self != 4 {
		t.Error("an empty group forgot its process")
	}
}

func anyGroup(t *rapid.T, name string) Group {
	return newGroup(rapid.SliceOfNDistinct(rapid.IntRange(0, 12), 0, 9, rapid.ID[int]).Draw(t, name), 3)
}

// MPI's rules for order and the laws of sets.
func TestGroupAlgebra(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, h := anyGroup(t, "g"), anyGroup(t, "h")
		in := func(list []int) func(int) bool { return func(w int) bool { return slices.Contains(list, w) } }
		notIn := func(list []int) func(int) bool { return func(w int) bool { return !slices.Contains(list, w) } }
		a, b := g.Ranks(), h.Ranks()
		check := func(what string, got Group, want []int) {
			if !slices.Equal(got.Ranks(), want) {
				t.Fatalf("%s of %v and %v is %v, want %v", what, a, b, got, want)
			}
		}
		check("union", g.Union(h), append(slices.Clone(a), slices.DeleteFunc(slices.Clone(b), in(a))...))
		check("intersection", g.Intersection(h), slices.DeleteFunc(slices.Clone(a), notIn(b)))
		check("difference", g.Difference(h), slices.DeleteFunc(slices.Clone(a), in(b)))
		if g.Union(h).Compare(h.Union(g)) == Unequal || g.Intersection(h).Compare(h.Intersection(g)) == Unequal {
			t.Fatal("the order of the operands changes the members")
		}
		if g.Difference(h).Union(g.Intersection(h)).Compare(g) == Unequal {
			t.Fatal("the parts are not the whole")
		}
		some := rapid.SliceOfDistinct(rapid.IntRange(0, max(0, g.Size()-1)), rapid.ID[int]).Draw(t, "some")
		if g.Empty() {
			some = nil
		}
		incl, err1 := g.Incl(some...)
		excl, err2 := g.Excl(some...)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		check("excl", excl, g.Difference(incl).Ranks())
		back, err := incl.Translate(identity(incl.Size()), g)
		if err != nil || !slices.Equal(back, some) {
			t.Fatalf("%v, %v, want %v", back, err, some)
		}
		if r := g.Rank(); r != slices.Index(a, 3) && !(r == Undefined && !slices.Contains(a, 3)) {
			t.Fatalf("rank %d in %v", r, a)
		}
	})
}

func identity(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func BenchmarkGroup(b *testing.B) {
	const n = 100_000
	world := newGroup(identity(n), 0)
	odd, err := world.RangeIncl(Range{1, n - 1, 2})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("union", func(b *testing.B) {
		for b.Loop() {
			odd.Union(world)
		}
	})
	b.Run("excl", func(b *testing.B) {
		for b.Loop() {
			world.RangeExcl(Range{1, n - 1, 2})
		}
	})
	b.Run("compare", func(b *testing.B) {
		even := world.Difference(odd)
		mixed, other := odd.Union(even), even.Union(odd)
		for b.Loop() {
			if mixed.Compare(other) != Similar {
				b.Fatal("not similar")
			}
		}
	})
}
