package tcp

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// Issue posts an operation; with the lock.
func (e *endpoint) Issue(w *driver.Work) error {
	switch w.Kind {
	case driver.WorkSend:
		return e.sendLocked(w.Iov, w.Addr, 0, w.Data, w.Context, w.Flags, rdm.KindSend)
	case driver.WorkTSend:
		return e.sendLocked(w.Iov, w.Addr, w.Tag, w.Data, w.Context, w.Flags, rdm.KindTSend)
	case driver.WorkRecv, driver.WorkTRecv:
		return e.issueRecv(w)
	case driver.WorkRead:
		return e.accessLocked(opRead, w.Iov, w.Addr, w.RMA, 0, w.Context, w.Flags)
	case driver.WorkWrite:
		return e.accessLocked(opWrite, w.Iov, w.Addr, w.RMA, w.Data, w.Context, w.Flags)
	case driver.WorkAtomic, driver.WorkFetch, driver.WorkCompare:
		if !e.d.cfg.extension {
			return fi.ErrNoSys
		}
		return e.atomicLocked(w.Kernel, w.Iov, w.Compare, w.Result, w.Addr, w.RMA, w.Context, w.Flags)
	}
	return fi.ErrInvalid
}

// issueRecv posts a receive, and ends it when the connection has ended.
func (e *endpoint) issueRecv(w *driver.Work) error {
	err := e.IssueRecv(w)
	if err == nil && e.over.Load() {
		e.CancelReceives()
	}
	return err
}

var _ driver.Issuer = (*endpoint)(nil)
