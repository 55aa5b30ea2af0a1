package window

import (
	"context"
	"encoding/binary"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// swap is a compare-and-swap of the word of a member's lock; it gives what was there.
//
//fabric:fastpath
func (w *Window) swap(t *target, old, next uint64) (uint64, error) {
	if t.block == nil {
		return w.remoteWord(t, lockAt, fi.AtomicCSwap, old, next)
	}
	p := word(t.block, lockAt)
	for !p.CompareAndSwap(old, next) {
		if got := p.Load(); got != old {
			return got, nil
		}
	}
	return old, nil
}

// load reads a word of a member's control block.
func (w *Window) load(t *target, off int) (uint64, error) {
	if t.block != nil {
		return word(t.block, off).Load(), nil
	}
	return w.remoteWord(t, off, fi.AtomicRead, 0, 0)
}

// store writes a word of a member's control block.
func (w *Window) store(t *target, off int, v uint64) error {
	if t.block != nil {
		word(t.block, off).Store(v)
		return nil
	}
	_, err := w.remoteWord(t, off, fi.AtomicWrite, 0, v)
	return err
}

// remoteWord does an atomic on a word by the fabric, and waits for it however long it takes: what has become of it must be
// known. It ends when the member is gone.
//
//go:noinline
func (w *Window) remoteWord(t *target, off int, op fi.AtomicOp, compare, operand uint64) (uint64, error) {
	x := w.single(t, 8)
	binary.NativeEndian.PutUint64(x.bits[0][:], operand)
	binary.NativeEndian.PutUint64(x.bits[1][:], compare)
	if op == fi.AtomicRead {
		x.iov[0] = nil
	}
	if err := w.fetchWait(context.Background(), x, fi.TypeUint64, op, t.control.At(uint64(off)), 8); err != nil {
		return 0, err
	}
	old := binary.NativeEndian.Uint64(x.bits[2][:])
	x.recycle()
	return old, nil
}

// single makes a transfer of one element, whose operand, compare value and result lie in it. Somebody waits for it.
func (w *Window) single(t *target, size int) *transfer {
	x := w.take(t, nil)
	x.op.Then = result
	x.iov[0], x.compare[0], x.result[0] = x.bits[0][:size], x.bits[1][:size], x.bits[2][:size]
	return x
}

// fetchWait posts a transfer of one element and waits for it. After an error the transfer is not the caller's any more.
func (w *Window) fetchWait(ctx context.Context, x *transfer, dt fi.Datatype, op fi.AtomicOp, at mr.Remote, n int) error {
	if err := w.inOrder(ctx, x.t, true, op != fi.AtomicRead); err != nil {
		x.recycle()
		return err
	}
	x.atomic.Datatype, x.atomic.Op = dt, op
	k := kindFetch
	if op == fi.AtomicCSwap {
		k = kindCompare
	}
	if err := w.post(x, k, at, n); err != nil {
		return err
	}
	return w.wait(ctx, x)
}
