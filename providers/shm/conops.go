package shm

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// conOps are the operations of a connected endpoint but for its receives. Its peer is that of address 0, whatever the
// application says; the general forms do not look at the address.
type conOps struct{ *ops }

// ownConOps are those of one with receives of its own.
type ownConOps struct {
	rdm.ConnRx
	conOps
}

// sharedConOps are those of one whose receives are posted on a shared context.
type sharedConOps struct {
	rdm.NoReceiver
	conOps
}

// only is the address of the only peer.
const only fi.Addr = 0

func (o conOps) Send(buf []byte, _ fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	return o.ops.Send(buf, only, data, ctx, fl)
}

func (o conOps) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	return o.e.sendVector(m.Iov, only, 0, m.Data, m.Context, fl, rdm.KindSend)
}

func (o conOps) TSend(buf []byte, _ fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error {
	return o.ops.TSend(buf, only, tag, data, ctx, fl)
}

func (o conOps) TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	return o.e.sendVector(m.Iov, only, m.Tag, m.Data, m.Context, fl, rdm.KindTSend)
}

func (o conOps) Write(buf []byte, _ fi.Addr, dst mr.Remote, data uint64, ctx any, fl fi.OpFlags) error {
	return o.ops.Write(buf, only, dst, data, ctx, fl)
}

func (o conOps) Read(buf []byte, _ fi.Addr, src mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.ops.Read(buf, only, src, ctx, fl)
}

func (o conOps) Atomic(k *fiatomic.Kernel, buf []byte, _ fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.ops.Atomic(k, buf, only, dst, ctx, fl)
}

func (o conOps) FetchAtomic(k *fiatomic.Kernel, buf, result []byte, _ fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.ops.FetchAtomic(k, buf, result, only, dst, ctx, fl)
}

func (o conOps) CompareAtomic(k *fiatomic.Kernel, buf, compare, result []byte, _ fi.Addr, dst mr.Remote, ctx any, fl fi.OpFlags) error {
	return o.ops.CompareAtomic(k, buf, compare, result, only, dst, ctx, fl)
}

// posted ends a receive that was posted when the connection has ended.
func (e *endpoint) posted() {
	if e.con.over.Load() {
		e.d.eng.Lock()
		e.CancelReceives()
		e.d.eng.Unlock()
	}
}
