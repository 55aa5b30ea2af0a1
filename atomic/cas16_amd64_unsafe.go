//go:build amd64

package atomic

import "unsafe"

// cas16 stores new at p, which is a multiple of 16, if old is there, and gives what was there, all as one atomic
// (CMPXCHG16B).
//
//go:noescape
func cas16(p unsafe.Pointer, oldLo, oldHi, newLo, newHi uint64) (lo, hi uint64, ok bool)

// cpuid1 gives the feature bits of CPUID leaf 1, register ECX.
func cpuid1() (ecx uint32)

// has16 is false on the first processors with 64 bits only (x86-64-v1).
var has16 = cpuid1()&(1<<13) != 0
