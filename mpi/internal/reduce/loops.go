package reduce

// The plain loops: dst = a op b for vectors of one length. The compiler keeps the bounds out of them.

type integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

type ordered interface {
	integer | float32 | float64
}

type number interface {
	ordered | complex64 | complex128
}

type loop[T any] func(dst, a, b []T)

func sum[T number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func prod[T number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

func smaller[T ordered](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		v := a[i]
		if b[i] < v {
			v = b[i]
		}
		dst[i] = v
	}
}

func larger[T ordered](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		v := a[i]
		if b[i] > v {
			v = b[i]
		}
		dst[i] = v
	}
}

func band[T integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] & b[i]
	}
}

func bor[T integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] | b[i]
	}
}

func bxor[T integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] ^ b[i]
	}
}

func truth[T integer](b bool) T {
	if b {
		return 1
	}
	return 0
}

func land[T integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = truth[T](a[i] != 0 && b[i] != 0)
	}
}

func lor[T integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = truth[T](a[i]|b[i] != 0)
	}
}

func lxor[T integer](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = truth[T]((a[i] != 0) != (b[i] != 0))
	}
}
