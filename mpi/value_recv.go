package mpi

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/value"
)

// RecvValue receives a value that SendValue or IsendValue has sent (MPI_Recv of an object). Status.Bytes is the length of its
// encoding. When ctx ends before a message has matched the receive is withdrawn; after that the value is lost, as its message
// has been taken: IrecvValue keeps it.
//
// Errors: as Recv; ErrType when the value is of another type than T, or the message is no value; it is received all the same.
func RecvValue[T any](ctx context.Context, c *Comm, src, tag int) (T, Status, error) {
	f, err := irecvValue[T](c, "RecvValue", src, tag)
	if err != nil {
		var zero T
		return zero, Status{}, err
	}
	return f.await(ctx)
}

// IrecvValue begins to receive a value (MPI_Irecv of an object).
//
// Errors: as RecvValue; those of the operation come with Wait.
func IrecvValue[T any](c *Comm, src, tag int) (*Future[T], error) {
	return irecvValue[T](c, "IrecvValue", src, tag)
}

func irecvValue[T any](c *Comm, call string, src, tag int) (*Future[T], error) {
	if err := c.from(call, src, tag); err != nil {
		return nil, err
	}
	in := c.incoming(call)
	if src == ProcNull {
		in.op.Src, in.op.Tag = device.AnyPeer, 0
		in.op.Finish()
		return &Future[T]{in}, nil
	}
	from, bits, ignore := c.match(src, tag)
	in.op.Peer, in.op.Tag = from, bits|ignore
	if err := c.job.dev.Recv(&in.part, in.head, from, bits, ignore); err != nil {
		return nil, c.fault(call, src, err)
	}
	return &Future[T]{in}, nil
}

// SendRecvValue sends a value and receives one at the same time (MPI_Sendrecv of objects).
//
// Errors: as SendValue and RecvValue.
func SendRecvValue[T, U any](ctx context.Context, c *Comm, v T, dst, sendTag, src, recvTag int) (U, Status, error) {
	var zero U
	f, err := irecvValue[U](c, "SendRecvValue", src, recvTag)
	if err != nil {
		return zero, Status{}, err
	}
	r, err := IsendValue(c, v, dst, sendTag)
	if err != nil {
		_ = f.Cancel()
		return zero, Status{}, err
	}
	u, st, err := f.await(ctx)
	if _, serr := r.Wait(ctx); err == nil {
		err = serr
	}
	return u, st, err
}

// RecvMessageValue receives a message that Mprobe has taken as a value (MPI_Mrecv of an object). The message's own Status counts
// the bytes of a long value's announcement.
//
// Errors: as RecvValue; ErrRequest when it was received already.
func RecvMessageValue[T any](ctx context.Context, m *Message) (T, Status, error) {
	const call = "RecvMessageValue"
	var zero T
	if m == nil || m.c == nil {
		return zero, Status{}, bad(call, ErrRequest, NoRank, "there is no message, or it was received already")
	}
	if m.op == nil {
		m.c = nil
		return zero, noMessage, nil
	}
	in := m.c.incoming(call)
	in.op.Peer, in.op.Tag = m.op.Peer, m.op.Tag
	r, err := m.receive(call, in.head, 0)
	if err != nil {
		return zero, Status{}, err
	}
	d := in.c.job.dev
	if err := d.Wait(ctx, r.op); err != nil {
		return zero, Status{}, in.c.left(call, r.op, NoRank, err)
	}
	in.part.Err, in.part.Src, in.part.Len, in.part.Tag = r.op.Err, r.op.Src, r.op.Len, r.op.Tag
	in.came(&in.part)
	return (&Future[T]{in}).await(ctx)
}

// Future is a value that is being received. All methods may be called by any number of goroutines.
type Future[T any] struct{ in *incoming }

// Wait waits for the value (MPI_Wait). When ctx ends first the receive goes on, and Wait may be called again. Each call
// decodes a value of its own.
//
// Errors: those of RecvValue; ErrPending with ctx's.
func (f *Future[T]) Wait(ctx context.Context) (T, Status, error) {
	var zero T
	st, err := f.in.request().Wait(ctx)
	if err != nil || st.Cancelled || st.Source == ProcNull {
		return zero, st, err
	}
	v, err := value.Decode[T](f.in.raw)
	if err != nil {
		return zero, st, &Error{Op: f.in.call, Class: ErrType, Rank: st.Source, Err: err}
	}
	return v, st, nil
}

// Test tells whether the value is there, without waiting (MPI_Test); Wait gives it.
//
// Errors: as Wait.
func (f *Future[T]) Test() (Status, bool, error) { return f.in.request().Test() }

// Done gives a channel that is closed when the value is there, or is known not to come.
func (f *Future[T]) Done() <-chan struct{} { return f.in.request().Done() }

// Cancel withdraws the receive, if no message has matched: Wait gives a status with Cancelled then (MPI_Cancel).
func (f *Future[T]) Cancel() error { return f.in.request().Cancel() }

// Request is that of the receive, for WaitAny and its kin; Wait of the future gives the value.
func (f *Future[T]) Request() *Request { return f.in.request() }

// await is Wait that withdraws the receive when ctx ends.
func (f *Future[T]) await(ctx context.Context) (T, Status, error) {
	v, st, err := f.Wait(ctx)
	if err == nil || !ofContext(err) {
		return v, st, err
	}
	_ = f.Cancel()
	rest, cancel := context.WithTimeout(context.Background(), withdrawWithin)
	defer cancel()
	if v, st, again := f.Wait(rest); again == nil && !st.Cancelled {
		return v, st, nil
	} else if again == nil {
		e := bad(f.in.call, ErrPending, NoRank, "the receive is withdrawn")
		e.Err = ctx.Err()
		return v, Status{}, e
	}
	return v, st, err
}

// incoming is a value on its way: op is over when all of it is there.
type incoming struct {
	c    *Comm
	call string
	op   device.Op
	part device.Op // what is being received for it
	next atomic.Pointer[device.Op]
	r    Request
	head []byte
	raw  []byte // the encoding
	all  int    // how long it will be
	id   uint32
}

func (c *Comm) incoming(call string) *incoming {
	in := &incoming{c: c, call: call, head: make([]byte, shortValue)}
	in.r = Request{c: c, op: &in.op, call: call, recv: true, withdraw: in.cancel}
	in.op.Doubt = in.doubt
	in.op.Begin()
	in.part.Then = in.came
	in.next.Store(&in.part)
	return in
}

func (in *incoming) request() *Request { return &in.r }

// came takes the first message: the value, or what announces it.
func (in *incoming) came(op *device.Op) {
	in.op.Src, in.op.Tag, in.op.Len = op.Src, op.Tag, op.Len
	err := op.Err
	op.Finish()
	b := in.head[:min(op.Len, len(in.head))]
	if err != nil || len(b) != announced || b[0] != 0 {
		in.raw = b
		in.end(err)
		return
	}
	n := binary.LittleEndian.Uint64(b[1:])
	if n <= shortValue || n > maxValue {
		in.end(&foreignError{fmt.Sprintf("a value of %d bytes is announced", n)})
		return
	}
	in.all, in.id, in.op.Len = int(n), binary.LittleEndian.Uint32(b[9:]), int(n)
	in.more()
}

// more receives the next piece of the body. Memory is made in proportion to what has come.
func (in *incoming) more() {
	done := len(in.raw)
	if done == in.all {
		in.end(nil)
		return
	}
	n := pieceOf(done, in.all)
	grown := make([]byte, done+n)
	copy(grown, in.raw)
	in.raw = grown
	op := device.NewOp()
	op.Then = func(op *device.Op) {
		err := op.Err
		op.Finish()
		if err == nil && op.Len != n {
			err = &foreignError{fmt.Sprintf("a piece of a value has %d bytes instead of %d", op.Len, n)}
		}
		if err != nil {
			in.end(err)
			return
		}
		in.more()
	}
	in.next.Store(op)
	if err := in.c.job.dev.Recv(op, grown[done:], in.op.Src, in.c.bodyTag(in.id), 0); err != nil {
		in.end(err)
	}
}

func (in *incoming) end(err error) {
	in.op.Err = err
	in.op.Finish()
}

// doubt asks for what is being received.
func (in *incoming) doubt(_ *device.Op, long bool) error {
	d, p := in.c.job.dev, in.next.Load()
	if !p.Active() {
		return nil
	}
	err, pending := d.Verdict(p.Peer, p.Tag, long)
	if err == nil || pending {
		return err
	}
	d.Withdraw(p, err)
	return nil
}

// cancel withdraws the receive; a body is waited for.
func (in *incoming) cancel() {
	if in.next.Load() == &in.part {
		in.c.job.dev.Cancel(&in.part)
	}
}

// foreignError is what a peer has sent that no SendValue sends.
type foreignError struct{ text string }

func (e *foreignError) Error() string { return e.text }
