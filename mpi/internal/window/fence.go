package window

import "context"

// Assert says what a program promises, so that less needs to be done (MPI_MODE_NOCHECK and its kin; MPI 4.1, 12.5.5).
type Assert uint8

// Assertions.
const (
	NoCheck    Assert = 1 << iota // nobody else locks; the other side has called already
	NoStore                       // one's own memory was not written by stores since the last synchronization
	NoPut                         // nobody will put into one's own memory until the next fence
	NoPrecede                     // the fence ends no epoch: nothing was accessed since the last one
	NoSucceed                     // the fence begins no epoch
	asserts    = NoCheck | NoStore | NoPut | NoPrecede | NoSucceed
	fenceKinds = NoStore | NoPut | NoPrecede | NoSucceed
)

// States of the epoch between fences. One in which nothing was accessed is none, so that another kind may follow.
const (
	fenceShut uint32 = iota
	fenceOpen
	fenceUsed
)

// inFence tells whether a fence has begun an epoch, which is being used now.
//
//fabric:fastpath
func (w *Window) inFence() bool {
	switch w.fence.Load() {
	case fenceUsed:
		return true
	case fenceOpen:
		w.fence.Store(fenceUsed)
		return true
	}
	return false
}

// Fence ends the epoch since the last Fence: all accesses are over at all members; and begins the next one
// (MPI_Win_fence). All members call it.
func (w *Window) Fence(ctx context.Context, a Assert) error {
	if err := w.usable(); err != nil {
		return err
	}
	switch {
	case a&^fenceKinds != 0:
		return fault(Argument, -1, "assertions of another call: Fence takes NoStore, NoPut, NoPrecede and NoSucceed")
	case w.locks.Load() != 0:
		return fault(Sync, -1, "something is locked: Unlock comes before Fence")
	case w.active.accesses():
		return fault(Sync, -1, "an epoch of Start is open: Complete comes before Fence")
	case w.active.exposes():
		return fault(Sync, -1, "an epoch of Post is open: Wait comes before Fence")
	case a&NoPrecede != 0 && w.fence.Load() == fenceUsed:
		return fault(Sync, -1, "NoPrecede, and something was accessed since the last Fence")
	}
	first := w.flushAll(ctx)
	if first != nil && kindOf(first) == Pending {
		return first
	}
	if err := w.c.Barrier(ctx); err != nil {
		return err
	}
	if a&NoSucceed != 0 {
		w.fence.Store(fenceShut)
	} else {
		w.fence.Store(fenceOpen)
	}
	return first
}

// leaveFence ends an epoch between fences that nobody has used, when another kind begins.
func (w *Window) leaveFence(rank int) error {
	switch w.fence.Load() {
	case fenceUsed:
		return fault(Sync, rank, "an epoch of Fence is open: Fence with NoSucceed ends it")
	case fenceOpen:
		w.fence.CompareAndSwap(fenceOpen, fenceShut)
	}
	return nil
}

// Sync makes stores to one's own memory and what others have put there visible to each other (MPI_Win_sync).
func (w *Window) Sync() error {
	if err := w.usable(); err != nil {
		return err
	}
	w.settle()
	return nil
}
