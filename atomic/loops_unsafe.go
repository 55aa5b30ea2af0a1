package atomic

import "unsafe"

// loopFunc executes n elements with plain code. All pointers are aligned for the type; compare is nil outside the
// compare class, operand may be nil for AtomicRead.
type loopFunc func(target, operand, compare unsafe.Pointer, n int)

// vectors gives target and operand as slices.
func vectors[T any](target, operand unsafe.Pointer, n int) (t, o []T) {
	return unsafe.Slice((*T)(target), n), unsafe.Slice((*T)(operand), n)
}

func loopNone(_, _, _ unsafe.Pointer, _ int) {}

// loopStep is the loop of any step.
func loopStep[T any](f step[T]) loopFunc {
	return func(target, operand, _ unsafe.Pointer, n int) {
		var none T
		t, o := vectors[T](target, operand, n)
		for i := range t {
			if v, store := f(t[i], o[i], none); store {
				t[i] = v
			}
		}
	}
}

// loopCompare is the loop of any step of the compare class.
func loopCompare[T any](f step[T]) loopFunc {
	return func(target, operand, compare unsafe.Pointer, n int) {
		t, o := vectors[T](target, operand, n)
		c := unsafe.Slice((*T)(compare), n)
		for i := range t {
			if v, store := f(t[i], o[i], c[i]); store {
				t[i] = v
			}
		}
	}
}

// The rest are the operations that reductions of long vectors use, without a call per element.

func loopWrite[T any](target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[T](target, operand, n)
	copy(t, o)
}

func loopSum[T number](target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[T](target, operand, n)
	for i, v := range o {
		t[i] += v
	}
}

func loopDiff[T number](target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[T](target, operand, n)
	for i, v := range o {
		t[i] -= v
	}
}

func loopProd[T ordered](target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[T](target, operand, n)
	for i, v := range o {
		t[i] *= v
	}
}

func loopMin[T ordered](target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[T](target, operand, n)
	for i, v := range o {
		if v < t[i] {
			t[i] = v
		}
	}
}

func loopMax[T ordered](target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[T](target, operand, n)
	for i, v := range o {
		if v > t[i] {
			t[i] = v
		}
	}
}

func loopBOr[T integer](target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[T](target, operand, n)
	for i, v := range o {
		t[i] |= v
	}
}

func loopBAnd[T integer](target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[T](target, operand, n)
	for i, v := range o {
		t[i] &= v
	}
}

func loopBXor[T integer](target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[T](target, operand, n)
	for i, v := range o {
		t[i] ^= v
	}
}

// Sums of the two 16-bit floats have loops of their own: whole gradients are reduced with them.

func loopSumFloat16(target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[uint16](target, operand, n)
	for i, v := range o {
		t[i] = ToFloat16(FromFloat16(t[i]) + FromFloat16(v))
	}
}

func loopSumBFloat16(target, operand, _ unsafe.Pointer, n int) {
	t, o := vectors[uint16](target, operand, n)
	for i, v := range o {
		t[i] = ToBFloat16(FromBFloat16(t[i]) + FromBFloat16(v))
	}
}
