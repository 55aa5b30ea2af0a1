package mpi

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/schedule"
	"github.com/gofabric/gofabric/mpi/internal/segment"
)

// shared is the memory that the members of a communicator on one host have in common, for the blocking operations that can
// use it. All other operations go by messages.
type shared struct {
	mu    sync.Mutex // held while an operation goes on, from beginning to end
	off   atomic.Bool
	calls int // operations that could have used it, guarded by mu as all that follows
	seg   *segment.Segment
	task  segment.Task
	mem   *sharedMemory
	wait  sharedWait
}

// shareAfter is the operation before which the memory is made: communicators for one operation do not need it.
const shareAfter = 3

// sharedKind gives what a segment has for an operation, and the bytes of a block.
func sharedKind(a *coll.Args) (segment.Kind, bool) {
	switch a.Coll {
	case coll.Barrier:
		return segment.Barrier, true
	case coll.Broadcast:
		return segment.Bcast, a.Count > 0
	case coll.Reduce:
		return segment.Reduce, a.Count > 0
	case coll.Allreduce:
		return segment.Allreduce, a.Count > 0
	case coll.Allgather:
		return segment.Allgather, a.Count > 0
	}
	return 0, false
}

// doShared does an operation in shared memory; false when it has to go by messages. All members decide alike.
func (c *Comm) doShared(ctx context.Context, k *collective) (done bool, err error) {
	s := &c.shared
	if s.off.Load() {
		return false, nil
	}
	kind, ok := sharedKind(&k.args)
	if !ok || c.byChoice(k.args.Coll) || c.usable(k.call) != nil || c.whole(k.call) != nil {
		return false, nil
	}
	if !s.mu.TryLock() {
		if err := c.lockShared(ctx, k); err != nil {
			return true, err
		}
	}
	if s.seg == nil {
		if s.calls++; s.calls < shareAfter {
			s.mu.Unlock()
			return false, nil
		}
		return c.beginShared(ctx, k)
	}
	if !s.seg.Serves(kind, k.args.Count*k.args.Size, k.args.Size) {
		s.mu.Unlock()
		return false, nil
	}
	seq, err := c.prepareShared(k, kind)
	if err == nil {
		err = s.task.Run(ctx)
		if err != nil && ofContext(err) {
			return true, c.goOnShared(k.call, seq, err)
		}
		err = c.overShared(k.call, seq, err)
	} else {
		s.mu.Unlock()
	}
	return true, err
}

// prepareShared makes the task of a call.
func (c *Comm) prepareShared(k *collective, kind segment.Kind) (seq uint32, err error) {
	s, cs := &c.shared, &c.coll
	cs.mu.Lock()
	seq, _, err = cs.next(k)
	sig := cs.sig
	cs.mu.Unlock()
	if err != nil {
		return 0, err
	}
	t := &s.task
	t.Kind, t.Root, t.Size, t.Kernel, t.Signature = kind, k.args.Root, max(k.args.Size, 1), k.kernel, sig
	t.In, t.Out = k.in, k.out
	switch {
	case kind == segment.Bcast && c.rank == t.Root:
		t.Out = k.in
	case k.args.InPlace && kind == segment.Allgather:
		n := k.args.Count * k.args.Size
		t.In = k.out[c.rank*n:][:n]
	case k.args.InPlace:
		t.In = k.out
	}
	s.wait.seq, s.wait.sig = seq, uint32(sig>>32)
	c.job.dev.Settle()
	s.seg.Begin(t)
	return seq, nil
}

// overShared is the end of an operation; it lets the next one begin.
func (c *Comm) overShared(call string, seq uint32, err error) error {
	s := &c.shared
	s.task.In, s.task.Out, s.task.Kernel = nil, nil, nil
	s.wait.over()
	if err == nil {
		s.mu.Unlock()
		c.coll.mu.Lock()
		c.coll.ended(seq)
		c.coll.mu.Unlock()
		c.job.dev.Settle()
		return nil
	}
	s.off.Store(true)
	if _, differ := errors.AsType[*schedule.MismatchError](err); differ || errors.Is(err, segment.ErrMismatch) {
		s.seg.Spoil()
	} else {
		s.seg.Abandon()
	}
	s.mu.Unlock()
	op := device.Op{Peer: device.AnyPeer, Err: c.blame(err)}
	return c.collFault(call, &op)
}

// newsWithin bounds how long a member waits to hear why another one has given up, who tells everybody.
const newsWithin = 5 * time.Second

// blame finds the reason for an error of a segment.
func (c *Comm) blame(err error) error {
	d, tag := c.job.dev, device.TagOf(device.Collective, c.id, 0)
	switch err { //nolint:errorlint // these are given as they are
	case segment.ErrLost:
		ctx, cancel := context.WithTimeout(context.Background(), newsWithin)
		defer cancel()
		var why error
		_ = d.Await(ctx, func() bool {
			why, _ = d.Verdict(device.AnyPeer, tag, d.Failures() > 0)
			return why != nil
		}, nil, device.AnyPeer, tag)
		if why == nil {
			return &device.FailedError{Rank: device.AnyPeer}
		}
		return why
	case segment.ErrMismatch, segment.ErrSpoiled:
		if why, _ := d.Verdict(device.AnyPeer, tag, false); why != nil {
			return why
		}
		return &schedule.MismatchError{Peer: device.AnyPeer, Signature: true}
	}
	return err
}

// goOnShared goes on with the task.
func (c *Comm) goOnShared(call string, seq uint32, cause error) error {
	return c.inBackground(call, cause, func() error {
		return c.overShared(call, seq, c.shared.task.Run(context.Background()))
	})
}

// inBackground goes on with an operation whose caller's context has ended.
func (c *Comm) inBackground(call string, cause error, rest func() error) error {
	q := c.request(call, 0, false)
	q.op.Begin()
	q.op.Peer = device.AnyPeer
	q.op.Tag = device.TagOf(device.Control, 0, 0) // it ends by itself
	go func() {
		q.op.Err = rest()
		q.op.Finish()
	}()
	return &Error{
		Op: call, Class: ErrPending, Rank: NoRank, Err: cause, Request: q,
		Hint: "the operation goes on and its buffers stay in use: Error.Request tells when it is over",
	}
}

// lockShared waits for an operation that goes on without its caller.
func (c *Comm) lockShared(ctx context.Context, k *collective) error {
	err := c.job.dev.Await(ctx, c.shared.mu.TryLock, nil, device.AnyPeer, device.TagOf(device.Collective, c.id, 0))
	if err == nil {
		return nil
	}
	return &Error{Op: k.call, Class: ErrPending, Rank: NoRank, Err: err,
		Hint: "an operation whose context had ended still goes on: this one has not begun"}
}
