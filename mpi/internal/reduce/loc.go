package reduce

import (
	"reflect"

	"github.com/gofabric/gofabric/mpi/internal/element"
)

// pair is how a value with its location lies in memory (MPI 4.1, 6.9.4): as in every Go struct of the two, whatever the
// names.
type pair[V ordered, I int32 | int64] struct {
	value V
	index I
}

func minLoc[V ordered, I int32 | int64](dst, a, b []pair[V, I]) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		if y.value < x.value || y.value == x.value && y.index < x.index {
			x = y
		}
		dst[i] = x
	}
}

func maxLoc[V ordered, I int32 | int64](dst, a, b []pair[V, I]) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		if y.value > x.value || y.value == x.value && y.index < x.index {
			x = y
		}
		dst[i] = x
	}
}

type locKey struct {
	code         code
	value, index reflect.Kind
}

var locs = makeLocs()

func makeLocs() map[locKey]Kernel {
	m := map[locKey]Kernel{}
	addLoc[int8](m, reflect.Int8)
	addLoc[uint8](m, reflect.Uint8)
	addLoc[int16](m, reflect.Int16)
	addLoc[uint16](m, reflect.Uint16)
	addLoc[int32](m, reflect.Int32)
	addLoc[uint32](m, reflect.Uint32)
	addLoc[int64](m, reflect.Int64)
	addLoc[uint64](m, reflect.Uint64)
	addLoc[float32](m, reflect.Float32)
	addLoc[float64](m, reflect.Float64)
	return m
}

func addLoc[V ordered](m map[locKey]Kernel, k reflect.Kind) {
	m[locKey{opMinLoc, k, reflect.Int32}] = plain(minLoc[V, int32])
	m[locKey{opMinLoc, k, reflect.Int64}] = plain(minLoc[V, int64])
	m[locKey{opMaxLoc, k, reflect.Int32}] = plain(maxLoc[V, int32])
	m[locKey{opMaxLoc, k, reflect.Int64}] = plain(maxLoc[V, int64])
}

// locKinds gives the kinds of value and location, when a type is a struct of the two.
func locKinds(t reflect.Type) (value, index reflect.Kind) {
	if t.Kind() != reflect.Struct || t.NumField() != 2 {
		return reflect.Invalid, reflect.Invalid
	}
	value, index = element.SizedKind(t.Field(0).Type.Kind()), element.SizedKind(t.Field(1).Type.Kind())
	if locs[locKey{opMinLoc, value, index}] == nil {
		return reflect.Invalid, reflect.Invalid
	}
	return value, index
}

// Loc is a value with its location, for MinLoc and MaxLoc: the smaller index of equal values wins.
type Loc[T any] struct {
	Value T
	Index int
}
