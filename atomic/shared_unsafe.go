package atomic

import (
	"unsafe"

	"github.com/gofabric/gofabric/fi"
)

// sharedFunc executes n elements, each by one processor atomic. Target is aligned to an element, the others lie
// anywhere. Operand is nil for AtomicRead, compare outside the compare class, result when nobody wants it.
//
// Each operand is read once, before the target changes: its memory may be written by a peer that means no good.
type sharedFunc func(target, operand, compare, result unsafe.Pointer, n int)

// Aligned reports whether the elements of a type that begin at target can be executed by [Kernel.ApplyShared]: they lie
// at a multiple of their size (which is more than C asks of complex types and of 128-bit integers). It is false for
// types that have no kernels.
func Aligned(target []byte, dt fi.Datatype) bool {
	size := uintptr(dt.Size())
	return size != 0 && size <= 16 && uintptr(unsafe.Pointer(unsafe.SliceData(target)))&(size-1) == 0
}

// Aligned reports whether the elements that begin at target lie at a multiple of their size, which
// [Kernel.ApplyShared] needs.
func (k *Kernel) Aligned(target []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(target)))&(1<<(k.shift&63)-1) == 0
}

// ApplyShared executes count elements of memory that others may access at the same time, each by one atomic of the
// processor with sequential consistency: target = target OP operand.
//
// The buffers are those of [Kernel.Apply]; in addition the target is aligned ([Kernel.Aligned]).
//
// Ownership: the buffers are used during the call only; operand, compare and result belong to the caller alone.
// Errors: [fi.ErrInvalid] when count is negative, a buffer is shorter than count elements or the target is not aligned;
// [fi.ErrOpNotSupp] when the processor cannot ([Kernel.Shared]). Nothing is done then.
//
//fabric:fastpath
func (k *Kernel) ApplyShared(target, operand, compare, result []byte, count int) error {
	if k.shared == nil || !k.fits(target, operand, compare, result, count) || !k.Aligned(target) {
		return k.refuseShared()
	}
	var c, r unsafe.Pointer
	if k.compareMask != 0 {
		c = start(compare)
	}
	if k.resultMask != 0 && len(result) != 0 {
		r = start(result)
	}
	k.shared(start(target), start(operand), c, r, count)
	return nil
}

//go:noinline
func (k *Kernel) refuseShared() error {
	if k.shared == nil {
		return fi.ErrOpNotSupp
	}
	return fi.ErrInvalid
}
