//go:build !race

package reduce

import "reflect"

// vector is assembly for dst = a op b: n bytes, a positive multiple of 32.
type vector func(dst, a, b *byte, n uintptr)

// piece bounds the bytes of one call: a goroutine cannot be stopped in the middle of assembly.
const piece = 64 << 10

// vectored puts assembly before a loop, which does the last bytes.
func vectored(f vector, rest Kernel) Kernel {
	return func(dst, a, b []byte) {
		for len(dst) >= 32 {
			n := min(len(dst), piece) &^ 31
			_, _ = a[n-1], b[n-1]
			f(&dst[0], &a[0], &b[0], uintptr(n))
			dst, a, b = dst[n:], a[n:], b[n:]
		}
		if len(dst) != 0 {
			rest(dst, a, b)
		}
	}
}

// addVectors replaces the kernels that AVX2 does faster.
func addVectors(t *kernels) {
	if !hasAVX2() {
		return
	}
	for _, v := range vectors {
		for _, k := range v.kinds {
			t[v.code][k] = vectored(v.f, t[v.code][k])
		}
	}
}

// hasAVX2 asks the processor, and whether the system saves the registers.
func hasAVX2() bool {
	const (
		osxsave, avx = 1 << 27, 1 << 28
		avx2         = 1 << 5
		xmm, ymm     = 1 << 1, 1 << 2
	)
	most, _, _, _ := cpuid(0, 0)
	if most < 7 {
		return false
	}
	_, _, c, _ := cpuid(1, 0)
	if c&(osxsave|avx) != osxsave|avx || xgetbv()&(xmm|ymm) != xmm|ymm {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&avx2 != 0
}

type kinds = []reflect.Kind

var vectors = []struct {
	f     vector
	code  code
	kinds kinds
}{
	{addF32AVX2, opSum, kinds{reflect.Float32, reflect.Complex64}},
	{addF64AVX2, opSum, kinds{reflect.Float64, reflect.Complex128}},
	{add8AVX2, opSum, kinds{reflect.Int8, reflect.Uint8}},
	{add16AVX2, opSum, kinds{reflect.Int16, reflect.Uint16}},
	{add32AVX2, opSum, kinds{reflect.Int32, reflect.Uint32}},
	{add64AVX2, opSum, kinds{reflect.Int64, reflect.Uint64}},
	{mulF32AVX2, opProd, kinds{reflect.Float32}},
	{mulF64AVX2, opProd, kinds{reflect.Float64}},
	{mul16AVX2, opProd, kinds{reflect.Int16, reflect.Uint16}},
	{mul32AVX2, opProd, kinds{reflect.Int32, reflect.Uint32}},
	{mul64AVX2, opProd, kinds{reflect.Int64, reflect.Uint64}},
	{minF32AVX2, opMin, kinds{reflect.Float32}},
	{minF64AVX2, opMin, kinds{reflect.Float64}},
	{minI8AVX2, opMin, kinds{reflect.Int8}},
	{minU8AVX2, opMin, kinds{reflect.Uint8}},
	{minI16AVX2, opMin, kinds{reflect.Int16}},
	{minU16AVX2, opMin, kinds{reflect.Uint16}},
	{minI32AVX2, opMin, kinds{reflect.Int32}},
	{minU32AVX2, opMin, kinds{reflect.Uint32}},
	{minI64AVX2, opMin, kinds{reflect.Int64}},
	{maxF32AVX2, opMax, kinds{reflect.Float32}},
	{maxF64AVX2, opMax, kinds{reflect.Float64}},
	{maxI8AVX2, opMax, kinds{reflect.Int8}},
	{maxU8AVX2, opMax, kinds{reflect.Uint8}},
	{maxI16AVX2, opMax, kinds{reflect.Int16}},
	{maxU16AVX2, opMax, kinds{reflect.Uint16}},
	{maxI32AVX2, opMax, kinds{reflect.Int32}},
	{maxU32AVX2, opMax, kinds{reflect.Uint32}},
	{maxI64AVX2, opMax, kinds{reflect.Int64}},
	{andAVX2, opBand, integers},
	{orAVX2, opBor, integers},
	{xorAVX2, opBxor, integers},
}

var integers = kinds{reflect.Int8, reflect.Uint8, reflect.Int16, reflect.Uint16, reflect.Int32, reflect.Uint32, reflect.Int64,
	reflect.Uint64}
