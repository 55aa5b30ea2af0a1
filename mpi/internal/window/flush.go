package window

import (
	"context"
	"sync/atomic"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// barriers are what a full memory barrier is made of.
var barriers [16]struct {
	word atomic.Uint32
	_    [60]byte
}

// settle makes all stores to mapped memory visible to others before what follows.
//
//fabric:fastpath
func (w *Window) settle() { barriers[w.c.ID%16].word.Swap(0) }

// Flush waits until all accesses to a member are over, here and there (MPI_Win_flush).
//
// It gives the error of the first access that failed since the last flush.
//
//fabric:fastpath
func (w *Window) Flush(ctx context.Context, rank int) error {
	if uint(rank) >= uint(len(w.targets)) {
		return w.stranger(rank)
	}
	t := &w.targets[rank]
	if s := t.open.Load(); s < lockedShared || s == started {
		return w.noFlush(rank)
	}
	return w.flush(ctx, t)
}

//go:noinline
func (w *Window) noFlush(rank int) error {
	if err := w.usable(); err != nil {
		return err
	}
	return fault(Sync, rank, "it is not locked: flushing is for epochs of Lock and LockAll")
}

//fabric:fastpath
func (w *Window) flush(ctx context.Context, t *target) error {
	w.settle()
	if t.mem != nil && t.pending.Load() == 0 {
		return nil
	}
	return w.flushFabric(ctx, t)
}

// FlushAll flushes the accesses to all members (MPI_Win_flush_all).
func (w *Window) FlushAll(ctx context.Context) error {
	if err := w.usable(); err != nil {
		return err
	}
	if w.locks.Load() == 0 {
		return fault(Sync, -1, "nothing is locked: flushing is for epochs of Lock and LockAll")
	}
	return w.flushAll(ctx)
}

func (w *Window) flushAll(ctx context.Context) error {
	w.settle()
	var first error
	for i := range w.targets {
		if t := &w.targets[i]; t.pending.Load() != 0 || t.mem == nil {
			if err := w.flushFabric(ctx, t); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

//go:noinline
func (w *Window) flushFabric(ctx context.Context, t *target) error {
	for range 64 {
		if t.pending.Load() == 0 {
			break
		}
		w.d.Poll()
	}
	if t.pending.Load() != 0 {
		if err := w.await(ctx, t); err != nil {
			return err
		}
	}
	t.mu.Lock()
	err := t.err
	t.err = nil
	t.mu.Unlock()
	if err != nil {
		return w.fault(t, err)
	}
	return nil
}

// await waits until no access is under way.
func (w *Window) await(ctx context.Context, t *target) error {
	op := device.NewOp()
	op.Peer, op.Want = t.world, w.tag(msgAccess, t.rank)
	op.Begin()
	t.mu.Lock()
	if t.pending.Load() == 0 {
		t.mu.Unlock()
		return nil
	}
	t.waiters = append(t.waiters, op)
	t.mu.Unlock()
	if err := w.d.Wait(ctx, op); err != nil {
		return w.unfinished(t, err, "the accesses go on and their buffers stay in use: flush again")
	}
	return nil
}
