package window

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/mpi/internal/device"
)

// Messages between the members of a window.
const (
	msgNext     uint32 = iota // I stand behind you in the queue of a lock
	msgHead                   // you are its head now
	msgWake                   // the lock that you sleep for is free
	msgPost                   // see active.go
	msgComplete               // see active.go
	msgAccess                 // no message: accesses by the fabric
)

// tag is that of a message about a member's lock.
func (w *Window) tag(kind uint32, rank int) uint64 {
	return device.TagOf(device.Remote, w.c.ID, kind<<28|uint32(rank))
}

// tell sends a message. It holds one's own rank.
func (w *Window) tell(to int, tag uint64) error {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(w.c.Rank))
	buf := b[:]
	return w.d.Send(nil, buf, w.c.World[to], tag, 0)
}

// step is how far a waiter has come.
type step uint8

const (
	joining step = iota // not in the queue yet
	behind              // waits for the one before it
	first               // at the head
	asleep              // at the head, until who frees the lock wakes it
	passing             // has the lock; the next one is to be told that it is first
)

// waiter is one's place in the queue of a lock. The queue is left by nobody before it has had the lock, so that others are
// not held up; when a context ends the waiting is gone on with by others.
type waiter struct {
	w    *Window
	t    *target
	k    LockKind
	seen uint64 // the word as it was
	step step
	prev int        // who stands before
	op   *device.Op // the receive of a message that is waited for
	buf  [4]byte
}

// acquireLater takes a lock that was not free. When ctx ends first, a goroutine stays in the queue in the caller's place, and
// gives the lock back as soon as it has it.
//
//go:noinline
func (w *Window) acquireLater(ctx context.Context, t *target, k LockKind, seen uint64) error {
	q := &waiter{w: w, t: t, k: k, seen: seen}
	err := q.run(ctx)
	if err == nil {
		t.acquired()
		return nil
	}
	if ctx.Err() == nil || kindOf(err) != Pending {
		w.unopen(t)
		return err
	}
	w.left.Add(1)
	w.leaving.Add(1)
	over := make(chan struct{})
	t.left.Store(&over)
	go func() {
		defer w.left.Done()
		defer w.leaving.Add(-1)
		if q.run(w.life) == nil {
			_ = w.releaseLock(t, k)
		}
		w.unopen(t)
		t.left.CompareAndSwap(&over, nil)
		close(over)
	}()
	return err
}

// run waits until the lock is held. It may be called again after the context's end.
func (q *waiter) run(ctx context.Context) error {
	for done := false; !done; {
		var err error
		switch q.step {
		case joining:
			done, err = q.join()
		case behind:
			if _, err = q.hear(ctx, q.prev, msgHead); err == nil {
				q.step = first
			}
		case first:
			done, err = q.look(ctx)
		case asleep:
			if _, err = q.hear(ctx, device.AnyPeer, msgWake); err == nil {
				q.step = first
			}
		case passing:
			var next int
			if next, err = q.hear(ctx, device.AnyPeer, msgNext); err == nil {
				err, done = q.w.tell(next, q.w.tag(msgHead, q.t.rank)), true
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// join takes the lock if it is free after all, or the last place.
func (q *waiter) join() (done bool, err error) {
	w := q.w
	for {
		last := tailOf(q.seen)
		next, free := q.k.taken(q.seen)
		if last >= 0 || !free {
			next, free = q.seen&(1<<tailShift-1)|uint64(w.c.Rank+1)<<tailShift, false
		}
		got, err := w.swap(q.t, q.seen, next)
		switch {
		case err != nil:
			return false, err
		case got != q.seen:
			q.seen = got
			continue
		case free:
			return true, nil
		case last < 0:
			q.step = first
			return false, nil
		case last >= len(w.targets):
			return false, fault(Other, q.t.rank, "the queue of its lock ends with rank %d: something has written over it", last)
		}
		q.prev, q.step = last, behind
		return false, w.tell(last, w.tag(msgNext, q.t.rank))
	}
}

// spinFor is how long the head of a queue looks at the lock itself before it sleeps.
const spinFor = 20 * time.Microsecond

// look takes the lock as the head of the queue when it is free, and gets ready to sleep after a while.
func (q *waiter) look(ctx context.Context) (done bool, err error) {
	w, t := q.w, q.t
	for began, n := time.Now(), 0; ; n++ {
		v, err := w.load(t, lockAt)
		if err != nil {
			return false, err
		}
		if next, free := q.k.taken(v); free {
			alone := tailOf(v) == w.c.Rank
			if alone {
				next &= 1<<tailShift - 1
			}
			got, err := w.swap(t, v, next)
			if err != nil {
				return false, err
			}
			if got == v {
				q.step = passing
				return alone, nil
			}
			continue
		}
		if n%16 == 15 || t.block == nil {
			w.d.Poll()
			osx.SchedYield()
			if time.Since(began) > spinFor {
				return false, q.doze(ctx, v)
			}
		}
	}
}

// doze asks to be woken, unless the lock's word has changed.
func (q *waiter) doze(ctx context.Context, v uint64) error {
	if err := ctx.Err(); err != nil {
		return q.w.later(q.t, err)
	}
	if err := q.w.store(q.t, headAt, uint64(q.w.c.Rank+1)); err != nil {
		return err
	}
	got, err := q.w.swap(q.t, v, v|headSleeps)
	if err == nil && got == v {
		q.step = asleep
	}
	return err
}

// hear waits for a message from a member, or from any, and gives who sent it.
func (q *waiter) hear(ctx context.Context, from int, kind uint32) (int, error) {
	w := q.w
	if q.op == nil {
		peer := device.AnyPeer
		if from >= 0 {
			peer = w.c.World[from]
		}
		q.op = device.NewOp()
		q.op.Doubt = w.doubt
		if err := w.d.Recv(q.op, q.buf[:], peer, w.tag(kind, q.t.rank), 0); err != nil {
			return -1, err
		}
	}
	if err := w.d.Wait(ctx, q.op); err != nil {
		return -1, w.later(q.t, err)
	}
	err := q.op.Err
	q.op = nil
	if err != nil {
		return -1, &Error{Kind: Failed, Rank: q.t.rank, Err: err, Hint: "a rank before this one in the queue of its lock has ended"}
	}
	who := int(binary.LittleEndian.Uint32(q.buf[:]))
	if who >= len(w.targets) {
		return -1, fault(Other, q.t.rank, "a message about its lock names rank %d: there is none", who)
	}
	return who, nil
}

// doubt ends the wait for a message of a queue when any member has failed: whoever stands before this one may have given up.
func (w *Window) doubt(op *device.Op, long bool) error {
	if err, _ := w.d.Verdict(device.AnyPeer, op.Tag, long); err != nil {
		w.d.Withdraw(op, err)
	}
	return nil
}

func (w *Window) later(t *target, err error) *Error {
	return w.unfinished(t, err, "the lock was not free in time; this rank leaves the queue when its turn comes")
}

// wake tells the head of a queue that the lock is free.
func (w *Window) wake(t *target) error {
	v, err := w.load(t, headAt)
	if err != nil {
		return err
	}
	if v == 0 || v > uint64(len(w.targets)) {
		return fault(Other, t.rank, "rank %d sleeps for its lock: there is none; something has written over it", int(v)-1)
	}
	return w.tell(int(v)-1, w.tag(msgWake, t.rank))
}
