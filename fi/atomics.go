package fi

// AtomicOp is an atomic operation (enum fi_op, fi_atomic(3)).
type AtomicOp int

// Atomic operations.
const (
	AtomicMin     AtomicOp = 0   // FI_MIN
	AtomicMax     AtomicOp = 1   // FI_MAX
	AtomicSum     AtomicOp = 2   // FI_SUM
	AtomicProd    AtomicOp = 3   // FI_PROD
	AtomicLOr     AtomicOp = 4   // FI_LOR
	AtomicLAnd    AtomicOp = 5   // FI_LAND
	AtomicBOr     AtomicOp = 6   // FI_BOR
	AtomicBAnd    AtomicOp = 7   // FI_BAND
	AtomicLXor    AtomicOp = 8   // FI_LXOR
	AtomicBXor    AtomicOp = 9   // FI_BXOR
	AtomicRead    AtomicOp = 10  // FI_ATOMIC_READ: fetch only
	AtomicWrite   AtomicOp = 11  // FI_ATOMIC_WRITE
	AtomicCSwap   AtomicOp = 12  // FI_CSWAP: swap if compare == target
	AtomicCSwapNE AtomicOp = 13  // FI_CSWAP_NE: swap if compare != target
	AtomicCSwapLE AtomicOp = 14  // FI_CSWAP_LE: swap if compare <= target
	AtomicCSwapLT AtomicOp = 15  // FI_CSWAP_LT: swap if compare < target
	AtomicCSwapGE AtomicOp = 16  // FI_CSWAP_GE: swap if compare >= target
	AtomicCSwapGT AtomicOp = 17  // FI_CSWAP_GT: swap if compare > target
	AtomicMSwap   AtomicOp = 18  // FI_MSWAP: swap the bits that are set in compare
	AtomicDiff    AtomicOp = 19  // FI_DIFF: target - operand
	AtomicNoop    AtomicOp = 256 // FI_NOOP: collectives only
)

// Datatype is the type of an atomic's operands (enum fi_datatype, fi_atomic(3)).
type Datatype int

// Data types.
const (
	TypeInt8              Datatype = 0   // FI_INT8
	TypeUint8             Datatype = 1   // FI_UINT8
	TypeInt16             Datatype = 2   // FI_INT16
	TypeUint16            Datatype = 3   // FI_UINT16
	TypeInt32             Datatype = 4   // FI_INT32
	TypeUint32            Datatype = 5   // FI_UINT32
	TypeInt64             Datatype = 6   // FI_INT64
	TypeUint64            Datatype = 7   // FI_UINT64
	TypeFloat             Datatype = 8   // FI_FLOAT
	TypeDouble            Datatype = 9   // FI_DOUBLE
	TypeFloatComplex      Datatype = 10  // FI_FLOAT_COMPLEX
	TypeDoubleComplex     Datatype = 11  // FI_DOUBLE_COMPLEX
	TypeLongDouble        Datatype = 12  // FI_LONG_DOUBLE
	TypeLongDoubleComplex Datatype = 13  // FI_LONG_DOUBLE_COMPLEX
	TypeInt128            Datatype = 14  // FI_INT128
	TypeUint128           Datatype = 15  // FI_UINT128
	TypeFloat16           Datatype = 16  // FI_FLOAT16
	TypeBFloat16          Datatype = 17  // FI_BFLOAT16
	TypeFloat8E4M3        Datatype = 18  // FI_FLOAT8_E4M3
	TypeFloat8E5M2        Datatype = 19  // FI_FLOAT8_E5M2
	TypeVoid              Datatype = 256 // FI_VOID: collectives only
)

var datatypeSizes = [...]uint8{1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16, 16, 32, 16, 16, 2, 2, 1, 1}

// Size is the size of one element in bytes; 0 for [TypeVoid] and unknown types.
func (t Datatype) Size() int {
	if t < 0 || int(t) >= len(datatypeSizes) {
		return 0
	}
	return int(datatypeSizes[t])
}

// AtomicKind says which class of calls an atomic belongs to (the flags of fi_query_atomic, fi_atomic(3)).
type AtomicKind uint64

// Classes of atomics.
const (
	AtomicBase    AtomicKind = 0       // neither: the target is updated
	AtomicFetch   AtomicKind = 1 << 58 // FI_FETCH_ATOMIC: the old value comes back
	AtomicCompare AtomicKind = 1 << 59 // FI_COMPARE_ATOMIC: updated under a condition, the old value comes back
)

// AtomicAttr says how an operation on a type is served (struct fi_atomic_attr, fi_atomic(3)).
type AtomicAttr struct {
	// Count is the largest number of elements of one call.
	Count int
	// Size is the size of one element in bytes.
	Size int
	// Native says that the initiator's processor (or device) executes it where memory allows; otherwise the target's
	// progress does.
	Native bool
}
