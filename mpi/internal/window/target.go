package window

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mr"
)

// States of a target: which epoch gives access to it.
const (
	shut    uint32 = iota
	opening        // a lock is on its way
	lockedShared
	lockedExclusive
	unchecked // locked with NoCheck
	lockedAll
	started
)

// target is a member as one's accesses see it.
type target struct {
	open  atomic.Uint32                 // which epoch gives access
	left  atomic.Pointer[chan struct{}] // opening for nobody any more: closed when that is over
	ready atomic.Bool                   // mem is what it will be
	count int                           // elements
	mem   []byte                        // the mapped data; nil: by the fabric

	rank    int
	world   int
	addr    fi.Addr
	size    int // bytes
	align   uint16
	mark    uint8 // see words_unsafe.go
	all     bool  // lockedAll that holds a lock
	control mr.Remote
	data    mr.Remote
	block   []byte // the mapped control block; nil: by the fabric

	pending  atomic.Int64 // accesses by the fabric that are not over
	fetching atomic.Bool  // atomics that read may be among them
	mu       sync.Mutex   // guards what follows
	waiters  []*device.Op // who waits for pending to be 0
	err      error        // of an access, since the last flush
	unmap    []func() error

	post *device.Op // the receive of its Post; guarded by active.access
}

func (t *target) init(w *Window, rank int, o *offer) {
	t.rank, t.world = rank, w.c.World[rank]
	t.addr = w.d.Addr(t.world)
	t.size, t.align = int(o.size), o.align
	t.count = t.size / w.c.Unit
	t.control, t.data = o.control, o.data
	t.mark = uint8((uint32(rank)*37 + w.c.ID*101) % uint32(len(synchronized)))
}

// own makes one's own part reachable without the fabric.
func (w *Window) own() {
	t := &w.targets[w.c.Rank]
	t.block = w.control
	if w.c.Flavor == Allocate || w.c.Flavor == Create {
		t.mem = w.local
		t.ready.Store(true)
	}
}

// resolve maps a member's memory, if that can be. It is called before the first access to a member.
//
//go:noinline
func (w *Window) resolve(ctx context.Context, t *target) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ready.Load() {
		return nil
	}
	if t.block == nil {
		n, whole := w.controlSize(), w.controlSize()
		if w.c.Flavor == Allocate {
			whole += t.size
		}
		mem, err := w.mapping(ctx, t, t.control, whole)
		if err != nil {
			return err
		}
		if mem != nil {
			t.block = mem[:n:n]
			if w.c.Flavor == Allocate {
				t.mem = mem[n:]
			}
		}
	}
	if w.c.Flavor == Create && t.mem == nil && t.size > 0 {
		var err error
		if t.mem, err = w.mapping(ctx, t, t.data, t.size); err != nil {
			return err
		}
	}
	t.ready.Store(true)
	return nil
}

// mapping is a member's memory for loads and stores; nil where there is no such thing.
func (w *Window) mapping(ctx context.Context, t *target, at mr.Remote, n int) ([]byte, error) {
	mem, unmap, err := w.ep.Map(ctx, t.addr, at, n)
	switch {
	case err == nil:
		t.unmap = append(t.unmap, unmap)
		return mem, nil
	case ctx.Err() != nil:
		return nil, &Error{Kind: Pending, Rank: t.rank, Err: err, Hint: "its memory was not mapped in time; nothing is changed"}
	case device.Gone(err):
		return nil, &Error{Kind: Failed, Rank: t.rank, Err: err}
	}
	return nil, nil // whatever else is wrong, an access by the fabric shows it
}

// reach gives the target of an access of n bytes at an element, and the memory when it is mapped; else where it is.
//
//fabric:fastpath
func (w *Window) reach(rank, at, n int) (t *target, mem []byte, err error) {
	if uint(rank) >= uint(len(w.targets)) {
		return nil, nil, w.stranger(rank)
	}
	t = &w.targets[rank]
	if t.open.Load() < lockedShared && !w.inFence() {
		return nil, nil, w.noEpoch(rank)
	}
	if !t.ready.Load() {
		if err := w.resolve(w.life, t); err != nil {
			return nil, nil, err
		}
	}
	if (uint(at) > uint(t.count) || n > t.size-at*w.c.Unit) && w.c.Flavor != Dynamic {
		return nil, nil, w.outside(t, at, n)
	}
	if t.mem == nil {
		return t, nil, nil
	}
	at *= w.c.Unit
	return t, t.mem[at : at+n : at+n], nil
}

//go:noinline
func (w *Window) stranger(rank int) error {
	if err := w.usable(); err != nil {
		return err
	}
	return w.noRank(rank)
}

//go:noinline
func (w *Window) noEpoch(rank int) error {
	if err := w.usable(); err != nil {
		return err
	}
	return fault(Sync, rank, "no epoch gives access to it: call Fence, Start, Lock or LockAll first")
}

//go:noinline
func (w *Window) outside(t *target, at, n int) error {
	return fault(Range, t.rank, "elements %d to %d: its part of the window has %d", at, at+n/w.c.Unit-1, t.count)
}
