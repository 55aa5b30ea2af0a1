package coll

import "fmt"

// Args say what is to be done, and by whom. What is not said to be a member's own must be alike at all members.
type Args struct {
	// The order of fields leaves no gaps: Args are keys of maps, and are hashed in one piece.

	Members int
	Rank    int // of the member whose schedule is wanted
	Root    int // of rooted operations
	Count   int // elements of a block; of operations with a Vector, of In or Out where that is one block, and the member's own
	Size    int // bytes of an element
	Segment int // bytes at a time by algorithms that cut blocks into segments; 0: DefaultSegment

	// Vector has what differs between blocks, for operations that are [Coll.Vectored]. When Args are compared it counts
	// which Vector it is, not what it holds.
	Vector *Vector

	Coll Coll
	// Ordered: the operands must be combined one by one in the order of ranks, ((x0 op x1) op x2) ..., since op is not
	// associative.
	Ordered bool
	// InRankOrder: the operands must stay in the order of ranks, since op is not commutative; it is associative, so that
	// brackets may stand anywhere (MPI_Op_create with commute false).
	InRankOrder bool
	// InPlace: what the member contributes is in Out, and In is not used (MPI_IN_PLACE). Of gather, allgather and their
	// vector forms that is the member's own block of Out; of alltoall and its vector form all blocks; of scatters it means
	// that the root's own block stays where it is in In, and Out is not used; of reduce-scatter Out holds the blocks of all
	// members side by side, the result comes to its beginning and the rest stays. It is a member's own: messages are the
	// same without. Of rooted operations only the root may say so; barriers, broadcasts and neighbourhood exchanges have
	// nothing of that kind. Without InPlace, In and Out must not overlap.
	InPlace bool
}

// DefaultSegment is the segment where Args name none: a second-level cache holds some of it.
const DefaultSegment = 64 << 10

// Bytes is the larger of what the member has in In and in Out: what decides between algorithms. It is 0 where members do
// not know each other's counts: gatherv, scatterv, alltoallv and neighbourhood exchanges.
func (a *Args) Bytes() int {
	n := a.Count * a.Size
	switch a.Coll {
	case Alltoall, Allgather, ReduceScatter, Scatter, Gather:
		n *= a.Members
	case Allgatherv, ReduceScatterv:
		n = 0
		if a.Vector != nil {
			n = total(a.Vector.Recv) * a.Size
		}
	case Gatherv, Scatterv, Alltoallv, NeighborAllgather, NeighborAlltoall:
		n = 0
	}
	return n
}

// check finds what cannot be.
func (a *Args) check() error {
	switch {
	case a.Coll >= numColl:
		return fmt.Errorf("coll: unknown operation %v", a.Coll)
	case a.Members < 1 || a.Members > MaxMembers:
		return fmt.Errorf("coll: %d members: give 1 to %d", a.Members, MaxMembers)
	case a.Rank < 0 || a.Rank >= a.Members:
		return fmt.Errorf("coll: rank %d of %d members", a.Rank, a.Members)
	case a.Coll.Rooted() && (a.Root < 0 || a.Root >= a.Members):
		return fmt.Errorf("coll: root %d of %d members", a.Root, a.Members)
	case a.Coll != Barrier && (a.Count < 0 || a.Size < 1 || a.Count > 0 && a.Members > maxBytes/a.Count/a.Size):
		return fmt.Errorf("coll: %d elements of %d bytes for %d members: not negative, and at most %d bytes in all", a.Count, a.Size, a.Members, maxBytes)
	case a.Segment < 0:
		return fmt.Errorf("coll: segments of %d bytes: give 0 for %d", a.Segment, DefaultSegment)
	case a.InPlace && (a.Coll == Barrier || a.Coll == Broadcast || a.Coll.neighbors()):
		return fmt.Errorf("coll: %v in place: it cannot be", a.Coll)
	case a.InPlace && a.Coll.Rooted() && a.Rank != a.Root:
		return fmt.Errorf("coll: %v in place at rank %d: only the root, %d, can have that", a.Coll, a.Rank, a.Root)
	case a.Coll.Vectored() != (a.Vector != nil):
		return fmt.Errorf("coll: %v with a Vector: %v; operations whose blocks differ need it, and no others", a.Coll, a.Vector != nil)
	case a.Vector != nil:
		return a.Vector.check(a)
	}
	return nil
}

// maxBytes keeps all sums of lengths in an int.
const maxBytes = 1 << (32 + (^uint(0)>>63)*24 - 3)
