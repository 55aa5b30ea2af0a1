package fi

// Addr names a peer: an index in an address vector (fi_addr_t, fi_av(3)).
type Addr uint64

const (
	// AddrUnspec means any source (FI_ADDR_UNSPEC).
	AddrUnspec Addr = 1<<64 - 1
	// AddrNotAvail marks an address that is not known (FI_ADDR_NOTAVAIL).
	AddrNotAvail Addr = 1<<64 - 1
	// KeyNotAvail marks a key that is not known (FI_KEY_NOTAVAIL).
	KeyNotAvail uint64 = 1<<64 - 1
)

// RxAddr names receive context index of the peer addr, in a vector opened with bits (fi_rx_addr, fi_av(3)). Without
// bits, 1 to 63, it is the peer itself.
func RxAddr(addr Addr, index, bits int) Addr {
	if bits <= 0 || bits > 63 {
		return addr
	}
	return Addr(uint64(index)<<(64-bits)) | addr
}

// GroupAddr names the peer addr, an index below 2^32, as a member of a peer group (fi_group_addr, fi_av(3)).
func GroupAddr(addr Addr, group uint32) Addr { return Addr(uint64(group)<<32) | addr }

// Desc is the descriptor of a registered local buffer (what fi_mr_desc returns, fi_mr(3)). 0 is none.
type Desc uint64

// Msg is a message of the general form (struct fi_msg, fi_msg(3)). The call keeps nothing of it but Context and the
// buffers; the structure may be reused when the call returns.
type Msg struct {
	Iov     [][]byte
	Desc    []Desc // a descriptor for each buffer, or nil
	Addr    Addr
	Context any
	Data    uint64 // with OpRemoteCQData
}

// TaggedMsg is a tagged message of the general form (struct fi_msg_tagged, fi_tagged(3)).
type TaggedMsg struct {
	Iov     [][]byte
	Desc    []Desc
	Addr    Addr
	Tag     uint64
	Ignore  uint64 // bits of the tag that a receive does not compare
	Context any
	Data    uint64
}

// RMAIov is a part of remote memory (struct fi_rma_iov, fi_rma(3)).
type RMAIov struct {
	Addr uint64 // offset in the region, or virtual address
	Len  uint64 // bytes
	Key  uint64
}

// RMAMsg is a remote memory access of the general form (struct fi_msg_rma, fi_rma(3)).
type RMAMsg struct {
	Iov     [][]byte
	Desc    []Desc
	Addr    Addr
	RMAIov  []RMAIov
	Context any
	Data    uint64
}

// AtomicMsg is an atomic operation of the general form (struct fi_msg_atomic, fi_atomic(3)).
type AtomicMsg struct {
	Iov      [][]byte // operands, whole elements each
	Desc     []Desc
	Addr     Addr
	RMAIov   []RMAIov // Len in bytes, unlike C's count
	Datatype Datatype
	Op       AtomicOp
	Context  any
	Data     uint64
}
