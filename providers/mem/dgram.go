package mem

import (
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

// cast sends a datagram (FI_EP_DGRAM). It is done when the call returns, wherever the datagram has gone: to a receive, to
// the few that are kept, or, for want of a peer or of room, nowhere. With the lock.
func (e *endpoint) cast(m *message, n int, to fi.Addr) error {
	if m.fl&rdm.Unserved != 0 {
		return fi.ErrOpNotSupp
	}
	if e.closed {
		return fi.ErrBadFD
	}
	d := e.dest(to)
	if d == nil {
		return fi.ErrInvalid
	}
	if !e.Reserve(m.fl) {
		return e.NoRoom()
	}
	if t, ok := e.d.p.byName[d.raw].(*endpoint); ok && t.datagrams && e.has(d.key) && t.has(d.key) {
		a := rdm.Arrival{Tagged: m.kind&fi.CompTagged != 0, Tag: m.tag, Len: n, Payload: flat(m.iov)}
		if m.fl&fi.OpRemoteCQData != 0 {
			a.Data, a.Flags = m.data, fi.CompRemoteCQData
		}
		t.sender(e, d.key).Arrive(&a)
	}
	e.TxEnd(m.ctx, m.fl, m.kind, n, m.tag, 0, "")
	return nil
}
