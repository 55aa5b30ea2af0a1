package lnx

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

//fabric:fastpath
func (o *ops) Write(buf []byte, to fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	l := o.e.to(to)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkWrite, Iov: one(buf), Addr: to, RMA: at(dst, len(buf)), Data: data, Context: ctx, Flags: fl})
	}
	return l.ops.RMA.Write(buf, to, dst, data, ctx, fl)
}

func (o *ops) WriteMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	if len(m.Iov) > o.e.Info.Tx.IovLimit || len(m.RMAIov) > o.e.Info.Tx.RMAIovLimit {
		return fi.ErrInvalid
	}
	l := o.e.to(m.Addr)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkWrite, Iov: m.Iov, Addr: m.Addr, RMA: m.RMAIov, Data: m.Data, Context: m.Context, Flags: fl})
	}
	return l.ops.RMA.WriteMsg(m, fl)
}

//fabric:fastpath
func (o *ops) Read(buf []byte, from fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error {
	l := o.e.to(from)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkRead, Iov: one(buf), Addr: from, RMA: at(src, len(buf)), Context: ctx, Flags: fl})
	}
	return l.ops.RMA.Read(buf, from, src, ctx, fl)
}

func (o *ops) ReadMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	if len(m.Iov) > o.e.Info.Tx.IovLimit || len(m.RMAIov) > o.e.Info.Tx.RMAIovLimit {
		return fi.ErrInvalid
	}
	l := o.e.to(m.Addr)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkRead, Iov: m.Iov, Addr: m.Addr, RMA: m.RMAIov, Data: m.Data, Context: m.Context, Flags: fl})
	}
	return l.ops.RMA.ReadMsg(m, fl)
}

//fabric:fastpath
func (o *ops) Atomic(k *fiatomic.Kernel, buf []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	l := o.e.to(to)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkAtomic, Iov: one(buf), Addr: to, RMA: at(dst, len(buf)), Kernel: k, Context: ctx, Flags: fl})
	}
	return l.ops.Atomic.Atomic(k, buf, to, dst, ctx, fl)
}

//fabric:fastpath
func (o *ops) FetchAtomic(k *fiatomic.Kernel, buf, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	l := o.e.to(to)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkFetch, Iov: one(buf), Result: one(result), Addr: to, RMA: at(dst, len(result)), Kernel: k, Context: ctx, Flags: fl})
	}
	return l.ops.Atomic.FetchAtomic(k, buf, result, to, dst, ctx, fl)
}

//fabric:fastpath
func (o *ops) CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	l := o.e.to(to)
	if l == nil {
		return o.e.first(&driver.Work{Kind: driver.WorkCompare, Iov: one(buf), Compare: one(compare), Result: one(result), Addr: to, RMA: at(dst, len(buf)),
			Kernel: k, Context: ctx, Flags: fl})
	}
	return l.ops.Atomic.CompareAtomic(k, buf, compare, result, to, dst, ctx, fl)
}

func (o *ops) AtomicMsg(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error {
	most := o.e.Info.Tx.IovLimit
	if len(m.Iov) > most || len(compare) > most || len(result) > most || len(m.RMAIov) > o.e.Info.Tx.RMAIovLimit {
		return fi.ErrInvalid
	}
	l := o.e.to(m.Addr)
	if l == nil {
		return o.e.first(&driver.Work{Kind: workOf(k), Iov: m.Iov, Compare: compare, Result: result, Addr: m.Addr, RMA: m.RMAIov, Kernel: k, Data: m.Data,
			Context: m.Context, Flags: fl})
	}
	return l.ops.Atomic.AtomicMsg(k, m, compare, result, fl)
}

// workOf is the kind of an atomic of a class.
func workOf(k *fiatomic.Kernel) driver.WorkKind {
	switch k.Kind() {
	case fi.AtomicFetch:
		return driver.WorkFetch
	case fi.AtomicCompare:
		return driver.WorkCompare
	}
	return driver.WorkAtomic
}

// at is n bytes at a place.
func at(r mr.Remote, n int) []fi.RMAIov {
	return []fi.RMAIov{{Addr: r.Addr, Len: uint64(n), Key: r.Key}}
}
