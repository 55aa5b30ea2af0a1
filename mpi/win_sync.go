package mpi

import (
	"context"

	"github.com/gofabric/gofabric/mpi/internal/window"
)

// LockMode says who may hold a lock beside others.
type LockMode = window.LockKind

// Modes of Lock.
const (
	Shared    = window.SharedLock    // MPI_LOCK_SHARED: beside others that are shared
	Exclusive = window.ExclusiveLock // MPI_LOCK_EXCLUSIVE: alone
)

// Assert is a promise of the program, by which a window does less (MPI 4.1, 12.5.5). Promises that do not hold give wrong
// results.
type Assert = window.Assert

// Promises.
const (
	NoCheck   = window.NoCheck   // MPI_MODE_NOCHECK: nobody holds a lock that is in the way; Post has come before Start, and has NoCheck, too
	NoStore   = window.NoStore   // MPI_MODE_NOSTORE: the own memory was not stored to since the last synchronization
	NoPut     = window.NoPut     // MPI_MODE_NOPUT: nobody puts into the own memory until the next synchronization
	NoPrecede = window.NoPrecede // MPI_MODE_NOPRECEDE: the Fence ends no accesses of anybody
	NoSucceed = window.NoSucceed // MPI_MODE_NOSUCCEED: the Fence begins no epoch
)

func promises(a []Assert) (all Assert) {
	for _, x := range a {
		all |= x
	}
	return all
}

// Fence ends the accesses since the last Fence: they are over at all ranks when it returns, and what others have put here can
// be read. It begins an epoch for accesses to all ranks (MPI_Win_fence; MPI 4.1, 12.5.1). Collective.
//
// Errors: ErrRMASync while epochs of another kind are open; ErrArg for promises of other calls; ErrWin; what has gone wrong
// on the way: ErrRMARange, ErrProcFailed.
func (w *Win[T]) Fence(ctx context.Context, a ...Assert) error {
	return winFault("Fence", NoRank, w.w.Fence(ctx, promises(a)))
}

// Lock begins an epoch for accesses to one rank (MPI_Win_lock; MPI 4.1, 12.5.3), and waits until it has the lock. Who comes
// first gets it first; those who share stand in line behind one who wants it alone. One rank may hold the locks of several.
// When ctx ends before it has the lock, it has begun no epoch; another Lock of the same rank may have to wait for that.
//
// Errors: ErrRMASync when the rank is locked already, or another kind of epoch is open; ErrRank; ErrPending with ctx's.
func (w *Win[T]) Lock(ctx context.Context, rank int, m LockMode, a ...Assert) error {
	if m > Exclusive {
		return bad("Lock", ErrLockType, rank, "the mode is Shared or Exclusive")
	}
	if err := w.w.Lock(ctx, rank, m, promises(a)); err != nil {
		return winFault("Lock", rank, err)
	}
	return nil
}

// Unlock ends the epoch of Lock (MPI_Win_unlock). All accesses to the rank are over when it returns.
//
// Errors: ErrRMASync when the rank is not locked; what has gone wrong on the way: ErrRMARange, ErrProcFailed; ErrPending with
// ctx's: the epoch stays open.
func (w *Win[T]) Unlock(ctx context.Context, rank int) error {
	if err := w.w.Unlock(ctx, rank); err != nil {
		return winFault("Unlock", rank, err)
	}
	return nil
}

// LockAll begins an epoch for accesses to all ranks, beside others (MPI_Win_lock_all). It takes the locks of all in the order
// of ranks, unless NoCheck promises that nobody locks exclusively.
//
// Errors: as Lock.
func (w *Win[T]) LockAll(ctx context.Context, a ...Assert) error {
	return winFault("LockAll", NoRank, w.w.LockAll(ctx, promises(a)))
}

// UnlockAll ends the epoch of LockAll (MPI_Win_unlock_all). All accesses are over when it returns.
//
// Errors: as Unlock.
func (w *Win[T]) UnlockAll(ctx context.Context) error {
	return winFault("UnlockAll", NoRank, w.w.UnlockAll(ctx))
}

// Flush waits until all accesses to a rank that is locked are over, here and there (MPI_Win_flush; MPI 4.1, 12.5.4).
//
// Errors: ErrRMASync when the rank is not locked; what has gone wrong on the way: ErrRMARange, ErrProcFailed; ErrPending with
// ctx's.
//
//fabric:fastpath
func (w *Win[T]) Flush(ctx context.Context, rank int) error {
	if err := w.w.Flush(ctx, rank); err != nil {
		return winFault("Flush", rank, err)
	}
	return nil
}

// FlushLocal waits until the buffers of all accesses to a rank that is locked may be used again (MPI_Win_flush_local).
//
// Errors: as Flush.
func (w *Win[T]) FlushLocal(ctx context.Context, rank int) error {
	return winFault("FlushLocal", rank, w.w.Flush(ctx, rank))
}

// FlushAll is Flush for all ranks (MPI_Win_flush_all).
//
// Errors: as Flush.
func (w *Win[T]) FlushAll(ctx context.Context) error {
	return winFault("FlushAll", NoRank, w.w.FlushAll(ctx))
}

// FlushLocalAll is FlushLocal for all ranks (MPI_Win_flush_local_all).
//
// Errors: as Flush.
func (w *Win[T]) FlushLocalAll(ctx context.Context) error {
	return winFault("FlushLocalAll", NoRank, w.w.FlushAll(ctx))
}

// Sync makes what was stored in the own memory visible to others, and what they have put there to loads (MPI_Win_sync).
//
// Errors: ErrWin.
func (w *Win[T]) Sync() error { return winFault("Sync", NoRank, w.w.Sync()) }

// Post lets some ranks access one's own memory until Wait (MPI_Win_post; MPI 4.1, 12.5.2). It does not wait for them.
//
// Errors: ErrRMASync when the last one has not been waited for; ErrRank for no such rank, or one that is named twice.
func (w *Win[T]) Post(ranks []int, a ...Assert) error {
	return winFault("Post", NoRank, w.w.Post(ranks, promises(a)))
}

// Start begins an epoch for accesses to some ranks (MPI_Win_start). It waits until they have called Post, naming this one.
//
// Errors: as Post; ErrProcFailed; ErrPending with ctx's: no epoch is open.
func (w *Win[T]) Start(ctx context.Context, ranks []int, a ...Assert) error {
	return winFault("Start", NoRank, w.w.Start(ctx, ranks, promises(a)))
}

// Complete ends the epoch of Start (MPI_Win_complete). All accesses are over when it returns, and the ranks are told.
//
// Errors: ErrRMASync without Start; what has gone wrong on the way, as Unlock.
func (w *Win[T]) Complete(ctx context.Context) error {
	return winFault("Complete", NoRank, w.w.Complete(ctx))
}

// Wait ends what Post has begun, when all ranks that it named have called Complete (MPI_Win_wait). What they have put here can
// be read then.
//
// Errors: ErrRMASync without Post; ErrProcFailed; ErrPending with ctx's: the epoch stays open.
func (w *Win[T]) Wait(ctx context.Context) error { return winFault("Wait", NoRank, w.w.Wait(ctx)) }

// Test is Wait that does not wait (MPI_Win_test): over tells whether the epoch has ended.
//
// Errors: as Wait.
func (w *Win[T]) Test() (over bool, err error) {
	over, err = w.w.Test()
	return over, winFault("Test", NoRank, err)
}
