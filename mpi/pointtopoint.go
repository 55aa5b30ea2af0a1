package mpi

import (
	"context"
	"errors"
	"slices"

	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/element"
)

// mode is how a send completes.
type mode uint8

const (
	standard mode = iota
	synchronous
	buffered
)

// Send sends the elements of buf to a rank (MPI_Send; MPI 4.1, 3.2.1). It returns when buf may be used again, which says
// nothing about the receiver.
//
// Errors: ErrType, ErrRank, ErrTag, ErrComm; ErrProcFailed; ctx's, see package documentation.
func Send[T any](ctx context.Context, c *Comm, buf []T, dst, tag int) error {
	b, kind, err := payload("Send", buf)
	if err != nil {
		return err
	}
	return c.send(ctx, "Send", b, kind, dst, tag, standard)
}

// Ssend is Send that returns when the receiver has begun to receive (MPI_Ssend).
//
// Errors: as Send.
func Ssend[T any](ctx context.Context, c *Comm, buf []T, dst, tag int) error {
	b, kind, err := payload("Ssend", buf)
	if err != nil {
		return err
	}
	return c.send(ctx, "Ssend", b, kind, dst, tag, synchronous)
}

// Bsend is Send that copies and returns at once (MPI_Bsend). The memory is the library's: there is no buffer to attach.
//
// Errors: as Send.
func Bsend[T any](ctx context.Context, c *Comm, buf []T, dst, tag int) error {
	b, kind, err := payload("Bsend", buf)
	if err != nil {
		return err
	}
	return c.send(ctx, "Bsend", b, kind, dst, tag, buffered)
}

// Rsend is Send to a rank that has posted the receive already (MPI_Rsend); it saves nothing here.
//
// Errors: as Send.
func Rsend[T any](ctx context.Context, c *Comm, buf []T, dst, tag int) error {
	b, kind, err := payload("Rsend", buf)
	if err != nil {
		return err
	}
	return c.send(ctx, "Rsend", b, kind, dst, tag, standard)
}

// Recv receives a message of a rank, or of AnySource, with a tag, or AnyTag, into buf (MPI_Recv; MPI 4.1, 3.2.4). A message
// may be shorter than buf; Status says how long it is.
//
// Errors: as Send; ErrTruncated for a longer one, of which buf has the beginning.
func Recv[T any](ctx context.Context, c *Comm, buf []T, src, tag int) (Status, error) {
	b, kind, err := payload("Recv", buf)
	if err != nil {
		return Status{}, err
	}
	return c.recv(ctx, "Recv", b, kind, src, tag)
}

// SendRecv sends and receives at the same time (MPI_Sendrecv; MPI 4.1, 3.10). The buffers must not overlap.
//
// Errors: as Send and Recv.
func SendRecv[T, U any](ctx context.Context, c *Comm, send []T, dst, sendTag int, recv []U, src, recvTag int) (Status, error) {
	s, sendKind, err := payload("SendRecv", send)
	if err != nil {
		return Status{}, err
	}
	r, recvKind, err := payload("SendRecv", recv)
	if err != nil {
		return Status{}, err
	}
	return c.sendRecv(ctx, "SendRecv", s, sendKind, dst, sendTag, r, recvKind, src, recvTag)
}

// SendRecvReplace is SendRecv in one buffer: what is received replaces what was sent (MPI_Sendrecv_replace).
//
// Errors: as Send and Recv.
func SendRecvReplace[T any](ctx context.Context, c *Comm, buf []T, dst, sendTag, src, recvTag int) (Status, error) {
	b, kind, err := payload("SendRecvReplace", buf)
	if err != nil {
		return Status{}, err
	}
	return c.sendRecv(ctx, "SendRecvReplace", slices.Clone(b), kind, dst, sendTag, b, kind, src, recvTag)
}

// payload gives the memory of elements and what they are.
func payload[T any](call string, buf []T) ([]byte, uint16, error) {
	t, err := element.Of[T]()
	if err != nil {
		return nil, 0, &Error{Op: call, Class: ErrType, Rank: NoRank, Err: err}
	}
	return element.Bytes(buf), t.Hash, nil
}

func (c *Comm) send(ctx context.Context, call string, buf []byte, kind uint16, dst, tag int, m mode) error {
	if err := c.to(call, dst, tag); err != nil {
		return err
	}
	if dst == ProcNull {
		return nil
	}
	d := c.job.dev
	if len(buf) <= d.Inject && m != synchronous {
		return c.fault(call, dst, d.Send(nil, buf, c.world(dst), c.tag(tag), c.mark(kind)))
	}
	if m == buffered {
		_, err := c.isend(call, slices.Clone(buf), kind, dst, tag, standard)
		return err
	}
	op := device.TakeOp()
	if err := c.post(op, buf, kind, dst, tag, m); err != nil {
		device.PutOp(op)
		return c.fault(call, dst, err)
	}
	if err := d.Wait(ctx, op); err != nil {
		return c.left(call, op, dst, err)
	}
	err := op.Err
	device.PutOp(op)
	return c.fault(call, dst, err)
}

// mark is what a message says of its elements: nothing, unless types are compared.
func (c *Comm) mark(kind uint16) uint64 {
	if c.job.check {
		return uint64(kind)
	}
	return 0
}

// post starts a send with a completion.
func (c *Comm) post(op *device.Op, buf []byte, kind uint16, dst, tag int, m mode) error {
	if m == synchronous {
		return c.job.dev.SendMatched(op, buf, c.world(dst), c.tag(tag), c.mark(kind))
	}
	return c.job.dev.Send(op, buf, c.world(dst), c.tag(tag), c.mark(kind))
}

// left makes the error of a call whose context has ended while its operation goes on.
func (c *Comm) left(call string, op *device.Op, peer int, cause error) error {
	if !ofContext(cause) {
		e := c.fault(call, peer, cause).(*Error) //nolint:errorlint // it was made there
		e.Request = c.leftover(call, op)
		return e
	}
	return &Error{
		Op: call, Class: ErrPending, Rank: peer, Err: cause, Request: c.leftover(call, op),
		Hint: "the operation goes on and its buffer stays in use: Error.Request tells when it is over",
	}
}

// ofContext tells an error of a context from what the device has found out about an operation.
func ofContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (c *Comm) leftover(call string, op *device.Op) *Request {
	return &Request{c: c, op: op, call: call}
}

func (c *Comm) recv(ctx context.Context, call string, buf []byte, kind uint16, src, tag int) (Status, error) {
	if err := c.from(call, src, tag); err != nil {
		return Status{}, err
	}
	if src == ProcNull {
		return noMessage, nil
	}
	d := c.job.dev
	op := device.TakeOp()
	from, bits, ignore := c.match(src, tag)
	if err := d.Recv(op, buf, from, bits, ignore); err != nil {
		device.PutOp(op)
		return Status{}, c.fault(call, src, err)
	}
	if err := d.Wait(ctx, op); err != nil {
		if st, withdrawn, err := c.withdraw(call, op, kind, err); !withdrawn {
			return st, err
		}
		if !ofContext(err) {
			return Status{}, c.fault(call, src, err)
		}
		return Status{}, &Error{Op: call, Class: ErrPending, Rank: src, Err: err, Hint: "the receive is withdrawn"}
	}
	st, err := c.received(call, op, kind)
	device.PutOp(op)
	return st, err
}

// withdraw takes back a receive whose context has ended. What has begun to arrive is waited for.
func (c *Comm) withdraw(call string, op *device.Op, kind uint16, cause error) (st Status, withdrawn bool, err error) {
	d := c.job.dev
	d.Cancel(op)
	ctx, cancel := context.WithTimeout(context.Background(), withdrawWithin)
	defer cancel()
	if d.Wait(ctx, op) != nil {
		return Status{}, false, c.left(call, op, NoRank, cause)
	}
	if cancelled(op) {
		return Status{}, true, nil
	}
	st, err = c.received(call, op, kind)
	return st, false, err
}

func (c *Comm) sendRecv(ctx context.Context, call string, send []byte, sendKind uint16, dst, sendTag int, recv []byte, recvKind uint16, src, recvTag int) (Status, error) {
	if err := c.to(call, dst, sendTag); err != nil {
		return Status{}, err
	}
	r, err := c.irecv(call, recv, recvKind, src, recvTag)
	if err != nil {
		return Status{}, err
	}
	if err := c.send(ctx, call, send, sendKind, dst, sendTag, standard); err != nil {
		_ = r.Cancel()
		return Status{}, err
	}
	return r.Wait(ctx)
}
