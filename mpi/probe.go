package mpi

import (
	"context"
	"errors"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/device"
)

// Probe waits for a message that a receive with the same arguments would get, and leaves it where it is (MPI_Probe; MPI
// 4.1, 3.8.1). Between goroutines that receive at the same time use Mprobe.
//
// Errors: as Recv.
func (c *Comm) Probe(ctx context.Context, src, tag int) (Status, error) {
	_, st, err := c.probe(ctx, "Probe", src, tag, false)
	return st, err
}

// Iprobe is Probe that does not wait (MPI_Iprobe).
func (c *Comm) Iprobe(src, tag int) (Status, bool, error) {
	_, st, ok, err := c.peek("Iprobe", src, tag, false)
	return st, ok, err
}

// Mprobe waits for a message and takes it out of what others can receive (MPI_Mprobe; MPI 4.1, 3.8.2). RecvMessage
// receives it.
//
// Errors: as Recv.
func (c *Comm) Mprobe(ctx context.Context, src, tag int) (*Message, error) {
	m, _, err := c.probe(ctx, "Mprobe", src, tag, true)
	return m, err
}

// Improbe is Mprobe that does not wait: nil when there is no message (MPI_Improbe).
func (c *Comm) Improbe(src, tag int) (*Message, error) {
	m, _, _, err := c.peek("Improbe", src, tag, true)
	return m, err
}

// Message is one that Mprobe has taken (MPI_Message). It must be received.
type Message struct {
	Status Status
	c      *Comm
	op     *device.Op // what claimed it; nil: of nobody, or received
}

// RecvMessage receives a message that was taken (MPI_Mrecv).
//
// Errors: as Recv; ErrRequest when it was received already.
func RecvMessage[T any](ctx context.Context, m *Message, buf []T) (Status, error) {
	r, err := IrecvMessage(m, buf)
	if err != nil {
		return Status{}, err
	}
	return r.Wait(ctx)
}

// IrecvMessage begins to receive a message that was taken (MPI_Imrecv).
//
// Errors: as RecvMessage.
func IrecvMessage[T any](m *Message, buf []T) (*Request, error) {
	b, kind, err := payload("RecvMessage", buf)
	if err != nil {
		return nil, err
	}
	return m.receive("RecvMessage", b, kind)
}

func (m *Message) receive(call string, b []byte, kind uint16) (*Request, error) {
	if m == nil || m.c == nil {
		return nil, bad(call, ErrRequest, NoRank, "there is no message, or it was received already")
	}
	c, op := m.c, m.op
	m.c, m.op = nil, nil
	if op == nil {
		r := c.ended(call)
		r.recv = true
		return r, nil
	}
	if err := c.job.dev.Claimed(op, b); err != nil {
		return nil, c.fault(call, m.Status.Source, err)
	}
	return &Request{c: c, op: op, call: call, kind: kind, recv: true}, nil
}

func (c *Comm) probe(ctx context.Context, call string, src, tag int, claim bool) (m *Message, st Status, err error) {
	var found bool
	from, bits, ignore := device.AnyPeer, uint64(0), uint64(0)
	if err := c.from(call, src, tag); err != nil {
		return nil, Status{}, err
	} else if src != ProcNull {
		from, bits, ignore = c.match(src, tag)
	}
	d := c.job.dev
	ended := d.Await(ctx, func() bool {
		m, st, found, err = c.look(call, src, tag, claim)
		return found || err != nil
	}, func(long bool) error {
		err, _ := d.Verdict(from, bits, long)
		return err
	}, from, bits|ignore)
	switch {
	case found || err != nil:
	case ofContext(ended):
		err = &Error{Op: call, Class: ErrPending, Rank: src, Err: ended}
	default:
		err = c.fault(call, max(src, NoRank), ended)
	}
	return m, st, err
}

// peek looks once, for somebody who may look again and again.
func (c *Comm) peek(call string, src, tag int, claim bool) (*Message, Status, bool, error) {
	if err := c.from(call, src, tag); err != nil {
		return nil, Status{}, false, err
	}
	m, st, found, err := c.look(call, src, tag, claim)
	if found || err != nil {
		return m, st, found, err
	}
	from, bits, _ := c.match(src, tag)
	if err, _ := c.job.dev.Verdict(from, bits, true); err != nil {
		return nil, Status{}, false, c.fault(call, max(src, NoRank), err)
	}
	return nil, Status{}, false, nil
}

// look looks once.
func (c *Comm) look(call string, src, tag int, claim bool) (*Message, Status, bool, error) {
	if src == ProcNull {
		return &Message{Status: noMessage, c: c}, noMessage, true, nil
	}
	d := c.job.dev
	op := device.NewOp()
	from, bits, ignore := c.match(src, tag)
	if err := d.Peek(op, from, bits, ignore, claim); err != nil && !errors.Is(err, fi.ErrNoMsg) {
		return nil, Status{}, false, c.fault(call, src, err)
	} else if err != nil {
		return nil, Status{}, false, nil
	}
	for !op.Done() { // a look at a queue in memory: it is not worth sleeping for
		d.Poll()
	}
	switch {
	case op.Err == nil:
	case errors.Is(op.Err, fi.ErrNoMsg):
		return nil, Status{}, false, nil
	default:
		return nil, Status{}, false, c.fault(call, src, op.Err)
	}
	st := Status{Source: c.peer(op.Src), Tag: int(op.Tag & device.MaxTag), Bytes: op.Len}
	return &Message{Status: st, c: c, op: op}, st, true, nil
}
