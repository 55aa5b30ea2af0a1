package mpi

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/device"
)

// collectives is what a communicator knows of its collective operations.
type collectives struct {
	mu  sync.Mutex
	seq uint32 // guarded by mu
}

// buffers are the memory of a schedule.
type buffers [3][]byte

func (b *buffers) of(s coll.Span) []byte { return b[s.Buf][s.Off : s.Off+s.Len] }

// execute does a member's part of a collective operation. reduce is dst = dst op src.
func (c *Comm) execute(ctx context.Context, call string, a coll.Args, in, out []byte, reduce func(dst, src []byte)) error {
	if err := c.whole(call); err != nil {
		return err
	}
	a.Members, a.Rank = c.size, c.rank
	s, err := coll.Make(coll.DefaultTable.Choose(a), a)
	if err != nil {
		return &Error{Op: call, Class: ErrArg, Rank: NoRank, Err: err}
	}
	c.coll.mu.Lock()
	seq := c.coll.seq
	c.coll.seq++
	c.coll.mu.Unlock()
	b := buffers{coll.In: in, coll.Out: out, coll.Tmp: make([]byte, s.Tmp)}
	for i := range s.Rounds {
		if err := c.round(ctx, call, &s.Rounds[i], &b, seq, reduce); err != nil {
			return err
		}
	}
	return nil
}

func (c *Comm) round(ctx context.Context, call string, r *coll.Round, b *buffers, seq uint32, reduce func(dst, src []byte)) error {
	d := c.job.dev
	var ops []*device.Op
	for _, st := range r.Comm {
		tag := device.TagOf(device.Collective, c.id, seq%512<<23|st.Tag)
		var err error
		op := device.TakeOp()
		switch st.Kind {
		case coll.KindSend:
			err = d.Send(op, b.of(st.Src), c.world(st.Peer), tag, 0)
		case coll.KindRecv:
			err = d.Recv(op, b.of(st.Dst), c.world(st.Peer), tag, 0)
		}
		if err != nil {
			return c.fault(call, st.Peer, err)
		}
		ops = append(ops, op)
	}
	for i, op := range ops {
		if err := d.Wait(ctx, op); err != nil {
			return c.left(call, op, NoRank, err)
		}
		if op.Err != nil {
			return c.fault(call, r.Comm[i].Peer, op.Err)
		}
		device.PutOp(op)
	}
	for _, st := range r.Local {
		switch st.Kind {
		case coll.KindCopy:
			copy(b.of(st.Dst), b.of(st.Src))
		case coll.KindReduce:
			reduce(b.of(st.Dst), b.of(st.Src))
		}
	}
	return nil
}

// Barrier waits until all members have called it (MPI_Barrier; MPI 4.1, 6.3).
func (c *Comm) Barrier(ctx context.Context) error {
	if err := c.usable("Barrier"); err != nil {
		return err
	}
	return c.barrier(ctx)
}

func (c *Comm) barrier(ctx context.Context) error {
	return c.execute(ctx, "Barrier", coll.Args{Coll: coll.Barrier}, nil, nil, nil)
}

// most gives the largest of all members' numbers.
func (c *Comm) most(ctx context.Context, mine uint32) (uint32, error) {
	var in, out [4]byte
	binary.NativeEndian.PutUint32(in[:], mine)
	a := coll.Args{Coll: coll.Allreduce, Count: 1, Size: 4}
	err := c.execute(ctx, "Allreduce", a, in[:], out[:], func(dst, src []byte) {
		binary.NativeEndian.PutUint32(dst, max(binary.NativeEndian.Uint32(dst), binary.NativeEndian.Uint32(src)))
	})
	return binary.NativeEndian.Uint32(out[:]), err
}
