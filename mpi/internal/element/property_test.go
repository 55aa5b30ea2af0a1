package element

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

var basics = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[int32](),
	reflect.TypeFor[int](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex128](),
}

// anyType draws an element type of some depth.
func anyType(t *rapid.T, depth int) reflect.Type {
	switch n := rapid.IntRange(0, 3).Draw(t, "form"); {
	case depth > 0 && n == 0:
		return reflect.ArrayOf(rapid.IntRange(1, 4).Draw(t, "len"), anyType(t, depth-1))
	case depth > 0 && n == 1:
		fields := make([]reflect.StructField, rapid.IntRange(1, 4).Draw(t, "fields"))
		for i := range fields {
			fields[i] = reflect.StructField{Name: string(rune('A' + i)), Type: anyType(t, depth-1)}
		}
		return reflect.StructOf(fields)
	}
	return rapid.SampledFrom(basics).Draw(t, "basic")
}

// flatten writes the code of each basic kind at the byte where it starts, 0xff in the rest of it, and pad elsewhere.
func flatten(t reflect.Type, into []byte) {
	switch t.Kind() {
	case reflect.Array:
		for i := range t.Len() {
			flatten(t.Elem(), into[uintptr(i)*t.Elem().Size():])
		}
	case reflect.Struct:
		for field := range t.Fields() {
			flatten(field.Type, into[field.Offset:])
		}
	default:
		for i := range t.Size() {
			into[i] = 0xff
		}
		into[0] = kindCode[SizedKind(t.Kind())]
	}
}

func layoutOf(t reflect.Type, repeat int) []byte {
	b := bytes.Repeat([]byte{pad}, int(t.Size()))
	flatten(t, b)
	return bytes.Repeat(b, repeat)
}

// Two types are alike exactly if arrays of them with the same number of bytes are laid out alike.
func TestLikeIsSameMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyType(t, 3), anyType(t, 2)
		if rapid.Bool().Draw(t, "near") {
			b = reflect.ArrayOf(rapid.IntRange(1, 3).Draw(t, "times"), a)
		}
		x, err1 := OfType(a)
		y, err2 := OfType(b)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		same := bytes.Equal(layoutOf(a, y.Size), layoutOf(b, x.Size))
		if x.Like(y) != same {
			t.Fatalf("%v and %v: alike %v, memory %v", a, b, !same, same)
		}
		if same && x.Hash != y.Hash {
			t.Fatalf("%v and %v are alike, with hashes %d and %d", a, b, x.Hash, y.Hash)
		}
		if want := bytes.Count(layoutOf(a, 1), []byte{pad}); x.Padding != want {
			t.Fatalf("%v: padding %d, want %d", a, x.Padding, want)
		}
		if x.HasBool() != (bytes.IndexByte(layoutOf(a, 1), kindCode[reflect.Bool]) >= 0) {
			t.Fatalf("%v: has a bool: %v", a, x.HasBool())
		}
	})
}
