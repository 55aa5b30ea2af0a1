package mem

import (
	"slices"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// Issue posts an operation; with the lock.
func (e *endpoint) Issue(w *driver.Work) error {
	switch w.Kind {
	case driver.WorkSend, driver.WorkTSend:
		return e.issueSend(w)
	case driver.WorkRecv, driver.WorkTRecv:
		err := e.IssueRecv(w)
		if err == nil && e.link != nil && e.link.state == linkDown {
			e.CancelReceives()
		}
		return err
	case driver.WorkRead, driver.WorkWrite:
		return e.accessLocked(w.Kind == driver.WorkWrite, clone(w.Iov), w.Addr, slices.Clone(w.RMA), w.Data, w.Context, w.Flags)
	case driver.WorkAtomic, driver.WorkFetch, driver.WorkCompare:
		return e.atomicLocked(w.Kernel, clone(w.Iov), clone(w.Compare), clone(w.Result), w.Addr, slices.Clone(w.RMA), w.Context, w.Flags)
	}
	return fi.ErrInvalid
}

func (e *endpoint) issueSend(w *driver.Work) error {
	if len(w.Iov) > iovLimit {
		return fi.ErrInvalid
	}
	m := &message{iov: clone(w.Iov), data: w.Data, ctx: w.Context, fl: w.Flags, kind: rdm.KindSend}
	if w.Kind == driver.WorkSend {
		return e.sendLocked(m, w.Addr, e.Max.Msg, e.Inject.Msg)
	}
	m.kind, m.tag = rdm.KindTSend, w.Tag
	return e.sendLocked(m, w.Addr, e.Max.Tagged, e.Inject.Tagged)
}

var _ driver.Issuer = (*endpoint)(nil)
