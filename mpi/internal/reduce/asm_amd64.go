//go:build !race

package reduce

// The assembly: see vector. It is a minimum or maximum of the same zeros and NaNs as the loops, since the processor's are b
// compared with a, and a where that is false.

//go:noescape
func addF32AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func addF64AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func add8AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func add16AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func add32AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func add64AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func mulF32AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func mulF64AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func mul16AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func mul32AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func mul64AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func minF32AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func minF64AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func minI8AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func minU8AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func minI16AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func minU16AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func minI32AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func minU32AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func maxF32AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func maxF64AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func maxI8AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func maxU8AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func maxI16AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func maxU16AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func maxI32AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func maxU32AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func andAVX2(dst, a, b *byte, n uintptr)

//go:noescape
func orAVX2(dst, a, b *byte, n uintptr)

//go:noescape
func xorAVX2(dst, a, b *byte, n uintptr)

//go:noescape
func minI64AVX2(dst, a, b *byte, n uintptr)

//go:noescape
func maxI64AVX2(dst, a, b *byte, n uintptr)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() uint32
