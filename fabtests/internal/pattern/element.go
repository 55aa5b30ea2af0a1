package pattern

import (
	"encoding/binary"
	"math"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
)

// FillElements fills buf with elements of a data type: the characters of the pattern as numbers, from an offset on.
func FillElements(buf []byte, dt fi.Datatype, off int) {
	n := dt.Size()
	for i := 0; (i+1)*n <= len(buf); i++ {
		PutElement(buf[i*n:][:n], dt, NumberAt(i, off))
	}
}

// Element is the first character of the pattern as an element of a data type.
func Element(dt fi.Datatype) []byte {
	b := make([]byte, dt.Size())
	FillElements(b, dt, 0)
	return b
}

// NumberAt is element i of what FillElements fills in from an offset on.
func NumberAt(i, off int) byte { return alphabet[(off+i)%len(alphabet)] }

// PutElement writes a small number as an element.
func PutElement(b []byte, dt fi.Datatype, v byte) {
	clear(b)
	e, f := binary.NativeEndian, float32(v)
	switch dt {
	case fi.TypeFloat:
		e.PutUint32(b, math.Float32bits(f))
	case fi.TypeDouble:
		e.PutUint64(b, math.Float64bits(float64(v)))
	case fi.TypeFloatComplex:
		e.PutUint32(b, math.Float32bits(f))
		e.PutUint32(b[4:], math.Float32bits(f))
	case fi.TypeDoubleComplex:
		e.PutUint64(b, math.Float64bits(float64(v)))
		e.PutUint64(b[8:], math.Float64bits(float64(v)))
	case fi.TypeFloat16:
		e.PutUint16(b, fiatomic.ToFloat16(f))
	case fi.TypeBFloat16:
		e.PutUint16(b, fiatomic.ToBFloat16(f))
	case fi.TypeFloat8E4M3:
		b[0] = fiatomic.ToFloat8E4M3(f)
	case fi.TypeFloat8E5M2:
		b[0] = fiatomic.ToFloat8E5M2(f)
	default:
		if one := [2]byte{1}; e.Uint16(one[:]) == 1 { // little endian
			b[0] = v
		} else {
			b[len(b)-1] = v
		}
	}
}
