#include "textflag.h"

// func cas16(p unsafe.Pointer, oldLo, oldHi, newLo, newHi uint64) (lo, hi uint64, ok bool)
//
// The pair that was loaded is known to be whole only when the store that follows succeeds, so that a wrong guess stores
// it back.
TEXT ·cas16(SB), NOSPLIT, $0-57
	MOVD p+0(FP), R0
	MOVD oldLo+8(FP), R1
	MOVD oldHi+16(FP), R2
	MOVD newLo+24(FP), R3
	MOVD newHi+32(FP), R4
again:
	LDAXP (R0), (R5, R6)
	CMP   R1, R5
	BNE   other
	CMP   R2, R6
	BNE   other
	STLXP (R3, R4), (R0), R7
	CBNZW R7, again
	MOVD  $1, R8
	B     done
other:
	STLXP (R5, R6), (R0), R7
	CBNZW R7, again
	MOVD  $0, R8
done:
	MOVD R5, lo+40(FP)
	MOVD R6, hi+48(FP)
	MOVB R8, ok+56(FP)
	RET
