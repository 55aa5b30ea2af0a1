package atomic

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"github.com/gofabric/gofabric/fi"
)

// reference computes one element in another way than the package does: integers by math/big, small floats by searching
// all their values. It gives the new target; t is not changed.
func reference(dt fi.Datatype, op fi.AtomicOp, t, o, c []byte) []byte {
	switch op {
	case fi.AtomicRead:
		return slices.Clone(t)
	case fi.AtomicWrite:
		return slices.Clone(o)
	}
	switch dt {
	case fi.TypeFloat, fi.TypeDouble, fi.TypeFloat16, fi.TypeBFloat16, fi.TypeFloat8E4M3, fi.TypeFloat8E5M2:
		return refFloat(dt, op, t, o, c)
	case fi.TypeFloatComplex, fi.TypeDoubleComplex:
		return refComplex(dt, op, t, o, c)
	}
	return refInteger(dt, op, t, o, c)
}

func refInteger(dt fi.Datatype, op fi.AtomicOp, t, o, c []byte) []byte {
	a, b, m := toBig(dt, t), toBig(dt, o), toBig(dt, c)
	z := new(big.Int)
	switch op {
	case fi.AtomicSum:
		z.Add(a, b)
	case fi.AtomicDiff:
		z.Sub(a, b)
	case fi.AtomicProd:
		z.Mul(a, b)
	case fi.AtomicBOr:
		z.Or(a, b)
	case fi.AtomicBAnd:
		z.And(a, b)
	case fi.AtomicBXor:
		z.Xor(a, b)
	case fi.AtomicMSwap:
		z.Or(new(big.Int).And(b, m), new(big.Int).AndNot(a, m))
	case fi.AtomicLOr, fi.AtomicLAnd, fi.AtomicLXor:
		z.SetInt64(int64(refLogic(op, a.Sign() != 0, b.Sign() != 0)))
	default:
		if refStores(op, a.Cmp(b), m.Cmp(a)) {
			z.Set(b)
		} else {
			z.Set(a)
		}
	}
	return fromBig(z, len(t))
}

// refStores says whether the operand is stored, from the orders target:operand and compare:target (2: unordered).
func refStores(op fi.AtomicOp, targetOperand, compareTarget int) bool {
	switch op {
	case fi.AtomicMin:
		return targetOperand == 1
	case fi.AtomicMax:
		return targetOperand == -1
	case fi.AtomicCSwap:
		return compareTarget == 0
	case fi.AtomicCSwapNE:
		return compareTarget != 0
	case fi.AtomicCSwapLE:
		return compareTarget == 0 || compareTarget == -1
	case fi.AtomicCSwapLT:
		return compareTarget == -1
	case fi.AtomicCSwapGE:
		return compareTarget == 0 || compareTarget == 1
	case fi.AtomicCSwapGT:
		return compareTarget == 1
	}
	panic("reference: no such operation")
}

func refLogic(op fi.AtomicOp, a, b bool) int {
	var n int
	for _, v := range []bool{a, b} {
		if v {
			n++
		}
	}
	if op == fi.AtomicLOr && n > 0 || op == fi.AtomicLAnd && n == 2 || op == fi.AtomicLXor && n == 1 {
		return 1
	}
	return 0
}

func toBig(dt fi.Datatype, b []byte) *big.Int {
	switch dt {
	case fi.TypeInt8:
		return big.NewInt(int64(int8(b[0])))
	case fi.TypeUint8:
		return big.NewInt(int64(b[0]))
	}
	be := slices.Clone(b)
	if !bigEndian {
		slices.Reverse(be)
	}
	z := new(big.Int).SetBytes(be)
	signed := dt == fi.TypeInt128 || dt <= fi.TypeUint64 && dt%2 == 0
	if signed && be[0]&0x80 != 0 {
		z.Sub(z, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return z
}

func fromBig(z *big.Int, size int) []byte {
	if size == 1 {
		return []byte{byte(z.Int64())}
	}
	mod := new(big.Int).Lsh(big.NewInt(1), uint(8*size))
	b := new(big.Int).Mod(z, mod).FillBytes(make([]byte, size))
	if !bigEndian {
		slices.Reverse(b)
	}
	return b
}

func refFloat(dt fi.Datatype, op fi.AtomicOp, t, o, c []byte) []byte {
	a, b, m := toFloat(dt, t), toFloat(dt, o), toFloat(dt, c)
	switch op {
	case fi.AtomicSum:
		return fromFloat(dt, a+b)
	case fi.AtomicDiff:
		return fromFloat(dt, a-b)
	case fi.AtomicProd:
		return fromFloat(dt, a*b)
	case fi.AtomicLOr, fi.AtomicLAnd, fi.AtomicLXor:
		return fromFloat(dt, float64(refLogic(op, a != 0, b != 0)))
	}
	if refStores(op, orderOf(a, b), orderOf(m, a)) {
		return slices.Clone(o)
	}
	return slices.Clone(t)
}

func orderOf(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return 2
}

func refComplex(dt fi.Datatype, op fi.AtomicOp, t, o, c []byte) []byte {
	half, part := len(t)/2, fi.TypeDouble
	if dt == fi.TypeFloatComplex {
		part = fi.TypeFloat
	}
	join := func(re, im []byte) []byte { return append(slices.Clone(re), im...) }
	calc := func(op fi.AtomicOp, x, y []byte) []byte { return refFloat(part, op, x, y, make([]byte, half)) }
	zero := func(x []byte) bool { return toFloat(part, x[:half]) == 0 && toFloat(part, x[half:]) == 0 }
	switch op {
	case fi.AtomicSum, fi.AtomicDiff:
		return join(calc(op, t[:half], o[:half]), calc(op, t[half:], o[half:]))
	case fi.AtomicProd:
		return join(
			calc(fi.AtomicDiff, calc(op, t[:half], o[:half]), calc(op, t[half:], o[half:])),
			calc(fi.AtomicSum, calc(op, t[:half], o[half:]), calc(op, t[half:], o[:half])))
	case fi.AtomicLOr, fi.AtomicLAnd, fi.AtomicLXor:
		return join(fromFloat(part, float64(refLogic(op, !zero(t), !zero(o)))), fromFloat(part, 0))
	}
	same := toFloat(part, t[:half]) == toFloat(part, c[:half]) && toFloat(part, t[half:]) == toFloat(part, c[half:])
	if same == (op == fi.AtomicCSwap) {
		return slices.Clone(o)
	}
	return slices.Clone(t)
}

func toFloat(dt fi.Datatype, b []byte) float64 {
	switch dt {
	case fi.TypeDouble:
		return math.Float64frombits(binary.NativeEndian.Uint64(b))
	case fi.TypeFloat:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
	}
	return formats[dt].value(code(b))
}

func fromFloat(dt fi.Datatype, v float64) []byte {
	switch dt {
	case fi.TypeDouble:
		return binary.NativeEndian.AppendUint64(nil, math.Float64bits(v))
	case fi.TypeFloat:
		return binary.NativeEndian.AppendUint32(nil, math.Float32bits(float32(v)))
	case fi.TypeFloat16, fi.TypeBFloat16:
		return binary.NativeEndian.AppendUint16(nil, formats[dt].nearest(v))
	}
	return []byte{byte(formats[dt].nearest(v))}
}

func code(b []byte) uint16 {
	if len(b) == 1 {
		return uint16(b[0])
	}
	return binary.NativeEndian.Uint16(b)
}

// same compares elements; all NaNs are one.
func same(dt fi.Datatype, a, b []byte) bool {
	switch dt {
	case fi.TypeFloat, fi.TypeDouble, fi.TypeFloat16, fi.TypeBFloat16, fi.TypeFloat8E4M3, fi.TypeFloat8E5M2:
		x, y := toFloat(dt, a), toFloat(dt, b)
		return slices.Equal(a, b) || x != x && y != y
	case fi.TypeFloatComplex, fi.TypeDoubleComplex:
		half, part := len(a)/2, fi.TypeDouble
		if dt == fi.TypeFloatComplex {
			part = fi.TypeFloat
		}
		return same(part, a[:half], b[:half]) && same(part, a[half:], b[half:])
	}
	return slices.Equal(a, b)
}
