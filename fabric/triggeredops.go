package fabric

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// The operations of an alias whose default flags have fi.OpTrigger: its calls without a flags argument are triggered. The
// inject forms have neither flags nor a context, and are not served.
type (
	triggeredMsg struct {
		driver.Messager
		v *Endpoint
	}
	triggeredTagged struct {
		driver.Tagger
		v *Endpoint
	}
	triggeredRMA struct {
		driver.RMA
		v *Endpoint
	}
	triggeredAtomic struct {
		driver.Atomics
		v *Endpoint
	}
)

// triggering puts the alias's own operations in front of the endpoint's, where they are triggered.
func (ep *Endpoint) triggering() {
	if (ep.tx|ep.rx)&fi.OpTrigger == 0 {
		return
	}
	ep.msg, ep.tagged = triggeredMsg{ep.msg, ep}, triggeredTagged{ep.tagged, ep}
	ep.rma, ep.atomic = triggeredRMA{ep.rma, ep}, triggeredAtomic{ep.atomic, ep}
}

// injected tells whether a call was one of the inject forms.
func (ep *Endpoint) injected(fl fi.OpFlags) bool {
	return ep.tx&fi.OpTrigger != 0 && fl&fi.OpTrigger == 0 && fl&fi.OpInject != 0
}

// Send and its kin are driver.Messager's.
func (o triggeredMsg) Send(buf []byte, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	switch {
	case fl&fi.OpTrigger != 0:
		return o.v.core.trigger(&driver.Work{Kind: driver.WorkSend, Iov: [][]byte{buf}, Addr: to, Data: data, Context: ctx, Flags: fl})
	case o.v.injected(fl):
		return fi.ErrOpNotSupp
	}
	return o.Messager.Send(buf, to, data, ctx, fl)
}

func (o triggeredMsg) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		w := sendWork(m)
		w.Flags = fl
		return o.v.core.trigger(&w)
	}
	return o.Messager.SendMsg(m, fl)
}

func (o triggeredMsg) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		return o.v.core.trigger(&driver.Work{Kind: driver.WorkRecv, Iov: [][]byte{buf}, Addr: from, Context: ctx, Flags: fl})
	}
	return o.Messager.Recv(buf, from, ctx, fl)
}

func (o triggeredMsg) RecvMsg(m *fi.Msg, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		w := recvWork(m)
		w.Flags = fl
		return o.v.core.trigger(&w)
	}
	return o.Messager.RecvMsg(m, fl)
}

// TSend and its kin are driver.Tagger's.
func (o triggeredTagged) TSend(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error {
	switch {
	case fl&fi.OpTrigger != 0:
		return o.v.core.trigger(&driver.Work{Kind: driver.WorkTSend, Iov: [][]byte{buf}, Addr: to, Tag: tag, Data: data, Context: ctx, Flags: fl})
	case o.v.injected(fl):
		return fi.ErrOpNotSupp
	}
	return o.Tagger.TSend(buf, to, tag, data, ctx, fl)
}

func (o triggeredTagged) TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		w := taggedWork(driver.WorkTSend, m)
		w.Flags = fl
		return o.v.core.trigger(&w)
	}
	return o.Tagger.TSendMsg(m, fl)
}

func (o triggeredTagged) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		return o.v.core.trigger(&driver.Work{Kind: driver.WorkTRecv, Iov: [][]byte{buf}, Addr: from, Tag: tag, Ignore: ignore, Context: ctx, Flags: fl})
	}
	return o.Tagger.TRecv(buf, from, tag, ignore, ctx, fl)
}

func (o triggeredTagged) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		w := taggedWork(driver.WorkTRecv, m)
		w.Flags = fl
		return o.v.core.trigger(&w)
	}
	return o.Tagger.TRecvMsg(m, fl)
}

// Write and its kin are driver.RMA's.
func (o triggeredRMA) Write(buf []byte, to fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	switch {
	case fl&fi.OpTrigger != 0:
		return o.v.core.trigger(&driver.Work{Kind: driver.WorkWrite, Iov: [][]byte{buf}, Addr: to, Data: data, RMA: remote(dst, [][]byte{buf}), Context: ctx, Flags: fl})
	case o.v.injected(fl):
		return fi.ErrOpNotSupp
	}
	return o.RMA.Write(buf, to, dst, data, ctx, fl)
}

func (o triggeredRMA) WriteMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		w := rmaWork(driver.WorkWrite, m)
		w.Flags = fl
		return o.v.core.trigger(&w)
	}
	return o.RMA.WriteMsg(m, fl)
}

func (o triggeredRMA) Read(buf []byte, from fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		return o.v.core.trigger(&driver.Work{Kind: driver.WorkRead, Iov: [][]byte{buf}, Addr: from, RMA: remote(src, [][]byte{buf}), Context: ctx, Flags: fl})
	}
	return o.RMA.Read(buf, from, src, ctx, fl)
}

func (o triggeredRMA) ReadMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		w := rmaWork(driver.WorkRead, m)
		w.Flags = fl
		return o.v.core.trigger(&w)
	}
	return o.RMA.ReadMsg(m, fl)
}

// Atomic and its kin are driver.Atomics'.
func (o triggeredAtomic) Atomic(k *fiatomic.Kernel, buf []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	switch {
	case fl&fi.OpTrigger != 0:
		return o.v.core.triggerOne(k, buf, nil, nil, to, dst, len(buf), ctx, fl)
	case o.v.injected(fl):
		return fi.ErrOpNotSupp
	}
	return o.Atomics.Atomic(k, buf, to, dst, ctx, fl)
}

func (o triggeredAtomic) FetchAtomic(k *fiatomic.Kernel, buf, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		return o.v.core.triggerOne(k, buf, nil, result, to, dst, len(result), ctx, fl)
	}
	return o.Atomics.FetchAtomic(k, buf, result, to, dst, ctx, fl)
}

func (o triggeredAtomic) CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		return o.v.core.triggerOne(k, buf, compare, result, to, dst, len(buf), ctx, fl)
	}
	return o.Atomics.CompareAtomic(k, buf, compare, result, to, dst, ctx, fl)
}

func (o triggeredAtomic) AtomicMsg(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error {
	if fl&fi.OpTrigger != 0 {
		w := atomicWork(k, m, compare, result)
		w.Flags = fl
		return o.v.core.trigger(&w)
	}
	return o.Atomics.AtomicMsg(k, m, compare, result, fl)
}

// triggerOne is trigger for an atomic of one buffer each.
func (c *epCore) triggerOne(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, n int, ctx any, fl fi.OpFlags) error {
	one := func(b []byte) [][]byte {
		if b == nil {
			return nil
		}
		return [][]byte{b}
	}
	m := &fi.AtomicMsg{Iov: one(buf), Addr: to, RMAIov: []fi.RMAIov{{Addr: dst.Addr, Len: uint64(n), Key: dst.Key}}, Context: ctx}
	w := atomicWork(k, m, one(compare), one(result))
	w.Flags = fl
	return c.trigger(&w)
}
