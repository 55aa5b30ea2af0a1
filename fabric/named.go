package fabric

import (
	"sync"
	"sync/atomic"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// named are the operations of an endpoint whose vector's names can name receive contexts: each name is turned into the
// place where the provider has that context. Contexts of scalable endpoints have them, too, which end before the provider's
// endpoint. All others do without.
type named struct {
	x    *contexts
	gone *atomic.Bool
	driver.Ops
}

// byName puts that in front of the operations.
func byName(ops *driver.Ops, x *contexts, gone *atomic.Bool) {
	n := named{x, gone, *ops}
	if ops.Msg != nil {
		ops.Msg = n
	}
	if ops.Tagged != nil {
		ops.Tagged = n
	}
	if ops.RMA != nil {
		ops.RMA = n
	}
	if ops.Atomic != nil {
		ops.Atomic = n
	}
}

func (n named) Send(buf []byte, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	return n.Msg.Send(buf, n.x.place(to), data, ctx, fl)
}

func (n named) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	at := copyOf(&msgs, m)
	at.Addr = n.x.place(m.Addr)
	err := n.Msg.SendMsg(at, fl)
	msgs.put(at)
	return err
}

func (n named) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	return n.Msg.Recv(buf, n.x.place(from), ctx, fl)
}

func (n named) RecvMsg(m *fi.Msg, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	at := copyOf(&msgs, m)
	at.Addr = n.x.place(m.Addr)
	err := n.Msg.RecvMsg(at, fl)
	msgs.put(at)
	return err
}

func (n named) TSend(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	return n.Tagged.TSend(buf, n.x.place(to), tag, data, ctx, fl)
}

func (n named) TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	at := copyOf(&taggedMsgs, m)
	at.Addr = n.x.place(m.Addr)
	err := n.Tagged.TSendMsg(at, fl)
	taggedMsgs.put(at)
	return err
}

func (n named) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	return n.Tagged.TRecv(buf, n.x.place(from), tag, ignore, ctx, fl)
}

func (n named) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	at := copyOf(&taggedMsgs, m)
	at.Addr = n.x.place(m.Addr)
	err := n.Tagged.TRecvMsg(at, fl)
	taggedMsgs.put(at)
	return err
}

func (n named) Write(buf []byte, to fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	return n.RMA.Write(buf, n.x.place(to), dst, data, ctx, fl)
}

func (n named) WriteMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	at := copyOf(&rmaMsgs, m)
	at.Addr = n.x.place(m.Addr)
	err := n.RMA.WriteMsg(at, fl)
	rmaMsgs.put(at)
	return err
}

func (n named) Read(buf []byte, from fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	return n.RMA.Read(buf, n.x.place(from), src, ctx, fl)
}

func (n named) ReadMsg(m *fi.RMAMsg, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	at := copyOf(&rmaMsgs, m)
	at.Addr = n.x.place(m.Addr)
	err := n.RMA.ReadMsg(at, fl)
	rmaMsgs.put(at)
	return err
}

func (n named) Atomic(k *fiatomic.Kernel, buf []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	return n.Ops.Atomic.Atomic(k, buf, n.x.place(to), dst, ctx, fl)
}

func (n named) FetchAtomic(k *fiatomic.Kernel, buf, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	return n.Ops.Atomic.FetchAtomic(k, buf, result, n.x.place(to), dst, ctx, fl)
}

func (n named) CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, to fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	return n.Ops.Atomic.CompareAtomic(k, buf, compare, result, n.x.place(to), dst, ctx, fl)
}

func (n named) AtomicMsg(k *fiatomic.Kernel, m *fi.AtomicMsg, compare, result [][]byte, fl fi.OpFlags) error {
	if n.gone.Load() {
		return fi.ErrBadFD
	}
	at := copyOf(&atomicMsgs, m)
	at.Addr = n.x.place(m.Addr)
	err := n.Ops.Atomic.AtomicMsg(k, at, compare, result, fl)
	atomicMsgs.put(at)
	return err
}

// The message forms get a copy with the other address: the caller's may be shared. The copies are used again.
var (
	msgs       copies[fi.Msg]
	taggedMsgs copies[fi.TaggedMsg]
	rmaMsgs    copies[fi.RMAMsg]
	atomicMsgs copies[fi.AtomicMsg]
)

type copies[T any] struct{ pool sync.Pool }

func copyOf[T any](c *copies[T], m *T) *T {
	at, ok := c.pool.Get().(*T)
	if !ok {
		at = new(T)
	}
	*at = *m
	return at
}

func (c *copies[T]) put(at *T) {
	*at = *new(T)
	c.pool.Put(at)
}
