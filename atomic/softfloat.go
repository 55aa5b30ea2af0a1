package atomic

import "github.com/gofabric/gofabric/fi"

// small is a float that the processor cannot compute with, as it lies in memory.
type small interface{ uint8 | uint16 }

// floats is the family of a small float, by its conversions. Float32 has more than twice its digits, so that a sum, a
// difference or a product that is rounded twice is the same as rounded once.
func floats[T small](from func(T) float32, to func(float32) T) *family[T] {
	f := compared(
		func(a, b T) bool { return from(a) == from(b) },
		func(a, b T) bool { return from(a) < from(b) })
	f.step[fi.AtomicSum] = func(t, o, _ T) (T, bool) { return to(from(t) + from(o)), true }
	f.step[fi.AtomicDiff] = func(t, o, _ T) (T, bool) { return to(from(t) - from(o)), true }
	f.step[fi.AtomicProd] = func(t, o, _ T) (T, bool) { return to(from(t) * from(o)), true }

	no, yes := to(0), to(1)
	value := func(b bool) (T, bool) {
		if b {
			return yes, true
		}
		return no, true
	}
	f.step[fi.AtomicLOr] = func(t, o, _ T) (T, bool) { return value(from(t) != 0 || from(o) != 0) }
	f.step[fi.AtomicLAnd] = func(t, o, _ T) (T, bool) { return value(from(t) != 0 && from(o) != 0) }
	f.step[fi.AtomicLXor] = func(t, o, _ T) (T, bool) { return value((from(t) != 0) != (from(o) != 0)) }
	return f
}
