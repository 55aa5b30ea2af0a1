package reduce

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// kindSizes are the kinds that have kernels.
var kindSizes = map[reflect.Kind]int{reflect.Int8: 1, reflect.Uint8: 1, reflect.Bool: 1, reflect.Int16: 2, reflect.Uint16: 2,
	reflect.Int32: 4, reflect.Uint32: 4, reflect.Int64: 8, reflect.Uint64: 8, reflect.Float32: 4, reflect.Float64: 8,
	reflect.Complex64: 8, reflect.Complex128: 16}

var special32 = []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)),
	float32(math.NaN()), math.MaxFloat32, math.SmallestNonzeroFloat32}

// fill writes elements of a kind that are likely to show differences.
func fill(r *rand.Rand, k reflect.Kind, b []byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	f32 := k == reflect.Float32 || k == reflect.Complex64
	f64 := k == reflect.Float64 || k == reflect.Complex128
	for i := 0; i+8 <= len(b); i += 8 {
		switch pick := special32[r.IntN(len(special32))]; {
		case r.IntN(3) == 0: // random bits
		case f32:
			binary.NativeEndian.PutUint32(b[i:], math.Float32bits(pick))
		case f64:
			binary.NativeEndian.PutUint64(b[i:], math.Float64bits(float64(pick)))
		case r.IntN(2) == 0:
			binary.NativeEndian.PutUint64(b[i:], [...]uint64{0, 1, 1 << 63, 1<<63 - 1, math.MaxUint64, 0x8000000080000000}[r.IntN(6)])
		}
	}
}

// canonical makes all NaNs one: their bits are the processor's choice.
func canonical(k reflect.Kind, b []byte) []byte {
	b = bytes.Clone(b)
	switch k {
	case reflect.Float32, reflect.Complex64:
		for i := 0; i+4 <= len(b); i += 4 {
			if f := math.Float32frombits(binary.NativeEndian.Uint32(b[i:])); f != f {
				binary.NativeEndian.PutUint32(b[i:], 0x7fc00000)
			}
		}
	case reflect.Float64, reflect.Complex128:
		for i := 0; i+8 <= len(b); i += 8 {
			if f := math.Float64frombits(binary.NativeEndian.Uint64(b[i:])); f != f {
				binary.NativeEndian.PutUint64(b[i:], 0x7ff8000000000000)
			}
		}
	}
	return b
}

// The kernels in use give the bits of the plain loops: at any length, at any address, in place on both sides.
func TestSameAsPlainLoops(t *testing.T) {
	plain := plainTable()
	r := rand.New(rand.NewPCG(1, 2))
	lengths := []int{0, 1, 2, 3, 31, 32, 33, 63, 64, 127, 128, 129, 160, 191, 255, 256, 300, 70_000}
	for op := opSum; op < opMinLoc; op++ {
		for k, size := range kindSizes {
			if (plain[op][k] == nil) != (table[op][k] == nil) {
				t.Fatalf("%v of %v is there once", Op{code: op}, k)
			}
			if plain[op][k] == nil {
				continue
			}
			for _, n := range lengths {
				places := []int{0, 5, 10}
				if n *= size; n >= 70_000 { // longer than one call of the assembly: once is enough
					n, places = 70_000/size*size, places[1:2]
				}
				for _, at := range places {
					dst, a, b, want := make([]byte, n+at+64), make([]byte, n+at+64), make([]byte, n+at+64), make([]byte, n)
					fill(r, k, a)
					fill(r, k, b)
					plain[op][k](want, a[at:], b[at:])
					want = canonical(k, want)
					check := func(how string, got []byte) {
						t.Helper()
						if !bytes.Equal(canonical(k, got[at:at+n]), want) {
							t.Fatalf("%v of %v, %d bytes at %d, %s: wrong", Op{code: op}, k, n, at, how)
						}
					}
					table[op][k](dst[at:at+n], a[at:], b[at:])
					check("apart", dst)
					if !bytes.Equal(dst[:at], make([]byte, at)) || !bytes.Equal(dst[at+n:], make([]byte, 64)) {
						t.Fatalf("%v of %v: wrote beside", Op{code: op}, k)
					}
					inA, inB := bytes.Clone(a), bytes.Clone(b)
					table[op][k](inA[at:at+n], inA[at:], b[at:])
					check("in the left", inA)
					table[op][k](inB[at:at+n], a[at:], inB[at:])
					check("in the right", inB)
				}
			}
		}
	}
}
