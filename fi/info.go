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
	Caps        Caps
	Mode        Mode
	OpFlags     OpFlags // default flags of calls that have no flags argument
	MsgOrder    Order
	InjectSize  int // bytes
	Size        int // operations in flight
	IovLimit    int // entries of a local vector
	RMAIovLimit int // entries of a remote vector
	TClass      TClass
}

// RxAttr describes the receive side (struct fi_rx_attr, fi_endpoint(3)).
type RxAttr struct {
	Caps     Caps
	Mode     Mode
	OpFlags  OpFlags
	MsgOrder Order
	Size     int // posted receives
	IovLimit int
}

// SharedContext in EPAttr.TxCtxCount or RxCtxCount asks for a shared context (FI_SHARED_CONTEXT).
const SharedContext = -1

// EPAttr describes an endpoint (struct fi_ep_attr, fi_endpoint(3)).
type EPAttr struct {
	Type            EPType
	Protocol        Protocol
	ProtocolVersion uint32
	MaxMsgSize      uint64 // bytes
	MsgPrefixSize   int    // bytes
	MaxOrderRAWSize uint64 // bytes
	MaxOrderWARSize uint64 // bytes
	MaxOrderWAWSize uint64 // bytes
	MemTagFormat    uint64
	TxCtxCount      int // 0 means 1; SharedContext
	RxCtxCount      int // 0 means 1; SharedContext
	AuthKey         []byte
}

// DomainAttr describes a domain (struct fi_domain_attr, fi_domain(3)). Counts are advice, not limits.
type DomainAttr struct {
	Name               string
	Threading          Threading
	Progress           Progress
	ResourceMgmt       ResourceMgmt
	AVType             AVType
	MRMode             MRMode
	MRKeySize          int // bytes
	CQDataSize         int // bytes
	CQCount            int
	EPCount            int
	TxCtxCount         int
	RxCtxCount         int
	MaxEPTxCtx         int
	MaxEPRxCtx         int
	MaxEPStxCtx        int
	MaxEPSrxCtx        int
	CounterCount       int
	MRIovLimit         int
	Caps               Caps
	Mode               Mode
	AuthKey            []byte
	MaxErrData         int // bytes
	MRCount            int
	TClass             TClass
	MaxEPAuthKey       int
	MaxGroupID         uint32
	MaxCounterValue    uint64 // 0: 2^64-1
	MaxErrCounterValue uint64 // 0: 2^64-1
}

// FabricAttr describes a fabric (struct fi_fabric_attr, fi_fabric(3)).
type FabricAttr struct {
	Name        string
	ProvName    string
	ProvVersion Version
	APIVersion  Version
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

// Hints asks for the same again: a round trip that lets one change a field and ask for the difference.
func (i *Info) Hints() *Hints {
	c := *i
	return &Hints{Caps: c.Caps, Mode: c.Mode, AddrFormat: c.AddrFormat, SrcAddr: c.SrcAddr, DestAddr: c.DestAddr,
		Tx: &c.Tx, Rx: &c.Rx, EP: &c.EP, Domain: &c.Domain, Fabric: &c.Fabric}
}

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
}
