package interop_test

import (
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/mpi"
)

// Kinds of windows, of synchronization and of accesses, as scripts number them.
const (
	winAllocate = iota
	winCreate
	winShared
	winDynamic
	winKinds
)

const (
	syncFence = iota
	syncPSCW
	syncExclusive
	syncShared
	syncFlush
	syncFlushAll
	syncs
)

const (
	accessPut = iota
	accessAccumulate
	accessGetAccumulate
	accessFetchAndOp
	accessCompareAndSwap
	accessRput
	accessRaccumulate
	accesses
)

func (r *rank) window(c *mpi.Comm) error {
	made, sync, typ := r.number(), r.number(), r.number()
	switch typ {
	case typeI32:
		return live(r, c, integers[int32](), made, sync)
	case typeI64:
		return live(r, c, integers[int64](), made, sync)
	case typeF32:
		return live(r, c, floats[float32](), made, sync)
	case typeF64:
		return live(r, c, floats[float64](), made, sync)
	case typeU8:
		return live(r, c, integers[uint8](), made, sync)
	}
	return live(r, c, integers[uint16](), made, sync)
}

// win is a window with how it is synchronized.
type win[T any] struct {
	*mpi.Win[T]
	r     *rank
	c     *mpi.Comm
	sync  int
	bases []int // of dynamic windows: where the members' memory is
	own   []T
}

func makeWindow[T any](r *rank, c *mpi.Comm, made, sync, length int) (*win[T], error) {
	w := &win[T]{r: r, c: c, sync: sync, bases: make([]int, c.Size())}
	var err error
	switch made {
	case winAllocate:
		w.Win, err = mpi.WinAllocate[T](r.ctx, c, length)
	case winShared:
		w.Win, err = mpi.WinAllocateShared[T](r.ctx, c, length)
	case winCreate:
		w.own = make([]T, length)
		w.Win, err = mpi.WinCreate(r.ctx, c, w.own)
	case winDynamic:
		w.own = make([]T, length)
		if w.Win, err = mpi.WinCreateDynamic[T](r.ctx, c); err != nil {
			return nil, err
		}
		if w.bases[c.Rank()], err = w.Attach(w.own); err != nil {
			return nil, err
		}
		err = mpi.Allgather(r.ctx, c, nil, w.bases)
	}
	if err == nil && w.own == nil {
		w.own = w.Local()
	}
	return w, err
}

// begin begins an epoch, and end ends it at all members.
func (w *win[T]) begin() error {
	switch w.sync {
	case syncFence:
		return w.Fence(w.r.ctx, mpi.NoPrecede)
	case syncPSCW:
		all := make([]int, w.Size())
		for i := range all {
			all[i] = i
		}
		if err := w.Post(all); err != nil {
			return err
		}
		return w.Start(w.r.ctx, all)
	case syncFlush, syncFlushAll:
		return w.LockAll(w.r.ctx)
	}
	return nil
}

func (w *win[T]) end() (err error) {
	switch w.sync {
	case syncFence:
		err = w.Fence(w.r.ctx, mpi.NoSucceed)
	case syncPSCW:
		if err = w.Complete(w.r.ctx); err == nil {
			err = w.Wait(w.r.ctx)
		}
	case syncFlushAll:
		if err = w.FlushAll(w.r.ctx); err == nil {
			err = w.UnlockAll(w.r.ctx)
		}
	case syncFlush:
		err = w.UnlockAll(w.r.ctx)
	}
	if err != nil {
		return err
	}
	return w.c.Barrier(w.r.ctx)
}

// before and after stand round each access.
func (w *win[T]) before(rank int) error {
	switch w.sync {
	case syncExclusive:
		return w.Lock(w.r.ctx, rank, mpi.Exclusive)
	case syncShared:
		return w.Lock(w.r.ctx, rank, mpi.Shared)
	}
	return nil
}

func (w *win[T]) after(rank int) error {
	switch w.sync {
	case syncExclusive, syncShared:
		return w.Unlock(w.r.ctx, rank)
	case syncFlush:
		return w.Flush(w.r.ctx, rank)
	}
	return nil
}

// local does something with the own memory, alone or beside others, and all wait for all.
func (w *win[T]) local(m mpi.LockMode, f func([]T)) error {
	rank := w.Rank()
	if err := w.Lock(w.r.ctx, rank, m); err != nil {
		return err
	}
	f(w.own)
	if err := w.Unlock(w.r.ctx, rank); err != nil {
		return err
	}
	return w.c.Barrier(w.r.ctx)
}

// access is one operation on a window.
type access[T any] struct {
	target, at, count int
	send, old         []T
}

func (w *win[T]) do(k kind[T], a *access[T], mode, op int) (err error) {
	at := w.bases[a.target] + a.at
	var q *mpi.Request
	send := a.send[:a.count]
	switch mode {
	case accessPut:
		return w.Put(send, a.target, at)
	case accessAccumulate:
		return w.Accumulate(send, a.target, at, ops[op])
	case accessGetAccumulate:
		return w.GetAccumulate(send, a.old[:a.count], a.target, at, ops[op])
	case accessFetchAndOp:
		a.old[0], err = w.FetchAndOp(w.r.ctx, send[0], a.target, at, ops[op])
		return err
	case accessCompareAndSwap: // the first finds what it expects, the second does not
		expected := k.element(w.r.step, op, a.target, 1, a.at)
		for i := range 2 {
			if a.old[i], err = w.CompareAndSwap(w.r.ctx, expected, a.send[i], a.target, at); err != nil {
				return err
			}
		}
		return nil
	case accessRput:
		q, err = w.Rput(send, a.target, at)
	case accessRaccumulate:
		q, err = w.Raccumulate(send, a.target, at, ops[op])
	}
	if err == nil {
		_, err = q.Wait(w.r.ctx)
	}
	return err
}

// live is the life of one window.
func live[T any](r *rank, c *mpi.Comm, k kind[T], made, sync int) error {
	var length, mode, op, n int
	if err := r.numbers(&length, &mode, &op, &n); err != nil {
		return err
	}
	w, err := makeWindow[T](r, c, made, sync, length)
	if err != nil {
		return err
	}
	if err := w.local(mpi.Exclusive, func(p []T) { k.fill(p, r.step, op, c.Rank(), 1) }); err != nil {
		return err
	}
	if err := w.accesses(k, mode, op, n); err != nil {
		return err
	}
	if err := w.local(mpi.Shared, func(p []T) { r.say("window: %016x", k.digest(p)) }); err != nil {
		return err
	}
	if err := w.read(k, length); err != nil {
		return err
	}
	if made == winDynamic {
		if err := w.Detach(w.bases[c.Rank()]); err != nil {
			return err
		}
	}
	return w.Free(r.ctx)
}

// accesses does those of this rank, and says what was there before.
func (w *win[T]) accesses(k kind[T], mode, op, n int) error {
	r, c := w.r, w.c
	adds := mode == accessGetAccumulate || mode == accessFetchAndOp
	if err := w.begin(); err != nil {
		return err
	}
	mine := make([]*access[T], n)
	for i := range n {
		var origin int
		a := &access[T]{}
		if err := r.numbers(&origin, &a.target, &a.at, &a.count); err != nil {
			return err
		}
		a.target %= c.Size()
		if origin%c.Size() != c.Rank() {
			continue
		}
		mine[i] = a
		a.send = k.filled(r.step, op, c.Rank(), 2+i%60, a.count+2)
		a.old = k.filled(r.step, op, c.Rank(), 63, a.count+2)
		if adds { // the sum of what was there before depends on no order when all add the same
			copy(a.send, slices.Repeat([]T{k.one}, a.count))
		}
		if err := w.before(a.target); err != nil {
			return err
		}
		if err := w.do(k, a, mode, op); err != nil {
			return fmt.Errorf("access %d: %w", i, err)
		}
		if err := w.after(a.target); err != nil {
			return err
		}
	}
	if err := w.end(); err != nil {
		return err
	}
	var sum int64
	for i, a := range mine {
		if a == nil {
			continue
		}
		if adds {
			for _, v := range a.old[:a.count] {
				sum += k.int(v)
			}
		}
		if mode == accessCompareAndSwap {
			r.say("swap %d: %016x", i, k.digest(a.old[:2]))
		}
	}
	if !adds {
		return nil
	}
	total := []int64{sum}
	if err := mpi.Allreduce(r.ctx, c, nil, total, mpi.Sum); err != nil {
		return err
	}
	r.say("before: %d", total[0])
	return nil
}

// read reads the memory of the next member.
func (w *win[T]) read(k kind[T], length int) error {
	next := (w.c.Rank() + 1) % w.c.Size()
	got := k.filled(w.r.step, opPlain, w.c.Rank(), 63, length)
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.before(next); err != nil {
		return err
	}
	if err := w.Get(got, next, w.bases[next]); err != nil {
		return err
	}
	if err := w.after(next); err != nil {
		return err
	}
	if err := w.end(); err != nil {
		return err
	}
	w.r.say("got: %016x", k.digest(got))
	return nil
}
