package fi

// EPType is the kind of an endpoint (enum fi_ep_type, fi_endpoint(3)).
type EPType int

// Endpoint types.
const (
	EPUnspec EPType = 0 // FI_EP_UNSPEC
	EPMsg    EPType = 1 // FI_EP_MSG: reliable, connected
	EPDgram  EPType = 2 // FI_EP_DGRAM: unreliable datagrams
	EPRDM    EPType = 3 // FI_EP_RDM: reliable datagrams
)

// Threading says what the application serialises (enum fi_threading, fi_domain(3)).
type Threading int

// Threading models.
const (
	ThreadUnspec     Threading = 0 // FI_THREAD_UNSPEC
	ThreadSafe       Threading = 1 // FI_THREAD_SAFE: nothing
	ThreadFID        Threading = 2 // FI_THREAD_FID (deprecated)
	ThreadDomain     Threading = 3 // FI_THREAD_DOMAIN: all calls on objects of a domain
	ThreadCompletion Threading = 4 // FI_THREAD_COMPLETION: all calls on objects bound to one queue or counter
	ThreadEndpoint   Threading = 5 // FI_THREAD_ENDPOINT (deprecated)
)

// Progress says who drives operations forward (enum fi_progress, fi_domain(3)).
type Progress int

// Progress models.
const (
	ProgressUnspec         Progress = 0 // FI_PROGRESS_UNSPEC
	ProgressAuto           Progress = 1 // FI_PROGRESS_AUTO: the library
	ProgressManual         Progress = 2 // FI_PROGRESS_MANUAL: the application, by reading and waiting
	ProgressControlUnified Progress = 3 // FI_PROGRESS_CONTROL_UNIFIED: manual, and control calls are not thread safe
)

// AVType is the kind of an address vector (enum fi_av_type, fi_av(3)).
type AVType int

// Address vector types.
const (
	AVUnspec AVType = 0 // FI_AV_UNSPEC
	AVMap    AVType = 1 // FI_AV_MAP (deprecated)
	AVTable  AVType = 2 // FI_AV_TABLE: addresses are indices from 0
)

// ResourceMgmt says whether the provider guards its queues (enum fi_resource_mgmt, fi_domain(3)).
type ResourceMgmt int

// Resource management.
const (
	RMUnspec   ResourceMgmt = 0 // FI_RM_UNSPEC
	RMDisabled ResourceMgmt = 1 // FI_RM_DISABLED
	RMEnabled  ResourceMgmt = 2 // FI_RM_ENABLED
)

// WaitObj is what a blocked reader waits on (enum fi_wait_obj, fi_cq(3)).
type WaitObj int

// Wait objects.
const (
	WaitNone      WaitObj = 0 // FI_WAIT_NONE: no blocking reads
	WaitUnspec    WaitObj = 1 // FI_WAIT_UNSPEC: the provider chooses
	WaitSet       WaitObj = 2 // FI_WAIT_SET (deprecated)
	WaitFD        WaitObj = 3 // FI_WAIT_FD: a descriptor for poll or epoll
	WaitMutexCond WaitObj = 4 // FI_WAIT_MUTEX_COND (deprecated)
	WaitYield     WaitObj = 5 // FI_WAIT_YIELD: yield the processor while waiting
	WaitPollFD    WaitObj = 6 // FI_WAIT_POLLFD: a set of descriptors
)

// WaitCond says when a blocked reader wakes (enum fi_cq_wait_cond, fi_cq(3)).
type WaitCond int

// Wait conditions.
const (
	WaitCondNone      WaitCond = 0 // FI_CQ_COND_NONE
	WaitCondThreshold WaitCond = 1 // FI_CQ_COND_THRESHOLD
)

// CQFormat says which fields of a completion are filled (enum fi_cq_format, fi_cq(3)).
type CQFormat int

// Completion formats.
const (
	CQFormatUnspec  CQFormat = 0 // FI_CQ_FORMAT_UNSPEC
	CQFormatContext CQFormat = 1 // FI_CQ_FORMAT_CONTEXT
	CQFormatMsg     CQFormat = 2 // FI_CQ_FORMAT_MSG
	CQFormatData    CQFormat = 3 // FI_CQ_FORMAT_DATA
	CQFormatTagged  CQFormat = 4 // FI_CQ_FORMAT_TAGGED
)

// CounterEvents says what a counter counts (enum fi_cntr_events, fi_cntr(3)).
type CounterEvents int

// Counter events.
const (
	CounterEventsComp  CounterEvents = 0 // FI_CNTR_EVENTS_COMP: completions
	CounterEventsBytes CounterEvents = 1 // FI_CNTR_EVENTS_BYTES: user bytes
)

// AddrFormat is the format of addresses (FI_SOCKADDR and the like, fi_getinfo(3)).
type AddrFormat uint32

// Address formats.
const (
	AddrFormatUnspec     AddrFormat = 0  // FI_FORMAT_UNSPEC
	AddrFormatSockaddr   AddrFormat = 1  // FI_SOCKADDR
	AddrFormatSockaddrIn AddrFormat = 2  // FI_SOCKADDR_IN
	AddrFormatSockaddr6  AddrFormat = 3  // FI_SOCKADDR_IN6
	AddrFormatSockaddrIB AddrFormat = 4  // FI_SOCKADDR_IB
	AddrFormatPSMX       AddrFormat = 5  // FI_ADDR_PSMX
	AddrFormatGNI        AddrFormat = 6  // FI_ADDR_GNI
	AddrFormatBGQ        AddrFormat = 7  // FI_ADDR_BGQ
	AddrFormatMLX        AddrFormat = 8  // FI_ADDR_MLX
	AddrFormatStr        AddrFormat = 9  // FI_ADDR_STR
	AddrFormatPSMX2      AddrFormat = 10 // FI_ADDR_PSMX2
	AddrFormatIBUD       AddrFormat = 11 // FI_ADDR_IB_UD
	AddrFormatEFA        AddrFormat = 12 // FI_ADDR_EFA
	AddrFormatPSMX3      AddrFormat = 13 // FI_ADDR_PSMX3
	AddrFormatOPX        AddrFormat = 14 // FI_ADDR_OPX
	AddrFormatCXI        AddrFormat = 15 // FI_ADDR_CXI
	AddrFormatUCX        AddrFormat = 16 // FI_ADDR_UCX
	AddrFormatSockaddrIP AddrFormat = 17 // FI_SOCKADDR_IP
)

// TClass is a traffic class (FI_TC_UNSPEC and the like, fi_endpoint(3)).
type TClass uint32

// Traffic classes; DSCP values are 0x100 + value.
const (
	TClassUnspec          TClass = 0     // FI_TC_UNSPEC
	TClassDSCP            TClass = 0x100 // FI_TC_DSCP
	TClassLabel           TClass = 0x200 // FI_TC_LABEL
	TClassBestEffort      TClass = 0x200 // FI_TC_BEST_EFFORT
	TClassLowLatency      TClass = 0x201 // FI_TC_LOW_LATENCY
	TClassDedicatedAccess TClass = 0x202 // FI_TC_DEDICATED_ACCESS
	TClassBulkData        TClass = 0x203 // FI_TC_BULK_DATA
	TClassScavenger       TClass = 0x204 // FI_TC_SCAVENGER
	TClassNetworkCtrl     TClass = 0x205 // FI_TC_NETWORK_CTRL
)

// HMEMIface is a kind of device memory (enum fi_hmem_iface, fi_mr(3)).
type HMEMIface int

// Memory kinds. Only system memory is served.
const (
	HMEMSystem    HMEMIface = 0 // FI_HMEM_SYSTEM
	HMEMCUDA      HMEMIface = 1 // FI_HMEM_CUDA
	HMEMROCR      HMEMIface = 2 // FI_HMEM_ROCR
	HMEMZE        HMEMIface = 3 // FI_HMEM_ZE
	HMEMNeuron    HMEMIface = 4 // FI_HMEM_NEURON
	HMEMSynapseAI HMEMIface = 5 // FI_HMEM_SYNAPSEAI
)

// Protocol is a wire protocol (FI_PROTO_SHM and the like, fi_endpoint(3)). The top bit marks private ones.
type Protocol uint32

// Protocols.
const (
	ProtoUnspec      Protocol = 0  // FI_PROTO_UNSPEC
	ProtoRDMACMIBRC  Protocol = 1  // FI_PROTO_RDMA_CM_IB_RC
	ProtoIWARP       Protocol = 2  // FI_PROTO_IWARP
	ProtoIBUD        Protocol = 3  // FI_PROTO_IB_UD
	ProtoPSMX        Protocol = 4  // FI_PROTO_PSMX
	ProtoUDP         Protocol = 5  // FI_PROTO_UDP
	ProtoSockTCP     Protocol = 6  // FI_PROTO_SOCK_TCP
	ProtoMXM         Protocol = 7  // FI_PROTO_MXM
	ProtoIWARPRDM    Protocol = 8  // FI_PROTO_IWARP_RDM
	ProtoIBRDM       Protocol = 9  // FI_PROTO_IB_RDM
	ProtoGNI         Protocol = 10 // FI_PROTO_GNI
	ProtoRXM         Protocol = 11 // FI_PROTO_RXM
	ProtoRXD         Protocol = 12 // FI_PROTO_RXD
	ProtoMLX         Protocol = 13 // FI_PROTO_MLX
	ProtoNetworkDir  Protocol = 14 // FI_PROTO_NETWORKDIRECT
	ProtoPSMX2       Protocol = 15 // FI_PROTO_PSMX2
	ProtoSHM         Protocol = 16 // FI_PROTO_SHM
	ProtoMRail       Protocol = 17 // FI_PROTO_MRAIL
	ProtoRSTREAM     Protocol = 18 // FI_PROTO_RSTREAM
	ProtoRDMACMIBXRC Protocol = 19 // FI_PROTO_RDMA_CM_IB_XRC
	ProtoEFA         Protocol = 20 // FI_PROTO_EFA
	ProtoPSMX3       Protocol = 21 // FI_PROTO_PSMX3
	ProtoRXMTCP      Protocol = 22 // FI_PROTO_RXM_TCP
	ProtoOPX         Protocol = 23 // FI_PROTO_OPX
	ProtoCXI         Protocol = 24 // FI_PROTO_CXI
	ProtoXNET        Protocol = 25 // FI_PROTO_XNET
	ProtoCOLL        Protocol = 26 // FI_PROTO_COLL
	ProtoUCX         Protocol = 27 // FI_PROTO_UCX
	ProtoSM2         Protocol = 28 // FI_PROTO_SM2
	ProtoCXIRNR      Protocol = 29 // FI_PROTO_CXI_RNR
	ProtoLPP         Protocol = 30 // FI_PROTO_LPP
	ProtoLNX         Protocol = 31 // FI_PROTO_LNX

	// ProtoPrivate marks a protocol that C libfabric does not know.
	ProtoPrivate Protocol = 1 << 31
	// ProtoGoMem is that of the in-process provider.
	ProtoGoMem = ProtoPrivate | 0x60_0001
	// ProtoGoSHM is that of our shared-memory provider: it is not that of C's.
	ProtoGoSHM = ProtoPrivate | 0x60_0002
	// ProtoGoLNX is that of our lnx: what its links speak, with addresses of its own, which are not C's.
	ProtoGoLNX = ProtoPrivate | 0x60_0003
)
