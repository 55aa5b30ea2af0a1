package mpi

import (
	"context"
	"errors"

	"github.com/gofabric/gofabric/fi"
)

// Future is a value that is being received, see IrecvValue. Its methods may be called by any number of goroutines, and what
// it has got can be asked for again and again.
type Future[T any] struct {
	in incoming
}

func irecvValue[T any](call string, c *Comm, src, tag int) (*Future[T], error) {
	if err := c.from(call, src, tag); err != nil {
		return nil, err
	}
	f := &Future[T]{incoming{c: c, call: call}}
	if src == ProcNull {
		f.in.op.Src = ProcNull
		f.in.op.Finish()
		return f, nil
	}
	if err := f.in.begin(src, tag); err != nil {
		return nil, c.fault(call, src, err)
	}
	return f, nil
}

// Wait waits until the value is there (MPI_Wait). When ctx ends first it is still received.
//
// Errors: as RecvValue; ErrPending with ctx's.
func (f *Future[T]) Wait(ctx context.Context) (T, Status, error) {
	if _, err := f.request().Wait(ctx); err != nil && !f.in.op.Done() {
		var none T
		return none, Status{}, err
	}
	return f.result()
}

// Test tells whether the value is there, or an error (MPI_Test). It does not wait.
//
// Errors: as RecvValue.
func (f *Future[T]) Test() (v T, st Status, over bool, err error) {
	if _, over, err := f.request().Test(); !over {
		return v, Status{}, false, err
	}
	v, st, err = f.result()
	return v, st, true, err
}

// Done gives a channel that is closed when the future is over, for select. Nobody needs to call anything meanwhile.
func (f *Future[T]) Done() <-chan struct{} { return f.request().Done() }

// Cancel withdraws the receive, if nothing has matched it (MPI_Cancel): it is over with Status.Cancelled then. Else it goes
// on; wait for it to know.
func (f *Future[T]) Cancel() error {
	if f.in.head.Active() {
		f.in.c.job.dev.Cancel(&f.in.head)
	}
	return nil
}

// request stands for the future where nothing but its end matters.
func (f *Future[T]) request() *Request {
	return &Request{c: f.in.c, op: &f.in.op, call: f.in.call, kind: valueKind, recv: true}
}

// block is Wait that withdraws the receive when ctx ends.
func (f *Future[T]) block(ctx context.Context) (T, Status, error) {
	var none T
	c, d := f.in.c, f.in.c.job.dev
	cause := d.Wait(ctx, &f.in.op)
	if cause == nil {
		return f.result()
	}
	if !ofContext(cause) {
		return none, Status{}, f.request().pending(cause)
	}
	_ = f.Cancel()
	within, cancel := context.WithTimeout(context.Background(), withdrawWithin)
	defer cancel()
	switch {
	case d.Wait(within, &f.in.op) != nil:
		return none, Status{}, c.left(f.in.call, &f.in.op, NoRank, cause)
	case cancelled(&f.in.op):
		return none, Status{}, &Error{Op: f.in.call, Class: ErrPending, Rank: NoRank, Err: cause, Hint: "the receive is withdrawn"}
	}
	return f.result()
}

func (f *Future[T]) result() (v T, st Status, err error) {
	op := &f.in.op
	if op.Src == ProcNull {
		return v, noMessage, nil
	}
	st, err = f.in.c.received(f.in.call, op, valueKind)
	switch {
	case errors.Is(err, fi.ErrTruncated), err == nil && f.in.foreign:
		return v, st, bad(f.in.call, ErrType, st.Source, "the message was not sent by a Value call: receive it with Recv, or send it with SendValue")
	case err != nil || st.Cancelled:
		return v, st, err
	}
	st.Bytes = len(f.in.raw)
	v, err = decode[T](f.in.call, st.Source, f.in.raw)
	return v, st, err
}
