package rdm

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// IssueRecv is the receiving part of a provider's [driver.Issuer]: it posts a receive of w. fi.ErrOpNotSupp on an endpoint
// whose receives are posted on a shared context. A connected endpoint then looks whether it came too late
// ([Endpoint.CancelReceives]). With the lock.
func (e *Endpoint) IssueRecv(w *driver.Work) error {
	x := e.Rx
	switch {
	case x.ep != e:
		return fi.ErrOpNotSupp
	case w.Flags&(fi.OpPeek|fi.OpClaim|fi.OpDiscard) != 0, w.Flags&fi.OpMultiRecv != 0 && w.Flags&driver.OpNotify != 0:
		return fi.ErrBadFlags
	case len(w.Iov) > x.iovLimit:
		return fi.ErrInvalid
	}
	q, directed, tag, ignore := &x.Msg, x.msgDirected, uint64(0), uint64(0)
	if w.Kind == driver.WorkTRecv {
		q, directed, tag, ignore = &x.Tag, x.tagDirected, w.Tag, w.Ignore
	}
	src, group, err := x.source(w.Addr, directed)
	if err != 0 {
		return err
	}
	switch buf := only(w.Iov); {
	case len(w.Iov) > 1:
		return x.vectorLocked(q, w.Iov, src, tag, ignore, group, w.Context, w.Flags)
	case w.Flags&fi.OpMultiRecv != 0:
		return x.multiLocked(q, buf, src, tag, ignore, group, w.Context, w.Flags)
	case x.closed:
		return fi.ErrBadFD
	default:
		if m := q.Post(buf, src, tag, ignore, group, w.Context, w.Flags); m != nil {
			x.take(q, m, nil, buf, nil, w.Context, w.Flags)
		}
	}
	return nil
}
