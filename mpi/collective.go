package mpi

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/reduce"
	"github.com/gofabric/gofabric/mpi/internal/schedule"
)

// collectives is what a communicator knows of its collective operations.
type collectives struct {
	mu     sync.Mutex
	seq    uint32 // guarded by mu, as all that follows: the number of the next operation
	sig    uint64 // of all operations so far
	broken error  // members have called different operations: nothing works any more
	plans  plans
	past   history

	doubt func(*schedule.Run, bool) error // never changed
}

// collective is one call of a member.
type collective struct {
	call   string
	form   form
	args   coll.Args // but for Members and Rank
	kind   uint16    // of the elements
	num    uint8     // of the operation
	kernel reduce.Kernel

	in, out   []byte
	ins, outs [][]byte

	before, after []func() // at the beginning and at the end: what brings elements together and to their places

	on *Comm // where it is done instead, of a call on an intercommunicator

	err *Error // the call is wrong
}

// form is how a collective operation is waited for. All members must use the same.
type form uint8

const (
	blocking form = iota
	nonblocking
	persistent
	internal // by the library itself
)

// do is a blocking collective operation.
func (c *Comm) do(ctx context.Context, k *collective) error {
	if k.on != nil {
		c = k.on
	}
	if k.form == blocking && c != nil && c.size > 1 && k.err == nil {
		if done, err := c.doShared(ctx, k); done {
			return err
		}
	}
	return c.byMessages(ctx, k)
}

// byMessages is do without shared memory.
func (c *Comm) byMessages(ctx context.Context, k *collective) error {
	r, err := c.launch(k, nil, nil)
	if err != nil {
		return err
	}
	if err := c.job.dev.Wait(ctx, &r.Op); err != nil {
		return c.leftBehind(k, r, err)
	}
	return c.outcome(k.call, r)
}

// outcome is what an operation that is over has come to. It takes the run back.
func (c *Comm) outcome(call string, r *schedule.Run) error {
	if r.Op.Err == nil {
		c.coll.release(r)
		return nil
	}
	return c.collFault(call, &r.Op)
}

// leftBehind makes the error of a call whose context has ended. The operation goes on in the background.
func (c *Comm) leftBehind(k *collective, r *schedule.Run, cause error) error {
	q := &Request{c: c, op: &r.Op, call: k.call, coll: true}
	if !ofContext(cause) {
		return q.pending(cause)
	}
	q.Done()
	return &Error{
		Op: k.call, Class: ErrPending, Rank: NoRank, Err: cause, Request: q,
		Hint: "the operation goes on and its buffers stay in use: Error.Request tells when it is over",
	}
}

// launch checks a call and starts it, in a run that has done the same before or in another.
func (c *Comm) launch(k *collective, r *schedule.Run, ended func(*schedule.Run)) (*schedule.Run, error) {
	if k.form != internal { // the last barrier of a job comes after its end
		if err := c.usable(k.call); err != nil {
			return nil, err
		}
	}
	if err := c.whole(k.call); err != nil {
		return nil, err
	}
	if len(k.before)+len(k.after) > 0 {
		ended = k.around(ended)
	}
	cs := &c.coll
	cs.mu.Lock()
	seq, sig, err := cs.next(k)
	if err == nil && r == nil {
		r, err = cs.run(c, k)
	}
	cs.mu.Unlock()
	if err != nil {
		return nil, err
	}
	r.Tag = device.TagOf(device.Collective, c.id, seq%512<<23)
	r.Data, r.Number = sig, seq
	r.World = c.ranks
	r.Kernel, r.In, r.Out, r.InBlocks, r.OutBlocks = k.kernel, k.in, k.out, k.ins, k.outs
	r.Ended, r.Doubt = ended, cs.doubt
	r.Start()
	return r, nil
}

// around does what comes before a call, and adds what comes after it.
func (k *collective) around(ended func(*schedule.Run)) func(*schedule.Run) {
	for _, f := range k.before {
		f()
	}
	after := k.after
	return func(r *schedule.Run) {
		for _, f := range after {
			f()
		}
		if ended != nil {
			ended(r)
		}
	}
}

// Barrier waits until all members have called it (MPI_Barrier; MPI 4.1, 6.3).
//
// Errors: ErrComm; ErrMismatch; ErrProcFailed; ctx's, see package documentation.
func (c *Comm) Barrier(ctx context.Context) error {
	k := barrier(c, "Barrier", blocking)
	return c.do(ctx, &k)
}

func barrier(c *Comm, call string, f form) collective {
	k := collective{call: call, form: f, args: coll.Args{Coll: coll.Barrier}}
	if c != nil && c.inter != nil {
		k.on = c.inter.all
	}
	return k
}

// barrier is that of the library itself.
func (c *Comm) barrier(ctx context.Context) error {
	return c.do(ctx, &collective{call: "Barrier", form: internal, args: coll.Args{Coll: coll.Barrier}})
}

// most gives the largest of all members' numbers.
func (c *Comm) most(ctx context.Context, call string, mine uint32) (uint32, error) {
	in, out := make([]byte, 4), make([]byte, 4)
	binary.NativeEndian.PutUint32(in, mine)
	err := c.do(ctx, &collective{
		call: call, form: internal, args: coll.Args{Coll: coll.Allreduce, Count: 1, Size: 4}, in: in, out: out,
		kernel: func(dst, a, b []byte) {
			binary.NativeEndian.PutUint32(dst, max(binary.NativeEndian.Uint32(a), binary.NativeEndian.Uint32(b)))
		},
	})
	return binary.NativeEndian.Uint32(out), err
}
