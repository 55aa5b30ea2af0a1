package fi

var eqEventWords = vocabulary[EQEvent]{
	kind: "event", prefix: "FI_",
	words: []word[EQEvent]{
		{EventNotify, "FI_NOTIFY"},
		{EventConnReq, "FI_CONNREQ"},
		{EventConnected, "FI_CONNECTED"},
		{EventShutdown, "FI_SHUTDOWN"},
		{EventMRComplete, "FI_MR_COMPLETE"},
		{EventAVComplete, "FI_AV_COMPLETE"},
		{EventJoinComplete, "FI_JOIN_COMPLETE"},
	},
}

// String is the C name.
func (e EQEvent) String() string { return eqEventWords.name(e) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (e EQEvent) MarshalText() ([]byte, error) { return eqEventWords.enumText(e), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_), or a number.
func (e *EQEvent) UnmarshalText(text []byte) error { return eqEventWords.readEnum(e, text) }

var eqFlagsWords = vocabulary[EQFlags]{
	kind: "event queue flag", prefix: "FI_",
	words: []word[EQFlags]{
		{EQWrite, "FI_WRITE"},
		{EQPeek, "FI_PEEK"},
		{EQAffinity, "FI_AFFINITY"},
	},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (f EQFlags) String() string { return eqFlagsWords.join(f) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (f EQFlags) List() string { return eqFlagsWords.list(f) }

// MarshalText gives the C names joined by "|". It never fails.
func (f EQFlags) MarshalText() ([]byte, error) { return eqFlagsWords.setText(f), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (f *EQFlags) UnmarshalText(text []byte) error { return eqFlagsWords.readSet(f, text) }

// MarshalJSON gives an array of C names. It never fails.
func (f EQFlags) MarshalJSON() ([]byte, error) { return eqFlagsWords.setJSON(f), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (f *EQFlags) UnmarshalJSON(data []byte) error { return eqFlagsWords.readSetJSON(f, data) }

var classWords = vocabulary[Class]{
	kind: "class", prefix: "FI_CLASS_",
	words: []word[Class]{
		{ClassPEP, "FI_CLASS_PEP"},
		{ClassConnReq, "FI_CLASS_CONNREQ"},
	},
}

// String is the C name.
func (c Class) String() string { return classWords.name(c) }

// MarshalText gives the C name; a number where there is none. It never fails.
func (c Class) MarshalText() ([]byte, error) { return classWords.enumText(c), nil }

// UnmarshalText takes the C name in any case, also without its prefix (FI_CLASS_), or a number.
func (c *Class) UnmarshalText(text []byte) error { return classWords.readEnum(c, text) }
