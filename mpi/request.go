package mpi

import (
	"context"
	"errors"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/device"
)

// Request is one operation in flight (MPI_Request). Its buffer belongs to the library until it is over, and is kept alive.
// A request needs not be freed; what it found can be asked for again and again.
type Request struct {
	c    *Comm
	op   *device.Op
	own  device.Op // what op points to, but for blocking calls that were left
	call string
	kind uint16
	recv bool
	coll bool // of a collective operation

	withdraw func() // instead of withdrawing op, of a receive that consists of several
}

func (c *Comm) request(call string, kind uint16, recv bool) *Request {
	r := &Request{c: c, call: call, kind: kind, recv: recv}
	r.op = &r.own
	return r
}

// withdrawWithin is how long a blocking receive whose context has ended waits for a message that has begun to arrive.
const withdrawWithin = time.Second

// ended makes a request that is over.
func (c *Comm) ended(call string) *Request {
	r := c.request(call, 0, false)
	r.op.Src = device.AnyPeer
	r.op.Finish()
	return r
}

// Isend begins to send (MPI_Isend).
//
// Errors: as Send; those of the operation come with Wait and Test.
func Isend[T any](c *Comm, buf []T, dst, tag int) (*Request, error) {
	b, kind, err := payload("Isend", buf)
	if err != nil {
		return nil, err
	}
	return c.isend("Isend", b, kind, dst, tag, standard)
}

// Issend begins to send; the request is over when the receiver has begun to receive (MPI_Issend).
//
// Errors: as Isend.
func Issend[T any](c *Comm, buf []T, dst, tag int) (*Request, error) {
	b, kind, err := payload("Issend", buf)
	if err != nil {
		return nil, err
	}
	return c.isend("Issend", b, kind, dst, tag, synchronous)
}

// Ibsend is Bsend (MPI_Ibsend): it copies, and the request is over at once.
//
// Errors: as Isend.
func Ibsend[T any](c *Comm, buf []T, dst, tag int) (*Request, error) {
	b, kind, err := payload("Ibsend", buf)
	if err != nil {
		return nil, err
	}
	if err := c.send(context.Background(), "Ibsend", b, kind, dst, tag, buffered); err != nil {
		return nil, err
	}
	return c.sent, nil
}

// Irsend is Isend to a rank that has posted the receive already (MPI_Irsend); it saves nothing here.
//
// Errors: as Isend.
func Irsend[T any](c *Comm, buf []T, dst, tag int) (*Request, error) {
	b, kind, err := payload("Irsend", buf)
	if err != nil {
		return nil, err
	}
	return c.isend("Irsend", b, kind, dst, tag, standard)
}

// Irecv begins to receive (MPI_Irecv).
//
// Errors: as Recv; those of the operation come with Wait and Test.
func Irecv[T any](c *Comm, buf []T, src, tag int) (*Request, error) {
	b, kind, err := payload("Irecv", buf)
	if err != nil {
		return nil, err
	}
	return c.irecv("Irecv", b, kind, src, tag)
}

func (c *Comm) isend(call string, buf []byte, kind uint16, dst, tag int, m mode) (*Request, error) {
	if err := c.to(call, dst, tag); err != nil {
		return nil, err
	}
	if dst == ProcNull {
		return c.ended(call), nil
	}
	d := c.job.dev
	if len(buf) <= d.Inject && m == standard {
		err := d.Send(nil, buf, c.world(dst), c.tag(tag), c.mark(kind))
		if err == nil {
			return c.sent, nil
		}
		return nil, c.fault(call, dst, err)
	}
	r := c.request(call, kind, false)
	if err := c.post(r.op, buf, kind, dst, tag, m); err != nil {
		return nil, c.fault(call, dst, err)
	}
	return r, nil
}

func (c *Comm) irecv(call string, buf []byte, kind uint16, src, tag int) (*Request, error) {
	if err := c.from(call, src, tag); err != nil {
		return nil, err
	}
	if src == ProcNull {
		r := c.ended(call)
		r.recv = true
		return r, nil
	}
	r := c.request(call, kind, true)
	from, bits, ignore := c.match(src, tag)
	if err := c.job.dev.Recv(r.op, buf, from, bits, ignore); err != nil {
		return nil, c.fault(call, src, err)
	}
	return r, nil
}

// Wait waits until the request is over (MPI_Wait). When ctx ends first the request goes on.
//
// Errors: those of the operation; ErrPending with ctx's; ErrProcFailedPending for a receive from AnySource that goes on
// without a rank that has failed, see AckFailed.
func (r *Request) Wait(ctx context.Context) (Status, error) {
	if err := r.c.job.dev.Wait(ctx, r.op); err != nil {
		if !ofContext(err) {
			return Status{}, r.pending(err)
		}
		return Status{}, &Error{Op: r.call, Class: ErrPending, Rank: NoRank, Err: err, Request: r, Hint: "the operation goes on"}
	}
	return r.result()
}

// Test tells whether the request is over, and with what (MPI_Test, MPI_Request_get_status). It does not wait.
//
// Errors: as Wait, once it is over; ErrProcFailedPending before.
func (r *Request) Test() (st Status, over bool, err error) {
	if !r.op.Done() {
		r.c.job.dev.Poll()
		if !r.op.Done() {
			return Status{}, false, r.glance()
		}
	}
	st, err = r.result()
	return st, true, err
}

// Done gives a channel that is closed when the request is over, for select. Nobody needs to call anything meanwhile.
func (r *Request) Done() <-chan struct{} {
	bell := r.op.Bell()
	if !r.op.Done() {
		d := r.c.job.dev
		d.Watch()
		go func() {
			d.Attend(r.op)
			d.Unwatch()
		}()
	}
	return bell
}

// Cancel withdraws a receive that nothing has matched (MPI_Cancel): it is over with Status.Cancelled then. One that has
// matched goes on; wait for it to know.
//
// Errors: ErrRequest for anything but a receive.
func (r *Request) Cancel() error {
	if !r.recv {
		return bad("Cancel", ErrRequest, NoRank, "only receives can be withdrawn")
	}
	switch {
	case !r.op.Active():
	case r.withdraw != nil:
		r.withdraw()
	default:
		r.c.job.dev.Cancel(r.op)
	}
	return nil
}

func (r *Request) result() (Status, error) {
	if r.recv {
		return r.c.received(r.call, r.op, r.kind)
	}
	if r.coll {
		return Status{}, r.c.collFault(r.call, r.op)
	}
	peer := NoRank
	if r.op.Err != nil && r.op.Peer >= 0 {
		peer = r.c.peer(r.op.Peer)
	}
	return Status{}, r.c.fault(r.call, peer, r.op.Err)
}

// pending makes the error of a request that goes on.
func (r *Request) pending(err error) error {
	peer := NoRank
	if r.op.Peer >= 0 {
		peer = r.c.peer(r.op.Peer)
	}
	e := r.c.fault(r.call, peer, err).(*Error) //nolint:errorlint // it was made there
	e.Request = r
	return e
}

// glance is what those do for a request that is not over who look again and again instead of waiting.
func (r *Request) glance() error {
	if err := r.c.job.dev.Doubt(r.op, true); err != nil {
		return r.pending(err)
	}
	return nil
}

func cancelled(op *device.Op) bool { return op.Err != nil && errors.Is(op.Err, fi.ErrCanceled) }

// received makes the status of a receive that is over.
func (c *Comm) received(call string, op *device.Op, kind uint16) (Status, error) {
	if op.Err == nil && op.Src < 0 && op.Tag == 0 {
		return noMessage, nil
	}
	if cancelled(op) {
		return Status{Source: AnySource, Tag: AnyTag, Cancelled: true}, nil
	}
	st := Status{Source: c.peer(op.Src), Tag: int(op.Tag & device.MaxTag), Bytes: op.Len}
	if op.Err != nil {
		peer := st.Source
		if peer < 0 && op.Peer >= 0 {
			peer = c.peer(op.Peer)
		}
		return st, c.fault(call, peer, op.Err)
	}
	if c.job.check {
		return st, typesDiffer(call, st.Source, kind, uint16(op.Data))
	}
	return st, nil
}
