package fi

// Caps is a set of capabilities (FI_MSG and the like, fi_getinfo(3)): what an application asks for, and what a
// provider, a domain, an endpoint or one of its directions offers.
type Caps uint64

// Primary capabilities: offered only when asked for.
const (
	CapMsg                Caps = 1 << 1  // FI_MSG: messages
	CapRMA                Caps = 1 << 2  // FI_RMA: remote memory access
	CapTagged             Caps = 1 << 3  // FI_TAGGED: messages matched by a 64-bit tag
	CapAtomic             Caps = 1 << 4  // FI_ATOMIC: atomic operations on remote memory
	CapMulticast          Caps = 1 << 5  // FI_MULTICAST: datagrams to groups
	CapCollective         Caps = 1 << 6  // FI_COLLECTIVE: collective operations
	CapNamedRxCtx         Caps = 1 << 58 // FI_NAMED_RX_CTX: receive contexts of a scalable endpoint are addressed one by one
	CapDirectedRecv       Caps = 1 << 59 // FI_DIRECTED_RECV: a receive may name its source
	CapTaggedDirectedRecv Caps = 1 << 45 // FI_TAGGED_DIRECTED_RECV: a tagged receive may name its source
	CapExactDirectedRecv  Caps = 1 << 48 // FI_EXACT_DIRECTED_RECV: every receive names its source
	CapHMEM               Caps = 1 << 47 // FI_HMEM: device memory
	CapAVUserID           Caps = 1 << 41 // FI_AV_USER_ID: the application chooses the ids that completions report
	CapPeer               Caps = 1 << 43 // FI_PEER: peer groups
)

// Modifiers of primary capabilities; none given means all.
const (
	CapRead        Caps = 1 << 8  // FI_READ: initiates reads
	CapWrite       Caps = 1 << 9  // FI_WRITE: initiates writes
	CapRecv        Caps = 1 << 10 // FI_RECV: receives messages
	CapSend        Caps = 1 << 11 // FI_SEND, FI_TRANSMIT: sends messages
	CapRemoteRead  Caps = 1 << 12 // FI_REMOTE_READ: target of reads
	CapRemoteWrite Caps = 1 << 13 // FI_REMOTE_WRITE: target of writes
)

// Secondary capabilities: may be offered without being asked for.
const (
	CapMultiRecv       Caps = 1 << 16 // FI_MULTI_RECV: one buffer receives many messages
	CapTaggedMultiRecv Caps = 1 << 46 // FI_TAGGED_MULTI_RECV: the same for tagged messages
	CapTrigger         Caps = 1 << 20 // FI_TRIGGER: triggered operations
	CapFence           Caps = 1 << 21 // FI_FENCE: fenced operations
	CapRMAPmem         Caps = 1 << 49 // FI_RMA_PMEM: persistent memory
	CapSourceErr       Caps = 1 << 50 // FI_SOURCE_ERR: unknown senders are reported with their address
	CapLocalComm       Caps = 1 << 51 // FI_LOCAL_COMM: peers on the same host
	CapRemoteComm      Caps = 1 << 52 // FI_REMOTE_COMM: peers on other hosts
	CapSharedAV        Caps = 1 << 53 // FI_SHARED_AV: address vectors shared between processes
	CapRMAEvent        Caps = 1 << 56 // FI_RMA_EVENT: remote accesses are counted or reported at the target
	CapSource          Caps = 1 << 57 // FI_SOURCE: completions report the sender
)

// Groups of capabilities.
const (
	// PrimaryCaps are those that must be asked for.
	PrimaryCaps = CapMsg | CapRMA | CapTagged | CapAtomic | CapMulticast | CapCollective | CapNamedRxCtx |
		CapDirectedRecv | CapTaggedDirectedRecv | CapExactDirectedRecv | CapHMEM | CapAVUserID | CapPeer
	// ModifierCaps restrict primary ones.
	ModifierCaps = CapRead | CapWrite | CapRecv | CapSend | CapRemoteRead | CapRemoteWrite
	// SecondaryCaps may be offered unasked.
	SecondaryCaps = CapMultiRecv | CapTaggedMultiRecv | CapTrigger | CapFence | CapRMAPmem | CapSourceErr |
		CapLocalComm | CapRemoteComm | CapSharedAV | CapRMAEvent | CapSource
	// TxCaps concern the initiating direction.
	TxCaps = CapMsg | CapRMA | CapTagged | CapAtomic | CapMulticast | CapCollective | CapNamedRxCtx | CapHMEM |
		CapRead | CapWrite | CapSend | CapTrigger | CapFence | CapRMAPmem
	// RxCaps concern the receiving direction.
	RxCaps = CapMsg | CapRMA | CapTagged | CapAtomic | CapMulticast | CapCollective | CapNamedRxCtx |
		CapDirectedRecv | CapTaggedDirectedRecv | CapExactDirectedRecv | CapHMEM | CapRecv | CapRemoteRead |
		CapRemoteWrite | CapMultiRecv | CapTaggedMultiRecv | CapTrigger | CapRMAPmem | CapRMAEvent | CapSource |
		CapSourceErr
	// DomainCaps concern the domain.
	DomainCaps = CapLocalComm | CapRemoteComm | CapSharedAV | CapAVUserID | CapPeer
)

// Mode is a set of requirements that a provider may put on the application (FI_CONTEXT and the like, fi_getinfo(3)).
// In hints: what the application is able to do; in an Info: what it must do.
type Mode uint64

// Modes.
const (
	ModeContext      Mode = 1 << 59 // FI_CONTEXT: operation contexts have room for the provider
	ModeContext2     Mode = 1 << 52 // FI_CONTEXT2: twice that room
	ModeMsgPrefix    Mode = 1 << 58 // FI_MSG_PREFIX: buffers start with room for a header
	ModeAsyncIov     Mode = 1 << 57 // FI_ASYNC_IOV: vectors stay until completion
	ModeRxCQData     Mode = 1 << 56 // FI_RX_CQ_DATA: remote CQ data consumes a posted receive
	ModeLocalMR      Mode = 1 << 55 // FI_LOCAL_MR (deprecated)
	ModeNotifyFlags  Mode = 1 << 54 // FI_NOTIFY_FLAGS_ONLY
	ModeRestricted   Mode = 1 << 53 // FI_RESTRICTED_COMP
	ModeBufferedRecv Mode = 1 << 51 // FI_BUFFERED_RECV (gone)
)

// Order is a set of ordering guarantees between operations of one pair of endpoints (FI_ORDER_RAR and the like,
// fi_endpoint(3)). "RAW" reads "read after write": the second operation named first.
type Order uint64

// Ordering bits.
const (
	OrderRAR       Order = 1 << 0  // FI_ORDER_RAR
	OrderRAW       Order = 1 << 1  // FI_ORDER_RAW
	OrderRAS       Order = 1 << 2  // FI_ORDER_RAS
	OrderWAR       Order = 1 << 3  // FI_ORDER_WAR
	OrderWAW       Order = 1 << 4  // FI_ORDER_WAW
	OrderWAS       Order = 1 << 5  // FI_ORDER_WAS
	OrderSAR       Order = 1 << 6  // FI_ORDER_SAR
	OrderSAW       Order = 1 << 7  // FI_ORDER_SAW
	OrderSAS       Order = 1 << 8  // FI_ORDER_SAS
	OrderRMARAR    Order = 1 << 32 // FI_ORDER_RMA_RAR
	OrderRMARAW    Order = 1 << 33 // FI_ORDER_RMA_RAW
	OrderRMAWAR    Order = 1 << 34 // FI_ORDER_RMA_WAR
	OrderRMAWAW    Order = 1 << 35 // FI_ORDER_RMA_WAW
	OrderAtomicRAR Order = 1 << 36 // FI_ORDER_ATOMIC_RAR
	OrderAtomicRAW Order = 1 << 37 // FI_ORDER_ATOMIC_RAW
	OrderAtomicWAR Order = 1 << 38 // FI_ORDER_ATOMIC_WAR
	OrderAtomicWAW Order = 1 << 39 // FI_ORDER_ATOMIC_WAW
)
