package mpi

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/value"
)

// A value travels as one message when its encoding is short. A longer one is announced by a message that takes its place in the
// order, and its body follows in a space that users cannot address, so that a receiver needs no probe:
//
//	0 zero, which no encoding starts with  1-8 bytes of the body  9-12 number of the body
//
// Little-endian. Bodies come in pieces (pieceOf), so that who says that much follows must send half of it before the
// receiver makes room for the rest.
const (
	shortValue = 4096
	announced  = 13
	firstPiece = 16 << 20
)

// pieceOf is how long the next piece of a body is, of which done bytes have come.
func pieceOf(done, all int) int { return min(max(firstPiece, done), all-done) }

// bodyTag is that of a body.
func (c *Comm) bodyTag(id uint32) uint64 { return device.TagOf(device.Remote, c.id, id) }

// SendValue sends a value of any type that can be encoded to a rank (MPI_Send of an object): plain memory as it is, types that
// encode themselves (encoding.BinaryAppender and BinaryMarshaler) that way, everything else by encoding/gob. The
// receiver needs not know its length. It returns when v may be changed again. Values and elements do not mix: what
// SendValue sends, RecvValue receives.
//
// Limits: a value that can hold itself, or an interface, has at most 512 KiB when it is encoded (128 KiB on 32-bit systems).
//
// Errors: as Send; ErrType for a value that cannot be encoded.
func SendValue[T any](ctx context.Context, c *Comm, v T, dst, tag int) error {
	const call = "SendValue"
	raw, err := c.encoded(call, dst, tag, func() ([]byte, error) { return value.Append(nil, v) })
	if err != nil {
		return err
	}
	if len(raw) <= shortValue {
		return c.send(ctx, call, raw, 0, dst, tag, standard)
	}
	r, err := c.isendBody(call, raw, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait(ctx)
	return err
}

// IsendValue begins to send a value (MPI_Isend of an object), which is encoded at once: v may be changed when it returns.
//
// Errors: as SendValue; those of the operation come with Wait and Test.
func IsendValue[T any](c *Comm, v T, dst, tag int) (*Request, error) {
	const call = "IsendValue"
	raw, err := c.encoded(call, dst, tag, func() ([]byte, error) { return value.Append(nil, v) })
	if err != nil {
		return nil, err
	}
	if len(raw) <= shortValue {
		return c.isend(call, raw, 0, dst, tag, standard)
	}
	return c.isendBody(call, raw, dst, tag)
}

// encoded gives the bytes of a value once the arguments have been checked.
func (c *Comm) encoded(call string, dst, tag int, encode func() ([]byte, error)) ([]byte, error) {
	if err := c.to(call, dst, tag); err != nil {
		return nil, err
	}
	if dst == ProcNull {
		return nil, nil
	}
	raw, err := encode()
	if err != nil {
		return nil, &Error{Op: call, Class: ErrType, Rank: NoRank, Err: err}
	}
	if len(raw) > maxValue {
		return nil, bad(call, ErrCount, NoRank, fmt.Sprintf("a value of %d bytes: %d are possible", len(raw), maxValue))
	}
	return raw, nil
}

// bodies is a send of a body, in pieces.
type bodies struct {
	c     *Comm
	op    device.Op
	left  atomic.Int32
	parts []device.Op
}

// isendBody announces a value and sends its body.
func (c *Comm) isendBody(call string, raw []byte, dst, tag int) (*Request, error) {
	to := c.world(dst)
	id := c.bodies.Add(1)
	head := binary.LittleEndian.AppendUint64([]byte{0}, uint64(len(raw)))
	head = binary.LittleEndian.AppendUint32(head, id)
	n := 1
	for done := 0; done < len(raw); n++ {
		done += pieceOf(done, len(raw))
	}
	b := &bodies{c: c, parts: make([]device.Op, n)}
	b.op.Peer, b.op.Src, b.op.Tag, b.op.Doubt = to, device.AnyPeer, c.bodyTag(id), b.doubt
	b.op.Begin()
	b.left.Store(1)
	err := b.post(0, head, to, c.tag(tag))
	for i, done := 1, 0; i < n && err == nil; i++ {
		next := done + pieceOf(done, len(raw))
		err = b.post(i, raw[done:next], to, c.bodyTag(id))
		done = next
	}
	if err != nil {
		return nil, c.fault(call, dst, err)
	}
	b.over()
	return &Request{c: c, op: &b.op, call: call}, nil
}

func (b *bodies) post(i int, buf []byte, to int, tag uint64) error {
	b.left.Add(1)
	op := &b.parts[i]
	op.Then = func(op *device.Op) {
		op.Finish()
		b.over()
	}
	err := b.c.job.dev.Send(op, buf, to, tag, 0)
	if err != nil {
		b.left.Add(-1)
	}
	return err
}

// over counts down and ends the whole with its parts.
func (b *bodies) over() {
	if b.left.Add(-1) != 0 {
		return
	}
	for i := range b.parts {
		if err := b.parts[i].Err; err != nil {
			b.op.Err = err
			break
		}
	}
	b.op.Finish()
}

// doubt asks for the parts.
func (b *bodies) doubt(_ *device.Op, long bool) error {
	for i := range b.parts {
		if p := &b.parts[i]; p.Active() {
			if err, _ := b.c.job.dev.Verdict(p.Peer, p.Tag, long); err != nil {
				b.c.job.dev.Withdraw(p, err)
			}
		}
	}
	return nil
}
