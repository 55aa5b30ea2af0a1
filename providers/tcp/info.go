package tcp

import (
	"net/netip"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/inet"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// Limits of the provider.
const (
	copyMax    = 4 << 10 // a payload up to this size is copied behind its header
	iovLimit   = 4
	rmaLimit   = 4
	maxMsgSize = 1<<63 - 1
)

const rdmCaps = fi.CapMsg | fi.CapTagged | fi.CapRMA | fi.CapCollective | fi.CapNamedRxCtx | fi.ModifierCaps | fi.CapDirectedRecv | fi.CapTaggedDirectedRecv |
	fi.CapExactDirectedRecv | fi.CapAVUserID | fi.CapMultiRecv | fi.CapTaggedMultiRecv | fi.CapSource | fi.CapSourceErr |
	fi.CapRMAEvent | fi.CapTrigger | fi.CapFence | fi.CapLocalComm | fi.CapRemoteComm | driver.CapSharedAV

// order is that of a stream, as C's tcp promises it: a read answers when its bytes leave, perhaps after later writes.
const order = fi.OrderRAR | fi.OrderRAW | fi.OrderRAS | fi.OrderWAW | fi.OrderWAS | fi.OrderSAW | fi.OrderSAS |
	fi.OrderRMARAR | fi.OrderRMARAW | fi.OrderRMAWAW

// offers lists what one address of ours can do.
func offers(c *config, i inet.Iface, src, dest netip.AddrPort) []*fi.Info {
	r := rdmOffer(c, i, src, dest)
	return []*fi.Info{r, msgOffer(c, r)}
}

// msgOffer is what a connected endpoint can do, made of the other offer.
func msgOffer(c *config, r *fi.Info) *fi.Info {
	without := fi.Caps(0)
	if !c.extension { // plain peers may not be sent tagged messages
		without = fi.CapTagged | fi.CapTaggedMultiRecv
	}
	i := rdm.Connected(r, without)
	i.EP.Protocol, i.EP.ProtocolVersion = fi.ProtoSockTCP, 0
	return i
}

func rdmOffer(c *config, i inet.Iface, src, dest netip.AddrPort) *fi.Info {
	caps := rdmCaps
	if c.extension {
		caps |= fi.CapAtomic
	}
	format := fi.AddrFormatSockaddrIn
	if src.Addr().Is6() {
		format = fi.AddrFormatSockaddr6
	}
	info := &fi.Info{
		Caps: caps, AddrFormat: format, SrcAddr: rawOf(src),
		Tx: fi.TxAttr{Caps: caps & fi.TxCaps, MsgOrder: order, InjectSize: c.inject, Size: c.txSize, IovLimit: iovLimit,
			RMAIovLimit: rmaLimit},
		Rx: fi.RxAttr{Caps: caps & fi.RxCaps, MsgOrder: order, Size: c.rxSize, IovLimit: iovLimit},
		EP: fi.EPAttr{Type: fi.EPRDM, Protocol: fi.ProtoXNET, ProtocolVersion: wire.RDMVersion, MaxMsgSize: maxMsgSize,
			MaxOrderRAWSize: maxMsgSize, MaxOrderWAWSize: maxMsgSize, TxCtxCount: 1, RxCtxCount: 1},
		Domain: fi.DomainAttr{Name: i.Name, Threading: fi.ThreadSafe, Progress: fi.ProgressAuto, ResourceMgmt: fi.RMEnabled,
			AVType: fi.AVUnspec, MRKeySize: 8, CQDataSize: 8, CQCount: 1 << 10, EPCount: 1 << 10, TxCtxCount: 1 << 10,
			RxCtxCount: 1 << 10, MaxEPTxCtx: driver.MaxContexts, MaxEPRxCtx: driver.MaxContexts, MaxEPStxCtx: 1 << 10, MaxEPSrxCtx: 1 << 10, CounterCount: 1 << 10, MRIovLimit: iovLimit,
			Caps: caps & fi.DomainCaps, MaxErrData: 256, MRCount: 1 << 16},
		Fabric: fi.FabricAttr{Name: i.Prefix.String(), ProvName: Name, ProvVersion: fi.ProvVersion, APIVersion: fi.APIVersion},
		NIC:    &fi.NIC{Name: i.Name, LinkAddr: i.MAC, MTU: i.MTU, LinkState: "up", NetworkType: i.Class.String()},
	}
	if dest.IsValid() {
		info.DestAddr = rawOf(dest)
	}
	return info
}
