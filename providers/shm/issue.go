package shm

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// Issue posts an operation; with the lock.
func (e *endpoint) Issue(w *driver.Work) error {
	to := w.Addr
	if e.con != nil {
		to = only
	}
	switch w.Kind {
	case driver.WorkSend:
		return e.sendLocked(w.Iov, to, 0, w.Data, w.Context, w.Flags, rdm.KindSend)
	case driver.WorkTSend:
		return e.sendLocked(w.Iov, to, w.Tag, w.Data, w.Context, w.Flags, rdm.KindTSend)
	case driver.WorkRecv, driver.WorkTRecv:
		return e.issueRecv(w)
	case driver.WorkRead:
		return e.accessLocked(opKindRead, w.Iov, to, w.RMA, 0, w.Context, w.Flags)
	case driver.WorkWrite:
		return e.accessLocked(opKindWrite, w.Iov, to, w.RMA, w.Data, w.Context, w.Flags)
	case driver.WorkAtomic, driver.WorkFetch, driver.WorkCompare:
		return e.atomicLocked(w.Kernel, w.Iov, w.Compare, w.Result, to, w.RMA, w.Context, w.Flags)
	}
	return fi.ErrInvalid
}

// issueRecv posts a receive, and ends it when the connection has ended.
func (e *endpoint) issueRecv(w *driver.Work) error {
	err := e.IssueRecv(w)
	if err == nil && e.con != nil && e.con.over.Load() {
		e.CancelReceives()
	}
	return err
}

var _ driver.Issuer = (*endpoint)(nil)
