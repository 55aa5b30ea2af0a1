package udp

import (
	"net/netip"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/inet"
)

// Limits of the provider.
const (
	cMaxMsg    = 1472  // of C's udp, in bytes
	payloadMax = 65507 // of a UDP packet over IPv4, in bytes
	iovLimit   = 4
	queueSize  = 1024 // a hint: nothing of ours waits
)

const caps = fi.CapMsg | fi.CapSend | fi.CapRecv | fi.CapSource | fi.CapSourceErr | fi.CapAVUserID | fi.CapLocalComm |
	fi.CapRemoteComm

// offer is what one address of ours can do.
func offer(c config, i inet.Iface, src, dest netip.AddrPort) *fi.Info {
	caps := caps
	if !c.soft {
		caps |= fi.CapMulticast
	}
	format := fi.AddrFormatSockaddrIn
	if src.Addr().Is6() {
		format = fi.AddrFormatSockaddr6
	}
	longest := c.limit(i)
	info := &fi.Info{
		Caps: caps, AddrFormat: format, SrcAddr: inet.Raw(src),
		Tx: fi.TxAttr{Caps: caps & fi.TxCaps, InjectSize: longest, Size: queueSize, IovLimit: iovLimit},
		Rx: fi.RxAttr{Caps: caps & fi.RxCaps, Size: queueSize, IovLimit: iovLimit},
		EP: fi.EPAttr{Type: fi.EPDgram, Protocol: fi.ProtoUDP, MaxMsgSize: uint64(longest), TxCtxCount: 1, RxCtxCount: 1},
		Domain: fi.DomainAttr{Name: i.Name, Threading: fi.ThreadSafe, Progress: fi.ProgressAuto, ResourceMgmt: fi.RMEnabled,
			AVType: fi.AVUnspec, MRKeySize: 8, CQCount: 1 << 10, EPCount: 1 << 10, TxCtxCount: 1 << 10, RxCtxCount: 1 << 10,
			MaxEPTxCtx: 1, MaxEPRxCtx: 1, CounterCount: 1 << 10, MRIovLimit: 1, Caps: caps & fi.DomainCaps, MaxErrData: 256,
			MRCount: 1 << 16},
		Fabric: fi.FabricAttr{Name: i.Prefix.String(), ProvName: Name, ProvVersion: fi.ProvVersion, APIVersion: fi.APIVersion},
		NIC:    &fi.NIC{Name: i.Name, LinkAddr: i.MAC, MTU: i.MTU, LinkState: "up", NetworkType: i.Class.String()},
	}
	if dest.IsValid() {
		info.DestAddr = inet.Raw(dest)
	}
	return info
}
