// Package atomic executes the operations of fi_atomic(3): every operation on every data type, as kernels that are
// resolved once and then applied to memory.
//
// It is imported under the name fiatomic, so that sync/atomic keeps its own:
//
//	k, err := fiatomic.Lookup(fi.AtomicFetch, fi.TypeInt64, fi.AtomicSum)
//	if err != nil {
//		return err // fi.ErrOpNotSupp or fi.ErrInvalid
//	}
//	err = k.ApplyShared(target, operand, nil, old, 1)
//
// You need it to write a provider that executes atomics in software, or to reduce vectors (a base kernel's Apply is
// target = target OP operand for a whole vector). Applications call the atomics of an endpoint instead.
//
// # Two ways to execute
//
// [Kernel.ApplyShared] makes one processor atomic of each element: others, in this process or in another one that maps
// the memory, may work on it at the same time. The target must be aligned to the size of an element.
// [Kernel.Apply] is plain code; the caller holds a lock that everybody who touches the target takes. The target may lie
// anywhere.
//
// The two are not atomic against each other. A region has one rule for everybody, its owner included: elements that are
// aligned ([Kernel.Aligned]) are executed by ApplyShared, when the processor has the width ([Kernel.Shared]); if some
// target of a region cannot be, all atomics on that region go through one executor that holds the lock.
//
// As in libfabric, only elements are atomic, a call with several of them is not.
//
// # Data
//
// Elements lie in the byte order of this machine, without gaps. Operands, compare values and results may lie at any
// address. The target of ApplyShared must be writable for 16-byte types even by an AtomicRead: the processors' only
// 16-byte atomic that is everywhere is compare-and-swap, which stores the old value back.
//
// 8 and 16-bit elements are executed by compare-and-swap on the aligned 32-bit word around them, which never leaves that
// word nor changes its other bytes. The race detector sees an atomic access of the four bytes.
//
// # Semantics
//
//   - Integers wrap around.
//   - AtomicDiff is target - operand.
//   - The compare class reads "compare OP target, then swap": AtomicCSwapLT stores the operand when compare < target.
//   - Logical operations work on C's truth values: anything but zero is true (a NaN too, -0 is not), and the result is
//     1 or 0 in the data type.
//   - Floats compare as in C: -0 equals 0, a NaN equals nothing and is never less or greater. So AtomicMin and AtomicMax,
//     which store the operand when it is less (greater) than the target, ignore a NaN operand and keep a NaN target.
//   - Complex products are the four products of the textbook, each rounded by itself (no fused multiply-add, no
//     recovery of infinities as in C's Annex G), the same on every processor.
//   - The 16 and 8-bit floats are computed in float32 and rounded once, to nearest, ties to even. Subnormals are kept.
//   - Overflow gives infinity in FP16, BF16 and FP8 E5M2. FP8 E4M3 has none: a value that rounds to more than 448 gives
//     NaN, which is the non-saturating mode of the OCP 8-bit floating point specification.
//   - Sign and payload of a NaN that an operation makes are those of the processor.
//
// All functions and kernels are safe for use by several goroutines; the memory is as said above. Nothing is kept after a
// call, nothing is allocated. The package reads no environment variables.
package atomic
