package element

import (
	"fmt"
	"reflect"

	"github.com/gofabric/gofabric/fi"
)

// Info describes an element type. It is shared and never changed.
type Info struct {
	// Type is the Go type.
	Type reflect.Type
	// Size is the size of an element in bytes, padding included; at least 1.
	Size int
	// Align is what the address of an element is a multiple of.
	Align int
	// Padding is how many bytes of an element belong to no field. They travel as they are.
	Padding int
	// Hash stands for the layout, in 10 bits: 1 to 1023. Types with the same kinds at the same places have the same, also
	// when one is a repetition of the other (float64, [3]float64, struct{ X, Y float64 }): MPI matches the sequence of
	// basic types, not their grouping (MPI 4.1, 3.3.1). 0 is free for "unknown". Two basic types never share one; others may.
	Hash uint16
	// Base is the kind of which the element is made, when it is a number, a bool, or an array of one such; int, uint and
	// uintptr count as the kind of their size. reflect.Invalid for structs.
	Base reflect.Kind

	dt   fi.Datatype
	num  bool
	bool bool
	sig  signature
}

// Datatype is the fabric's type for a number (MPI's predefined types, MPI 4.1, 3.2.2), and false for all that is none.
func (e *Info) Datatype() (fi.Datatype, bool) { return e.dt, e.num }

// HasBool tells whether there is a bool in the element: see [Info.FixBools].
func (e *Info) HasBool() bool { return e.bool }

// String gives the name of the type.
func (e *Info) String() string { return e.Type.String() }

// Like tells whether two types have the same layout, not only the same [Info.Hash]; of layouts that do not repeat within
// 4096 basic elements it compares these.
func (e *Info) Like(f *Info) bool { return e == f || e.sig.like(f.sig) }

// describe makes the Info of a type, or says why it has none.
func describe(t reflect.Type) (*Info, error) {
	if path, bad := pointer(t); bad != nil {
		where := "it is"
		if path != "" {
			where = "its " + path + " is"
		}
		return nil, fmt.Errorf("element type %v: %s a %v, which is an address in this process; use the Value forms (SendValue, "+
			"RecvValue, BcastValue ...) or a type without pointers", t, where, bad)
	}
	if t.Size() == 0 {
		return nil, fmt.Errorf("element type %v has no size: a message of it carries nothing; use a byte, or no data at all", t)
	}
	e := &Info{Type: t, Size: int(t.Size()), Align: t.Align(), sig: signatureOf(t)}
	e.Padding = e.sig.padding()
	e.Hash = e.sig.hash()
	e.bool = e.sig.has(kindCode[reflect.Bool])
	if b := base(t); b != reflect.Invalid {
		e.Base = b
		e.dt, e.num = datatypes[b]
		e.num = e.num && t.Kind() != reflect.Array
	}
	return e, nil
}

// pointer finds the first part of a type that holds an address: where it is, and what.
func pointer(t reflect.Type) (path string, bad reflect.Type) {
	switch t.Kind() {
	case reflect.Array:
		if path, bad = pointer(t.Elem()); bad != nil {
			return "[]" + dot(path), bad
		}
	case reflect.Struct:
		for f := range t.Fields() {
			if path, bad = pointer(f.Type); bad != nil {
				return f.Name + dot(path), bad
			}
		}
	default:
		if kindCode[SizedKind(t.Kind())] == 0 {
			return "", t
		}
	}
	return "", nil
}

// dot joins a path to what it is in.
func dot(path string) string {
	if path != "" && path[0] != '[' {
		return "." + path
	}
	return path
}

// base is the kind at the bottom of nested arrays.
func base(t reflect.Type) reflect.Kind {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return reflect.Invalid
	}
	return SizedKind(t.Kind())
}

// SizedKind gives the kind of a fixed size that an integer has on this machine.
func SizedKind(k reflect.Kind) reflect.Kind {
	const wide = ^uint(0)>>63 != 0
	switch {
	case k == reflect.Int && wide:
		return reflect.Int64
	case k == reflect.Int:
		return reflect.Int32
	case (k == reflect.Uint || k == reflect.Uintptr) && wide:
		return reflect.Uint64
	case k == reflect.Uint || k == reflect.Uintptr:
		return reflect.Uint32
	}
	return k
}

var datatypes = map[reflect.Kind]fi.Datatype{
	reflect.Int8: fi.TypeInt8, reflect.Uint8: fi.TypeUint8, reflect.Int16: fi.TypeInt16, reflect.Uint16: fi.TypeUint16,
	reflect.Int32: fi.TypeInt32, reflect.Uint32: fi.TypeUint32, reflect.Int64: fi.TypeInt64, reflect.Uint64: fi.TypeUint64,
	reflect.Float32: fi.TypeFloat, reflect.Float64: fi.TypeDouble,
	reflect.Complex64: fi.TypeFloatComplex, reflect.Complex128: fi.TypeDoubleComplex,
}
