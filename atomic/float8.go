package atomic

import "math"

// FromFloat8E5M2 gives the value of an OCP FP8 E5M2 number (FI_FLOAT8_E5M2), exactly. It is the upper byte of a
// binary16 number.
func FromFloat8E5M2(b uint8) float32 { return FromFloat16(uint16(b) << 8) }

// ToFloat8E5M2 rounds to the nearest OCP FP8 E5M2 number (FI_FLOAT8_E5M2), ties to even. From 61440 on it is infinity
// (the non-saturating mode of the specification). A NaN becomes quiet.
func ToFloat8E5M2(f float32) uint8 {
	b := math.Float32bits(f)
	sign, m := uint8(b>>24&0x80), b&0x7fffffff
	switch {
	case m > 0x7f800000:
		return sign | 0x7e | uint8(m>>21&1)
	case m >= 0x47700000: // 61440, half way between the largest number and the next
		return sign | 0x7c
	case m >= 0x38800000: // 2^-14, the smallest normal number
		return sign | uint8(roundShift(m-112<<23, 21))
	}
	return sign | uint8(roundSubnormal(m, -16))
}

// FromFloat8E4M3 gives the value of an OCP FP8 E4M3 number (FI_FLOAT8_E4M3), exactly. There is no infinity, and one NaN
// of each sign.
func FromFloat8E4M3(b uint8) float32 {
	sign := uint32(b&0x80) << 24
	m := uint32(b&0x7f) << 20 // exponent and fraction where a float32 has them, the exponent 120 too small
	if b&0x7f == 0x7f {
		return math.Float32frombits(sign | 0x7fc00000)
	}
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(m)*0x1p120))
}

// ToFloat8E4M3 rounds to the nearest OCP FP8 E4M3 number (FI_FLOAT8_E4M3), ties to even. What is then larger than 448,
// infinity included, is NaN (the non-saturating mode of the specification).
func ToFloat8E4M3(f float32) uint8 {
	b := math.Float32bits(f)
	sign, m := uint8(b>>24&0x80), b&0x7fffffff
	switch {
	case m > 0x43e80000: // 464, half way between 448 and the next; the tie goes to 448, which is even
		return sign | 0x7f
	case m >= 0x3c800000: // 2^-6, the smallest normal number
		return sign | uint8(roundShift(m-120<<23, 20))
	}
	return sign | uint8(roundSubnormal(m, -9))
}
