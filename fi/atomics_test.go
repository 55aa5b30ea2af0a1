package fi

import "testing"

func TestDatatypeSize(t *testing.T) {
	for _, c := range []struct {
		t    Datatype
		want int
	}{
		{TypeInt8, 1}, {TypeUint16, 2}, {TypeInt32, 4}, {TypeUint64, 8}, {TypeFloat, 4}, {TypeDouble, 8},
		{TypeFloatComplex, 8}, {TypeDoubleComplex, 16}, {TypeLongDouble, 16}, {TypeLongDoubleComplex, 32},
		{TypeUint128, 16}, {TypeFloat16, 2}, {TypeBFloat16, 2}, {TypeFloat8E4M3, 1}, {TypeFloat8E5M2, 1},
		{TypeVoid, 0}, {20, 0}, {-1, 0},
	} {
		if got := c.t.Size(); got != c.want {
			t.Errorf("%v: %d bytes, want %d", c.t, got, c.want)
		}
	}
}
