package udp

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Issue posts an operation; with the lock.
func (e *endpoint) Issue(w *driver.Work) error {
	switch w.Kind {
	case driver.WorkSend:
		return e.sendLocked(w.Iov, w.Addr, w.Context, w.Flags)
	case driver.WorkRecv:
		err := e.IssueRecv(w)
		if err == nil {
			e.wakeLocked()
		}
		return err
	}
	return fi.ErrNoSys
}

var _ driver.Issuer = (*endpoint)(nil)
