package value

import (
	"reflect"
	"unsafe"
)

// Slices have one header, whatever they are of, and strings too. The callers have made sure of the kind of T.

// sliceMemory is the memory of the slice at v, of elements of size bytes; nil when the slice is.
func sliceMemory[T any](v *T, size int) []byte {
	s := *(*[]byte)(unsafe.Pointer(v)) // as many bytes as there are elements
	if s == nil {
		return nil
	}
	return unsafe.Slice(unsafe.SliceData(s), len(s)*size)
}

// makeSlice puts a new slice of n elements of size bytes at v and gives its memory.
func makeSlice[T any](v *T, t reflect.Type, size, n int) []byte {
	s := reflect.MakeSlice(t, n, n)
	p := (*byte)(s.UnsafePointer())
	*(*[]byte)(unsafe.Pointer(v)) = unsafe.Slice(p, n)
	return unsafe.Slice(p, n*size)
}

// stringOf is the string at v.
func stringOf[T any](v *T) *string { return (*string)(unsafe.Pointer(v)) }
