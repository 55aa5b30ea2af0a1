package fi

// The order is that in which libfabric prints. It does not print what comes after FI_HMEM; we do, since it matters.
// FI_REMOTE_CQ_DATA, FI_MORE and FI_PEEK are no capabilities, but fi_info takes them for such.
var capsWords = vocabulary[Caps]{
	kind: "capability", prefix: "FI_",
	words: []word[Caps]{
		{CapMsg, "FI_MSG"},
		{CapRMA, "FI_RMA"},
		{CapTagged, "FI_TAGGED"},
		{CapAtomic, "FI_ATOMIC"},
		{CapMulticast, "FI_MULTICAST"},
		{CapCollective, "FI_COLLECTIVE"},
		{CapRead, "FI_READ"},
		{CapWrite, "FI_WRITE"},
		{CapRecv, "FI_RECV"},
		{CapSend, "FI_SEND"},
		{CapRemoteRead, "FI_REMOTE_READ"},
		{CapRemoteWrite, "FI_REMOTE_WRITE"},
		{CapMultiRecv, "FI_MULTI_RECV"},
		{1 << 17, "FI_REMOTE_CQ_DATA"},
		{CapTrigger, "FI_TRIGGER"},
		{CapFence, "FI_FENCE"},
		{CapRMAPmem, "FI_RMA_PMEM"},
		{CapSourceErr, "FI_SOURCE_ERR"},
		{CapLocalComm, "FI_LOCAL_COMM"},
		{CapRemoteComm, "FI_REMOTE_COMM"},
		{CapSharedAV, "FI_SHARED_AV"},
		{CapRMAEvent, "FI_RMA_EVENT"},
		{CapSource, "FI_SOURCE"},
		{CapNamedRxCtx, "FI_NAMED_RX_CTX"},
		{CapDirectedRecv, "FI_DIRECTED_RECV"},
		{CapAVUserID, "FI_AV_USER_ID"},
		{CapPeer, "FI_PEER"},
		{CapHMEM, "FI_HMEM"},
		{CapTaggedDirectedRecv, "FI_TAGGED_DIRECTED_RECV"},
		{CapExactDirectedRecv, "FI_EXACT_DIRECTED_RECV"},
		{CapTaggedMultiRecv, "FI_TAGGED_MULTI_RECV"},
		{1 << 18, "FI_MORE"},
		{1 << 19, "FI_PEEK"},
	},
	aliases: []word[Caps]{{CapSend, "FI_TRANSMIT"}, {CapAtomic, "FI_ATOMICS"}},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (c Caps) String() string { return capsWords.join(c) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (c Caps) List() string { return capsWords.list(c) }

// MarshalText gives the C names joined by "|". It never fails.
func (c Caps) MarshalText() ([]byte, error) { return capsWords.setText(c), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (c *Caps) UnmarshalText(text []byte) error { return capsWords.readSet(c, text) }

// MarshalJSON gives an array of C names. It never fails.
func (c Caps) MarshalJSON() ([]byte, error) { return capsWords.setJSON(c), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (c *Caps) UnmarshalJSON(data []byte) error { return capsWords.readSetJSON(c, data) }

var modeWords = vocabulary[Mode]{
	kind: "mode", prefix: "FI_",
	words: []word[Mode]{
		{ModeContext, "FI_CONTEXT"},
		{ModeMsgPrefix, "FI_MSG_PREFIX"},
		{ModeAsyncIov, "FI_ASYNC_IOV"},
		{ModeRxCQData, "FI_RX_CQ_DATA"},
		{ModeLocalMR, "FI_LOCAL_MR"},
		{ModeContext2, "FI_CONTEXT2"},
		{ModeNotifyFlags, "FI_NOTIFY_FLAGS_ONLY"},
		{ModeRestricted, "FI_RESTRICTED_COMP"},
		{ModeBufferedRecv, "FI_BUFFERED_RECV"},
	},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (m Mode) String() string { return modeWords.join(m) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (m Mode) List() string { return modeWords.list(m) }

// MarshalText gives the C names joined by "|". It never fails.
func (m Mode) MarshalText() ([]byte, error) { return modeWords.setText(m), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (m *Mode) UnmarshalText(text []byte) error { return modeWords.readSet(m, text) }

// MarshalJSON gives an array of C names. It never fails.
func (m Mode) MarshalJSON() ([]byte, error) { return modeWords.setJSON(m), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (m *Mode) UnmarshalJSON(data []byte) error { return modeWords.readSetJSON(m, data) }

var orderWords = vocabulary[Order]{
	kind: "message order", prefix: "FI_ORDER_",
	words: []word[Order]{
		{OrderRAR, "FI_ORDER_RAR"},
		{OrderRAW, "FI_ORDER_RAW"},
		{OrderRAS, "FI_ORDER_RAS"},
		{OrderWAR, "FI_ORDER_WAR"},
		{OrderWAW, "FI_ORDER_WAW"},
		{OrderWAS, "FI_ORDER_WAS"},
		{OrderSAR, "FI_ORDER_SAR"},
		{OrderSAW, "FI_ORDER_SAW"},
		{OrderSAS, "FI_ORDER_SAS"},
		{OrderRMARAR, "FI_ORDER_RMA_RAR"},
		{OrderRMARAW, "FI_ORDER_RMA_RAW"},
		{OrderRMAWAR, "FI_ORDER_RMA_WAR"},
		{OrderRMAWAW, "FI_ORDER_RMA_WAW"},
		{OrderAtomicRAR, "FI_ORDER_ATOMIC_RAR"},
		{OrderAtomicRAW, "FI_ORDER_ATOMIC_RAW"},
		{OrderAtomicWAR, "FI_ORDER_ATOMIC_WAR"},
		{OrderAtomicWAW, "FI_ORDER_ATOMIC_WAW"},
	},
	aliases: []word[Order]{{0, "FI_ORDER_NONE"}, {0x1ff, "FI_ORDER_STRICT"}},
}

// String gives the C names joined by ", ", bits without a name as a number; "none" for the empty set.
func (o Order) String() string { return orderWords.join(o) }

// List is the form of fi_info's verbose output: "[ A, B ]"; "[  ]" for the empty set.
func (o Order) List() string { return orderWords.list(o) }

// MarshalText gives the C names joined by "|". It never fails.
func (o Order) MarshalText() ([]byte, error) { return orderWords.setText(o), nil }

// UnmarshalText takes C names in any case, also without their prefix, joined by "|" or ",".
func (o *Order) UnmarshalText(text []byte) error { return orderWords.readSet(o, text) }

// MarshalJSON gives an array of C names. It never fails.
func (o Order) MarshalJSON() ([]byte, error) { return orderWords.setJSON(o), nil }

// UnmarshalJSON takes an array of names, or one string as UnmarshalText does.
func (o *Order) UnmarshalJSON(data []byte) error { return orderWords.readSetJSON(o, data) }

// ParseCaps reads capabilities as fi_info's option takes them: "FI_MSG | tagged".
// The error is a [*WordError].
func ParseCaps(s string) (Caps, error) { return capsWords.parse(s) }

// ParseMode reads mode bits as fi_info's option takes them: "FI_CONTEXT|FI_CONTEXT2". The error is a [*WordError].
func ParseMode(s string) (Mode, error) { return modeWords.parse(s) }
