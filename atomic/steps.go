package atomic

func stepWrite[T any](_, o, _ T) (T, bool) { return o, true }

func stepSum[T number](t, o, _ T) (T, bool)   { return t + o, true }
func stepDiff[T number](t, o, _ T) (T, bool)  { return t - o, true }
func stepProd[T ordered](t, o, _ T) (T, bool) { return t * o, true }

// A target that stays is not stored: nobody can tell, and its cache line stays shared.
func stepMin[T ordered](t, o, _ T) (T, bool) { return o, o < t }
func stepMax[T ordered](t, o, _ T) (T, bool) { return o, o > t }

func stepBOr[T integer](t, o, _ T) (T, bool)   { return t | o, true }
func stepBAnd[T integer](t, o, _ T) (T, bool)  { return t & o, true }
func stepBXor[T integer](t, o, _ T) (T, bool)  { return t ^ o, true }
func stepMSwap[T integer](t, o, c T) (T, bool) { return o&c | t&^c, true }

func stepLOr[T number](t, o, _ T) (T, bool)  { return truth[T](t != 0 || o != 0), true }
func stepLAnd[T number](t, o, _ T) (T, bool) { return truth[T](t != 0 && o != 0), true }
func stepLXor[T number](t, o, _ T) (T, bool) { return truth[T]((t != 0) != (o != 0)), true }

func truth[T number](b bool) T {
	if b {
		return 1
	}
	return 0
}

// prodComplex64 multiplies by hand: Go may fuse the products of its own operator with the sums on some processors, and
// the result must not depend on who executes it. The conversions forbid that.
func prodComplex64(t, o, _ complex64) (complex64, bool) {
	a, b, c, d := real(t), imag(t), real(o), imag(o)
	return complex(float32(a*c)-float32(b*d), float32(a*d)+float32(b*c)), true
}

func prodComplex128(t, o, _ complex128) (complex128, bool) {
	a, b, c, d := real(t), imag(t), real(o), imag(o)
	return complex(float64(a*c)-float64(b*d), float64(a*d)+float64(b*c)), true
}
