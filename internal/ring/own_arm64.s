#include "textflag.h"

// func ownPair(l *line)
TEXT ·ownPair(SB), NOSPLIT, $0-8
	MOVD l+0(FP), R0
	PRFM (R0), PSTL1KEEP
	ADD  $64, R0
	PRFM (R0), PSTL1KEEP
	RET
