package window

import (
	"context"
	"errors"
)

// Close ends a window (MPI_Win_free). All members call it; it waits for the others, so that nobody's memory goes while it is
// being accessed.
//
// After an error for which the window is not closed it may be called again; with epochs open nothing is changed.
func (w *Window) Close(ctx context.Context) error {
	if w.closed.Load() {
		return nil
	}
	switch {
	case w.locks.Load() != 0 && w.leaving.Load() == 0:
		return fault(Sync, -1, "something is locked: Unlock or UnlockAll comes before Free")
	case w.active.accesses():
		return fault(Sync, -1, "an epoch of Start is open: Complete comes before Free")
	case w.active.exposes():
		return fault(Sync, -1, "an epoch of Post is open: Wait comes before Free")
	case w.fence.Load() == fenceUsed:
		return fault(Sync, -1, "an epoch of Fence is open: a Fence comes before Free")
	}
	if err := w.settled(ctx); err != nil {
		return err
	}
	if w.locks.Load() != 0 {
		return fault(Sync, -1, "something is locked: Unlock or UnlockAll comes before Free")
	}
	first := w.flushAll(ctx)
	if first != nil && kindOf(first) == Pending {
		return first
	}
	if err := w.c.Barrier(ctx); err != nil {
		if ctx.Err() != nil {
			return err
		}
		w.Abandon() // who is not there any more frees nothing, and others may still be inside
		return err
	}
	return errors.Join(first, w.Release())
}

// settled waits for locks that nobody wants any more.
func (w *Window) settled(ctx context.Context) error {
	if w.leaving.Load() == 0 {
		return nil
	}
	all := make(chan struct{})
	go func() {
		w.left.Wait()
		close(all)
	}()
	select {
	case <-all:
		return nil
	case <-ctx.Done():
		return &Error{Kind: Pending, Rank: -1, Err: ctx.Err(), Hint: "a Lock whose context had ended still stands in line"}
	}
}

// Abandon ends a window without the others. Its memory is kept, for they may use it.
func (w *Window) Abandon() {
	w.free.Lock()
	w.blocks = nil
	w.free.Unlock()
	_ = w.Release()
}

// Release gives everything back, whatever the others do.
func (w *Window) Release() error {
	w.closed.Store(true)
	w.fence.Store(fenceShut)
	w.end()
	w.left.Wait()
	w.free.Lock()
	defer w.free.Unlock()
	var errs []error
	for i := range w.targets {
		t := &w.targets[i]
		t.mu.Lock()
		t.open.Store(shut)
		if t.post != nil {
			w.d.Cancel(t.post)
			t.post = nil
		}
		for _, f := range t.unmap {
			errs = append(errs, f())
		}
		t.unmap = nil
		t.mu.Unlock()
	}
	for _, m := range w.regions {
		errs = append(errs, m.Close())
	}
	w.regions = nil
	for _, b := range w.blocks {
		errs = append(errs, b.Free())
	}
	w.blocks = nil
	return errors.Join(errs...)
}
