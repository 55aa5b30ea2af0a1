package atomic

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
)

var allKinds = []fi.AtomicKind{fi.AtomicBase, fi.AtomicFetch, fi.AtomicCompare}

// allTypes are those that have kernels.
var allTypes = []fi.Datatype{
	fi.TypeInt8, fi.TypeUint8, fi.TypeInt16, fi.TypeUint16, fi.TypeInt32, fi.TypeUint32, fi.TypeInt64, fi.TypeUint64,
	fi.TypeInt128, fi.TypeUint128, fi.TypeFloat, fi.TypeDouble, fi.TypeFloatComplex, fi.TypeDoubleComplex,
	fi.TypeFloat16, fi.TypeBFloat16, fi.TypeFloat8E4M3, fi.TypeFloat8E5M2,
}

var typeNames = map[fi.Datatype]string{
	fi.TypeInt8: "int8", fi.TypeUint8: "uint8", fi.TypeInt16: "int16", fi.TypeUint16: "uint16",
	fi.TypeInt32: "int32", fi.TypeUint32: "uint32", fi.TypeInt64: "int64", fi.TypeUint64: "uint64",
	fi.TypeInt128: "int128", fi.TypeUint128: "uint128", fi.TypeFloat: "float", fi.TypeDouble: "double",
	fi.TypeFloatComplex: "float_complex", fi.TypeDoubleComplex: "double_complex",
	fi.TypeFloat16: "float16", fi.TypeBFloat16: "bfloat16", fi.TypeFloat8E4M3: "e4m3", fi.TypeFloat8E5M2: "e5m2",
}

// allKernels is every valid kernel.
func allKernels() (ks []*Kernel) {
	for _, kind := range allKinds {
		for _, dt := range allTypes {
			for op := range fi.AtomicOp(numOps) {
				if k, err := Lookup(kind, dt, op); err == nil {
					ks = append(ks, k)
				}
			}
		}
	}
	return ks
}

func lookup(t testing.TB, kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) *Kernel {
	t.Helper()
	k, err := Lookup(kind, dt, op)
	if err != nil {
		t.Fatalf("Lookup(%d, %s, %d): %v", kind, typeNames[dt], op, err)
	}
	return k
}

// aligned gives n bytes that begin at a multiple of 16.
func aligned(n int) []byte {
	b := make([]byte, n+16)
	for i := range 16 {
		if Aligned(b[i:], fi.TypeUint128) {
			return b[i : i+n : i+n]
		}
	}
	panic("no multiple of 16 in 16 addresses")
}
