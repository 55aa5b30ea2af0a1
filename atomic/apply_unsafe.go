package atomic

import (
	"unsafe"

	"github.com/gofabric/gofabric/fi"
)

// Apply executes count elements with plain code: target = target OP operand. The caller holds the lock of everybody who
// touches the target. No buffer needs to be aligned.
//
// The operand is not read by an AtomicRead, compare is read by the compare class alone. The previous values of the
// target go to result, unless the kernel is of the base class or result has no length. Result may be the same memory as
// operand or compare, or apart from them; none may overlap the target.
//
// Ownership: the buffers are used during the call only.
// Errors: [fi.ErrInvalid] when count is negative or a buffer is shorter than count elements; nothing is done then.
//
//fabric:fastpath
func (k *Kernel) Apply(target, operand, compare, result []byte, count int) error {
	if !k.fits(target, operand, compare, result, count) {
		return fi.ErrInvalid
	}
	n := count << (k.shift & 63)
	t, o, c := start(target), start(operand), start(compare)
	if k.operandMask == 0 {
		o = nil
	}
	if k.compareMask == 0 {
		c = nil
	}
	fetch := k.resultMask != 0 && len(result) != 0
	align := uintptr(min(k.Size(), 8)) - 1
	if (uintptr(t)|uintptr(o)|uintptr(c))&align != 0 || fetch && (meet(result, operand) || meet(result, compare)) {
		k.applyStaged(target, operand, compare, result, n)
		return nil
	}
	if fetch {
		copy(result[:n], target)
	}
	k.loop(t, o, c, count)
	return nil
}

// start is where the bytes of b lie, hidden.
func start(b []byte) unsafe.Pointer { return hidden(unsafe.Pointer(unsafe.SliceData(b))) }

// hidden is p, hidden from escape analysis: kernels are called through function values, which would move every buffer
// on a caller's stack to the heap. No kernel keeps a pointer.
func hidden(p unsafe.Pointer) unsafe.Pointer {
	u := *(*uintptr)(unsafe.Pointer(&p))
	return *(*unsafe.Pointer)(unsafe.Pointer(&u))
}

// meet reports whether two buffers share memory.
func meet(a, b []byte) bool {
	p, q := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return p < q+uintptr(len(b)) && q < p+uintptr(len(a))
}

// stage is room for some elements of any type.
type stage [32]uint64

func (s *stage) bytes() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s)) }

// applyStaged does n bytes by way of aligned copies. A result that is the same memory as an operand is written after
// that was read.
//
//go:noinline
func (k *Kernel) applyStaged(target, operand, compare, result []byte, n int) {
	var ts, os, cs stage
	t, o, c := ts.bytes(), os.bytes(), cs.bytes()
	cp := start(c)
	if k.compareMask == 0 {
		cp = nil
	}
	for at := 0; at < n; {
		m := copy(t, target[at:n])
		if k.operandMask != 0 {
			copy(o[:m], operand[at:])
		}
		if k.compareMask != 0 {
			copy(c[:m], compare[at:])
		}
		if k.resultMask != 0 && len(result) != 0 {
			copy(result[at:], t[:m])
		}
		k.loop(start(t), start(o), cp, m>>(k.shift&63))
		copy(target[at:], t[:m])
		at += m
	}
}
