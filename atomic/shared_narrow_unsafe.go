package atomic

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// narrow is the aligned 32-bit word around an element of 1 or 2 bytes, and how far the element is shifted in it.
func narrow(p unsafe.Pointer, size uintptr) (word *uint32, shift uint) {
	in := uintptr(p) & 3
	word = (*uint32)(unsafe.Add(p, -int(in)))
	if bigEndian {
		in = 4 - size - in
	}
	return word, uint(in) * 8
}

func sharedLoop8[T any](f step[T]) sharedFunc {
	return func(t, o, c, r unsafe.Pointer, n int) {
		for i := range n {
			v, cmp := *(*uint8)(unsafe.Add(o, i)), uint8(0)
			if c != nil {
				cmp = *(*uint8)(unsafe.Add(c, i))
			}
			word, shift := narrow(unsafe.Add(t, i), 1)
			for {
				w := atomic.LoadUint32(word)
				old := uint8(w >> (shift & 31))
				neu, store := f(as[T](&old), as[T](&v), as[T](&cmp))
				if !store || swapBits(word, w, uint32(old^as[uint8](&neu)), shift) {
					give8(r, i, old)
					break
				}
			}
		}
	}
}

func sharedLoop16[T any](f step[T]) sharedFunc {
	return func(t, o, c, r unsafe.Pointer, n int) {
		for i := range n {
			v, cmp := load16(unsafe.Add(o, i*2)), uint16(0)
			if c != nil {
				cmp = load16(unsafe.Add(c, i*2))
			}
			word, shift := narrow(unsafe.Add(t, i*2), 2)
			for {
				w := atomic.LoadUint32(word)
				old := uint16(w >> (shift & 31))
				neu, store := f(as[T](&old), as[T](&v), as[T](&cmp))
				if !store || swapBits(word, w, uint32(old^as[uint16](&neu)), shift) {
					give16(r, i, old)
					break
				}
			}
		}
	}
}

// swapBits changes some bits of a word that still is w.
func swapBits(word *uint32, w, flip uint32, shift uint) bool {
	return atomic.CompareAndSwapUint32(word, w, w^flip<<(shift&31))
}

func sharedRead8(t, _, _, r unsafe.Pointer, n int) {
	for i := range n {
		word, shift := narrow(unsafe.Add(t, i), 1)
		give8(r, i, uint8(atomic.LoadUint32(word)>>(shift&31)))
	}
}

func sharedRead16(t, _, _, r unsafe.Pointer, n int) {
	for i := range n {
		word, shift := narrow(unsafe.Add(t, i*2), 2)
		give16(r, i, uint16(atomic.LoadUint32(word)>>(shift&31)))
	}
}

func load16(p unsafe.Pointer) uint16 { return binary.NativeEndian.Uint16((*[2]byte)(p)[:]) }

func give16(r unsafe.Pointer, i int, v uint16) {
	if r != nil {
		binary.NativeEndian.PutUint16((*[2]byte)(unsafe.Add(r, i*2))[:], v)
	}
}

func give8(r unsafe.Pointer, i int, v uint8) {
	if r != nil {
		*(*uint8)(unsafe.Add(r, i)) = v
	}
}
