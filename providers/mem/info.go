package mem

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Limits of the provider.
const (
	injectSize = 16 << 10 // bytes
	queueSize  = 1 << 16  // operations that wait for a receive
	iovLimit   = 16
	announceAt = 16 << 10 // longer messages wait at the sender for their receive
	dgramSize  = 16 << 10 // bytes of a datagram
	dgramKept  = 1 << 20  // bytes of datagrams that wait for receives of an endpoint; more are dropped
	keySize    = 8
	maxGroup   = 1<<32 - 2
)

const caps = fi.CapMsg | fi.CapTagged | fi.CapRMA | fi.CapAtomic | fi.CapCollective | fi.CapNamedRxCtx | fi.ModifierCaps | fi.CapDirectedRecv |
	fi.CapTaggedDirectedRecv | fi.CapExactDirectedRecv | fi.CapAVUserID | fi.CapMultiRecv | fi.CapTaggedMultiRecv |
	fi.CapFence | fi.CapTrigger | fi.CapSource | fi.CapSourceErr | fi.CapRMAEvent | fi.CapLocalComm | driver.CapSharedAV

const order = fi.OrderRAR | fi.OrderRAW | fi.OrderRAS | fi.OrderWAR | fi.OrderWAW | fi.OrderWAS | fi.OrderSAR |
	fi.OrderSAW | fi.OrderSAS | fi.OrderRMARAR | fi.OrderRMARAW | fi.OrderRMAWAR | fi.OrderRMAWAW | fi.OrderAtomicRAR |
	fi.OrderAtomicRAW | fi.OrderAtomicWAR | fi.OrderAtomicWAW

// offer is all that the provider can do without connections.
func offer() *fi.Info {
	const large = 1 << 62
	return &fi.Info{
		Caps: caps, AddrFormat: fi.AddrFormatStr,
		Tx: fi.TxAttr{Caps: caps & fi.TxCaps, MsgOrder: order, InjectSize: injectSize, Size: queueSize,
			IovLimit: iovLimit, RMAIovLimit: iovLimit},
		Rx: fi.RxAttr{Caps: caps & fi.RxCaps, MsgOrder: order, Size: queueSize, IovLimit: iovLimit},
		EP: fi.EPAttr{Type: fi.EPRDM, Protocol: fi.ProtoGoMem, ProtocolVersion: 1, MaxMsgSize: large,
			MaxOrderRAWSize: large, MaxOrderWARSize: large, MaxOrderWAWSize: large,
			TxCtxCount: 1, RxCtxCount: 1},
		Domain: fi.DomainAttr{Name: Name, Threading: fi.ThreadSafe, Progress: fi.ProgressAuto, ResourceMgmt: fi.RMEnabled,
			AVType: fi.AVUnspec, MRKeySize: keySize, CQDataSize: 8, CQCount: 1 << 16, EPCount: 1 << 16,
			TxCtxCount: 1 << 16, RxCtxCount: 1 << 16, MaxEPTxCtx: driver.MaxContexts,
			MaxEPRxCtx: driver.MaxContexts, MaxEPStxCtx: 1 << 16, MaxEPSrxCtx: 1 << 16, CounterCount: 1 << 16,
			MRIovLimit: iovLimit, Caps: caps & fi.DomainCaps, MaxErrData: 256, MRCount: 1 << 20, MaxGroupID: maxGroup, MaxEPAuthKey: driver.MaxAuthKeys},
		Fabric: fi.FabricAttr{Name: Name, ProvName: Name, ProvVersion: fi.ProvVersion, APIVersion: fi.APIVersion},
	}
}
