package avshare

import "unsafe"

// word is the word at an offset of mapped memory, which is a multiple of 4.
func word(mem []byte, at int) *uint32 {
	_ = mem[at+3]
	return (*uint32)(unsafe.Pointer(&mem[at]))
}
