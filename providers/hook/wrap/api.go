package wrap

import "github.com/gofabric/gofabric/fi"

// API is a call by its name in C.
type API uint8

// Calls. Those from Send on are operations.
const (
	GetInfo API = iota
	Fabric
	FabricClose
	SetTLS
	Domain
	DomainClose
	Endpoint
	SharedRx
	Passive
	Close // of an endpoint, a shared receive context or a passive endpoint
	Enable
	GetName
	SetName
	GetPeer
	Cancel
	SetOpt
	GetOpt
	Listen
	Connect
	Accept
	Reject
	Shutdown
	MRReg
	MRClose
	MRMap
	Join
	QueryAtomic
	AVInsertSvc
	CheckAddr

	Send
	SendData
	SendMsg
	Inject
	InjectData
	Recv
	RecvMsg
	TSend
	TSendData
	TSendMsg
	TInject
	TInjectData
	TRecv
	TRecvMsg
	Write
	WriteData
	WriteMsg
	InjectWrite
	InjectWriteData
	Read
	ReadMsg
	Atomic
	InjectAtomic
	AtomicMsg
	FetchAtomic
	FetchAtomicMsg
	CompareAtomic
	CompareAtomicMsg

	// APIs is how many there are.
	APIs
)

var apiNames = [APIs]string{
	GetInfo: "fi_getinfo", Fabric: "fi_fabric", FabricClose: "fi_close(fabric)", SetTLS: "set_tls",
	Domain: "fi_domain", DomainClose: "fi_close(domain)", Endpoint: "fi_endpoint", SharedRx: "fi_srx_context",
	Passive: "fi_passive_ep", Close: "fi_close", Enable: "fi_enable", GetName: "fi_getname", SetName: "fi_setname",
	GetPeer: "fi_getpeer", Cancel: "fi_cancel", SetOpt: "fi_setopt", GetOpt: "fi_getopt", Listen: "fi_listen",
	Connect: "fi_connect", Accept: "fi_accept", Reject: "fi_reject", Shutdown: "fi_shutdown", MRReg: "fi_mr_reg",
	MRClose: "fi_close(mr)", MRMap: "mr_map", QueryAtomic: "fi_query_atomic", Join: "fi_join", AVInsertSvc: "fi_av_insertsvc",
	CheckAddr: "check_addr",

	Send: "fi_send", SendData: "fi_senddata", SendMsg: "fi_sendmsg", Inject: "fi_inject", InjectData: "fi_injectdata",
	Recv: "fi_recv", RecvMsg: "fi_recvmsg", TSend: "fi_tsend", TSendData: "fi_tsenddata", TSendMsg: "fi_tsendmsg",
	TInject: "fi_tinject", TInjectData: "fi_tinjectdata", TRecv: "fi_trecv", TRecvMsg: "fi_trecvmsg",
	Write: "fi_write", WriteData: "fi_writedata", WriteMsg: "fi_writemsg", InjectWrite: "fi_inject_write",
	InjectWriteData: "fi_inject_writedata", Read: "fi_read", ReadMsg: "fi_readmsg", Atomic: "fi_atomic",
	InjectAtomic: "fi_inject_atomic", AtomicMsg: "fi_atomicmsg", FetchAtomic: "fi_fetch_atomic",
	FetchAtomicMsg: "fi_fetch_atomicmsg", CompareAtomic: "fi_compare_atomic", CompareAtomicMsg: "fi_compare_atomicmsg",
}

// String gives the call's name in C, "fi_tsend"; of calls that C has not, a word without fi_.
func (a API) String() string {
	if a >= APIs {
		return "unknown"
	}
	return apiNames[a]
}

// IsOp tells whether it is an operation, for which an Observer's Posting is called.
func (a API) IsOp() bool { return a >= Send && a < APIs }

// Receives tells whether it posts a receive.
func (a API) Receives() bool { return a == Recv || a == RecvMsg || a == TRecv || a == TRecvMsg }

// of gives, of the four forms of a call, the one that flags tell of.
func of(fl fi.OpFlags, plain, data, inject, injectData API) API {
	silent := fl&(fi.OpInject|fi.OpCompletion) == fi.OpInject
	switch {
	case silent && fl&fi.OpRemoteCQData != 0:
		return injectData
	case silent:
		return inject
	case fl&fi.OpRemoteCQData != 0:
		return data
	}
	return plain
}
