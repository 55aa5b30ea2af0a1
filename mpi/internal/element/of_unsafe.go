package element

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Of gives the Info of a type. The first call for a type looks at it by reflection; later ones cost a few nanoseconds.
//
// Errors: a part that holds a pointer, by its name, or a type of no size.
//
//fabric:fastpath
func Of[T any]() (*Info, error) {
	var p any = (*T)(nil)
	key := *(*uintptr)(unsafe.Pointer(&p)) // the descriptor of *T, which never moves
	if e := recent[key>>5%slots].Load(); e != nil && e.key == key {
		return e.info, nil
	}
	return find(key, reflect.TypeFor[T]())
}

// OfType is [Of] for a type that is known at run time only.
func OfType(t reflect.Type) (*Info, error) {
	if e, ok := all.Load(t); ok {
		e := e.(*entry)
		return e.info, e.err
	}
	info, err := describe(t)
	e, _ := all.LoadOrStore(t, &entry{info: info, err: err})
	return e.(*entry).info, e.(*entry).err
}

// slots is how many types are found without a look into the map of all; a power of two.
const slots = 128

type entry struct {
	key  uintptr // of recent only
	info *Info
	err  error
}

var (
	recent [slots]atomic.Pointer[entry]
	all    sync.Map // reflect.Type to *entry
)

//go:noinline
func find(key uintptr, t reflect.Type) (*Info, error) {
	info, err := OfType(t)
	if err == nil {
		recent[key>>5%slots].Store(&entry{key: key, info: info})
	}
	return info, err
}

// Bytes is the memory of a slice: the same memory, not a copy. It keeps the slice alive.
//
// T must be an element type ([Of]): bytes written through the result would make addresses up otherwise.
//
//fabric:fastpath
func Bytes[T any](s []T) []byte {
	var z T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(z))
}

// Slice is memory as a slice of T, the inverse of [Bytes], and whether it can be: the address must be a multiple of the
// type's alignment. Bytes at the end that make no whole element are left out. T must be an element type.
//
//fabric:fastpath
func Slice[T any](raw []byte) ([]T, bool) {
	var z T
	p := unsafe.Pointer(unsafe.SliceData(raw))
	if uintptr(p)%unsafe.Alignof(z) != 0 || unsafe.Sizeof(z) == 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(p), uintptr(len(raw))/unsafe.Sizeof(z)), true
}

// Hidden is the same slice, hidden from escape analysis: for a buffer on the stack that goes to a function value which
// keeps nothing.
//
//fabric:fastpath
func Hidden[T any](s []T) []T {
	p := unsafe.Pointer(unsafe.SliceData(s))
	u := *(*uintptr)(unsafe.Pointer(&p))
	return unsafe.Slice(*(**T)(unsafe.Pointer(&u)), len(s))
}

// Slices is [Slice] of three that have as many bytes as the first.
//
//fabric:fastpath
func Slices[T any](a, b, c []byte) (x, y, z []T, ok bool) {
	var t T
	n := uintptr(len(a))
	_, _ = b[:n], c[:n]
	p, q, r := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(c))
	if (uintptr(p)|uintptr(q)|uintptr(r))%unsafe.Alignof(t) != 0 {
		return nil, nil, nil, false
	}
	n /= unsafe.Sizeof(t)
	return unsafe.Slice((*T)(p), n), unsafe.Slice((*T)(q), n), unsafe.Slice((*T)(r), n), true
}
