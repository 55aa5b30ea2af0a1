package lnx

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
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
	l, err := o.e.to(to)
	if err != nil {
		return err
	}
	return l.ops.Msg.Send(buf, to, data, ctx, fl)
}

func (o *ops) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	l, err := o.e.to(m.Addr)
	if err != nil {
		return err
	}
	return l.ops.Msg.SendMsg(m, fl)
}

//fabric:fastpath
func (o *ops) TSend(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error {
	l, err := o.e.to(to)
	if err != nil {
		return err
	}
	return l.ops.Tagged.TSend(buf, to, tag, data, ctx, fl)
}

func (o *ops) TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	l, err := o.e.to(m.Addr)
	if err != nil {
		return err
	}
	return l.ops.Tagged.TSendMsg(m, fl)
}

//fabric:fastpath
func (o *ops) Write(buf []byte, to fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	l, err := o.e.to(to)
	if err != nil {
		return err
	}
	return l.ops.RMA.Write(buf, to, dst, data, ctx, fl)
}

func (o *ops) WriteMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	l, err := o.e.to(m.Addr)
	if err != nil {
		return err
	}
	return l.ops.RMA.WriteMsg(m, fl)
}

//fabric:fastpath
func (o *ops) Read(buf []byte, from fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error {
	l, err := o.e.to(from)
	if err != nil {
		return err
	}
	return l.ops.RMA.Read(buf, from, src, ctx, fl)
}

func (o *ops) ReadMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	l, err := o.e.to(m.Addr)
	if err != nil {
		return err
	}
	return l.ops.RMA.ReadMsg(m, fl)
}

//fabric:fastpath
func (o *ops) Atomic(k *fiatomic.Kernel, buf []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	l, err := o.e.to(to)
	if err != nil {
		return err
	}
	return l.ops.Atomic.Atomic(k, buf, to, dst, ctx, fl)
}

//fabric:fastpath
func (o *ops) FetchAtomic(k *fiatomic.Kernel, buf, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	l, err := o.e.to(to)
	if err != nil {
		return err
	}
	return l.ops.Atomic.FetchAtomic(k, buf, result, to, dst, ctx, fl)
}

//fabric:fastpath
func (o *ops) CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	l, err := o.e.to(to)
	if err != nil {
		return err
	}
	return l.ops.Atomic.CompareAtomic(k, buf, compare, result, to, dst, ctx, fl)
}

func (o *ops) AtomicMsg(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error {
	l, err := o.e.to(m.Addr)
	if err != nil {
		return err
	}
	return l.ops.Atomic.AtomicMsg(k, m, compare, result, fl)
}
