package atomic

import "math"

// FromFloat16 gives the value of an IEEE binary16 number (FI_FLOAT16). It is exact; a NaN keeps its payload and becomes
// quiet.
func FromFloat16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	m := uint32(h&0x7fff) << 13 // exponent and fraction where a float32 has them, the exponent 112 too small
	switch {
	case m > 0x1f<<23:
		return math.Float32frombits(sign | 0x7fc00000 | m)
	case m == 0x1f<<23:
		return math.Float32frombits(sign | 0x7f800000)
	}
	// One exact product mends the exponent of normal and subnormal numbers alike.
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(m)*0x1p112))
}

// ToFloat16 rounds to the nearest IEEE binary16 number (FI_FLOAT16), ties to even. From 65520 on it is infinity. A NaN
// keeps the high bits of its payload and becomes quiet.
func ToFloat16(f float32) uint16 {
	b := math.Float32bits(f)
	sign, m := uint16(b>>16&0x8000), b&0x7fffffff
	switch {
	case m > 0x7f800000:
		return sign | 0x7e00 | uint16(m>>13&0x1ff)
	case m >= 0x477ff000: // 65520, half way between the largest number and the next
		return sign | 0x7c00
	case m >= 0x38800000: // 2^-14, the smallest normal number
		return sign | uint16(roundShift(m-112<<23, 13))
	}
	return sign | uint16(roundSubnormal(m, -24))
}

// FromBFloat16 gives the value of a bfloat16 number (FI_BFLOAT16), exactly.
func FromBFloat16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// ToBFloat16 rounds to the nearest bfloat16 number (FI_BFLOAT16), ties to even. Overflow gives infinity. A NaN keeps the
// high bits of its payload and becomes quiet.
func ToBFloat16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// roundShift drops the low n bits, rounded to nearest, ties to even.
func roundShift(m uint32, n uint) uint32 {
	return (m + 1<<(n-1) - 1 + m>>n&1) >> n
}

// roundSubnormal gives the positive float32 with bits m, which must be less than 2^8 units, in units of 2^unit, rounded
// to nearest, ties to even; 0 <= -unit < 125.
func roundSubnormal(m uint32, unit int) uint32 {
	// Added to 2^(unit+23), whose last place is one unit, the processor rounds.
	one := uint32(127+unit+23) << 23
	return math.Float32bits(math.Float32frombits(m)+math.Float32frombits(one)) - one
}
