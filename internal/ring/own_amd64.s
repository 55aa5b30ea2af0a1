#include "textflag.h"

// func ownPair(l *line)
TEXT ·ownPair(SB), NOSPLIT, $0-8
	MOVQ l+0(FP), AX
	BYTE $0x0f; BYTE $0x0d; BYTE $0x08             // PREFETCHW (AX)
	BYTE $0x0f; BYTE $0x0d; BYTE $0x48; BYTE $0x40 // PREFETCHW 64(AX)
	RET
