//go:build arm64

package atomic

import "unsafe"

// cas16 stores new at p, which is a multiple of 16, if old is there, and gives what was there, all as one atomic (a
// loop of LDAXP and STLXP, which every arm64 has).
//
//go:noescape
func cas16(p unsafe.Pointer, oldLo, oldHi, newLo, newHi uint64) (lo, hi uint64, ok bool)

const has16 = true
