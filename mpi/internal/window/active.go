package window

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// active is what a member knows of epochs of post, start, complete and wait.
type active struct {
	flags atomic.Uint32

	access  sync.Mutex // guards started and the targets' post
	started []int      // members that Start named

	expose   sync.Mutex   // guards what follows
	origins  []int        // members that Post named
	complete []*device.Op // the receives of their Complete
}

const (
	accessing uint32 = 1 << iota // between Start and Complete
	exposing                     // between Post and Wait
)

func (a *active) accesses() bool { return a.flags.Load()&accessing != 0 }
func (a *active) exposes() bool  { return a.flags.Load()&exposing != 0 }

// members checks the ranks that an epoch is for.
func (w *Window) members(ranks []int) ([]int, error) {
	ranks = slices.Clone(ranks)
	slices.Sort(ranks)
	for i, r := range ranks {
		switch {
		case r < 0 || r >= len(w.targets):
			return nil, w.noRank(r)
		case i > 0 && ranks[i-1] == r:
			return nil, fault(Rank, r, "it is named twice")
		}
	}
	return ranks, nil
}

// Post lets some members access one's own memory (MPI_Win_post). It does not wait for them.
func (w *Window) Post(ranks []int, a Assert) error {
	if err := w.usable(); err != nil {
		return err
	}
	if a&^(NoCheck|NoStore|NoPut) != 0 {
		return fault(Argument, -1, "assertions of another call: Post takes NoCheck, NoStore and NoPut")
	}
	ranks, err := w.members(ranks)
	if err != nil {
		return err
	}
	x := &w.active
	x.expose.Lock()
	defer x.expose.Unlock()
	if x.exposes() {
		return fault(Sync, -1, "an epoch of Post is open: Wait ends it")
	}
	if err := w.leaveFence(-1); err != nil {
		return err
	}
	w.settle() // what was stored here before is what others get
	ops := make([]*device.Op, len(ranks))
	for i, r := range ranks {
		ops[i] = device.NewOp()
		if err := w.d.Recv(ops[i], nil, w.c.World[r], w.tag(msgComplete, 0), 0); err != nil {
			w.withdraw(ops[:i])
			return &Error{Kind: Other, Rank: r, Err: err}
		}
	}
	for _, r := range ranks {
		if a&NoCheck != 0 {
			break
		}
		if err := w.tell(r, w.tag(msgPost, 0)); err != nil {
			w.withdraw(ops)
			return &Error{Kind: Other, Rank: r, Err: err}
		}
	}
	x.origins, x.complete = ranks, ops
	x.flags.Or(exposing)
	return nil
}

func (w *Window) withdraw(ops []*device.Op) {
	for _, op := range ops {
		w.d.Cancel(op)
	}
}

// Start begins an epoch in which some members' memory is accessed, when they have called Post (MPI_Win_start). With NoCheck
// the program knows that they have.
func (w *Window) Start(ctx context.Context, ranks []int, a Assert) error {
	if err := w.usable(); err != nil {
		return err
	}
	if a&^NoCheck != 0 {
		return fault(Argument, -1, "assertions of another call: Start takes NoCheck")
	}
	ranks, err := w.members(ranks)
	if err != nil {
		return err
	}
	x := &w.active
	x.access.Lock()
	defer x.access.Unlock()
	switch {
	case x.accesses():
		return fault(Sync, -1, "an epoch of Start is open: Complete ends it")
	case w.locks.Load() != 0:
		return fault(Sync, -1, "something is locked: Unlock comes before Start")
	}
	if err := w.leaveFence(-1); err != nil {
		return err
	}
	for _, r := range ranks {
		if t := &w.targets[r]; !t.ready.Load() {
			if err := w.resolve(ctx, t); err != nil {
				return err
			}
		}
	}
	if a&NoCheck == 0 {
		if err := w.posted(ctx, ranks); err != nil {
			return err
		}
	}
	for _, r := range ranks {
		w.targets[r].open.Store(started)
	}
	x.started = ranks
	x.flags.Or(accessing)
	return nil
}

// posted waits for the Post of some members. When ctx ends, what has come is kept for the next Start.
func (w *Window) posted(ctx context.Context, ranks []int) error {
	ops, bufs := make([]*device.Op, len(ranks)), make([]byte, 4*len(ranks))
	for i, r := range ranks {
		t := &w.targets[r]
		if ops[i] = t.post; ops[i] != nil {
			continue // of a Start whose context ended
		}
		ops[i] = device.NewOp()
		if err := w.d.Recv(ops[i], bufs[4*i:4*i+4], t.world, w.tag(msgPost, 0), 0); err != nil {
			return &Error{Kind: Other, Rank: r, Err: err}
		}
		t.post = ops[i]
	}
	for i, r := range ranks {
		if err := w.d.Wait(ctx, ops[i]); err != nil {
			return w.unfinished(&w.targets[r], err, "it has not called Post in time; no epoch is open")
		}
	}
	var failed error
	for i, r := range ranks {
		w.targets[r].post = nil
		if err := ops[i].Err; err != nil && failed == nil {
			failed = &Error{Kind: Failed, Rank: r, Err: err}
		}
	}
	return failed
}

// Complete ends the epoch that Start has begun: one's accesses are over, and the members know it (MPI_Win_complete).
func (w *Window) Complete(ctx context.Context) error {
	if err := w.usable(); err != nil {
		return err
	}
	x := &w.active
	x.access.Lock()
	defer x.access.Unlock()
	if !x.accesses() {
		return fault(Sync, -1, "Start has not been called")
	}
	w.settle()
	var first error
	for _, r := range x.started {
		t := &w.targets[r]
		if t.mem != nil && t.pending.Load() == 0 {
			continue
		}
		if err := w.flushFabric(ctx, t); err != nil {
			if kindOf(err) == Pending {
				return err
			}
			if first == nil {
				first = err
			}
		}
	}
	for _, r := range x.started {
		w.targets[r].open.Store(shut)
		if err := w.d.Send(nil, nil, w.c.World[r], w.tag(msgComplete, 0), 0); err != nil && first == nil {
			first = &Error{Kind: Other, Rank: r, Err: err}
		}
	}
	x.started = nil
	x.flags.And(^accessing)
	return first
}

// Wait ends the epoch that Post has begun, when all members that it named have called Complete (MPI_Win_wait).
func (w *Window) Wait(ctx context.Context) error {
	_, err := w.waitFor(ctx, true)
	return err
}

// Test is Wait that does not wait: it tells whether the epoch is over (MPI_Win_test).
func (w *Window) Test() (bool, error) {
	return w.waitFor(context.Background(), false)
}

func (w *Window) waitFor(ctx context.Context, wait bool) (over bool, err error) {
	if err := w.usable(); err != nil {
		return false, err
	}
	x := &w.active
	x.expose.Lock()
	defer x.expose.Unlock()
	if !x.exposes() {
		return false, fault(Sync, -1, "Post has not been called")
	}
	var first error
	for i, op := range x.complete {
		if !wait && !op.Done() {
			if w.d.Poll(); !op.Done() {
				return false, nil
			}
		}
		if err := w.d.Wait(ctx, op); err != nil {
			return false, w.unfinished(&w.targets[x.origins[i]], err, "it has not called Complete in time; the epoch stays open")
		}
		if op.Err != nil && first == nil {
			first = &Error{Kind: Failed, Rank: x.origins[i], Err: op.Err}
		}
	}
	x.origins, x.complete = nil, nil
	x.flags.And(^exposing)
	w.settle()
	return true, first
}
