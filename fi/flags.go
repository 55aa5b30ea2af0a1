package fi

// OpFlags modify one operation (FI_INJECT and the like, fi_msg(3), fi_rma(3), fi_tagged(3)).
type OpFlags uint64

// Operation flags.
const (
	OpMultiRecv        OpFlags = 1 << 16 // FI_MULTI_RECV: the buffer takes many messages
	OpRemoteCQData     OpFlags = 1 << 17 // FI_REMOTE_CQ_DATA: the message carries data for the peer's completion
	OpMore             OpFlags = 1 << 18 // FI_MORE: another operation follows at once
	OpPeek             OpFlags = 1 << 19 // FI_PEEK: look for a message without taking it
	OpTrigger          OpFlags = 1 << 20 // FI_TRIGGER: start when the counter of the triggered context has reached its threshold
	OpFence            OpFlags = 1 << 21 // FI_FENCE: start when all earlier operations to that peer have completed
	OpCompletion       OpFlags = 1 << 24 // FI_COMPLETION: write a completion also under selective completion
	OpInject           OpFlags = 1 << 25 // FI_INJECT: the buffer may be reused when the call returns
	OpInjectComplete   OpFlags = 1 << 26 // FI_INJECT_COMPLETE: complete when the buffer may be reused
	OpTransmitComplete OpFlags = 1 << 27 // FI_TRANSMIT_COMPLETE: complete when the peer has it
	OpDeliveryComplete OpFlags = 1 << 28 // FI_DELIVERY_COMPLETE: complete when it is in the target's memory
	OpAffinity         OpFlags = 1 << 29 // FI_AFFINITY
	OpCommitComplete   OpFlags = 1 << 30 // FI_COMMIT_COMPLETE: complete when it is persistent
	OpMatchComplete    OpFlags = 1 << 31 // FI_MATCH_COMPLETE: complete when a receive has matched it
	OpPeerTransfer     OpFlags = 1 << 36 // FI_PEER_TRANSFER
	OpMulticast        OpFlags = 1 << 5  // FI_MULTICAST: the address is that of a group
	OpTagged           OpFlags = 1 << 3  // FI_TAGGED: an atomic on tagged receive buffers
	OpAuthKey          OpFlags = 1 << 57 // FI_AUTH_KEY
	OpDiscard          OpFlags = 1 << 58 // FI_DISCARD: drop the message that was peeked or claimed
	OpClaim            OpFlags = 1 << 59 // FI_CLAIM: reserve the message that is peeked, or take the one reserved
)

// CompFlags say what a completion is about (the flags of fi_cq_msg_entry, fi_cq(3)).
type CompFlags uint64

// Completion flags.
const (
	CompMsg          CompFlags = 1 << 1  // FI_MSG
	CompRMA          CompFlags = 1 << 2  // FI_RMA
	CompTagged       CompFlags = 1 << 3  // FI_TAGGED
	CompAtomic       CompFlags = 1 << 4  // FI_ATOMIC
	CompMulticast    CompFlags = 1 << 5  // FI_MULTICAST
	CompCollective   CompFlags = 1 << 6  // FI_COLLECTIVE
	CompRead         CompFlags = 1 << 8  // FI_READ
	CompWrite        CompFlags = 1 << 9  // FI_WRITE
	CompRecv         CompFlags = 1 << 10 // FI_RECV
	CompSend         CompFlags = 1 << 11 // FI_SEND
	CompRemoteRead   CompFlags = 1 << 12 // FI_REMOTE_READ
	CompRemoteWrite  CompFlags = 1 << 13 // FI_REMOTE_WRITE
	CompMultiRecv    CompFlags = 1 << 16 // FI_MULTI_RECV: the buffer is given back
	CompRemoteCQData CompFlags = 1 << 17 // FI_REMOTE_CQ_DATA: Data is valid
	CompClaim        CompFlags = 1 << 59 // FI_CLAIM: a peek reserved the message
)

// BindFlags say for which direction a completion queue is bound to an endpoint (fi_ep_bind, fi_endpoint(3)).
type BindFlags uint64

// Bind flags.
const (
	BindRecv                BindFlags = 1 << 10 // FI_RECV
	BindTransmit            BindFlags = 1 << 11 // FI_TRANSMIT
	BindSelectiveCompletion BindFlags = 1 << 59 // FI_SELECTIVE_COMPLETION: only operations with OpCompletion report success
)

// CountFlags say what a counter that is bound to an endpoint or a memory region counts (fi_ep_bind, fi_cntr(3)).
type CountFlags uint64

// Count flags.
const (
	CountRead        CountFlags = 1 << 8  // FI_READ
	CountWrite       CountFlags = 1 << 9  // FI_WRITE
	CountRecv        CountFlags = 1 << 10 // FI_RECV
	CountSend        CountFlags = 1 << 11 // FI_SEND
	CountRemoteRead  CountFlags = 1 << 12 // FI_REMOTE_READ
	CountRemoteWrite CountFlags = 1 << 13 // FI_REMOTE_WRITE
)

// Access says what may be done with a memory region (fi_mr(3)).
type Access uint64

// Access rights.
const (
	AccessCollective  Access = 1 << 6  // FI_COLLECTIVE
	AccessRead        Access = 1 << 8  // FI_READ: destination of reads that we initiate
	AccessWrite       Access = 1 << 9  // FI_WRITE: source of writes that we initiate
	AccessRecv        Access = 1 << 10 // FI_RECV
	AccessSend        Access = 1 << 11 // FI_SEND
	AccessRemoteRead  Access = 1 << 12 // FI_REMOTE_READ: peers may read
	AccessRemoteWrite Access = 1 << 13 // FI_REMOTE_WRITE: peers may write
)

// MRFlags modify a registration (fi_mr_regattr, fi_mr(3)).
type MRFlags uint64

// Registration flags.
const (
	MRRMAPmem       MRFlags = 1 << 49 // FI_RMA_PMEM
	MRRMAEvent      MRFlags = 1 << 56 // FI_RMA_EVENT: remote accesses are counted
	MRSingleUse     MRFlags = 1 << 41 // FI_MR_SINGLE_USE: the key dies after one use
	MRDMABuf        MRFlags = 1 << 40 // FI_MR_DMABUF
	MRHMEMDevice    MRFlags = 1 << 46 // FI_HMEM_DEVICE_ONLY
	MRHMEMHostAlloc MRFlags = 1 << 45 // FI_HMEM_HOST_ALLOC
	MRAuthKey       MRFlags = 1 << 57 // FI_AUTH_KEY
)

// MRMode is a set of rules for memory registration (FI_MR_LOCAL and the like, fi_mr(3)). In hints: what the
// application is able to obey; in an Info: what it must obey. None is FI_MR_SCALABLE's behaviour: own keys, offsets
// from 0, no local registration.
type MRMode uint32

// Memory registration modes.
const (
	MRModeBasic      MRMode = 1 << 0  // FI_MR_BASIC (deprecated)
	MRModeScalable   MRMode = 1 << 1  // FI_MR_SCALABLE (deprecated)
	MRModeLocal      MRMode = 1 << 2  // FI_MR_LOCAL: local buffers are registered
	MRModeRaw        MRMode = 1 << 3  // FI_MR_RAW: raw keys are mapped at the peer
	MRModeVirtAddr   MRMode = 1 << 4  // FI_MR_VIRT_ADDR: peers use virtual addresses instead of offsets
	MRModeAllocated  MRMode = 1 << 5  // FI_MR_ALLOCATED: the memory exists when it is registered
	MRModeProvKey    MRMode = 1 << 6  // FI_MR_PROV_KEY: the provider chooses keys
	MRModeMMUNotify  MRMode = 1 << 7  // FI_MR_MMU_NOTIFY: the application tells when pages change
	MRModeRMAEvent   MRMode = 1 << 8  // FI_MR_RMA_EVENT: regions with events are enabled by a call
	MRModeEndpoint   MRMode = 1 << 9  // FI_MR_ENDPOINT: regions are bound to endpoints
	MRModeHMEM       MRMode = 1 << 10 // FI_MR_HMEM: device buffers are registered
	MRModeCollective MRMode = 1 << 11 // FI_MR_COLLECTIVE
)

// AVFlags modify an address vector or an insertion (fi_av(3)).
type AVFlags uint64

// Address vector flags.
const (
	AVRead         AVFlags = 1 << 8  // FI_READ: open a named vector that exists
	AVSymmetric    AVFlags = 1 << 59 // FI_SYMMETRIC
	AVUserID       AVFlags = 1 << 41 // FI_AV_USER_ID
	AVMore         AVFlags = 1 << 18 // FI_MORE
	AVSyncErr      AVFlags = 1 << 58 // FI_SYNC_ERR: each address's own error is wanted
	AVFirewallAddr AVFlags = 1 << 42 // FI_FIREWALL_ADDR
	AVAuthKey      AVFlags = 1 << 57 // FI_AUTH_KEY: each address comes with the number of its key
)

// InfoFlags modify discovery (fi_getinfo(3)).
type InfoFlags uint64

// Discovery flags.
const (
	InfoRescan       InfoFlags = 1 << 35 // FI_RESCAN: look for interfaces again
	InfoProvAttrOnly InfoFlags = 1 << 54 // FI_PROV_ATTR_ONLY: one entry a provider, usable or not
	InfoNumericHost  InfoFlags = 1 << 55 // FI_NUMERICHOST: no name look-up
	InfoSource       InfoFlags = 1 << 57 // FI_SOURCE: node and service are local
)
