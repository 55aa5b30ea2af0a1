package segment

import (
	"sync/atomic"
	"unsafe"
)

// word, counter and number are the places in the memory that members share. The offsets are this package's own and
// multiples of the size.
func word(mem []byte, at int) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&mem[at:][:4][0]))
}
func counter(mem []byte, at int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&mem[at:][:8][0]))
}
func number(mem []byte, at int) *uint64 { return (*uint64)(unsafe.Pointer(&mem[at:][:8][0])) }
