package mpi

import (
	"context"
	"encoding/binary"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// The forms of point-to-point messages for values of any type that can be encoded. The receiver needs not know how long a
// value is: one that is short travels in the message, and of a longer one the message says how long it is, and the rest comes
// with a tag that the sender has made for it. So values keep their order, also among those of AnySource, and no probe is
// needed.

// SendValue sends a value to a rank, who gets it with RecvValue (MPI_Send of an object). It returns when v has been encoded
// and what was made of it is on its way; v may change then.
//
// Errors: as Send; ErrType when the value cannot be encoded.
func SendValue[T any](ctx context.Context, c *Comm, v T, dst, tag int) error {
	r, err := isendValue("SendValue", c, v, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait(ctx)
	return err
}

// IsendValue begins to send a value (MPI_Isend of an object). v is encoded at once, and may change when the call returns.
//
// Errors: as SendValue; those of the operation come with Wait and Test.
func IsendValue[T any](c *Comm, v T, dst, tag int) (*Request, error) {
	return isendValue("IsendValue", c, v, dst, tag)
}

// RecvValue receives a value of a rank, or of AnySource, with a tag, or AnyTag (MPI_Recv of an object). Status.Bytes is the
// length of its encoding. When ctx ends a value that has begun to arrive is lost, unless it comes within a second.
//
// Errors: as Recv; ErrType when the value is not of type T, or the message was not sent by a Value call.
func RecvValue[T any](ctx context.Context, c *Comm, src, tag int) (T, Status, error) {
	f, err := irecvValue[T]("RecvValue", c, src, tag)
	if err != nil {
		var none T
		return none, Status{}, err
	}
	return f.block(ctx)
}

// IrecvValue begins to receive a value (MPI_Irecv of an object).
//
// Errors: as Irecv; those of the operation come with the future.
func IrecvValue[T any](c *Comm, src, tag int) (*Future[T], error) {
	return irecvValue[T]("IrecvValue", c, src, tag)
}

// SendRecvValue sends a value and receives one of the same type at the same time (MPI_Sendrecv of objects).
//
// Errors: as SendValue and RecvValue.
func SendRecvValue[T any](ctx context.Context, c *Comm, v T, dst, sendTag, src, recvTag int) (T, Status, error) {
	const call = "SendRecvValue"
	var none T
	if err := c.to(call, dst, sendTag); err != nil {
		return none, Status{}, err
	}
	f, err := irecvValue[T](call, c, src, recvTag)
	if err != nil {
		return none, Status{}, err
	}
	r, err := isendValue(call, c, v, dst, sendTag)
	if err != nil {
		_ = f.Cancel()
		return none, Status{}, err
	}
	got, st, err := f.block(ctx)
	if err != nil {
		return none, Status{}, err
	}
	if _, err := r.Wait(ctx); err != nil {
		return none, Status{}, err
	}
	return got, st, nil
}

// RecvMessageValue receives the value of a message that Mprobe has taken (MPI_Mrecv of an object). What Mprobe says of the
// length is that of the message, which a long value is not in.
//
// Errors: as RecvMessage and RecvValue.
func RecvMessageValue[T any](ctx context.Context, m *Message) (T, Status, error) {
	const call = "RecvMessageValue"
	var none T
	f := &Future[T]{}
	if m != nil {
		f.in.c = m.c
	}
	buf := make([]byte, valueMessage)
	r, err := m.receive(call, buf, valueKind)
	if err != nil {
		return none, Status{}, err
	}
	st, err := r.Wait(ctx)
	if err != nil || st.Source == ProcNull {
		return none, st, err
	}
	f.in.call, f.in.buf = call, buf
	f.in.op.Begin()
	f.in.arrived(r.op)
	return f.block(ctx)
}

// What a message of a value holds: a byte that says which, and the encoding, or the id and the length of what comes apart.
const (
	valueWhole = 0
	valueApart = 1

	valueShort   = 4096 // the longest encoding that is in the message
	valueHead    = 1 + 4 + 8
	valueMessage = 1 + valueShort

	valueKind = 1 << 10 // the type of the elements of such messages: none that a slice has
)

// valuePiece is how much of a long value is received at first: room for more is made only when so much has come.
const valuePiece = 16 << 20

// piece is the length of what is sent and received of n bytes as one message, when off have been. All pieces but the first
// are as long as what came before, so that the receiver never makes room for more than twice of what it has.
func piece(off, n int) int { return min(n-off, max(off, valuePiece)) }

func isendValue[T any](call string, c *Comm, v T, dst, tag int) (*Request, error) {
	if err := c.to(call, dst, tag); err != nil {
		return nil, err
	}
	raw, n, err := encode(call, v)
	if err != nil {
		return nil, err
	}
	if n <= valueShort {
		return c.isend(call, append(append(make([]byte, 0, 1+n), valueWhole), raw...), valueKind, dst, tag, standard)
	}
	if dst == ProcNull {
		return c.ended(call), nil
	}
	id := c.values.Add(1)
	head := binary.LittleEndian.AppendUint32([]byte{valueApart}, id)
	head = binary.LittleEndian.AppendUint64(head, n)
	if _, err := c.isend(call, head, valueKind, dst, tag, standard); err != nil {
		return nil, err
	}
	o := &outgoing{c: c, body: raw}
	o.op.Peer, o.op.Want = c.world(dst), device.TagOf(device.Remote, c.id, id)
	o.send()
	return &Request{c: c, op: &o.op, call: call}, nil
}
