package coll

import "fmt"

// Coll is a collective operation.
type Coll uint8

// Collective operations. What a buffer holds is given in blocks of Args.Count elements.
const (
	Barrier       Coll = iota
	Broadcast          // In at the root, Out elsewhere: 1 block
	Alltoall           // In and Out: a block for each member
	Allreduce          // In and Out: 1 block
	Allgather          // In: 1 block, Out: one of each member
	ReduceScatter      // In: a block for each member, Out: 1 block
	Reduce             // In: 1 block, Out at the root: 1 block
	Scatter            // In at the root: a block for each member, Out: 1 block
	Gather             // In: 1 block, Out at the root: one of each member
	numColl
)

var collNames = [numColl]string{"barrier", "broadcast", "alltoall", "allreduce", "allgather", "reduce_scatter", "reduce",
	"scatter", "gather"}

// String gives the name as in libfabric's calls.
func (c Coll) String() string {
	if c < numColl {
		return collNames[c]
	}
	return fmt.Sprintf("coll(%d)", uint8(c))
}

// Reduces tells whether the operation combines elements.
func (c Coll) Reduces() bool { return c == Allreduce || c == ReduceScatter || c == Reduce }

// Rooted tells whether one member is different from the others.
func (c Coll) Rooted() bool { return c == Broadcast || c == Reduce || c == Scatter || c == Gather }

// Args say what is to be done, and by whom.
type Args struct {
	Coll    Coll
	Members int
	Rank    int // of the member whose schedule is wanted
	Root    int // of rooted operations
	Count   int // elements of a block
	Size    int // bytes of an element
	Ordered bool
	// Ordered: the operands must be combined one by one in the order of ranks, ((x0 op x1) op x2) ..., since op is not
	// commutative or not associative.
}

// Bytes is the larger of what the member has in In and in Out: what decides between algorithms.
func (a *Args) Bytes() int {
	n := a.Count * a.Size
	switch a.Coll {
	case Alltoall, Allgather, ReduceScatter, Scatter, Gather:
		n *= a.Members
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
	}
	return nil
}

// maxBytes keeps all sums of lengths in an int.
const maxBytes = 1 << (32 + (^uint(0)>>63)*24 - 3)
