package fi

// CollectiveOp is a collective operation (enum fi_collective_op, fi_collective(3)).
type CollectiveOp int

// Collective operations.
const (
	CollBarrier       CollectiveOp = 0 // FI_BARRIER
	CollBroadcast     CollectiveOp = 1 // FI_BROADCAST
	CollAlltoall      CollectiveOp = 2 // FI_ALLTOALL
	CollAllreduce     CollectiveOp = 3 // FI_ALLREDUCE
	CollAllgather     CollectiveOp = 4 // FI_ALLGATHER
	CollReduceScatter CollectiveOp = 5 // FI_REDUCE_SCATTER
	CollReduce        CollectiveOp = 6 // FI_REDUCE
	CollScatter       CollectiveOp = 7 // FI_SCATTER
	CollGather        CollectiveOp = 8 // FI_GATHER
)

// Reduces tells whether the operation combines elements, so that it has an AtomicOp.
func (o CollectiveOp) Reduces() bool {
	return o == CollAllreduce || o == CollReduceScatter || o == CollReduce
}

// CollectiveAttr says how a collective is served (struct fi_collective_attr, fi_collective(3)). Op and Datatype are the
// question, the rest is the answer.
type CollectiveAttr struct {
	Op           AtomicOp // of reductions; else AtomicNoop, or 0
	Datatype     Datatype // TypeVoid for barriers
	DatatypeAttr AtomicAttr
	MaxMembers   int    // of a group
	Mode         uint64 // reserved, 0
}

// AVSetFlags say what an address vector's set holds at first, and which collectives its group is for (fi_av_set(3)). None
// of the second kind means all.
type AVSetFlags uint64

// Flags of sets.
const (
	AVSetUniverse      AVSetFlags = 1 << 57 // FI_UNIVERSE: all addresses of the vector
	AVSetBarrier       AVSetFlags = 1 << 40 // FI_BARRIER_SET
	AVSetBroadcast     AVSetFlags = 1 << 41 // FI_BROADCAST_SET
	AVSetAlltoall      AVSetFlags = 1 << 42 // FI_ALLTOALL_SET
	AVSetAllreduce     AVSetFlags = 1 << 43 // FI_ALLREDUCE_SET
	AVSetAllgather     AVSetFlags = 1 << 44 // FI_ALLGATHER_SET
	AVSetReduceScatter AVSetFlags = 1 << 45 // FI_REDUCE_SCATTER_SET
	AVSetReduce        AVSetFlags = 1 << 46 // FI_REDUCE_SET
	AVSetScatter       AVSetFlags = 1 << 47 // FI_SCATTER_SET
	AVSetGather        AVSetFlags = 1 << 48 // FI_GATHER_SET
)

const avSetAll = AVSetBarrier | AVSetBroadcast | AVSetAlltoall | AVSetAllreduce | AVSetAllgather | AVSetReduceScatter |
	AVSetReduce | AVSetScatter | AVSetGather

// Serves tells whether a group of a set with these flags is for an operation.
func (f AVSetFlags) Serves(o CollectiveOp) bool {
	return o >= CollBarrier && o <= CollGather && (f&avSetAll == 0 || f&(AVSetBarrier<<o) != 0)
}

// AVSetAttr describes a set of addresses (struct fi_av_set_attr, fi_av_set(3)). The zero value is an empty set.
type AVSetAttr struct {
	Count int // members expected

	// Start, End and Stride fill the set: Start, Start+Stride and so on, up to End at most, as far as they are in use.
	// Nothing with a Stride of 0.
	Start, End Addr
	Stride     uint64

	// CommKey says that the application manages who is a member: a number of 1 or 2 bytes, little-endian, up to 65534, that
	// no other group has which shares an endpoint with this one. Joining then asks nobody.
	CommKey []byte

	Flags AVSetFlags
}
