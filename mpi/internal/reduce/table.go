package reduce

import (
	"reflect"

	"github.com/gofabric/gofabric/mpi/internal/element"
)

// table holds the kernels of the predefined operations by the kind of an element.
var table = func() *kernels {
	t := plainTable()
	addVectors(t)
	return t
}()

type kernels [opMinLoc][reflect.UnsafePointer + 1]Kernel

// plainTable is the table without assembly.
func plainTable() *kernels {
	t := new(kernels)
	addInteger[int8](t, reflect.Int8)
	addInteger[uint8](t, reflect.Uint8)
	addInteger[int16](t, reflect.Int16)
	addInteger[uint16](t, reflect.Uint16)
	addInteger[int32](t, reflect.Int32)
	addInteger[uint32](t, reflect.Uint32)
	addInteger[int64](t, reflect.Int64)
	addInteger[uint64](t, reflect.Uint64)
	addOrdered[float32](t, reflect.Float32)
	addOrdered[float64](t, reflect.Float64)
	addNumber[complex64](t, reflect.Complex64)
	addNumber[complex128](t, reflect.Complex128)
	addLogical[uint8](t, reflect.Bool) // a byte that somebody else sent may be neither 0 nor 1
	return t
}

func addInteger[T integer](t *kernels, k reflect.Kind) {
	addOrdered[T](t, k)
	addLogical[T](t, k)
	t[opBand][k] = plain(band[T])
	t[opBor][k] = plain(bor[T])
	t[opBxor][k] = plain(bxor[T])
}

func addLogical[T integer](t *kernels, k reflect.Kind) {
	t[opLand][k] = plain(land[T])
	t[opLor][k] = plain(lor[T])
	t[opLxor][k] = plain(lxor[T])
}

func addOrdered[T ordered](t *kernels, k reflect.Kind) {
	addNumber[T](t, k)
	t[opMin][k] = plain(smaller[T])
	t[opMax][k] = plain(larger[T])
}

func addNumber[T number](t *kernels, k reflect.Kind) {
	t[opSum][k] = plain(sum[T])
	t[opProd][k] = plain(prod[T])
}

// plain makes a kernel of a loop.
func plain[T any](f loop[T]) Kernel {
	return func(dst, a, b []byte) {
		d, x, y, ok := element.Slices[T](dst, a, b)
		if !ok {
			staged(f, dst, a, b)
			return
		}
		f(d, x, y)
	}
}

// stage is how many elements are copied at a time.
const stage = 64

// staged does what lies at odd addresses by way of aligned copies.
func staged[T any](f loop[T], dst, a, b []byte) {
	var x, y [stage]T
	rawX, rawY := element.Bytes(x[:]), element.Bytes(y[:])
	for at := 0; at < len(dst); at += len(rawX) {
		n := copy(rawX, a[at:len(dst)])
		copy(rawY, b[at:len(dst)])
		m := n / (len(rawX) / stage)
		v, w := element.Hidden(x[:m]), element.Hidden(y[:m])
		f(v, v, w)
		copy(dst[at:], rawX[:n])
	}
}
