package shm

import "unsafe"

// word gives 8 bytes of mapped memory as the word that the processor's atomics take; nil when they are not aligned.
func word(m []byte) *uint64 {
	p := unsafe.Pointer(unsafe.SliceData(m))
	if uintptr(p)&7 != 0 {
		return nil
	}
	return (*uint64)(p)
}
