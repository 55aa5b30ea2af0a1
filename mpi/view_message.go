package mpi

import (
	"context"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// SendView sends the elements of buf that a view means (MPI_Send of a derived datatype; MPI 4.1, 5.1). The receiver gets
// elements side by side, or puts them where a view of its own says. Elements that do not lie side by side are copied once by
// the library, so that buf may be used again when it returns.
//
// Errors: as Send; ErrArg for a view that cannot be or is larger than buf.
func SendView[T any](ctx context.Context, c *Comm, buf []T, v View, dst, tag int) error {
	const call = "SendView"
	b := BlockOf(buf, v)
	if err := b.check(call, false); err != nil {
		return err
	}
	return c.send(ctx, call, b.packed(), b.kind, dst, tag, standard)
}

// IsendView begins to send the elements of buf that a view means (MPI_Isend of a derived datatype).
//
// Errors: as SendView; those of the operation come with Wait and Test.
func IsendView[T any](c *Comm, buf []T, v View, dst, tag int) (*Request, error) {
	const call = "IsendView"
	b := BlockOf(buf, v)
	if err := b.check(call, false); err != nil {
		return nil, err
	}
	return c.isend(call, b.packed(), b.kind, dst, tag, standard)
}

// RecvView receives a message into the elements of buf that a view means, in its order (MPI_Recv of a derived datatype). It may
// be shorter than the view: the rest of the elements stay, as do those between them.
//
// Errors: as Recv; ErrArg for a view that cannot be, is larger than buf, or has an element twice.
func RecvView[T any](ctx context.Context, c *Comm, buf []T, v View, src, tag int) (Status, error) {
	b := BlockOf(buf, v)
	return c.recvBlock(ctx, "RecvView", &b, src, tag)
}

// IrecvView begins to receive a message into the elements of buf that a view means (MPI_Irecv of a derived datatype).
//
// Errors: as RecvView; those of the operation come with Wait and Test.
func IrecvView[T any](c *Comm, buf []T, v View, src, tag int) (*Request, error) {
	b := BlockOf(buf, v)
	return c.irecvBlock("IrecvView", &b, src, tag)
}

// SendRecvView sends elements of one slice and receives into elements of another, or of the same where the views have none in
// common: the borders of a grid, say (MPI_Sendrecv of derived datatypes).
//
// Errors: as SendView and RecvView.
func SendRecvView[T any](ctx context.Context, c *Comm, send []T, from View, dst, sendTag int, recv []T, to View, src, recvTag int) (Status, error) {
	const call = "SendRecvView"
	s, r := BlockOf(send, from), BlockOf(recv, to)
	if err := s.check(call, false); err != nil {
		return Status{}, err
	}
	if err := c.to(call, dst, sendTag); err != nil {
		return Status{}, err
	}
	q, err := c.irecvBlock(call, &r, src, recvTag)
	if err != nil {
		return Status{}, err
	}
	if err := c.send(ctx, call, s.packed(), s.kind, dst, sendTag, standard); err != nil {
		_ = q.Cancel()
		return Status{}, err
	}
	return q.Wait(ctx)
}

func (c *Comm) irecvBlock(call string, b *Block, src, tag int) (*Request, error) {
	if err := b.check(call, true); err != nil {
		return nil, err
	}
	if mem, ok := b.plain(); ok || src == ProcNull {
		return c.irecv(call, mem, b.kind, src, tag)
	}
	if err := c.from(call, src, tag); err != nil {
		return nil, err
	}
	packed := make([]byte, b.bytes())
	r := c.request(call, b.kind, true)
	r.op.Then = func(op *device.Op) {
		b.unpack(packed[:min(op.Len, len(packed))])
		op.Finish()
	}
	from, bits, ignore := c.match(src, tag)
	if err := c.job.dev.Recv(r.op, packed, from, bits, ignore); err != nil {
		return nil, c.fault(call, src, err)
	}
	return r, nil
}

func (c *Comm) recvBlock(ctx context.Context, call string, b *Block, src, tag int) (Status, error) {
	r, err := c.irecvBlock(call, b, src, tag)
	if err != nil {
		return Status{}, err
	}
	if err := c.job.dev.Wait(ctx, r.op); err != nil {
		st, withdrawn, werr := c.withdraw(call, r.op, b.kind, err)
		switch {
		case !withdrawn:
			return st, werr
		case !ofContext(err):
			return Status{}, c.fault(call, src, err)
		}
		return Status{}, &Error{Op: call, Class: ErrPending, Rank: src, Err: err, Hint: "the receive is withdrawn"}
	}
	return r.result()
}
