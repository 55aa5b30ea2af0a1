package window

import "context"

// LockAll begins an epoch in which the caller accesses the memory of all members, beside others (MPI_Win_lock_all). It
// takes the members' locks in the order of ranks; with NoCheck it takes none.
func (w *Window) LockAll(ctx context.Context, a Assert) error {
	if len(w.targets) == 0 {
		return nil
	}
	if err := w.mayLock(&w.targets[0], a); err != nil {
		return err
	}
	if w.locks.Load() != 0 {
		return fault(Sync, -1, "something is locked: Unlock or UnlockAll ends that")
	}
	for r := range w.targets {
		err := w.Lock(ctx, r, SharedLock, a)
		if err != nil {
			for r--; r >= 0; r-- {
				t := &w.targets[r]
				t.open.Store(w.heldBy(t))
				_ = w.Unlock(context.Background(), r)
			}
			return err
		}
		t := &w.targets[r]
		t.all = t.open.Load() == lockedShared
		t.open.Store(lockedAll)
	}
	return nil
}

// heldBy is the state of one lock in an epoch of LockAll.
func (w *Window) heldBy(t *target) uint32 {
	if t.all {
		return lockedShared
	}
	return unchecked
}

// UnlockAll ends the epoch of LockAll: all accesses are over (MPI_Win_unlock_all).
func (w *Window) UnlockAll(ctx context.Context) error {
	if err := w.usable(); err != nil {
		return err
	}
	for i := range w.targets {
		if w.targets[i].open.Load() != lockedAll {
			return fault(Sync, -1, "LockAll has not been called")
		}
	}
	first := w.flushAll(ctx)
	if first != nil && kindOf(first) == Pending {
		return first
	}
	for r := range w.targets {
		t := &w.targets[r]
		t.open.Store(w.heldBy(t))
		if err := w.Unlock(context.Background(), r); err != nil && first == nil {
			first = err
		}
	}
	return first
}
