package window

import (
	"context"
)

// LockKind says who may hold a lock beside others (MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE).
type LockKind uint8

// Kinds of locks.
const (
	SharedLock LockKind = iota
	ExclusiveLock
)

// The word of a lock:
//
//	63-32  who is last in the queue: rank + 1; 0: nobody stands there
//	25     the head of the queue sleeps: who frees the lock wakes it
//	24     somebody holds it exclusively
//	23-0   how many hold it shared
//
// Who finds it free with an empty queue takes it by one compare-and-swap. Others stand in line, whatever they want, so that
// the order of arrival is the order of service; see queue.go.
const (
	oneReader   uint64 = 1
	readers     uint64 = 1<<24 - 1
	writer      uint64 = 1 << 24
	headSleeps  uint64 = 1 << 25
	tailShift          = 32
	maxPerQueue        = 1<<24 - 1
)

func tailOf(v uint64) int { return int(v>>tailShift) - 1 }

// taken is the word when it is taken as well, and whether that can be: the queue is not looked at.
func (k LockKind) taken(v uint64) (uint64, bool) {
	if k == ExclusiveLock {
		return v | writer, v&(writer|readers) == 0
	}
	return v + oneReader, v&writer == 0 && v&readers != readers
}

// Lock begins an epoch in which the caller accesses one member's memory (MPI_Win_lock). It waits until it has the lock.
// With NoCheck the program knows that nobody else has one that is in the way, and none is taken.
func (w *Window) Lock(ctx context.Context, rank int, k LockKind, a Assert) error {
	if uint(rank) >= uint(len(w.targets)) {
		return w.stranger(rank)
	}
	t := &w.targets[rank]
	if err := w.mayLock(t, a); err != nil {
		return err
	}
	state := lockedShared
	if k == ExclusiveLock {
		state = lockedExclusive
	}
	if a&NoCheck != 0 {
		state = unchecked
	}
	if !t.open.CompareAndSwap(shut, opening) {
		if err := w.retry(ctx, t); err != nil {
			return err
		}
	}
	w.locks.Add(1)
	if !t.ready.Load() {
		if err := w.resolve(ctx, t); err != nil {
			w.unopen(t)
			return err
		}
	}
	if state != unchecked {
		if err := w.acquire(ctx, t, k); err != nil {
			return err
		}
	}
	t.open.Store(state)
	return nil
}

// mayLock finds what is in the way of an epoch of locks.
//
//fabric:fastpath
func (w *Window) mayLock(t *target, a Assert) error {
	if w.closed.Load() || a&^NoCheck != 0 || w.fence.Load() != fenceShut || w.active.accesses() {
		return w.notNow(t, a)
	}
	return nil
}

//go:noinline
func (w *Window) notNow(t *target, a Assert) error {
	if err := w.usable(); err != nil {
		return err
	}
	switch {
	case a&^NoCheck != 0:
		return fault(Argument, t.rank, "assertions of another call: locks take NoCheck")
	case w.active.accesses():
		return fault(Sync, t.rank, "an epoch of Start is open: Complete ends it")
	}
	return w.leaveFence(t.rank)
}

// retry waits for a Lock whose context has ended, and which still stands in line. Any other one is in the way.
//
//go:noinline
func (w *Window) retry(ctx context.Context, t *target) error {
	for {
		left := t.left.Load()
		if t.open.CompareAndSwap(shut, opening) {
			return nil
		}
		if left == nil {
			return w.notShut(t)
		}
		select {
		case <-*left:
		case <-ctx.Done():
			return &Error{Kind: Pending, Rank: t.rank, Err: ctx.Err(), Hint: "a Lock whose context had ended before still stands in line"}
		}
	}
}

func (w *Window) notShut(t *target) error {
	switch t.open.Load() {
	case opening:
		return fault(Sync, t.rank, "another Lock of this rank waits for it")
	case lockedAll:
		return fault(Sync, t.rank, "LockAll has locked it: UnlockAll ends that")
	}
	return fault(Sync, t.rank, "it is locked already: Unlock ends that")
}

// unopen takes an epoch back that was not begun.
func (w *Window) unopen(t *target) {
	w.locks.Add(-1)
	t.open.Store(shut)
}

// Unlock ends the epoch that Lock has begun: all accesses are over, and others get the lock (MPI_Win_unlock). When ctx ends
// before the accesses are over the lock is kept.
func (w *Window) Unlock(ctx context.Context, rank int) error {
	if uint(rank) >= uint(len(w.targets)) {
		return w.stranger(rank)
	}
	t := &w.targets[rank]
	s := t.open.Load()
	if s != lockedExclusive && s != lockedShared && s != unchecked {
		return w.notLocked(t)
	}
	var first error
	if t.mem == nil || t.pending.Load() != 0 {
		if first = w.flushFabric(ctx, t); first != nil && kindOf(first) == Pending {
			return first
		}
	}
	if !t.open.CompareAndSwap(s, opening) {
		return w.notLocked(t)
	}
	if s != unchecked {
		k := SharedLock
		if s == lockedExclusive {
			k = ExclusiveLock
		}
		if err := w.releaseLock(t, k); err != nil && first == nil {
			first = err
		}
	} else {
		w.settle()
	}
	w.unopen(t)
	return first
}

//go:noinline
func (w *Window) notLocked(t *target) error {
	if err := w.usable(); err != nil {
		return err
	}
	if t.open.Load() == lockedAll {
		return fault(Sync, t.rank, "LockAll has locked it: UnlockAll ends that")
	}
	return fault(Sync, t.rank, "it is not locked")
}

// acquire takes the lock of a member. After an error the epoch is taken back, at latest when the lock has come.
func (w *Window) acquire(ctx context.Context, t *target, k LockKind) error {
	free, _ := k.taken(0)
	old, err := w.swap(t, 0, free)
	switch {
	case err != nil:
		w.unopen(t)
		return err
	case old == 0:
		t.acquired()
		return nil
	}
	return w.acquireLater(ctx, t, k, old)
}

// releaseLock gives the lock back, and wakes who sleeps at the head of its queue when it can have it.
func (w *Window) releaseLock(t *target, k LockKind) error {
	t.released()
	old := uint64(oneReader)
	if k == ExclusiveLock {
		old = writer
	}
	for {
		next, wake := old-oneReader, false
		if k == ExclusiveLock {
			next = old &^ writer
		}
		if next&readers == 0 && old&headSleeps != 0 {
			next, wake = next&^headSleeps, true
		}
		got, err := w.swap(t, old, next)
		switch {
		case err != nil:
			return err
		case got != old:
			if held := got & (readers | writer); held == 0 {
				return fault(Other, t.rank, "its lock is not held any more: something has written over it")
			}
			old = got
		case wake:
			return w.wake(t)
		default:
			return nil
		}
	}
}
