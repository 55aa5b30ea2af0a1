package shm

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
)

// Limits of the provider.
const (
	eagerMax   = 8 << 10 // longer messages take a road
	injectSize = 4 << 10 // bytes
	iovLimit   = 8
	maxGroup   = 1<<16 - 1 // a peer group travels in a header's 16 bits
	maxMsgSize = 1 << 62
	dgramSize  = eagerMax                   // bytes of a datagram: all lie in the ring
	dgramKept  = 1 << 20                    // bytes of datagrams that wait for receives of an endpoint; more are dropped
	prefixSize = ring.MaxPayload - eagerMax // room for a protocol header beside an eager payload
)

const caps = fi.CapMsg | fi.CapTagged | fi.CapRMA | fi.CapAtomic | fi.CapCollective | fi.CapNamedRxCtx | fi.ModifierCaps | fi.CapDirectedRecv |
	fi.CapTaggedDirectedRecv | fi.CapExactDirectedRecv | fi.CapAVUserID | fi.CapMultiRecv | fi.CapTaggedMultiRecv |
	fi.CapFence | fi.CapTrigger | fi.CapSource | fi.CapSourceErr | fi.CapRMAEvent | fi.CapLocalComm | driver.CapSharedAV

// order has all but "write after send" and "read after send": a remote access to mapped memory is done at once, while
// messages wait for the peer's poll.
const order = fi.OrderRAR | fi.OrderRAW | fi.OrderWAR | fi.OrderWAW | fi.OrderSAR | fi.OrderSAW | fi.OrderSAS |
	fi.OrderRMARAR | fi.OrderRMARAW | fi.OrderRMAWAR | fi.OrderRMAWAW |
	fi.OrderAtomicRAR | fi.OrderAtomicRAW | fi.OrderAtomicWAR | fi.OrderAtomicWAW

// offer is all that the provider can do without connections.
func offer(c *config) *fi.Info {
	return &fi.Info{
		Caps: caps, AddrFormat: fi.AddrFormatStr,
		Tx: fi.TxAttr{Caps: caps & fi.TxCaps, MsgOrder: order, InjectSize: injectSize, Size: c.txSize,
			IovLimit: iovLimit, RMAIovLimit: iovLimit},
		Rx: fi.RxAttr{Caps: caps & fi.RxCaps, MsgOrder: order, Size: c.rxSize, IovLimit: iovLimit},
		EP: fi.EPAttr{Type: fi.EPRDM, Protocol: fi.ProtoGoSHM, ProtocolVersion: protocolVersion, MaxMsgSize: maxMsgSize,
			MaxOrderRAWSize: maxMsgSize, MaxOrderWARSize: maxMsgSize, MaxOrderWAWSize: maxMsgSize,
			TxCtxCount: 1, RxCtxCount: 1},
		Domain: fi.DomainAttr{Name: Name, Threading: fi.ThreadSafe, Progress: fi.ProgressAuto, ResourceMgmt: fi.RMEnabled,
			AVType: fi.AVUnspec, MRKeySize: 8, CQDataSize: 8, CQCount: 1 << 10, EPCount: 1 << 10,
			TxCtxCount: 1 << 10, RxCtxCount: 1 << 10, MaxEPTxCtx: driver.MaxContexts,
			MaxEPRxCtx: driver.MaxContexts, MaxEPStxCtx: 1 << 10, MaxEPSrxCtx: 1 << 10, CounterCount: 1 << 10,
			MRIovLimit: iovLimit, Caps: caps & fi.DomainCaps, MaxErrData: 256, MRCount: 1 << 16, MaxGroupID: maxGroup, MaxEPAuthKey: driver.MaxAuthKeys},
		Fabric: fi.FabricAttr{Name: Name, ProvName: Name, ProvVersion: fi.ProvVersion, APIVersion: fi.APIVersion},
	}
}
