package fi

var collectiveOpWords = vocabulary[CollectiveOp]{
	kind: "collective operation", prefix: "FI_",
	words: []word[CollectiveOp]{
		{CollBarrier, "FI_BARRIER"},
		{CollBroadcast, "FI_BROADCAST"},
		{CollAlltoall, "FI_ALLTOALL"},
		{CollAllreduce, "FI_ALLREDUCE"},
		{CollAllgather, "FI_ALLGATHER"},
		{CollReduceScatter, "FI_REDUCE_SCATTER"},
		{CollReduce, "FI_REDUCE"},
		{CollScatter, "FI_SCATTER"},
		{CollGather, "FI_GATHER"},
	},
}

// String is the C name.
func (o CollectiveOp) String() string { return collectiveOpWords.name(o) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (o CollectiveOp) MarshalText() ([]byte, error) { return collectiveOpWords.enumText(o), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_), or a number.
func (o *CollectiveOp) UnmarshalText(text []byte) error { return collectiveOpWords.readEnum(o, text) }

var avSetFlagsWords = vocabulary[AVSetFlags]{
	kind: "set flag", prefix: "FI_",
	words: []word[AVSetFlags]{
		{AVSetUniverse, "FI_UNIVERSE"},
		{AVSetBarrier, "FI_BARRIER_SET"},
		{AVSetBroadcast, "FI_BROADCAST_SET"},
		{AVSetAlltoall, "FI_ALLTOALL_SET"},
		{AVSetAllreduce, "FI_ALLREDUCE_SET"},
		{AVSetAllgather, "FI_ALLGATHER_SET"},
		{AVSetReduceScatter, "FI_REDUCE_SCATTER_SET"},
		{AVSetReduce, "FI_REDUCE_SET"},
		{AVSetScatter, "FI_SCATTER_SET"},
		{AVSetGather, "FI_GATHER_SET"},
	},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (f AVSetFlags) String() string { return avSetFlagsWords.join(f) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (f AVSetFlags) List() string { return avSetFlagsWords.list(f) }

// MarshalText gives the C names joined by "|". It never fails.
func (f AVSetFlags) MarshalText() ([]byte, error) { return avSetFlagsWords.setText(f), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (f *AVSetFlags) UnmarshalText(text []byte) error { return avSetFlagsWords.readSet(f, text) }

// MarshalJSON gives an array of C names. It never fails.
func (f AVSetFlags) MarshalJSON() ([]byte, error) { return avSetFlagsWords.setJSON(f), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (f *AVSetFlags) UnmarshalJSON(data []byte) error { return avSetFlagsWords.readSetJSON(f, data) }
