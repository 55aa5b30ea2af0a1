package fi

// Info describes one usable endpoint (struct fi_info, fi_getinfo(3)): what GetInfo returns and what objects are opened
// from. It is a promise: what it advertises works. All fields are filled.
type Info struct {
	Caps       Caps       // what the endpoint can do; primary ones only when asked for
	Mode       Mode       // what the application must do
	AddrFormat AddrFormat // format of SrcAddr and DestAddr
	SrcAddr    []byte     // our address; may be empty: then the provider chooses at open
	DestAddr   []byte     // the peer's address, when node and service named one
	Tx         TxAttr
	Rx         RxAttr
	EP         EPAttr
	Domain     DomainAttr
	Fabric     FabricAttr
	NIC        *NIC // the device; nil for none

	// Handle ties an endpoint that is opened with the Info to a connection request or to a passive endpoint; nil for none.
	// Clone keeps it; it is no part of any text form, and Equal does not look at it.
	Handle Handle
}

// Hints say what is wanted (the hints of fi_getinfo(3)). A nil or zero field means "any".
type Hints struct {
	Caps       Caps
	Mode       Mode // what the application is able to do
	AddrFormat AddrFormat
	SrcAddr    []byte
	DestAddr   []byte
	Tx         *TxAttr
	Rx         *RxAttr
	EP         *EPAttr
	Domain     *DomainAttr
	Fabric     *FabricAttr
}

// TxAttr describes the transmit side (struct fi_tx_attr, fi_endpoint(3)).
type TxAttr struct {
	Caps        Caps    `json:"caps"`
	Mode        Mode    `json:"mode"`
	OpFlags     OpFlags `json:"op_flags"` // default flags of calls that have no flags argument
	MsgOrder    Order   `json:"msg_order"`
	InjectSize  int     `json:"inject_size"`   // bytes
	Size        int     `json:"size"`          // operations in flight
	IovLimit    int     `json:"iov_limit"`     // entries of a local vector
	RMAIovLimit int     `json:"rma_iov_limit"` // entries of a remote vector
	TClass      TClass  `json:"tclass"`
}

// RxAttr describes the receive side (struct fi_rx_attr, fi_endpoint(3)).
type RxAttr struct {
	Caps     Caps    `json:"caps"`
	Mode     Mode    `json:"mode"`
	OpFlags  OpFlags `json:"op_flags"`
	MsgOrder Order   `json:"msg_order"`
	Size     int     `json:"size"` // posted receives
	IovLimit int     `json:"iov_limit"`
}

// SharedContext in EPAttr.TxCtxCount or RxCtxCount asks for a shared context (FI_SHARED_CONTEXT).
const SharedContext = -1

// EPAttr describes an endpoint (struct fi_ep_attr, fi_endpoint(3)).
type EPAttr struct {
	Type            EPType   `json:"type"`
	Protocol        Protocol `json:"protocol"`
	ProtocolVersion uint32   `json:"protocol_version"`
	MaxMsgSize      uint64   `json:"max_msg_size"`       // bytes
	MsgPrefixSize   int      `json:"msg_prefix_size"`    // bytes
	MaxOrderRAWSize uint64   `json:"max_order_raw_size"` // bytes
	MaxOrderWARSize uint64   `json:"max_order_war_size"` // bytes
	MaxOrderWAWSize uint64   `json:"max_order_waw_size"` // bytes
	MemTagFormat    uint64   `json:"mem_tag_format"`
	TxCtxCount      int      `json:"tx_ctx_cnt"` // 0 means 1; SharedContext
	RxCtxCount      int      `json:"rx_ctx_cnt"` // 0 means 1; SharedContext
	AuthKey         []byte   `json:"-"`          // which endpoints may communicate: those with the same; empty: the domain's
}

// DomainAttr describes a domain (struct fi_domain_attr, fi_domain(3)). Counts are advice, not limits.
type DomainAttr struct {
	Name               string       `json:"name"`
	Threading          Threading    `json:"threading"`
	Progress           Progress     `json:"progress"`
	ResourceMgmt       ResourceMgmt `json:"resource_mgmt"`
	AVType             AVType       `json:"av_type"`
	MRMode             MRMode       `json:"mr_mode"`
	MRKeySize          int          `json:"mr_key_size"`  // bytes
	CQDataSize         int          `json:"cq_data_size"` // bytes
	CQCount            int          `json:"cq_cnt"`
	EPCount            int          `json:"ep_cnt"`
	TxCtxCount         int          `json:"tx_ctx_cnt"`
	RxCtxCount         int          `json:"rx_ctx_cnt"`
	MaxEPTxCtx         int          `json:"max_ep_tx_ctx"`
	MaxEPRxCtx         int          `json:"max_ep_rx_ctx"`
	MaxEPStxCtx        int          `json:"max_ep_stx_ctx"`
	MaxEPSrxCtx        int          `json:"max_ep_srx_ctx"`
	CounterCount       int          `json:"cntr_cnt"`
	MRIovLimit         int          `json:"mr_iov_limit"`
	Caps               Caps         `json:"caps"`
	Mode               Mode         `json:"mode"`
	AuthKey            []byte       `json:"-"`                    // the key of endpoints without one of their own
	AVAuthKey          bool         `json:"av_auth_key,omitzero"` // auth_key_size is FI_AV_AUTH_KEY: endpoints have the keys of their vectors
	MaxErrData         int          `json:"max_err_data"`         // bytes
	MRCount            int          `json:"mr_cnt"`
	TClass             TClass       `json:"tclass"`
	MaxEPAuthKey       int          `json:"max_ep_auth_key"` // of a vector with AVAuthKey; 0: there are no keys
	MaxGroupID         uint32       `json:"max_group_id"`
	MaxCounterValue    uint64       `json:"max_cntr_value"`     // 0: 2^64-1
	MaxErrCounterValue uint64       `json:"max_err_cntr_value"` // 0: 2^64-1
}

// FabricAttr describes a fabric (struct fi_fabric_attr, fi_fabric(3)).
type FabricAttr struct {
	Name        string  `json:"name"`
	ProvName    string  `json:"prov_name"`
	ProvVersion Version `json:"prov_version"`
	APIVersion  Version `json:"api_version"`
}

// NIC describes a network device (struct fid_nic, fi_nic(3)).
type NIC struct {
	Name, DeviceID, DeviceVersion, VendorID, Driver, Firmware string
	BusType, BusAddr                                          string
	LinkAddr                                                  string
	MTU                                                       int    // bytes
	Speed                                                     uint64 // bits per second
	LinkState, NetworkType                                    string
}

// Version is a version as libfabric packs it: major<<16 | minor (FI_VERSION).
type Version uint32

// MakeVersion packs a version.
func MakeVersion(major, minor int) Version { return Version(major<<16 | minor&0xffff) }

// Major is the version's first number.
func (v Version) Major() int { return int(v >> 16) }

// Minor is the version's second number.
func (v Version) Minor() int { return int(v & 0xffff) }

// APIVersion is the version of libfabric's API that is implemented.
const APIVersion = Version(2<<16 | 6)

// ProvVersion is the version of the providers of this module, in libfabric's way of counting.
const ProvVersion = Version(206 << 16)

// CQAttr describes a completion queue (struct fi_cq_attr, fi_cq(3)).
type CQAttr struct {
	Size     int // entries; 0: the provider's default
	Format   CQFormat
	WaitObj  WaitObj
	WaitCond WaitCond
}

// CounterAttr describes a counter (struct fi_cntr_attr, fi_cntr(3)).
type CounterAttr struct {
	Events  CounterEvents
	WaitObj WaitObj
}

// AVAttr describes an address vector (struct fi_av_attr, fi_av(3)).
type AVAttr struct {
	Type      AVType
	RxCtxBits int // bits that name a receive context
	Count     int // expected addresses
	EPPerNode int // expected endpoints a host
	Name      string
	Flags     AVFlags
}

// MRAttr describes a registration (struct fi_mr_attr, fi_mr(3)).
type MRAttr struct {
	Iov     [][]byte // the memory; several parts make one region
	Access  Access
	Key     uint64 // the key asked for, unless the provider chooses
	Offset  uint64 // must be 0
	Context any
	Flags   MRFlags
	Iface   HMEMIface
	AuthKey []byte // of the peers that may access it; empty: all that reach an endpoint of the domain
}
