package coll

import (
	"fmt"
	"slices"
	"strings"
)

// Coll is a collective operation. Those up to Gather have libfabric's numbers.
type Coll uint8

// Collective operations. What a buffer holds is given in blocks of Args.Count elements; that of the operations from Gatherv
// on, whose blocks differ, stands at [Vector].
const (
	Barrier           Coll = iota
	Broadcast              // In at the root, Out elsewhere: 1 block
	Alltoall               // In and Out: a block for each member
	Allreduce              // In and Out: 1 block
	Allgather              // In: 1 block, Out: one of each member
	ReduceScatter          // In: a block for each member, Out: 1 block (MPI_Reduce_scatter_block)
	Reduce                 // In: 1 block, Out at the root: 1 block
	Scatter                // In at the root: a block for each member, Out: 1 block
	Gather                 // In: 1 block, Out at the root: one of each member
	Scan                   // In: 1 block, Out: the reduction of the members up to this one
	Exscan                 // In: 1 block, Out: the reduction of the members before this one; member 0's stays as it is
	Gatherv                // In: 1 block, OutBlock at the root: one of each member
	Scatterv               // InBlock at the root: one for each member, Out: 1 block
	Allgatherv             // In: 1 block, OutBlock: one of each member
	Alltoallv              // InBlock: one for each member, OutBlock: one of each member
	ReduceScatterv         // In: the blocks of all members side by side, Out: 1 block (MPI_Reduce_scatter)
	NeighborAllgather      // In: 1 block for all destinations, OutBlock: one of each source
	NeighborAlltoall       // InBlock: one for each destination, OutBlock: one of each source
	numColl
)

var collNames = [numColl]string{"barrier", "broadcast", "alltoall", "allreduce", "allgather", "reduce_scatter", "reduce",
	"scatter", "gather", "scan", "exscan", "gatherv", "scatterv", "allgatherv", "alltoallv", "reduce_scatterv",
	"neighbor_allgather", "neighbor_alltoall"}

// String gives the name as in libfabric's calls, of others as in MPI's.
func (c Coll) String() string {
	if c < numColl {
		return collNames[c]
	}
	return fmt.Sprintf("coll(%d)", uint8(c))
}

// UnmarshalText reads what String gives, in letters of any case. The error lists what there is.
func (c *Coll) UnmarshalText(text []byte) error {
	i := slices.Index(collNames[:], strings.ToLower(string(text)))
	if i < 0 {
		return fmt.Errorf("coll: no operation %q: give one of %s", text, strings.Join(collNames[:], ", "))
	}
	*c = Coll(i)
	return nil
}

// Reduces tells whether the operation combines elements.
func (c Coll) Reduces() bool {
	switch c {
	case Allreduce, ReduceScatter, Reduce, Scan, Exscan, ReduceScatterv:
		return true
	}
	return false
}

// Rooted tells whether one member is different from the others.
func (c Coll) Rooted() bool {
	switch c {
	case Broadcast, Reduce, Scatter, Gather, Gatherv, Scatterv:
		return true
	}
	return false
}

// Vectored tells whether the operation needs Args.Vector.
func (c Coll) Vectored() bool { return c >= Gatherv && c < numColl }
