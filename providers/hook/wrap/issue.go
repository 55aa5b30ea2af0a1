package wrap

import (
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// works are the calls that the library's own operations stand for.
var works = map[driver.WorkKind]API{driver.WorkSend: SendMsg, driver.WorkTSend: TSendMsg, driver.WorkRecv: RecvMsg, driver.WorkTRecv: TRecvMsg,
	driver.WorkRead: ReadMsg, driver.WorkWrite: WriteMsg, driver.WorkAtomic: AtomicMsg, driver.WorkFetch: FetchAtomicMsg, driver.WorkCompare: CompareAtomicMsg}

// Issue hands an operation of the library's own on. Its completion is a call, and passes nowhere here; one that completes
// in a queue all the same is told of when it does. It is posted with the lock held, so there is no Posting.
func (e *endpoint) Issue(w *driver.Work) error {
	inner, ok := driver.Ability[driver.Issuer](e.Endpoint)
	if !ok {
		return fi.ErrNoSys
	}
	if w.Flags&driver.OpNotify != 0 || w.Flags&(fi.OpInject|fi.OpCompletion) == fi.OpInject && !w.Kind.Receives() {
		return inner.Issue(w)
	}
	o := e.pending.new(w.Context, true)
	o.N, o.API, o.EP, o.Flags, o.Start = e.p.ops.Add(1), works[w.Kind], e.name, w.Flags, time.Now()
	o.Size, o.Addr, o.Tag, o.Ignore, o.Data, o.Kernel, o.Remote = max(size(w.Iov), size(w.Result)), w.Addr, w.Tag, w.Ignore, w.Data, w.Kernel, first(w.RMA)
	err := error(fi.ErrAgain)
	if o.reserved = !w.Kind.Receives() && w.Flags&fi.OpCompletion != 0 && e.tx != nil && e.tx.Reserve(); o.reserved || w.Kind.Receives() ||
		w.Flags&fi.OpCompletion == 0 || e.tx == nil {
		given := *w
		given.Context, given.Flags = o, o.flags()
		err = inner.Issue(&given)
	}
	if err != nil {
		if o.reserved {
			e.tx.Release()
		}
		e.pending.ended(o)
	}
	e.pending.release(o)
	return err
}
