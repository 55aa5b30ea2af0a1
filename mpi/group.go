package mpi

import (
	"fmt"
	"slices"
	"sync"
)

// Undefined is a rank that does not exist: of a process that is no member of a group, as the colour of one that wants no
// part of a split communicator (MPI_UNDEFINED).
const Undefined = -3

// Group is an ordered set of processes, each known by its rank in the world (MPI_Group, MPI 4.1, 7.3). A member's place
// is its rank in the group. Groups are values that never change; the zero value is the empty group (MPI_GROUP_EMPTY).
// Making groups out of groups is local, is no communication, and takes time in proportion to their sizes. All methods may
// be called by any number of goroutines.
type Group struct {
	set  *groupSet // nil: empty
	self int       // one's own world rank, plus 1; 0: not known
}

// groupSet is what groups share that are copies of each other.
type groupSet struct {
	ranks []int // world ranks, each once

	once   sync.Once
	dense  []int32       // place by world rank, plus 1; 0: no member
	sparse map[int]int32 // instead of dense, when that would be mostly empty
}

// newGroup makes the group of some world ranks, each of which occurs once and is not negative, for the process with the world
// rank self. The list belongs to the group.
func newGroup(ranks []int, self int) Group { return groupOf(ranks, self+1) }

func groupOf(ranks []int, self int) Group {
	if len(ranks) == 0 {
		return Group{self: self}
	}
	return Group{&groupSet{ranks: ranks}, self}
}

// list gives the world ranks, which must not be changed.
func (g Group) list() []int {
	if g.set == nil {
		return nil
	}
	return g.set.ranks
}

// build makes the way back from world ranks to places.
func (s *groupSet) build() {
	if top := slices.Max(s.ranks); top < 8*len(s.ranks)+64 {
		s.dense = make([]int32, top+1)
		for i, w := range s.ranks {
			s.dense[w] = int32(i) + 1
		}
		return
	}
	s.sparse = make(map[int]int32, len(s.ranks))
	for i, w := range s.ranks {
		s.sparse[w] = int32(i) + 1
	}
}

// Size is the number of members (MPI_Group_size).
func (g Group) Size() int { return len(g.list()) }

// Rank is one's own rank in the group, [Undefined] for a process that is no member (MPI_Group_rank).
func (g Group) Rank() int { return g.RankOf(g.self - 1) }

// RankOf is the rank in the group of the process with a rank in the world, [Undefined] for one that is no member.
func (g Group) RankOf(world int) int {
	s := g.set
	if s == nil {
		return Undefined
	}
	s.once.Do(s.build)
	at := s.sparse[world]
	if world >= 0 && world < len(s.dense) {
		at = s.dense[world]
	}
	if at == 0 {
		return Undefined
	}
	return int(at) - 1
}

// Contains tells whether the process with a rank in the world is a member.
func (g Group) Contains(world int) bool { return g.RankOf(world) != Undefined }

// World is the rank in the world of a member, [Undefined] when there is no such rank.
func (g Group) World(rank int) int {
	if rank < 0 || rank >= g.Size() {
		return Undefined
	}
	return g.set.ranks[rank]
}

// Ranks gives the ranks in the world of all members, in order. The slice is the caller's.
func (g Group) Ranks() []int { return slices.Clone(g.list()) }

// Empty tells whether there is no member.
func (g Group) Empty() bool { return g.set == nil }

// String gives the ranks in the world.
func (g Group) String() string { return fmt.Sprintf("group%v", g.list()) }

// Translate gives the ranks in other of members of g (MPI_Group_translate_ranks): [Undefined] for one that is no member
// there, and [ProcNull] for ProcNull.
//
// Errors: [ErrRank], a rank that g does not have.
func (g Group) Translate(ranks []int, other Group) ([]int, error) {
	out := make([]int, len(ranks))
	for i, r := range ranks {
		switch {
		case r == ProcNull:
			out[i] = ProcNull
		case r < 0 || r >= g.Size():
			return nil, g.noRank("Group.Translate", r)
		default:
			out[i] = other.RankOf(g.set.ranks[r])
		}
	}
	return out, nil
}

// Comparison is how much two groups or communicators are the same (MPI 4.1, 7.3.1 and 7.4.1).
type Comparison uint8

// Results of comparisons.
const (
	Ident     Comparison = iota // MPI_IDENT: the same members in the same order; the same communicator
	Congruent                   // MPI_CONGRUENT: communicators with identical groups
	Similar                     // MPI_SIMILAR: the same members in another order
	Unequal                     // MPI_UNEQUAL: not the same members
)

// String gives the name in lower case.
func (c Comparison) String() string {
	if names := [...]string{"ident", "congruent", "similar", "unequal"}; int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("comparison(%d)", uint8(c))
}

// Compare tells how much two groups are the same (MPI_Group_compare): [Ident], [Similar] or [Unequal].
func (g Group) Compare(h Group) Comparison {
	switch {
	case g.set == h.set || slices.Equal(g.list(), h.list()):
		return Ident
	case g.Size() != h.Size():
		return Unequal
	}
	for _, w := range g.list() {
		if !h.Contains(w) {
			return Unequal
		}
	}
	return Similar
}

//go:noinline
func (g Group) noRank(call string, rank int) error {
	if g.Empty() {
		return bad(call, ErrRank, NoRank, fmt.Sprintf("rank %d: the group is empty", rank))
	}
	return bad(call, ErrRank, NoRank, fmt.Sprintf("rank %d: there are 0 to %d", rank, g.Size()-1))
}
