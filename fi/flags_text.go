package fi

var opFlagsWords = vocabulary[OpFlags]{
	kind: "operation flag", prefix: "FI_",
	words: []word[OpFlags]{
		{OpMulticast, "FI_MULTICAST"},
		{OpMultiRecv, "FI_MULTI_RECV"},
		{OpRemoteCQData, "FI_REMOTE_CQ_DATA"},
		{OpMore, "FI_MORE"},
		{OpPeek, "FI_PEEK"},
		{OpTrigger, "FI_TRIGGER"},
		{OpFence, "FI_FENCE"},
		{OpCompletion, "FI_COMPLETION"},
		{OpInject, "FI_INJECT"},
		{OpInjectComplete, "FI_INJECT_COMPLETE"},
		{OpTransmitComplete, "FI_TRANSMIT_COMPLETE"},
		{OpDeliveryComplete, "FI_DELIVERY_COMPLETE"},
		{OpMatchComplete, "FI_MATCH_COMPLETE"},
		{OpAffinity, "FI_AFFINITY"},
		{OpClaim, "FI_CLAIM"},
		{OpDiscard, "FI_DISCARD"},
		{OpCommitComplete, "FI_COMMIT_COMPLETE"},
		{OpPeerTransfer, "FI_PEER_TRANSFER"},
		{OpTagged, "FI_TAGGED"},
		{OpAuthKey, "FI_AUTH_KEY"},
	},
	aliases: []word[OpFlags]{{OpCompletion, "FI_EVENT"}},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (f OpFlags) String() string { return opFlagsWords.join(f) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (f OpFlags) List() string { return opFlagsWords.list(f) }

// MarshalText gives the C names joined by "|". It never fails.
func (f OpFlags) MarshalText() ([]byte, error) { return opFlagsWords.setText(f), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (f *OpFlags) UnmarshalText(text []byte) error { return opFlagsWords.readSet(f, text) }

// MarshalJSON gives an array of C names. It never fails.
func (f OpFlags) MarshalJSON() ([]byte, error) { return opFlagsWords.setJSON(f), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (f *OpFlags) UnmarshalJSON(data []byte) error { return opFlagsWords.readSetJSON(f, data) }

var compFlagsWords = vocabulary[CompFlags]{
	kind: "completion flag", prefix: "FI_",
	words: []word[CompFlags]{
		{CompSend, "FI_SEND"},
		{CompRecv, "FI_RECV"},
		{CompRMA, "FI_RMA"},
		{CompAtomic, "FI_ATOMIC"},
		{CompMsg, "FI_MSG"},
		{CompTagged, "FI_TAGGED"},
		{CompRead, "FI_READ"},
		{CompWrite, "FI_WRITE"},
		{CompRemoteRead, "FI_REMOTE_READ"},
		{CompRemoteWrite, "FI_REMOTE_WRITE"},
		{CompRemoteCQData, "FI_REMOTE_CQ_DATA"},
		{CompMultiRecv, "FI_MULTI_RECV"},
		{CompClaim, "FI_CLAIM"},
		{CompMulticast, "FI_MULTICAST"},
		{CompCollective, "FI_COLLECTIVE"},
	},
	aliases: []word[CompFlags]{{CompSend, "FI_TRANSMIT"}, {CompAtomic, "FI_ATOMICS"}},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (f CompFlags) String() string { return compFlagsWords.join(f) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (f CompFlags) List() string { return compFlagsWords.list(f) }

// MarshalText gives the C names joined by "|". It never fails.
func (f CompFlags) MarshalText() ([]byte, error) { return compFlagsWords.setText(f), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (f *CompFlags) UnmarshalText(text []byte) error { return compFlagsWords.readSet(f, text) }

// MarshalJSON gives an array of C names. It never fails.
func (f CompFlags) MarshalJSON() ([]byte, error) { return compFlagsWords.setJSON(f), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (f *CompFlags) UnmarshalJSON(data []byte) error { return compFlagsWords.readSetJSON(f, data) }

var bindFlagsWords = vocabulary[BindFlags]{
	kind: "bind flag", prefix: "FI_",
	words: []word[BindFlags]{
		{BindRecv, "FI_RECV"},
		{BindTransmit, "FI_TRANSMIT"},
		{BindSelectiveCompletion, "FI_SELECTIVE_COMPLETION"},
	},
	aliases: []word[BindFlags]{{BindTransmit, "FI_SEND"}},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (f BindFlags) String() string { return bindFlagsWords.join(f) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (f BindFlags) List() string { return bindFlagsWords.list(f) }

// MarshalText gives the C names joined by "|". It never fails.
func (f BindFlags) MarshalText() ([]byte, error) { return bindFlagsWords.setText(f), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (f *BindFlags) UnmarshalText(text []byte) error { return bindFlagsWords.readSet(f, text) }

// MarshalJSON gives an array of C names. It never fails.
func (f BindFlags) MarshalJSON() ([]byte, error) { return bindFlagsWords.setJSON(f), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (f *BindFlags) UnmarshalJSON(data []byte) error { return bindFlagsWords.readSetJSON(f, data) }

var countFlagsWords = vocabulary[CountFlags]{
	kind: "counter flag", prefix: "FI_",
	words: []word[CountFlags]{
		{CountRead, "FI_READ"},
		{CountWrite, "FI_WRITE"},
		{CountRecv, "FI_RECV"},
		{CountSend, "FI_SEND"},
		{CountRemoteRead, "FI_REMOTE_READ"},
		{CountRemoteWrite, "FI_REMOTE_WRITE"},
	},
	aliases: []word[CountFlags]{{CountSend, "FI_TRANSMIT"}},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (f CountFlags) String() string { return countFlagsWords.join(f) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (f CountFlags) List() string { return countFlagsWords.list(f) }

// MarshalText gives the C names joined by "|". It never fails.
func (f CountFlags) MarshalText() ([]byte, error) { return countFlagsWords.setText(f), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (f *CountFlags) UnmarshalText(text []byte) error { return countFlagsWords.readSet(f, text) }

// MarshalJSON gives an array of C names. It never fails.
func (f CountFlags) MarshalJSON() ([]byte, error) { return countFlagsWords.setJSON(f), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (f *CountFlags) UnmarshalJSON(data []byte) error { return countFlagsWords.readSetJSON(f, data) }

var infoFlagsWords = vocabulary[InfoFlags]{
	kind: "discovery flag", prefix: "FI_",
	words: []word[InfoFlags]{
		{InfoRescan, "FI_RESCAN"},
		{InfoProvAttrOnly, "FI_PROV_ATTR_ONLY"},
		{InfoNumericHost, "FI_NUMERICHOST"},
		{InfoSource, "FI_SOURCE"},
	},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (f InfoFlags) String() string { return infoFlagsWords.join(f) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (f InfoFlags) List() string { return infoFlagsWords.list(f) }

// MarshalText gives the C names joined by "|". It never fails.
func (f InfoFlags) MarshalText() ([]byte, error) { return infoFlagsWords.setText(f), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (f *InfoFlags) UnmarshalText(text []byte) error { return infoFlagsWords.readSet(f, text) }

// MarshalJSON gives an array of C names. It never fails.
func (f InfoFlags) MarshalJSON() ([]byte, error) { return infoFlagsWords.setJSON(f), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (f *InfoFlags) UnmarshalJSON(data []byte) error { return infoFlagsWords.readSetJSON(f, data) }
