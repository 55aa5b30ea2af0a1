package pattern

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestFillElements has the characters of the pattern as numbers of each type.
func TestFillElements(t *testing.T) {
	for dt := fi.TypeInt8; dt <= fi.TypeFloat8E5M2; dt++ {
		n := dt.Size()
		b := make([]byte, 3*n+n/2)
		FillElements(b, dt, 61)
		e := binary.NativeEndian
		var got float64
		switch dt {
		case fi.TypeInt16, fi.TypeUint16:
			got = float64(e.Uint16(b[n:]))
		case fi.TypeInt32, fi.TypeUint32:
			got = float64(e.Uint32(b[n:]))
		case fi.TypeInt64, fi.TypeUint64:
			got = float64(e.Uint64(b[n:]))
		case fi.TypeFloat:
			got = float64(math.Float32frombits(e.Uint32(b[n:])))
		case fi.TypeDouble:
			got = math.Float64frombits(e.Uint64(b[n:]))
		case fi.TypeDoubleComplex:
			got = math.Float64frombits(e.Uint64(b[n+8:]))
		case fi.TypeInt8, fi.TypeUint8:
			got = float64(b[n])
		default: // what else there is, at least it is something
			if one := Element(dt); len(one) != n || string(b[n:2*n]) != string(one) {
				t.Errorf("%v: % x", dt, b)
			}
			continue
		}
		if got != '0' || NumberAt(1, 61) != '0' || NumberAt(0, 61) != 'Z' {
			t.Errorf("%v: the second is %v: % x", dt, got, b)
		}
		for _, v := range b[3*n:] {
			if v != 0 {
				t.Errorf("%v: part of an element was written: % x", dt, b)
			}
		}
	}
}
