package mpi

import (
	"fmt"
	"slices"
)

// Incl is the group of the members with the given ranks in g, in that order (MPI_Group_incl).
//
// Errors: [ErrRank], a rank that g does not have, or one twice.
func (g Group) Incl(ranks ...int) (Group, error) {
	if err := g.once("Group.Incl", ranks); err != nil {
		return Group{}, err
	}
	return g.take(ranks), nil
}

// Excl is the group of the other members of g, in their order (MPI_Group_excl).
//
// Errors: as of [Group.Incl].
func (g Group) Excl(ranks ...int) (Group, error) {
	if err := g.once("Group.Excl", ranks); err != nil {
		return Group{}, err
	}
	return g.drop(ranks), nil
}

// Range is the ranks First, First+Stride, First+2*Stride ... up to Last at most; down to it for a negative Stride.
type Range struct{ First, Last, Stride int }

// RangeIncl is [Group.Incl] of the ranks of some ranges, one after the other (MPI_Group_range_incl).
//
// Errors: [ErrRank] as of Incl; [ErrArg], a stride of 0 or away from Last.
func (g Group) RangeIncl(ranges ...Range) (Group, error) {
	ranks, err := g.expand("Group.RangeIncl", ranges)
	if err != nil {
		return Group{}, err
	}
	return g.take(ranks), nil
}

// RangeExcl is [Group.Excl] of the ranks of some ranges (MPI_Group_range_excl).
//
// Errors: as of [Group.RangeIncl].
func (g Group) RangeExcl(ranges ...Range) (Group, error) {
	ranks, err := g.expand("Group.RangeExcl", ranges)
	if err != nil {
		return Group{}, err
	}
	return g.drop(ranks), nil
}

// Union is the members of g in their order, and then those of h that are not in g (MPI_Group_union).
func (g Group) Union(h Group) Group {
	if g.Empty() || h.Empty() {
		if g.Empty() {
			g.set = h.set
		}
		return g.knowing(h)
	}
	ranks := slices.Clone(g.list())
	for _, w := range h.list() {
		if !g.Contains(w) {
			ranks = append(ranks, w)
		}
	}
	return groupOf(ranks, g.self).knowing(h)
}

// Intersection is the members of g that are in h too, in the order of g (MPI_Group_intersection).
func (g Group) Intersection(h Group) Group { return g.keep(h, true) }

// Difference is the members of g that are not in h, in the order of g (MPI_Group_difference).
func (g Group) Difference(h Group) Group { return g.keep(h, false) }

func (g Group) keep(h Group, in bool) Group {
	var ranks []int
	for _, w := range g.list() {
		if h.Contains(w) == in {
			ranks = append(ranks, w)
		}
	}
	return groupOf(ranks, g.self).knowing(h)
}

// knowing takes one's own rank from h when g does not have it: the zero value has none.
func (g Group) knowing(h Group) Group {
	if g.self == 0 {
		g.self = h.self
	}
	return g
}

// take gives the members at places that were checked.
func (g Group) take(places []int) Group {
	ranks := make([]int, len(places))
	for i, r := range places {
		ranks[i] = g.set.ranks[r]
	}
	return groupOf(ranks, g.self)
}

// drop gives the members at all other places.
func (g Group) drop(places []int) Group {
	gone := make([]bool, g.Size())
	for _, r := range places {
		gone[r] = true
	}
	ranks := make([]int, 0, g.Size()-len(places))
	for r, w := range g.list() {
		if !gone[r] {
			ranks = append(ranks, w)
		}
	}
	return groupOf(ranks, g.self)
}

// once checks that ranks are of members, each once.
func (g Group) once(call string, ranks []int) error {
	seen := make([]bool, g.Size())
	for _, r := range ranks {
		if r < 0 || r >= len(seen) {
			return g.noRank(call, r)
		}
		if seen[r] {
			return bad(call, ErrRank, NoRank, fmt.Sprintf("rank %d is given twice: a group has each member once", r))
		}
		seen[r] = true
	}
	return nil
}

// expand lists the ranks of ranges, each a member's and there once.
func (g Group) expand(call string, ranges []Range) ([]int, error) {
	var ranks []int
	for _, x := range ranges {
		if x.Stride == 0 || x.First < x.Last && x.Stride < 0 || x.First > x.Last && x.Stride > 0 {
			return nil, bad(call, ErrArg, NoRank, fmt.Sprintf("%d to %d by %d: the stride must lead from the first to the last",
				x.First, x.Last, x.Stride))
		}
		// The ends bound all that is between: a range is not longer than the group. Last itself need not be reached.
		if x.First < 0 || x.First >= g.Size() {
			return nil, g.noRank(call, x.First)
		}
		for r, left := x.First, (x.Last-x.First)/x.Stride; ; r, left = r+x.Stride, left-1 {
			if r < 0 || r >= g.Size() {
				return nil, g.noRank(call, r)
			}
			if ranks = append(ranks, r); left == 0 {
				break
			}
		}
	}
	if err := g.once(call, ranks); err != nil {
		return nil, err
	}
	return ranks, nil
}
