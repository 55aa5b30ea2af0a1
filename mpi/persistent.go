package mpi

import (
	"context"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// Persistent is an operation that can be started again and again with the same buffer (a persistent MPI_Request; MPI 4.1,
// 3.9). Start it, wait, start it again; once it was made, nothing is allocated.
type Persistent struct {
	*Request
	begin func(*device.Op) error
}

// SendInit prepares a Send (MPI_Send_init).
//
// Errors: as Send.
func SendInit[T any](c *Comm, buf []T, dst, tag int) (*Persistent, error) {
	return sendInit("SendInit", c, buf, dst, tag, standard)
}

// SsendInit prepares an Ssend (MPI_Ssend_init).
//
// Errors: as Send.
func SsendInit[T any](c *Comm, buf []T, dst, tag int) (*Persistent, error) {
	return sendInit("SsendInit", c, buf, dst, tag, synchronous)
}

// BsendInit prepares a Bsend (MPI_Bsend_init): each Start copies, and is over at once.
//
// Errors: as Send.
func BsendInit[T any](c *Comm, buf []T, dst, tag int) (*Persistent, error) {
	return sendInit("BsendInit", c, buf, dst, tag, buffered)
}

// RsendInit prepares an Rsend (MPI_Rsend_init).
//
// Errors: as Send.
func RsendInit[T any](c *Comm, buf []T, dst, tag int) (*Persistent, error) {
	return sendInit("RsendInit", c, buf, dst, tag, standard)
}

func sendInit[T any](call string, c *Comm, buf []T, dst, tag int, m mode) (*Persistent, error) {
	b, kind, err := payload(call, buf)
	if err != nil {
		return nil, err
	}
	if err := c.to(call, dst, tag); err != nil {
		return nil, err
	}
	return c.persistent(call, kind, false, func(op *device.Op) error {
		if m == buffered {
			if err := c.send(context.Background(), call, b, kind, dst, tag, m); err != nil {
				return err
			}
		}
		if dst == ProcNull || m == buffered {
			op.Src = device.AnyPeer
			op.Finish()
			return nil
		}
		return c.fault(call, dst, c.post(op, b, kind, dst, tag, m))
	}), nil
}

// RecvInit prepares a Recv (MPI_Recv_init).
//
// Errors: as Recv.
func RecvInit[T any](c *Comm, buf []T, src, tag int) (*Persistent, error) {
	const call = "RecvInit"
	b, kind, err := payload(call, buf)
	if err != nil {
		return nil, err
	}
	if err := c.from(call, src, tag); err != nil {
		return nil, err
	}
	from, bits, ignore := c.match(src, tag)
	return c.persistent(call, kind, true, func(op *device.Op) error {
		if src == ProcNull {
			op.Src = device.AnyPeer
			op.Finish()
			return nil
		}
		return c.fault(call, src, c.job.dev.Recv(op, b, from, bits, ignore))
	}), nil
}

// persistent makes one that is over, so that it can be started and waited for.
func (c *Comm) persistent(call string, kind uint16, recv bool, begin func(*device.Op) error) *Persistent {
	p := &Persistent{Request: c.request(call, kind, recv), begin: begin}
	p.op.Src = device.AnyPeer
	p.op.Finish()
	return p
}

// Start starts the operation (MPI_Start).
//
// Errors: ErrRequest when it has been started and is not over; those of the operation.
func (p *Persistent) Start() error {
	if p.op.Active() {
		return bad(p.call, ErrRequest, NoRank, "the operation goes on: wait for it before it is started again")
	}
	if err := p.c.usable(p.call); err != nil {
		return err
	}
	p.op.Reset()
	return p.begin(p.op)
}

// StartAll starts several operations (MPI_Startall).
//
// Errors: that of the first that cannot be started; those after it are not started.
func StartAll(ps ...*Persistent) error {
	for _, p := range ps {
		if err := p.Start(); err != nil {
			return err
		}
	}
	return nil
}
