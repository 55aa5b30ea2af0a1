package atomic

import (
	"math"
	"sort"

	"github.com/gofabric/gofabric/fi"
)

// format is a small float by its definition: digits of exponent and fraction, bias, and what the codes at the top mean.
type format struct {
	exp, frac, bias int
	infinite        bool // an exponent of ones is infinity and NaNs; else only the last code is NaN

	finite []float64 // values of the codes from 0 to the largest finite one
}

var formats = map[fi.Datatype]*format{
	fi.TypeFloat16:    newFormat(format{exp: 5, frac: 10, bias: 15, infinite: true}),
	fi.TypeBFloat16:   newFormat(format{exp: 8, frac: 7, bias: 127, infinite: true}),
	fi.TypeFloat8E5M2: newFormat(format{exp: 5, frac: 2, bias: 15, infinite: true}),
	fi.TypeFloat8E4M3: newFormat(format{exp: 4, frac: 3, bias: 7}),
}

func newFormat(f format) *format {
	for c := uint16(0); ; c++ {
		v := f.value(c)
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return &f
		}
		f.finite = append(f.finite, v)
	}
}

// value is what a code stands for.
func (f *format) value(c uint16) float64 {
	sign := 1.0
	if c>>(f.exp+f.frac)&1 != 0 {
		sign = -1
	}
	e, m := int(c>>f.frac)&(1<<f.exp-1), int(c)&(1<<f.frac-1)
	switch {
	case f.infinite && e == 1<<f.exp-1 && m == 0:
		return sign * math.Inf(1)
	case e == 1<<f.exp-1 && (f.infinite || m == 1<<f.frac-1):
		return math.NaN()
	case e == 0:
		return sign * math.Ldexp(float64(m), 1-f.bias-f.frac)
	}
	return sign * math.Ldexp(float64(m+1<<f.frac), e-f.bias-f.frac)
}

// nearest is the code of the nearest value, the even one in the middle; infinity or NaN beyond the last.
func (f *format) nearest(v float64) uint16 {
	var sign uint16
	if math.Signbit(v) {
		sign = 1 << (f.exp + f.frac)
	}
	a, top := math.Abs(v), uint16(len(f.finite))
	if math.IsNaN(v) {
		return sign | 1<<(f.exp+f.frac) - 1
	}
	if math.IsInf(v, 0) {
		return sign | top // infinity, or the NaN
	}
	hi := uint16(sort.SearchFloat64s(f.finite, a))
	if hi < top && f.finite[hi] == a {
		return sign | hi
	}
	lo := hi - 1
	above := 2*f.finite[top-1] - f.finite[top-2] // what the next one would be
	if hi < top {
		above = f.finite[hi]
	}
	switch below := f.finite[lo]; {
	case a-below < above-a, a-below == above-a && lo%2 == 0:
		return sign | lo
	}
	return sign | hi
}
