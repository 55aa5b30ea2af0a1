package wire

import "github.com/gofabric/gofabric/fi"

// A data header begins every message of a data stream. Words are 64 bits in stream order, flags and size too:
//
//	 0         1    2       4         5         6          7    8         16
//	+---------+----+-------+---------+---------+----------+----+---------+----------------+---------+
//	| version | op | flags | op_data | rma_iov | hdr_size | id | size    | words          | payload |
//	| 3       |    |       |         | _cnt    |          |    |         |                |         |
//	+---------+----+-------+---------+---------+----------+----+---------+----------------+---------+
//
//	hdr_size   16 + 8 for each word
//	id         counts the headers of a direction from 0; written, not read
//	size       of header and payload
//
// The words of each operation, [data] when FlagData is set, triple = address, length, key:
//
//	0 msg          [data]              5 tagged RTS   [data], tag, bytes of the message
//	0 ack          (op_data 2)         6 CTS          op_data names the RTS
//	1 tagged       [data], tag         7 RTS data     op_data names the RTS
//	2 read         triple × cnt        4 write        [data], triple × cnt
//	3 read response
//
// docs/wire/tcp-extension.md has those of the extension, ext.go their operations.

const (
	// BaseSize is the size of a header without words in bytes.
	BaseSize = 16
	// MaxBaseHeader is the largest header of the plain protocol in bytes: a write of four ranges with data.
	MaxBaseHeader = 120
	// MaxHeader is the largest header with the extension in bytes: its write has an id beside.
	MaxHeader = 128
	// MaxRMA is how many ranges a read or write may have (rma_iov_limit).
	MaxRMA = 4
	// MaxContext is the largest op_data that names an RTS, of which so many may be outstanding. The smallest is 1.
	MaxContext = 254

	ackData = 2 // op_data of an ack
)

// Op is an operation of the data stream.
type Op uint8

// Operations of the plain protocol.
const (
	OpMsg       Op = 0
	OpTagged    Op = 1
	OpReadReq   Op = 2
	OpReadRsp   Op = 3
	OpWrite     Op = 4
	OpTaggedRTS Op = 5 // RDM version 1, as the next two
	OpCTS       Op = 6
	OpRTSData   Op = 7
	OpAck       Op = 8 // on the wire OpMsg with op_data 2

	maxOp = 64 // of all numbers, so that Ops is one word
)

// Flags of a header.
type Flags uint16

const (
	// FlagData says that remote CQ data is in the words (FI_REMOTE_CQ_DATA).
	FlagData Flags = 0x0001
	// FlagTransmit asks for an ExtDone once the message has arrived, matched or not (FI_TRANSMIT_COMPLETE); extension
	// only. Plain streams know the bit, do not send it and ignore it.
	FlagTransmit Flags = 0x0002
	// FlagDeliver asks for an ack: in plain streams once the message has arrived, in the extension once it is in a
	// posted buffer (FI_DELIVERY_COMPLETE; in plain streams FI_TRANSMIT_COMPLETE, too).
	FlagDeliver Flags = 0x0004
	// FlagCommit asks for an ack of a write once it is durable (FI_COMMIT_COMPLETE). On the other operations it is
	// FlagDeliver.
	FlagCommit Flags = 0x0008
	// FlagMatch asks for an ExtDone once a receive has matched (FI_MATCH_COMPLETE); extension only.
	FlagMatch Flags = 0x0010

	ackFlags  = FlagTransmit | FlagDeliver | FlagCommit | FlagMatch
	baseFlags = FlagData | FlagTransmit | FlagDeliver | FlagCommit // known in plain streams
)

// WantsAck tells whether the header of a plain stream asks for an ack.
func (f Flags) WantsAck() bool { return f&(FlagDeliver|FlagCommit) != 0 }

// Ops is a set of operations: those that a connection may receive.
type Ops uint64

// Sets of operations of the plain protocol, by what is at our end.
const (
	MSGOps       = Ops(1<<OpMsg | 1<<OpAck | 1<<OpReadReq | 1<<OpReadRsp | 1<<OpWrite) // an MSG endpoint
	MSGTaggedOps = MSGOps | 1<<OpTagged                                                // bound to a shared receive context with tags
	RDM0Ops      = MSGTaggedOps                                                        // an RDM connection of version 0
	RDM1Ops      = RDM0Ops | 1<<OpTaggedRTS | 1<<OpCTS | 1<<OpRTSData                  // of version 1
)

// Has tells whether op belongs to the set.
func (s Ops) Has(op Op) bool { return op < maxOp && s>>op&1 != 0 }

// Header is a decoded header. Only the fields of its operation are set; the others keep what they had.
type Header struct {
	Op      Op
	Context uint8    // op_data: the RTS of OpTaggedRTS, OpCTS, OpRTSData; the kind of ExtGoodbye and ExtHold
	Cnt     uint8    // ranges in RMA
	Flags   Flags    // those that mean something for the operation
	Len     int      // bytes of the header
	Payload int      // bytes that follow it
	ID      uint32   // of the initiator's operation; extension, 0 when no answer is wanted
	Group   uint32   // peer group (FI_PEER); extension
	Errno   fi.Errno // of ExtDone; 0 for success
	Atomic  Atomic   // of ExtAtomic
	Data    uint64   // remote CQ data; when FlagData is set
	Tag     uint64
	Size    int    // bytes of an announced message (OpTaggedRTS, ExtRTS), or asked for (ExtPull)
	Offset  int    // of the payload in the message or read (ExtData, ExtReadData)
	Serial  uint64 // of ExtHold, ExtHeld, ExtPing, ExtPong
	RMA     [MaxRMA]fi.RMAIov
}

// Ranges is h.RMA[:h.Cnt], of a read or write. It belongs to h.
func (h *Header) Ranges() []fi.RMAIov { return h.RMA[:min(h.Cnt, MaxRMA)] }

var opNames = [maxOp]string{
	OpMsg: "message", OpTagged: "tagged message", OpReadReq: "read request", OpReadRsp: "read response", OpWrite: "write",
	OpTaggedRTS: "tagged RTS", OpCTS: "CTS", OpRTSData: "RTS data", OpAck: "ack",
	ExtMsg: "extended message", ExtTagged: "extended tagged message", ExtRTS: "extended RTS",
	ExtTaggedRTS: "extended tagged RTS", ExtPull: "pull", ExtData: "pulled data", ExtDone: "done", ExtCancel: "cancel",
	ExtWrite: "extended write", ExtRead: "extended read", ExtReadData: "read data", ExtAtomic: "atomic",
	ExtResult: "atomic result", ExtHold: "hold", ExtHeld: "held", ExtPing: "ping", ExtPong: "pong", ExtGoodbye: "goodbye",
}

// String names the operation as errors do.
func (o Op) String() string {
	if o < maxOp && opNames[o] != "" {
		return opNames[o]
	}
	return "data header"
}
