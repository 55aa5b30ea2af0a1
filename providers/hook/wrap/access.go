package wrap

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// access fills in a remote access.
func (o *Op) access(buf []byte, to fi.Addr, at mr.Remote, data uint64) {
	o.Buf, o.Size, o.Addr, o.Remote, o.Data = buf, len(buf), to, at, data
}

// first is where a vector begins.
func first(v []fi.RMAIov) mr.Remote {
	if len(v) == 0 {
		return mr.Remote{}
	}
	return mr.Remote{Addr: v[0].Addr, Key: v[0].Key}
}

// ofRMA fills in a remote access of the general form.
func (o *Op) ofRMA(m *fi.RMAMsg) {
	o.Iov, o.Desc, o.Size, o.Addr, o.Data, o.RMAIov, o.Remote = m.Iov, m.Desc, size(m.Iov), m.Addr, m.Data, m.RMAIov, first(m.RMAIov)
	o.rma = *m
	o.rma.Context = o.passed()
}

func (w operations) Write(buf []byte, to fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	e := w.e
	o := e.start(of(fl, Write, WriteData, InjectWrite, InjectWriteData), ctx, fl)
	o.access(buf, to, dst, data)
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.RMA.Write(buf, to, dst, data, o.passed(), o.flags()))
}

func (w operations) WriteMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	e := w.e
	o := e.start(WriteMsg, m.Context, fl)
	o.ofRMA(m)
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.RMA.WriteMsg(&o.rma, o.flags()))
}

func (w operations) Read(buf []byte, from fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error {
	e := w.e
	o := e.start(Read, ctx, fl)
	o.access(buf, from, src, 0)
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.RMA.Read(buf, from, src, o.passed(), o.flags()))
}

func (w operations) ReadMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	e := w.e
	o := e.start(ReadMsg, m.Context, fl)
	o.ofRMA(m)
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.RMA.ReadMsg(&o.rma, o.flags()))
}

func (w operations) Atomic(k *fiatomic.Kernel, buf []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	e := w.e
	o := e.start(of(fl, Atomic, Atomic, InjectAtomic, InjectAtomic), ctx, fl)
	o.access(buf, to, dst, 0)
	o.Kernel = k
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.Atomic.Atomic(k, buf, to, dst, o.passed(), o.flags()))
}

func (w operations) FetchAtomic(k *fiatomic.Kernel, buf, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	e := w.e
	o := e.start(FetchAtomic, ctx, fl)
	o.access(buf, to, dst, 0)
	o.Kernel, o.Result, o.Size = k, result, len(result)
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.Atomic.FetchAtomic(k, buf, result, to, dst, o.passed(), o.flags()))
}

func (w operations) CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	e := w.e
	o := e.start(CompareAtomic, ctx, fl)
	o.access(buf, to, dst, 0)
	o.Kernel, o.Compare, o.Result, o.Size = k, compare, result, len(result)
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.Atomic.CompareAtomic(k, buf, compare, result, to, dst, o.passed(), o.flags()))
}

func (w operations) AtomicMsg(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error {
	e := w.e
	a := AtomicMsg
	switch {
	case compare != nil:
		a = CompareAtomicMsg
	case result != nil:
		a = FetchAtomicMsg
	}
	o := e.start(a, m.Context, fl)
	o.Iov, o.CompareIov, o.ResultIov, o.Desc = m.Iov, compare, result, m.Desc
	o.Size, o.Addr, o.Data, o.RMAIov, o.Remote, o.Kernel = max(size(m.Iov), size(result)), m.Addr, m.Data, m.RMAIov, first(m.RMAIov), k
	o.amo = *m
	o.amo.Context = o.passed()
	if !o.posting(e.p) {
		return e.full(o)
	}
	return e.posted(o, e.ops.Atomic.AtomicMsg(k, &o.amo, compare, result, o.flags()))
}
