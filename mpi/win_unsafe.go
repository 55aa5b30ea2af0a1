package mpi

import (
	"unsafe"

	"github.com/gofabric/gofabric/mpi/internal/window"
)

// word64 is an element of 8 bytes as a number.
func word64[T any](v *T) uint64 { return *(*uint64)(unsafe.Pointer(v)) }

func setWord64[T any](v *T, u uint64) { *(*uint64)(unsafe.Pointer(v)) = u }

// bitsOf is an element as its bytes; what does not fit is refused later, by its size.
func bitsOf[T any](v *T) (b window.Bits) {
	copy(b[:], unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)))
	return b
}

func setBits[T any](v *T, b window.Bits) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)), b[:])
}
