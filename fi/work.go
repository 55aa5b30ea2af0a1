package fi

// WorkOp says what a deferred work request does (enum fi_op_type, fi_trigger(3)).
type WorkOp int

// The operations of deferred work.
const (
	WorkRecv          WorkOp = 0  // FI_OP_RECV: post a receive
	WorkSend          WorkOp = 1  // FI_OP_SEND: send a message
	WorkTRecv         WorkOp = 2  // FI_OP_TRECV: post a tagged receive
	WorkTSend         WorkOp = 3  // FI_OP_TSEND: send a tagged message
	WorkRead          WorkOp = 4  // FI_OP_READ: read remote memory
	WorkWrite         WorkOp = 5  // FI_OP_WRITE: write remote memory
	WorkAtomic        WorkOp = 6  // FI_OP_ATOMIC: an atomic of the base class
	WorkFetchAtomic   WorkOp = 7  // FI_OP_FETCH_ATOMIC: an atomic of the fetching class
	WorkCompareAtomic WorkOp = 8  // FI_OP_COMPARE_ATOMIC: an atomic of the comparing class
	WorkCntrSet       WorkOp = 9  // FI_OP_CNTR_SET: set a counter
	WorkCntrAdd       WorkOp = 10 // FI_OP_CNTR_ADD: add to a counter
)

var workOpWords = vocabulary[WorkOp]{
	kind: "deferred operation", prefix: "FI_OP_",
	words: []word[WorkOp]{
		{WorkRecv, "FI_OP_RECV"},
		{WorkSend, "FI_OP_SEND"},
		{WorkTRecv, "FI_OP_TRECV"},
		{WorkTSend, "FI_OP_TSEND"},
		{WorkRead, "FI_OP_READ"},
		{WorkWrite, "FI_OP_WRITE"},
		{WorkAtomic, "FI_OP_ATOMIC"},
		{WorkFetchAtomic, "FI_OP_FETCH_ATOMIC"},
		{WorkCompareAtomic, "FI_OP_COMPARE_ATOMIC"},
		{WorkCntrSet, "FI_OP_CNTR_SET"},
		{WorkCntrAdd, "FI_OP_CNTR_ADD"},
	},
}

// String is the C name.
func (o WorkOp) String() string { return workOpWords.name(o) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (o WorkOp) MarshalText() ([]byte, error) { return workOpWords.enumText(o), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_OP_), or a number.
func (o *WorkOp) UnmarshalText(text []byte) error { return workOpWords.readEnum(o, text) }
