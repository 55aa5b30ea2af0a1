package lnx

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// operations are those that all links have; receives are the endpoint's own.
func (e *endpoint) operations(shared bool) driver.Ops {
	o := &ops{receives: receives{e.Rx, e}, e: e}
	all := driver.Ops{Msg: o, Tagged: o, RMA: o, Atomic: o}
	if shared {
		s := sharedOps{ops: o}
		all.Msg, all.Tagged = s, s
	}
	for _, l := range e.links {
		if l.ops.Msg == nil {
			all.Msg = nil
		}
		if l.ops.Tagged == nil {
			all.Tagged = nil
		}
		if l.ops.RMA == nil {
			all.RMA = nil
		}
		if l.ops.Atomic == nil {
			all.Atomic = nil
		}
	}
	return all
}

// receives are those of the endpoint's receive context.
type receives struct {
	*rdm.Rx
	e *endpoint
}

// looks are the flags of receives that look for a message that is here.
const looks = fi.OpPeek | fi.OpClaim | fi.OpDiscard

// RecvMsg posts a receive of the general form. A message that has come by any link must be found by the first look.
func (r receives) RecvMsg(m *fi.Msg, fl fi.OpFlags) error {
	if fl&looks != 0 {
		r.e.d.src.freshen()
	}
	return r.Rx.RecvMsg(m, fl)
}

// TRecvMsg is RecvMsg for tagged messages.
func (r receives) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	if fl&looks != 0 {
		r.e.d.src.freshen()
	}
	return r.Rx.TRecvMsg(m, fl)
}

// ops hand operations on to the link that leads to the peer.
type ops struct {
	receives
	e *endpoint
}

// sharedOps are those of an endpoint whose receives are posted on a shared context.
type sharedOps struct {
	rdm.NoReceiver
	*ops
}

//fabric:fastpath
func (o *ops) Send(buf []byte, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	l := o.e.to(to)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkSend, Iov: one(buf), Addr: to, Data: data, Context: ctx, Flags: fl})
	}
	return l.ops.Msg.Send(buf, to, data, ctx, fl)
}

func (o *ops) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	if len(m.Iov) > o.e.Info.Tx.IovLimit {
		return fi.ErrInvalid
	}
	l := o.e.to(m.Addr)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkSend, Iov: m.Iov, Addr: m.Addr, Data: m.Data, Context: m.Context, Flags: fl})
	}
	return l.ops.Msg.SendMsg(m, fl)
}

//fabric:fastpath
func (o *ops) TSend(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error {
	l := o.e.to(to)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkTSend, Iov: one(buf), Addr: to, Tag: tag, Data: data, Context: ctx, Flags: fl})
	}
	return l.ops.Tagged.TSend(buf, to, tag, data, ctx, fl)
}

func (o *ops) TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	if len(m.Iov) > o.e.Info.Tx.IovLimit {
		return fi.ErrInvalid
	}
	l := o.e.to(m.Addr)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkTSend, Iov: m.Iov, Addr: m.Addr, Tag: m.Tag, Data: m.Data, Context: m.Context, Flags: fl})
	}
	return l.ops.Tagged.TSendMsg(m, fl)
}

// one is a vector of a buffer; of an empty one it is empty.
func one(buf []byte) [][]byte {
	if len(buf) == 0 {
		return nil
	}
	return [][]byte{buf}
}
