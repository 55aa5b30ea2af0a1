package fi

var atomicOpWords = vocabulary[AtomicOp]{
	kind: "atomic operation", prefix: "FI_ATOMIC_",
	words: []word[AtomicOp]{
		{AtomicMin, "FI_MIN"},
		{AtomicMax, "FI_MAX"},
		{AtomicSum, "FI_SUM"},
		{AtomicProd, "FI_PROD"},
		{AtomicLOr, "FI_LOR"},
		{AtomicLAnd, "FI_LAND"},
		{AtomicBOr, "FI_BOR"},
		{AtomicBAnd, "FI_BAND"},
		{AtomicLXor, "FI_LXOR"},
		{AtomicBXor, "FI_BXOR"},
		{AtomicRead, "FI_ATOMIC_READ"},
		{AtomicWrite, "FI_ATOMIC_WRITE"},
		{AtomicCSwap, "FI_CSWAP"},
		{AtomicCSwapNE, "FI_CSWAP_NE"},
		{AtomicCSwapLE, "FI_CSWAP_LE"},
		{AtomicCSwapLT, "FI_CSWAP_LT"},
		{AtomicCSwapGE, "FI_CSWAP_GE"},
		{AtomicCSwapGT, "FI_CSWAP_GT"},
		{AtomicMSwap, "FI_MSWAP"},
		{AtomicDiff, "FI_DIFF"},
		{AtomicNoop, "FI_NOOP"},
	},
}

// String is the C name.
func (o AtomicOp) String() string { return atomicOpWords.name(o) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (o AtomicOp) MarshalText() ([]byte, error) { return atomicOpWords.enumText(o), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_ATOMIC_), or a number.
func (o *AtomicOp) UnmarshalText(text []byte) error { return atomicOpWords.readEnum(o, text) }

var datatypeWords = vocabulary[Datatype]{
	kind: "data type", prefix: "FI_",
	words: []word[Datatype]{
		{TypeInt8, "FI_INT8"},
		{TypeUint8, "FI_UINT8"},
		{TypeInt16, "FI_INT16"},
		{TypeUint16, "FI_UINT16"},
		{TypeInt32, "FI_INT32"},
		{TypeUint32, "FI_UINT32"},
		{TypeInt64, "FI_INT64"},
		{TypeUint64, "FI_UINT64"},
		{TypeFloat, "FI_FLOAT"},
		{TypeDouble, "FI_DOUBLE"},
		{TypeFloatComplex, "FI_FLOAT_COMPLEX"},
		{TypeDoubleComplex, "FI_DOUBLE_COMPLEX"},
		{TypeLongDouble, "FI_LONG_DOUBLE"},
		{TypeLongDoubleComplex, "FI_LONG_DOUBLE_COMPLEX"},
		{TypeInt128, "FI_INT128"},
		{TypeUint128, "FI_UINT128"},
		{TypeFloat16, "FI_FLOAT16"},
		{TypeBFloat16, "FI_BFLOAT16"},
		{TypeFloat8E4M3, "FI_FLOAT8_E4M3"},
		{TypeFloat8E5M2, "FI_FLOAT8_E5M2"},
		{TypeVoid, "FI_VOID"},
	},
}

// String is the C name.
func (t Datatype) String() string { return datatypeWords.name(t) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (t Datatype) MarshalText() ([]byte, error) { return datatypeWords.enumText(t), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_), or a number.
func (t *Datatype) UnmarshalText(text []byte) error { return datatypeWords.readEnum(t, text) }

var atomicKindWords = vocabulary[AtomicKind]{
	kind: "class of atomics", prefix: "FI_",
	words: []word[AtomicKind]{
		{AtomicFetch, "FI_FETCH_ATOMIC"},
		{AtomicCompare, "FI_COMPARE_ATOMIC"},
		{AtomicBase, "FI_BASE_ATOMIC"}, // no name in C,
	},
}

// String is the C name.
func (k AtomicKind) String() string { return atomicKindWords.name(k) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (k AtomicKind) MarshalText() ([]byte, error) { return atomicKindWords.enumText(k), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_), or a number.
func (k *AtomicKind) UnmarshalText(text []byte) error { return atomicKindWords.readEnum(k, text) }
