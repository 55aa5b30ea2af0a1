#include "textflag.h"

// func cas16(p unsafe.Pointer, oldLo, oldHi, newLo, newHi uint64) (lo, hi uint64, ok bool)
TEXT ·cas16(SB), NOSPLIT, $0-57
	MOVQ p+0(FP), R8
	MOVQ oldLo+8(FP), AX
	MOVQ oldHi+16(FP), DX
	MOVQ newLo+24(FP), BX
	MOVQ newHi+32(FP), CX
	LOCK
	CMPXCHG16B (R8)
	SETEQ ok+56(FP)
	MOVQ AX, lo+40(FP)
	MOVQ DX, hi+48(FP)
	RET

// func cpuid1() (ecx uint32)
TEXT ·cpuid1(SB), NOSPLIT, $0-4
	MOVL $1, AX
	XORL CX, CX
	CPUID
	MOVL CX, ecx+0(FP)
	RET
