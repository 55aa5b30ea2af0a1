package fi

var waitObjWords = vocabulary[WaitObj]{
	kind: "wait object", prefix: "FI_WAIT_",
	words: []word[WaitObj]{
		{WaitNone, "FI_WAIT_NONE"},
		{WaitUnspec, "FI_WAIT_UNSPEC"},
		{WaitSet, "FI_WAIT_SET"},
		{WaitFD, "FI_WAIT_FD"},
		{WaitMutexCond, "FI_WAIT_MUTEX_COND"},
		{WaitYield, "FI_WAIT_YIELD"},
		{WaitPollFD, "FI_WAIT_POLLFD"},
	},
}

// String is the C name.
func (w WaitObj) String() string { return waitObjWords.name(w) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (w WaitObj) MarshalText() ([]byte, error) { return waitObjWords.enumText(w), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_WAIT_), or a number.
func (w *WaitObj) UnmarshalText(text []byte) error { return waitObjWords.readEnum(w, text) }

var waitCondWords = vocabulary[WaitCond]{
	kind: "wait condition", prefix: "FI_CQ_COND_",
	words: []word[WaitCond]{
		{WaitCondNone, "FI_CQ_COND_NONE"},
		{WaitCondThreshold, "FI_CQ_COND_THRESHOLD"},
	},
}

// String is the C name.
func (c WaitCond) String() string { return waitCondWords.name(c) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (c WaitCond) MarshalText() ([]byte, error) { return waitCondWords.enumText(c), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_CQ_COND_), or a number.
func (c *WaitCond) UnmarshalText(text []byte) error { return waitCondWords.readEnum(c, text) }

var cqFormatWords = vocabulary[CQFormat]{
	kind: "completion format", prefix: "FI_CQ_FORMAT_",
	words: []word[CQFormat]{
		{CQFormatUnspec, "FI_CQ_FORMAT_UNSPEC"},
		{CQFormatContext, "FI_CQ_FORMAT_CONTEXT"},
		{CQFormatMsg, "FI_CQ_FORMAT_MSG"},
		{CQFormatData, "FI_CQ_FORMAT_DATA"},
		{CQFormatTagged, "FI_CQ_FORMAT_TAGGED"},
	},
}

// String is the C name.
func (f CQFormat) String() string { return cqFormatWords.name(f) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (f CQFormat) MarshalText() ([]byte, error) { return cqFormatWords.enumText(f), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_CQ_FORMAT_), or a number.
func (f *CQFormat) UnmarshalText(text []byte) error { return cqFormatWords.readEnum(f, text) }

var counterEventsWords = vocabulary[CounterEvents]{
	kind: "counter events", prefix: "FI_CNTR_EVENTS_",
	words: []word[CounterEvents]{
		{CounterEventsComp, "FI_CNTR_EVENTS_COMP"},
		{CounterEventsBytes, "FI_CNTR_EVENTS_BYTES"},
	},
}

// String is the C name.
func (e CounterEvents) String() string { return counterEventsWords.name(e) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (e CounterEvents) MarshalText() ([]byte, error) { return counterEventsWords.enumText(e), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_CNTR_EVENTS_), or a number.
func (e *CounterEvents) UnmarshalText(text []byte) error { return counterEventsWords.readEnum(e, text) }
