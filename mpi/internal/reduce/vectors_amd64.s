//go:build !race

#include "textflag.h"

// VECTOR is dst = a op b for n bytes, a positive multiple of 32. STEP(off, R) makes R, which holds b, the result for the 32
// bytes at SI+off, which are a.
#define VECTOR(STEP) \
	MOVQ dst+0(FP), DI \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), BX \
	MOVQ n+24(FP), CX \
	SUBQ $128, CX \
	JB   rest \
four: \
	VMOVDQU 0(BX), Y0 \
	VMOVDQU 32(BX), Y1 \
	VMOVDQU 64(BX), Y2 \
	VMOVDQU 96(BX), Y3 \
	STEP(0, Y0) \
	STEP(32, Y1) \
	STEP(64, Y2) \
	STEP(96, Y3) \
	VMOVDQU Y0, 0(DI) \
	VMOVDQU Y1, 32(DI) \
	VMOVDQU Y2, 64(DI) \
	VMOVDQU Y3, 96(DI) \
	ADDQ $128, BX \
	ADDQ $128, SI \
	ADDQ $128, DI \
	SUBQ $128, CX \
	JAE  four \
rest: \
	ADDQ $128, CX \
	JE   done \
one: \
	VMOVDQU 0(BX), Y0 \
	STEP(0, Y0) \
	VMOVDQU Y0, 0(DI) \
	ADDQ $32, BX \
	ADDQ $32, SI \
	ADDQ $32, DI \
	SUBQ $32, CX \
	JNE  one \
done: \
	VZEROUPPER \
	RET

#define addF32_(off, R) VADDPS off(SI), R, R
#define addF64_(off, R) VADDPD off(SI), R, R
#define add8_(off, R) VPADDB off(SI), R, R
#define add16_(off, R) VPADDW off(SI), R, R
#define add32_(off, R) VPADDD off(SI), R, R
#define add64_(off, R) VPADDQ off(SI), R, R
#define mulF32_(off, R) VMULPS off(SI), R, R
#define mulF64_(off, R) VMULPD off(SI), R, R
#define mul16_(off, R) VPMULLW off(SI), R, R
#define mul32_(off, R) VPMULLD off(SI), R, R
#define minF32_(off, R) VMINPS off(SI), R, R
#define minF64_(off, R) VMINPD off(SI), R, R
#define minI8_(off, R) VPMINSB off(SI), R, R
#define minU8_(off, R) VPMINUB off(SI), R, R
#define minI16_(off, R) VPMINSW off(SI), R, R
#define minU16_(off, R) VPMINUW off(SI), R, R
#define minI32_(off, R) VPMINSD off(SI), R, R
#define minU32_(off, R) VPMINUD off(SI), R, R
#define maxF32_(off, R) VMAXPS off(SI), R, R
#define maxF64_(off, R) VMAXPD off(SI), R, R
#define maxI8_(off, R) VPMAXSB off(SI), R, R
#define maxU8_(off, R) VPMAXUB off(SI), R, R
#define maxI16_(off, R) VPMAXSW off(SI), R, R
#define maxU16_(off, R) VPMAXUW off(SI), R, R
#define maxI32_(off, R) VPMAXSD off(SI), R, R
#define maxU32_(off, R) VPMAXUD off(SI), R, R
#define and_(off, R) VPAND off(SI), R, R
#define or_(off, R) VPOR off(SI), R, R
#define xor_(off, R) VPXOR off(SI), R, R
#define minI64_(off, R) VMOVDQU off(SI), Y4; VPCMPGTQ R, Y4, Y5; VPBLENDVB Y5, R, Y4, R
#define maxI64_(off, R) VMOVDQU off(SI), Y4; VPCMPGTQ Y4, R, Y5; VPBLENDVB Y5, R, Y4, R
// A product of 64 bits is made of those of halves: low*low, and the crossed ones above it.
#define mul64_(off, R) \
	VMOVDQU off(SI), Y4; VPSRLQ $32, R, Y5; VPMULUDQ Y4, Y5, Y5; VPSRLQ $32, Y4, Y6; VPMULUDQ R, Y6, Y6; \
	VPADDQ Y5, Y6, Y6; VPSLLQ $32, Y6, Y6; VPMULUDQ Y4, R, R; VPADDQ Y6, R, R

// func addF32AVX2(dst, a, b *byte, n uintptr)
TEXT ·addF32AVX2(SB), NOSPLIT, $0-32
	VECTOR(addF32_)

// func addF64AVX2(dst, a, b *byte, n uintptr)
TEXT ·addF64AVX2(SB), NOSPLIT, $0-32
	VECTOR(addF64_)

// func add8AVX2(dst, a, b *byte, n uintptr)
TEXT ·add8AVX2(SB), NOSPLIT, $0-32
	VECTOR(add8_)

// func add16AVX2(dst, a, b *byte, n uintptr)
TEXT ·add16AVX2(SB), NOSPLIT, $0-32
	VECTOR(add16_)

// func add32AVX2(dst, a, b *byte, n uintptr)
TEXT ·add32AVX2(SB), NOSPLIT, $0-32
	VECTOR(add32_)

// func add64AVX2(dst, a, b *byte, n uintptr)
TEXT ·add64AVX2(SB), NOSPLIT, $0-32
	VECTOR(add64_)

// func mulF32AVX2(dst, a, b *byte, n uintptr)
TEXT ·mulF32AVX2(SB), NOSPLIT, $0-32
	VECTOR(mulF32_)

// func mulF64AVX2(dst, a, b *byte, n uintptr)
TEXT ·mulF64AVX2(SB), NOSPLIT, $0-32
	VECTOR(mulF64_)

// func mul16AVX2(dst, a, b *byte, n uintptr)
TEXT ·mul16AVX2(SB), NOSPLIT, $0-32
	VECTOR(mul16_)

// func mul32AVX2(dst, a, b *byte, n uintptr)
TEXT ·mul32AVX2(SB), NOSPLIT, $0-32
	VECTOR(mul32_)

// func mul64AVX2(dst, a, b *byte, n uintptr)
TEXT ·mul64AVX2(SB), NOSPLIT, $0-32
	VECTOR(mul64_)

// func minF32AVX2(dst, a, b *byte, n uintptr)
TEXT ·minF32AVX2(SB), NOSPLIT, $0-32
	VECTOR(minF32_)

// func minF64AVX2(dst, a, b *byte, n uintptr)
TEXT ·minF64AVX2(SB), NOSPLIT, $0-32
	VECTOR(minF64_)

// func minI8AVX2(dst, a, b *byte, n uintptr)
TEXT ·minI8AVX2(SB), NOSPLIT, $0-32
	VECTOR(minI8_)

// func minU8AVX2(dst, a, b *byte, n uintptr)
TEXT ·minU8AVX2(SB), NOSPLIT, $0-32
	VECTOR(minU8_)

// func minI16AVX2(dst, a, b *byte, n uintptr)
TEXT ·minI16AVX2(SB), NOSPLIT, $0-32
	VECTOR(minI16_)

// func minU16AVX2(dst, a, b *byte, n uintptr)
TEXT ·minU16AVX2(SB), NOSPLIT, $0-32
	VECTOR(minU16_)

// func minI32AVX2(dst, a, b *byte, n uintptr)
TEXT ·minI32AVX2(SB), NOSPLIT, $0-32
	VECTOR(minI32_)

// func minU32AVX2(dst, a, b *byte, n uintptr)
TEXT ·minU32AVX2(SB), NOSPLIT, $0-32
	VECTOR(minU32_)

// func maxF32AVX2(dst, a, b *byte, n uintptr)
TEXT ·maxF32AVX2(SB), NOSPLIT, $0-32
	VECTOR(maxF32_)

// func maxF64AVX2(dst, a, b *byte, n uintptr)
TEXT ·maxF64AVX2(SB), NOSPLIT, $0-32
	VECTOR(maxF64_)

// func maxI8AVX2(dst, a, b *byte, n uintptr)
TEXT ·maxI8AVX2(SB), NOSPLIT, $0-32
	VECTOR(maxI8_)

// func maxU8AVX2(dst, a, b *byte, n uintptr)
TEXT ·maxU8AVX2(SB), NOSPLIT, $0-32
	VECTOR(maxU8_)

// func maxI16AVX2(dst, a, b *byte, n uintptr)
TEXT ·maxI16AVX2(SB), NOSPLIT, $0-32
	VECTOR(maxI16_)

// func maxU16AVX2(dst, a, b *byte, n uintptr)
TEXT ·maxU16AVX2(SB), NOSPLIT, $0-32
	VECTOR(maxU16_)

// func maxI32AVX2(dst, a, b *byte, n uintptr)
TEXT ·maxI32AVX2(SB), NOSPLIT, $0-32
	VECTOR(maxI32_)

// func maxU32AVX2(dst, a, b *byte, n uintptr)
TEXT ·maxU32AVX2(SB), NOSPLIT, $0-32
	VECTOR(maxU32_)

// func andAVX2(dst, a, b *byte, n uintptr)
TEXT ·andAVX2(SB), NOSPLIT, $0-32
	VECTOR(and_)

// func orAVX2(dst, a, b *byte, n uintptr)
TEXT ·orAVX2(SB), NOSPLIT, $0-32
	VECTOR(or_)

// func xorAVX2(dst, a, b *byte, n uintptr)
TEXT ·xorAVX2(SB), NOSPLIT, $0-32
	VECTOR(xor_)

// func minI64AVX2(dst, a, b *byte, n uintptr)
TEXT ·minI64AVX2(SB), NOSPLIT, $0-32
	VECTOR(minI64_)

// func maxI64AVX2(dst, a, b *byte, n uintptr)
TEXT ·maxI64AVX2(SB), NOSPLIT, $0-32
	VECTOR(maxI64_)

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
