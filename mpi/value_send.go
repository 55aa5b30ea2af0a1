package mpi

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// outgoing is a long value on its way, in pieces that are all posted at once.
type outgoing struct {
	c     *Comm
	op    device.Op // over when all pieces are
	body  []byte
	parts []device.Op
	left  atomic.Int32
	first atomic.Pointer[error] // the first error of a piece
}

// send posts the pieces. op says where they go and with which tag.
func (o *outgoing) send() {
	count := 0
	for off := 0; off < len(o.body); off += piece(off, len(o.body)) {
		count++
	}
	o.parts = make([]device.Op, count)
	o.left.Store(int32(count)) //nolint:gosec // their lengths double
	o.op.Doubt = o.doubt
	o.op.Begin()
	off := 0
	for i := range o.parts {
		p := &o.parts[i]
		p.Then = func(p *device.Op) { o.sent(p.Err, 1) }
		n := piece(off, len(o.body))
		if err := o.c.job.dev.Send(p, o.body[off:off+n], o.op.Peer, o.op.Want, 0); err != nil {
			o.sent(err, count-i)
			return
		}
		off += n
	}
}

// sent counts pieces that are over.
func (o *outgoing) sent(err error, n int) {
	if err != nil {
		o.first.CompareAndSwap(nil, &err)
	}
	if o.left.Add(int32(-n)) > 0 { //nolint:gosec // as above
		return
	}
	if first := o.first.Load(); first != nil {
		o.op.Err = *first
	}
	o.op.Finish()
}

// doubt withdraws what cannot be received any more.
func (o *outgoing) doubt(_ *device.Op, long bool) error {
	d := o.c.job.dev
	err, pending := d.Verdict(o.op.Peer, o.op.Want, long)
	if err == nil || pending {
		return err
	}
	o.first.CompareAndSwap(nil, &err)
	for i := range o.parts {
		if p := &o.parts[i]; p.Active() {
			d.Cancel(p)
		}
	}
	return nil
}
