package atomic

import "github.com/gofabric/gofabric/fi"

// step is one element of one operation: the new value of the target, and whether to store it. Operations other than
// those of the compare class get the zero value for compare.
type step[T any] func(target, operand, compare T) (T, bool)

// family holds the operations of one data type, whose elements are handled as Go values of type T. An operation that is
// nil is not valid for the type. AtomicRead has no step: it is the same for all.
type family[T any] struct {
	step [numOps]step[T]
	loop [numOps]loopFunc // faster than the step, one by one; may be nil
}

type integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

type ordered interface {
	integer | float32 | float64
}

type number interface {
	ordered | complex64 | complex128
}

// integers is the family of a native integer type.
func integers[T integer]() *family[T] {
	f := reals[T]()
	f.step[fi.AtomicBOr], f.loop[fi.AtomicBOr] = stepBOr[T], loopBOr[T]
	f.step[fi.AtomicBAnd], f.loop[fi.AtomicBAnd] = stepBAnd[T], loopBAnd[T]
	f.step[fi.AtomicBXor], f.loop[fi.AtomicBXor] = stepBXor[T], loopBXor[T]
	f.step[fi.AtomicMSwap] = stepMSwap[T]
	return f
}

// reals is the family of a native type with an order: what integers and floats share.
func reals[T ordered]() *family[T] {
	f := numbers[T]()
	f.step[fi.AtomicProd], f.loop[fi.AtomicProd] = stepProd[T], loopProd[T]
	f.step[fi.AtomicMin], f.loop[fi.AtomicMin] = stepMin[T], loopMin[T]
	f.step[fi.AtomicMax], f.loop[fi.AtomicMax] = stepMax[T], loopMax[T]
	f.step[fi.AtomicCSwapLE] = func(t, o, c T) (T, bool) { return o, c <= t }
	f.step[fi.AtomicCSwapLT] = func(t, o, c T) (T, bool) { return o, c < t }
	f.step[fi.AtomicCSwapGE] = func(t, o, c T) (T, bool) { return o, c >= t }
	f.step[fi.AtomicCSwapGT] = func(t, o, c T) (T, bool) { return o, c > t }
	return f
}

// numbers is what all native types share. The product is left out: that of complex numbers is another one.
func numbers[T number]() *family[T] {
	f := new(family[T])
	f.step[fi.AtomicWrite], f.loop[fi.AtomicWrite] = stepWrite[T], loopWrite[T]
	f.step[fi.AtomicSum], f.loop[fi.AtomicSum] = stepSum[T], loopSum[T]
	f.step[fi.AtomicDiff], f.loop[fi.AtomicDiff] = stepDiff[T], loopDiff[T]
	f.step[fi.AtomicLOr] = stepLOr[T]
	f.step[fi.AtomicLAnd] = stepLAnd[T]
	f.step[fi.AtomicLXor] = stepLXor[T]
	f.step[fi.AtomicCSwap] = func(t, o, c T) (T, bool) { return o, c == t }
	f.step[fi.AtomicCSwapNE] = func(t, o, c T) (T, bool) { return o, c != t }
	return f
}

// compared is the part of a family that follows from an equality and an order, for types that are not Go's own.
func compared[T any](equal, less func(a, b T) bool) *family[T] {
	f := new(family[T])
	f.step[fi.AtomicWrite], f.loop[fi.AtomicWrite] = stepWrite[T], loopWrite[T]
	f.step[fi.AtomicMin] = func(t, o, _ T) (T, bool) { return o, less(o, t) }
	f.step[fi.AtomicMax] = func(t, o, _ T) (T, bool) { return o, less(t, o) }
	f.step[fi.AtomicCSwap] = func(t, o, c T) (T, bool) { return o, equal(c, t) }
	f.step[fi.AtomicCSwapNE] = func(t, o, c T) (T, bool) { return o, !equal(c, t) }
	f.step[fi.AtomicCSwapLE] = func(t, o, c T) (T, bool) { return o, less(c, t) || equal(c, t) }
	f.step[fi.AtomicCSwapLT] = func(t, o, c T) (T, bool) { return o, less(c, t) }
	f.step[fi.AtomicCSwapGE] = func(t, o, c T) (T, bool) { return o, less(t, c) || equal(t, c) }
	f.step[fi.AtomicCSwapGT] = func(t, o, c T) (T, bool) { return o, less(t, c) }
	return f
}
