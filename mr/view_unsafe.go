package mr

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gofabric/gofabric/fi"
)

// View gives memory as a slice of T, without a copy: a region's bytes as the numbers or structures that they are. T must
// not hold pointers (nor strings, slices, maps, interfaces, channels or functions): a peer writes bytes, not references.
//
// Ownership: the view is the same memory; it must not be used after that is freed.
// Errors: fi.ErrInvalid when T holds pointers or has no size, when b does not begin at a multiple of T's alignment, or is
// not a whole number of T.
func View[T any](b []byte) ([]T, error) {
	t := reflect.TypeFor[T]()
	size := int(t.Size())
	fail := func(why string) ([]T, error) {
		return nil, &fi.Error{Op: "mr_view", Object: t.String(), Err: fi.ErrInvalid, Hint: why}
	}
	switch {
	case size == 0:
		return fail("the type has no size")
	case pointers(t):
		return fail("the type holds pointers: a peer writes bytes, not references")
	case len(b)%size != 0:
		return fail(fmt.Sprintf("%d bytes are no whole number of %d", len(b), size))
	case len(b) == 0:
		return nil, nil
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(p)%uintptr(t.Align()) != 0 {
		return fail(fmt.Sprintf("the memory is not aligned to %d bytes", t.Align()))
	}
	return unsafe.Slice((*T)(p), len(b)/size), nil
}

// pointers tells whether values of a type hold references.
func pointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64,
		reflect.Complex64, reflect.Complex128:
		return false
	case reflect.Array:
		return pointers(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if pointers(field.Type) {
				return true
			}
		}
		return false
	}
	return true
}
