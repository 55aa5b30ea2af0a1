package fabric

import (
	"fmt"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// matchHints compares an offer with hints by libfabric's rules (fi_getinfo(3)) and gives the Info to return, or why
// not. The offer is not changed.
func matchHints(h *fi.Hints, offer *fi.Info) (*fi.Info, *fi.Rejection) {
	m := &matcher{h: h, info: offer.Clone()}
	for _, step := range []func(*matcher){
		(*matcher).caps, (*matcher).mode, (*matcher).addr, (*matcher).endpoint, (*matcher).domain, (*matcher).fabric,
		(*matcher).tx, (*matcher).rx,
	} {
		if step(m); m.no != nil {
			return nil, m.no
		}
	}
	return m.info, nil
}

type matcher struct {
	h    *fi.Hints
	info *fi.Info
	no   *fi.Rejection
}

func (m *matcher) reject(attr string, want, have any) {
	if m.no == nil {
		m.no = &fi.Rejection{Provider: m.info.Fabric.ProvName, Domain: m.info.Domain.Name, Attr: attr,
			Want: fmt.Sprint(want), Have: fmt.Sprint(have)}
	}
}

// atLeast is for numbers of which more is better.
func atLeast[T int | uint32 | uint64](m *matcher, attr string, want, have T) {
	if want > have {
		m.reject(attr, want, have)
	}
}

// equal is for values that must be met if they are given.
func equal[T comparable](m *matcher, attr string, want, have T) {
	var any T
	if want != any && want != have {
		m.reject(attr, want, have)
	}
}

// bits is for sets in which everything wanted must be offered.
func bits[T ~uint64](m *matcher, attr string, want, have T) {
	if missing := want &^ have; missing != 0 {
		m.reject(attr, missing, have)
	}
}

func (m *matcher) caps() {
	want, have := m.h.Caps, m.info.Caps
	bits(m, "caps", want, have)
	if m.no != nil {
		return
	}
	if err := needs(want); err != "" {
		m.reject("caps", want, err)
		return
	}
	if want&fi.PrimaryCaps == 0 { // everything that changes nothing for who does not know of it
		m.grant(have&^byRequest | want)
		return
	}
	// Only the primary ones asked for are returned; none of their modifiers means all.
	caps := want&fi.PrimaryCaps | have&fi.SecondaryCaps&^byRequest | want&byRequest
	const ways, accesses = fi.CapSend | fi.CapRecv, fi.CapRead | fi.CapWrite | fi.CapRemoteRead | fi.CapRemoteWrite
	mods := want & fi.ModifierCaps
	if caps&(fi.CapMsg|fi.CapTagged) != 0 && mods&ways == 0 {
		mods |= have & ways
	}
	if caps&(fi.CapRMA|fi.CapAtomic) != 0 && mods&accesses == 0 {
		mods |= have & accesses
	}
	if caps&fi.CapMsg == 0 {
		caps &^= fi.CapMultiRecv
	}
	if caps&fi.CapTagged == 0 {
		caps &^= fi.CapTaggedMultiRecv
	}
	if caps&(fi.CapRMA|fi.CapAtomic) == 0 {
		caps &^= fi.CapRMAEvent
	}
	m.grant(caps | mods)
}

// byRequest are capabilities that change what others mean: FI_SOURCE_ERR turns messages of unknown senders into errors,
// FI_EXACT_DIRECTED_RECV forbids receives from anybody, FI_COLLECTIVE takes a bit of the tags.
const byRequest = fi.CapSourceErr | fi.CapExactDirectedRecv | fi.CapCollective

func (m *matcher) grant(caps fi.Caps) {
	m.info.Caps = caps
	if caps&fi.CapCollective != 0 && m.info.EP.MemTagFormat == fi.TagBits {
		m.info.EP.MemTagFormat = driver.CollectiveTagFormat
	}
	m.info.Tx.Caps = m.info.Tx.Caps & m.info.Caps
	m.info.Rx.Caps = m.info.Rx.Caps & m.info.Caps
	m.info.Domain.Caps = m.info.Domain.Caps & (m.info.Caps | fi.SecondaryCaps)
}

// needs checks the rules between capabilities.
func needs(c fi.Caps) string {
	primary := c&fi.PrimaryCaps != 0 // else all that is offered comes along
	switch {
	case c&(fi.CapRead|fi.CapWrite|fi.CapRemoteRead|fi.CapRemoteWrite) != 0 && c&(fi.CapRMA|fi.CapAtomic) == 0:
		return "FI_READ, FI_WRITE and their remote forms need FI_RMA or FI_ATOMIC"
	case c&(fi.CapSend|fi.CapRecv) != 0 && c&(fi.CapMsg|fi.CapTagged) == 0:
		return "FI_SEND and FI_RECV need FI_MSG or FI_TAGGED"
	case primary && c&fi.CapRMAEvent != 0 && c&(fi.CapRMA|fi.CapAtomic) == 0:
		return "FI_RMA_EVENT needs FI_RMA or FI_ATOMIC"
	case primary && c&fi.CapMultiRecv != 0 && c&fi.CapMsg == 0:
		return "FI_MULTI_RECV needs FI_MSG"
	case primary && c&fi.CapTaggedMultiRecv != 0 && c&fi.CapTagged == 0:
		return "FI_TAGGED_MULTI_RECV needs FI_TAGGED"
	case c&fi.CapMulticast != 0 && c&fi.CapMsg == 0:
		return "FI_MULTICAST needs FI_MSG"
	case c&fi.CapRMAPmem != 0 && c&fi.CapRMA == 0:
		return "FI_RMA_PMEM needs FI_RMA"
	case c&fi.CapSourceErr != 0 && c&fi.CapSource == 0:
		return "FI_SOURCE_ERR needs FI_SOURCE"
	}
	return ""
}

func (m *matcher) mode() {
	if missing := m.info.Mode &^ m.h.Mode; missing != 0 {
		m.reject("mode", m.h.Mode, m.info.Mode)
	}
}

func (m *matcher) addr() {
	want, have := m.h.AddrFormat, m.info.AddrFormat
	if want == have || want == fi.AddrFormatUnspec {
		return
	}
	ip := func(f fi.AddrFormat) bool {
		return f == fi.AddrFormatSockaddrIn || f == fi.AddrFormatSockaddr6 || f == fi.AddrFormatSockaddrIP || f == fi.AddrFormatSockaddr
	}
	if (want == fi.AddrFormatSockaddr || want == fi.AddrFormatSockaddrIP) && ip(have) {
		return
	}
	m.reject("addr_format", want, have)
}

func (m *matcher) endpoint() {
	w := m.h.EP
	if w == nil {
		return
	}
	a := &m.info.EP
	equal(m, attrEPType, w.Type, a.Type)
	equal(m, "ep_attr.protocol", w.Protocol, a.Protocol)
	if w.Protocol != 0 {
		atLeast(m, "ep_attr.protocol_version", w.ProtocolVersion, a.ProtocolVersion)
	}
	atLeast(m, "ep_attr.max_msg_size", w.MaxMsgSize, a.MaxMsgSize)
	m.ordered("raw", w.MaxOrderRAWSize, a.MaxOrderRAWSize, fi.OrderRAW|fi.OrderRMARAW|fi.OrderAtomicRAW)
	m.ordered("war", w.MaxOrderWARSize, a.MaxOrderWARSize, fi.OrderWAR|fi.OrderRMAWAR|fi.OrderAtomicWAR)
	m.ordered("waw", w.MaxOrderWAWSize, a.MaxOrderWAWSize, fi.OrderWAW|fi.OrderRMAWAW|fi.OrderAtomicWAW)
	if w.MemTagFormat != 0 && w.MemTagFormat > a.MemTagFormat && a.MemTagFormat != 0 {
		m.reject("ep_attr.mem_tag_format", fmt.Sprintf("%#x", w.MemTagFormat), fmt.Sprintf("%#x", a.MemTagFormat))
	}
	m.contexts("ep_attr.tx_ctx_cnt", w.TxCtxCount, m.info.Domain.MaxEPTxCtx, m.info.Domain.MaxEPStxCtx, &a.TxCtxCount)
	m.contexts("ep_attr.rx_ctx_cnt", w.RxCtxCount, m.info.Domain.MaxEPRxCtx, m.info.Domain.MaxEPSrxCtx, &a.RxCtxCount)
	m.authKey("ep_attr.auth_key", w.AuthKey, &a.AuthKey)
}

// ordered checks a size up to which data stays in order, which needs an ordering bit that was asked for.
func (m *matcher) ordered(name string, want, have uint64, order fi.Order) {
	atLeast(m, "ep_attr.max_order_"+name+"_size", want, have)
	if want == 0 || m.no != nil {
		return
	}
	var asked fi.Order
	if m.h.Tx != nil {
		asked |= m.h.Tx.MsgOrder
	}
	if m.h.Rx != nil {
		asked |= m.h.Rx.MsgOrder
	}
	if asked&order == 0 {
		m.reject("ep_attr.max_order_"+name+"_size", want, "only with "+order.String()+" in msg_order")
	}
}

func (m *matcher) contexts(attr string, want, most, shared int, out *int) {
	switch {
	case want == fi.SharedContext:
		if shared == 0 {
			m.reject(attr, "FI_SHARED_CONTEXT", "no shared contexts")
			return
		}
		*out = want
	case want > 0:
		atLeast(m, attr, want, most)
		*out = want
	}
}

func (m *matcher) domain() {
	w := m.h.Domain
	a := &m.info.Domain
	if w == nil {
		m.mrMode(0)
		return
	}
	equal(m, "domain_attr.name", w.Name, a.Name)
	m.threading(w.Threading)
	m.progress(w.Progress)
	if w.ResourceMgmt == fi.RMEnabled && a.ResourceMgmt != fi.RMEnabled {
		m.reject("domain_attr.resource_mgmt", w.ResourceMgmt, a.ResourceMgmt)
	}
	if w.AVType != fi.AVUnspec {
		if a.AVType != fi.AVUnspec && a.AVType != w.AVType {
			m.reject("domain_attr.av_type", w.AVType, a.AVType)
		}
		a.AVType = w.AVType
	}
	m.mrMode(w.MRMode)
	atLeast(m, "domain_attr.mr_key_size", w.MRKeySize, a.MRKeySize)
	atLeast(m, "domain_attr.cq_data_size", w.CQDataSize, a.CQDataSize)
	atLeast(m, "domain_attr.max_err_data", w.MaxErrData, a.MaxErrData)
	atLeast(m, "domain_attr.cq_cnt", w.CQCount, a.CQCount)
	atLeast(m, "domain_attr.ep_cnt", w.EPCount, a.EPCount)
	atLeast(m, "domain_attr.tx_ctx_cnt", w.TxCtxCount, a.TxCtxCount)
	atLeast(m, "domain_attr.rx_ctx_cnt", w.RxCtxCount, a.RxCtxCount)
	atLeast(m, "domain_attr.max_ep_tx_ctx", w.MaxEPTxCtx, a.MaxEPTxCtx)
	atLeast(m, "domain_attr.max_ep_rx_ctx", w.MaxEPRxCtx, a.MaxEPRxCtx)
	atLeast(m, "domain_attr.max_ep_stx_ctx", w.MaxEPStxCtx, a.MaxEPStxCtx)
	atLeast(m, "domain_attr.max_ep_srx_ctx", w.MaxEPSrxCtx, a.MaxEPSrxCtx)
	atLeast(m, "domain_attr.cntr_cnt", w.CounterCount, a.CounterCount)
	atLeast(m, "domain_attr.mr_iov_limit", w.MRIovLimit, a.MRIovLimit)
	atLeast(m, "domain_attr.mr_cnt", w.MRCount, a.MRCount)
	bits(m, "domain_attr.caps", w.Caps, a.Caps)
	if missing := a.Mode &^ (w.Mode | m.h.Mode); missing != 0 {
		m.reject("domain_attr.mode", w.Mode, a.Mode)
	}
	m.authKey("domain_attr.auth_key", w.AuthKey, &a.AuthKey)
	m.vectorKeys()
	atLeast(m, "domain_attr.max_ep_auth_key", w.MaxEPAuthKey, a.MaxEPAuthKey)
	atLeast(m, "domain_attr.max_group_id", w.MaxGroupID, a.MaxGroupID)
	m.counterValue("domain_attr.max_cntr_value", w.MaxCounterValue, a.MaxCounterValue)
	m.counterValue("domain_attr.max_err_cntr_value", w.MaxErrCounterValue, a.MaxErrCounterValue)
	if w.TClass != fi.TClassUnspec {
		a.TClass = w.TClass
	}
}

func (m *matcher) counterValue(attr string, want, have uint64) {
	if have != 0 {
		atLeast(m, attr, want, have)
	}
}

// threading: a provider serves every model that asks less of it than what it can do; the Info says which was chosen.
func (m *matcher) threading(want fi.Threading) {
	strength := map[fi.Threading]int{fi.ThreadSafe: 5, fi.ThreadFID: 4, fi.ThreadEndpoint: 3, fi.ThreadCompletion: 2, fi.ThreadDomain: 1}
	if want == fi.ThreadUnspec {
		return
	}
	n, known := strength[want]
	if !known || n > strength[m.info.Domain.Threading] {
		m.reject("domain_attr.threading", want, m.info.Domain.Threading)
		return
	}
	m.info.Domain.Threading = want
}

// progress: automatic progress serves those who drive themselves, too.
func (m *matcher) progress(want fi.Progress) {
	have := m.info.Domain.Progress
	switch want {
	case fi.ProgressUnspec, have:
	case fi.ProgressManual, fi.ProgressControlUnified:
		m.info.Domain.Progress = want
	default:
		m.reject("domain_attr.progress", want, have)
	}
}

// mrMode: what the provider needs must be among what the application can do. The deprecated basic mode stands for its
// three parts.
func (m *matcher) mrMode(can fi.MRMode) {
	if can&fi.MRModeBasic != 0 {
		can |= fi.MRModeVirtAddr | fi.MRModeAllocated | fi.MRModeProvKey
	}
	if need := m.info.Domain.MRMode; need&^can != 0 {
		m.reject("domain_attr.mr_mode", can, need)
	}
}

func (m *matcher) fabric() {
	w := m.h.Fabric
	if w == nil {
		return
	}
	equal(m, "fabric_attr.name", w.Name, m.info.Fabric.Name)
	if w.APIVersion > m.info.Fabric.APIVersion {
		m.reject("fabric_attr.api_version", w.APIVersion, m.info.Fabric.APIVersion)
	}
}

func (m *matcher) tx() {
	w := m.h.Tx
	if w == nil {
		return
	}
	a := &m.info.Tx
	bits(m, "tx_attr.caps", w.Caps, a.Caps)
	if w.Caps != 0 {
		a.Caps = w.Caps
	}
	if missing := a.Mode &^ (w.Mode | m.h.Mode); missing != 0 {
		m.reject("tx_attr.mode", w.Mode, a.Mode)
	}
	known := fi.OpInject | fi.OpCompletion | fi.OpInjectComplete | fi.OpTransmitComplete | fi.OpDeliveryComplete | fi.OpMatchComplete
	if m.info.EP.Type == fi.EPDgram { // nobody tells that a datagram has come
		known &^= fi.OpDeliveryComplete | fi.OpMatchComplete
	}
	if m.info.Caps&fi.CapMulticast != 0 {
		known |= fi.OpMulticast
	}
	bits(m, "tx_attr.op_flags", w.OpFlags, known)
	a.OpFlags |= w.OpFlags
	bits(m, "tx_attr.msg_order", w.MsgOrder, a.MsgOrder)
	atLeast(m, "tx_attr.inject_size", w.InjectSize, a.InjectSize)
	atLeast(m, "tx_attr.size", w.Size, a.Size)
	atLeast(m, "tx_attr.iov_limit", w.IovLimit, a.IovLimit)
	atLeast(m, "tx_attr.rma_iov_limit", w.RMAIovLimit, a.RMAIovLimit)
	if w.TClass != fi.TClassUnspec {
		a.TClass = w.TClass
	}
}

func (m *matcher) rx() {
	w := m.h.Rx
	if w == nil {
		return
	}
	a := &m.info.Rx
	bits(m, "rx_attr.caps", w.Caps, a.Caps)
	if w.Caps != 0 {
		a.Caps = w.Caps
	}
	if missing := a.Mode &^ (w.Mode | m.h.Mode); missing != 0 {
		m.reject("rx_attr.mode", w.Mode, a.Mode)
	}
	bits(m, "rx_attr.op_flags", w.OpFlags, fi.OpCompletion|fi.OpMultiRecv)
	a.OpFlags |= w.OpFlags
	bits(m, "rx_attr.msg_order", w.MsgOrder, a.MsgOrder)
	atLeast(m, "rx_attr.size", w.Size, a.Size)
	atLeast(m, "rx_attr.iov_limit", w.IovLimit, a.IovLimit)
}
