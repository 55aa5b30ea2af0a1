package atomic

import "github.com/gofabric/gofabric/fi"

// Kernel executes one operation on one data type for one class of calls. [Lookup] gives it; it is never changed, and is
// valid for ever.
type Kernel struct {
	shared sharedFunc // nil: this processor has no atomic of that width
	loop   loopFunc

	// Masks of a call's size in bytes: all ones when that buffer takes part, zero when it is ignored.
	operandMask uint
	compareMask uint
	resultMask  uint

	shift uint8 // log2 of the size of an element
	word  word
	kind  fi.AtomicKind
	dt    fi.Datatype
	op    fi.AtomicOp
}

// Kind is the class of calls that the kernel serves.
func (k *Kernel) Kind() fi.AtomicKind { return k.kind }

// Datatype is the type of the elements.
func (k *Kernel) Datatype() fi.Datatype { return k.dt }

// Op is the operation.
func (k *Kernel) Op() fi.AtomicOp { return k.op }

// Size is the size of an element in bytes.
func (k *Kernel) Size() int { return 1 << k.shift }

// NeedsOperand reports whether the operand is read: always, but for AtomicRead.
func (k *Kernel) NeedsOperand() bool { return k.operandMask != 0 }

// NeedsCompare reports whether compare values are read: in the compare class.
func (k *Kernel) NeedsCompare() bool { return k.compareMask != 0 }

// GivesResult reports whether the previous values can be had: in the fetch and the compare class.
func (k *Kernel) GivesResult() bool { return k.resultMask != 0 }

// Shared reports whether [Kernel.ApplyShared] can execute it on this processor: everything up to 8 bytes, and 16 bytes
// where [Has16] says so.
func (k *Kernel) Shared() bool { return k.shared != nil }

// Attr describes the kernel for a query (fi_query_atomic, fi_atomic(3)) of a provider that takes up to limit bytes of
// one buffer in a call. Native is that of [Kernel.Shared]; a provider that never calls ApplyShared clears it.
func (k *Kernel) Attr(limit int) fi.AtomicAttr {
	return fi.AtomicAttr{Count: max(limit, 0) >> k.shift, Size: k.Size(), Native: k.Shared()}
}

// Has16 reports whether this processor executes atomics on 16-byte types (128-bit integers, double complex).
func Has16() bool { return has16 }

// fits reports whether all buffers that take part hold count elements. A result of no length is not wanted.
func (k *Kernel) fits(target, operand, compare, result []byte, count int) bool {
	if uint(count) > uint(len(target))>>(k.shift&63) { // also when count is negative
		return false
	}
	n := uint(count) << (k.shift & 63)
	return n&k.operandMask <= uint(len(operand)) &&
		n&k.compareMask <= uint(len(compare)) &&
		(n&k.resultMask <= uint(len(result)) || len(result) == 0)
}
