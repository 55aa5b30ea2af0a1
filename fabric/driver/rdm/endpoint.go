package rdm

import (
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Endpoint holds what an endpoint needs to receive and to complete. A provider's endpoint embeds it and calls Init when
// it is enabled.
type Endpoint struct {
	// What every message needs comes first, with the counts that it writes.
	TxCQ, RxCQ *cq.Queue
	txCounted  bool       // a counter of our operations is bound
	rxPlain    bool       // receives are neither counted nor checked for unknown senders
	sourceErr  bool       // unknown senders are reported as errors
	rxAdd      fi.OpFlags // what receives of a shared context get here
	counts     driver.OpCounts

	Eng     *driver.Engine
	Info    *fi.Info
	Regions *mr.Table
	AV      *driver.AV
	Rx      *Rx // its own or a shared one

	CntSend, CntRecv              *cq.Counter
	CntRead, CntWrite             *cq.Counter
	CntRemoteRead, CntRemoteWrite *cq.Counter

	Max, Inject driver.Sizes
	SharedTx    *driver.SharedTx // nil: its own

	Again driver.Tally // operations that found no room; the provider counts them, with the lock
	Conns ConnCounts
	free  *Transfer
	whole func(raw []byte) []byte // of a part: a peer's address as the application knows it

	Keyed bool           // the vector has addresses with keys (FI_AV_AUTH_KEY)
	Key   driver.AuthKey // without Keyed: the one that the endpoint has; the provider sets it
}

// Init takes the bindings over. An endpoint without a shared receive context gets one of its own.
func (e *Endpoint) Init(eng *driver.Engine, info *fi.Info, regions *mr.Table, b *driver.Bindings) {
	e.Eng, e.Info, e.Regions, e.AV = eng, info, regions, b.AV
	e.SharedTx, e.Keyed = b.SharedTx, info.Domain.AVAuthKey
	e.sourceErr = info.Caps&fi.CapSourceErr != 0
	e.Rebind(b)
	e.whole = b.Whole
	if x, given := b.SharedRx.(*Rx); given {
		if e.Rx = x; x.ep != nil { // of the endpoint that this one is a part of: what we report is what that one does
			return
		}
		e.rxPlain = false
		if !b.RxSelective {
			e.rxAdd = fi.OpCompletion
		}
	} else {
		if e.Rx == nil {
			e.Rx = NewRx(eng, info)
		}
		e.Rx.ep = e
	}
}

// Rebind takes over what reports, and the limits, as b has them now. With the lock.
func (e *Endpoint) Rebind(b *driver.Bindings) {
	e.Max, e.Inject = b.Max, b.Inject
	e.TxCQ, e.RxCQ = b.TxCQ, b.RxCQ
	e.CntSend, e.CntRecv, e.CntRead, e.CntWrite = b.CntSend, b.CntRecv, b.CntRead, b.CntWrite
	e.CntRemoteRead, e.CntRemoteWrite = b.CntRemoteRead, b.CntRemoteWrite
	e.txCounted = b.CntSend != nil || b.CntRead != nil || b.CntWrite != nil
	e.rxPlain = b.CntRecv == nil && !e.sourceErr
}

// Receiver is what receive calls on the endpoint go to. With a shared context they have no place: receives are posted on
// the context itself.
func (e *Endpoint) Receiver() Receiver {
	if e.Rx.ep != e {
		return NoReceiver{}
	}
	return e.Rx
}

// Receiver is the receiving half of an endpoint's operations.
type Receiver interface {
	driver.Receiver
	driver.TaggedReceiver
}

// NoReceiver refuses receives.
type NoReceiver struct{}

// Recv gives fi.ErrOpNotSupp.
func (NoReceiver) Recv([]byte, fi.Addr, any, fi.OpFlags) error { return fi.ErrOpNotSupp }

// RecvMsg gives fi.ErrOpNotSupp.
func (NoReceiver) RecvMsg(*fi.Msg, fi.OpFlags) error { return fi.ErrOpNotSupp }

// TRecv gives fi.ErrOpNotSupp.
func (NoReceiver) TRecv([]byte, fi.Addr, uint64, uint64, any, fi.OpFlags) error {
	return fi.ErrOpNotSupp
}

// TRecvMsg gives fi.ErrOpNotSupp.
func (NoReceiver) TRecvMsg(*fi.TaggedMsg, fi.OpFlags) error { return fi.ErrOpNotSupp }

// Reserve takes a place in the transmit queue for an operation with flags fl; false when the queue is full.
//
//fabric:fastpath
func (e *Endpoint) Reserve(fl fi.OpFlags) bool {
	return fl&fi.OpCompletion == 0 || e.TxCQ.Reserve()
}

// Unreserve gives the place back: the operation was not accepted.
func (e *Endpoint) Unreserve(fl fi.OpFlags) {
	if fl&fi.OpCompletion != 0 {
		e.TxCQ.Release()
	}
}

// TxDone completes an operation that we initiated. Its kind says which counter counts it.
//
//fabric:fastpath
func (e *Endpoint) TxDone(ctx any, fl fi.OpFlags, kind fi.CompFlags, n int, tag uint64) {
	e.counts.Done(txKind(kind), n)
	if fl&fi.OpCompletion != 0 {
		e.TxCQ.Put(ctx, kind, n, tag)
	}
	if e.txCounted {
		e.count(kind, n)
	}
}

func (e *Endpoint) count(kind fi.CompFlags, n int) {
	if c := e.txCounter(kind); c != nil {
		c.Done(n)
	}
}

// TxEnd completes an operation that was not done at once, as a success when err is 0: by TxDone or TxFail, or by a call
// of its context when it has [driver.OpNotify]. Operations that can have that flag end here.
func (e *Endpoint) TxEnd(ctx any, fl fi.OpFlags, kind fi.CompFlags, n int, tag uint64, err fi.Errno, text string) {
	switch {
	case err != 0:
		e.TxFail(ctx, fl, kind, 0, tag, err, text)
	case fl&driver.OpNotify != 0:
		e.counts.Done(txKind(kind), n)
		ctx.(driver.Notified).Done(cq.ErrEntry{Entry: cq.Entry{Context: ctx, Flags: kind, Len: n, Tag: tag, Src: fi.AddrNotAvail}})
	default:
		e.TxDone(ctx, fl, kind, n, tag)
	}
}

// TxFail completes an operation that we initiated with an error; errors are always reported.
func (e *Endpoint) TxFail(ctx any, fl fi.OpFlags, kind fi.CompFlags, n int, tag uint64, err fi.Errno, text string) {
	e.counts.Fail(txKind(kind))
	if fl&driver.OpNotify != 0 {
		ctx.(driver.Notified).Done(failed(ctx, kind, n, tag, err, text))
		return
	}
	if c := e.txCounter(kind); c != nil {
		c.Fail()
	}
	if e.TxCQ == nil {
		return
	}
	entry := failed(ctx, kind, n, tag, err, text)
	if fl&fi.OpCompletion != 0 {
		e.TxCQ.PutErr(entry)
	} else {
		e.TxCQ.AddErr(entry)
	}
}

func failed(ctx any, kind fi.CompFlags, n int, tag uint64, err fi.Errno, text string) cq.ErrEntry {
	if text == "" {
		text = explain(err, kind, n, 0)
	}
	return cq.ErrEntry{Entry: cq.Entry{Context: ctx, Flags: kind, Len: n, Tag: tag, Src: fi.AddrNotAvail}, Err: err, Text: text}
}

func (e *Endpoint) txCounter(kind fi.CompFlags) *cq.Counter {
	switch {
	case kind&(fi.CompSend|fi.CompCollective) != 0:
		return e.CntSend
	case kind&fi.CompWrite != 0:
		return e.CntWrite
	}
	return e.CntRead
}

// Flags of the completions that rdm and its providers write.
const (
	KindSend    = fi.CompSend | fi.CompMsg
	KindTSend   = fi.CompSend | fi.CompTagged
	KindWrite   = fi.CompWrite | fi.CompRMA
	KindRead    = fi.CompRead | fi.CompRMA
	KindAtomic  = fi.CompWrite | fi.CompAtomic
	KindFetch   = fi.CompRead | fi.CompAtomic
	KindRecv    = fi.CompRecv | fi.CompMsg
	KindTRecv   = fi.CompRecv | fi.CompTagged
	kindWritten = fi.CompRemoteWrite | fi.CompRMA | fi.CompRemoteCQData
)

// recvDone completes a receive.
//
//fabric:fastpath
func (e *Endpoint) recvDone(ctx any, fl fi.OpFlags, kind fi.CompFlags, n int, data, tag uint64, p *Peer) {
	e.counts.Done(rxKind(kind), n)
	if fl&fi.OpCompletion == 0 {
		e.recvSilent(ctx, fl, kind, n, data, tag, p)
		return
	}
	if !e.rxPlain && e.recvMore(ctx, fl, kind, n, data, tag, p) {
		return
	}
	e.RxCQ.AddRecv(ctx, kind, n, data, tag, p.Addr)
}

// recvSilent completes a receive that asks for no entry: by a call of its context when it has driver.OpNotify.
//
//go:noinline
func (e *Endpoint) recvSilent(ctx any, fl fi.OpFlags, kind fi.CompFlags, n int, data, tag uint64, p *Peer) {
	switch {
	case fl&driver.OpNotify != 0:
		entry := cq.ErrEntry{Entry: cq.Entry{Context: ctx, Flags: kind, Len: n, Data: data, Tag: tag, Src: p.Addr}}
		if e.sourceErr && p.Addr == fi.AddrNotAvail {
			entry.Src, entry.ErrData = p.unknown()
		}
		ctx.(driver.Notified).Done(entry)
	case !e.rxPlain:
		e.recvMore(ctx, fl, kind, n, data, tag, p)
	}
}

// recvMore counts a receive, and completes one of an unknown sender or of a shared context, which does not know what the
// endpoint reports.
//
//go:noinline
func (e *Endpoint) recvMore(ctx any, fl fi.OpFlags, kind fi.CompFlags, n int, data, tag uint64, p *Peer) (done bool) {
	if c := e.CntRecv; c != nil {
		c.Done(n)
	}
	fl |= e.rxAdd
	if e.sourceErr && p.Addr == fi.AddrNotAvail && fl&fi.OpCompletion != 0 {
		if e.RxCQ != nil {
			e.unknownSender(ctx, kind, n, nil, data, tag, p)
		}
		return true
	}
	if e.Rx.ep != nil {
		return false
	}
	if fl&fi.OpCompletion != 0 && e.RxCQ != nil {
		e.RxCQ.AddRecv(ctx, kind, n, data, tag, p.Addr)
	}
	return true
}

// unknownSender reports a message that was received from an address that is not in the vector (FI_SOURCE_ERR).
//
//go:noinline
func (e *Endpoint) unknownSender(ctx any, kind fi.CompFlags, n int, buf []byte, data, tag uint64, p *Peer) {
	src, raw := p.unknown()
	e.RxCQ.AddErr(cq.ErrEntry{
		Entry:   cq.Entry{Context: ctx, Flags: kind, Len: n, Buf: buf, Data: data, Tag: tag, Src: src},
		Err:     fi.ErrAddrNotAvail,
		ErrData: raw,
		Text:    driver.UnknownSender,
	})
}

// unknown is what is known of a sender that is not in the vector: the key that it came with, if the vector has those, and
// its address.
func (p *Peer) unknown() (src fi.Addr, raw []byte) {
	if whole := p.EP.whole; whole != nil {
		return fi.AddrNotAvail, whole(p.Raw)
	}
	if !p.EP.Keyed {
		return fi.AddrNotAvail, p.Raw
	}
	raw, key := driver.SplitAddr(p.Raw)
	return p.EP.AV.KeyUserID(key), raw
}

// key is the one that the peer came with.
func (p *Peer) key() driver.AuthKey {
	if !p.EP.Keyed {
		return p.EP.Key
	}
	_, key := driver.SplitAddr(p.Raw)
	return key
}

// recvFail completes a receive in error.
func (e *Endpoint) recvFail(ctx any, fl fi.OpFlags, kind fi.CompFlags, n, olen int, buf []byte, data, tag uint64, src fi.Addr, err fi.Errno, text string) {
	if text == "" {
		text = explain(err, kind, n, olen)
	}
	e.counts.Fail(rxKind(kind))
	entry := cq.ErrEntry{
		Entry: cq.Entry{Context: ctx, Flags: kind, Len: n, Buf: buf, Data: data, Tag: tag, Src: src},
		Err:   err, OLen: olen, Text: text,
	}
	if fl&driver.OpNotify != 0 {
		ctx.(driver.Notified).Done(entry)
		return
	}
	if c := e.CntRecv; c != nil {
		c.Fail()
	}
	if e.RxCQ != nil {
		e.RxCQ.AddErr(entry)
	}
}
