package window

import (
	"context"
	"encoding/binary"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
)

// Bits are those of one element of up to 16 bytes, in memory's order.
type Bits [16]byte

// Fetch64 updates one number of 8 bytes of a member and gives what was there, all as bits (MPI_Fetch_and_op). It waits for
// the result.
//
//fabric:fastpath
func (w *Window) Fetch64(ctx context.Context, v uint64, rank, at int, o Operation) (uint64, error) {
	t, mem, err := w.reach(rank, at, 8)
	if err != nil {
		return 0, err
	}
	k, err := w.kernel(t, fi.AtomicFetch, o)
	if err != nil {
		return 0, err
	}
	if t.mem != nil {
		return k.Shared64(bits64(mem), v, 0)
	}
	var b Bits
	binary.NativeEndian.PutUint64(b[:], v)
	if b, err = w.fetchFabric(ctx, t, at, k, o, b, b); err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint64(b[:]), nil
}

// Swap64 is Fetch64 that stores next where there is old, compared bit by bit (MPI_Compare_and_swap).
//
//fabric:fastpath
func (w *Window) Swap64(ctx context.Context, old, next uint64, rank, at int) (uint64, error) {
	o := Operation{Type: fi.TypeUint64, Op: fi.AtomicCSwap}
	t, mem, err := w.reach(rank, at, 8)
	if err != nil {
		return 0, err
	}
	k, err := w.kernel(t, fi.AtomicCompare, o)
	if err != nil {
		return 0, err
	}
	if t.mem != nil {
		return k.Shared64(bits64(mem), next, old)
	}
	var b, c Bits
	binary.NativeEndian.PutUint64(b[:], next)
	binary.NativeEndian.PutUint64(c[:], old)
	if b, err = w.fetchFabric(ctx, t, at, k, o, b, c); err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint64(b[:]), nil
}

// Fetch is Fetch64 for elements of any size.
func (w *Window) Fetch(ctx context.Context, v Bits, rank, at int, o Operation) (Bits, error) {
	return w.fetchBits(ctx, fi.AtomicFetch, v, v, rank, at, o)
}

// Swap is Swap64 for elements of 1, 2, 4, 8 and 16 bytes.
func (w *Window) Swap(ctx context.Context, old, next Bits, rank, at int) (Bits, error) {
	dt, ok := words[w.c.Unit]
	if !ok {
		return Bits{}, fault(Type, rank, "elements of %d bytes: those of 1, 2, 4, 8 and 16 can be compared and swapped", w.c.Unit)
	}
	return w.fetchBits(ctx, fi.AtomicCompare, next, old, rank, at, Operation{Type: dt, Op: fi.AtomicCSwap})
}

var words = map[int]fi.Datatype{1: fi.TypeUint8, 2: fi.TypeUint16, 4: fi.TypeUint32, 8: fi.TypeUint64, 16: fi.TypeUint128}

func (w *Window) fetchBits(ctx context.Context, class fi.AtomicKind, v, compare Bits, rank, at int, o Operation) (old Bits, err error) {
	n := o.Type.Size()
	t, mem, err := w.reach(rank, at, n)
	if err != nil {
		return old, err
	}
	k, err := w.kernel(t, class, o)
	if err != nil {
		return old, err
	}
	if t.mem == nil || !k.Shared() {
		return w.fetchFabric(ctx, t, at, k, o, v, compare)
	}
	return old, k.ApplyShared(mem, v[:n], compare[:n], old[:n], 1)
}

// fetchFabric does it by the fabric. After the context's end it goes on.
//
//go:noinline
func (w *Window) fetchFabric(ctx context.Context, t *target, at int, k *fiatomic.Kernel, o Operation, v, compare Bits) (old Bits, err error) {
	n := k.Size()
	place, err := w.remote(t, at, n)
	if err != nil {
		return old, err
	}
	x := w.single(t, n)
	copy(x.bits[0][:], v[:n])
	copy(x.bits[1][:], compare[:n])
	if o.Op == fi.AtomicRead {
		x.iov[0] = nil
	}
	if err := w.fetchWait(ctx, x, o.Type, o.Op, place, n); err != nil {
		return old, err
	}
	copy(old[:], x.bits[2][:n])
	x.recycle()
	return old, nil
}
