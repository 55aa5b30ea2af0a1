package atomic

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

func i64(v int64) []byte   { return binary.NativeEndian.AppendUint64(nil, uint64(v)) }
func f64(v float64) []byte { return binary.NativeEndian.AppendUint64(nil, math.Float64bits(v)) }

// wide is a 128-bit integer by its halves.
func wide(hi, lo int64) []byte {
	if bigEndian {
		hi, lo = lo, hi
	}
	return append(i64(lo), i64(hi)...)
}

func c128(v complex128) []byte {
	return append(f64(real(v)), f64(imag(v))...)
}
func c64(v complex64) []byte {
	b := binary.NativeEndian.AppendUint32(nil, math.Float32bits(real(v)))
	return binary.NativeEndian.AppendUint32(b, math.Float32bits(imag(v)))
}

// both executes one element both ways, demands the same of them, and gives the new target.
func both(t *testing.T, kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp, target, operand, compare []byte) []byte {
	t.Helper()
	k := lookup(t, kind, dt, op)
	plain, shared := bytes.Clone(target), aligned(len(target))
	copy(shared, target)
	if err := k.Apply(plain, operand, compare, nil, 1); err != nil {
		t.Fatal(err)
	}
	if k.Shared() {
		if err := k.ApplyShared(shared, operand, compare, nil, 1); err != nil || !same(dt, plain, shared) {
			t.Fatalf("Apply %x, ApplyShared %x, %v", plain, shared, err)
		}
	}
	return plain
}

// TestCompareDirection fixes the side that is easily taken for the other one: compare OP target.
func TestCompareDirection(t *testing.T) {
	const target, operand = 10, 99
	for _, c := range []struct {
		op                  fi.AtomicOp
		less, equal, larger bool // swapped when the compare value is less than, equal to, larger than the target
	}{
		{fi.AtomicCSwap, false, true, false},
		{fi.AtomicCSwapNE, true, false, true},
		{fi.AtomicCSwapLE, true, true, false},
		{fi.AtomicCSwapLT, true, false, false},
		{fi.AtomicCSwapGE, false, true, true},
		{fi.AtomicCSwapGT, false, false, true},
	} {
		for compare, swapped := range map[int64]bool{target - 1: c.less, target: c.equal, target + 1: c.larger} {
			want := int64(target)
			if swapped {
				want = operand
			}
			if got := both(t, fi.AtomicCompare, fi.TypeInt64, c.op, i64(target), i64(operand), i64(compare)); !bytes.Equal(got, i64(want)) {
				t.Errorf("op %d, compare %d: int64 target 10 became %x, want %d", c.op, compare, got, want)
			}
			got := both(t, fi.AtomicCompare, fi.TypeDouble, c.op, f64(target), f64(operand), f64(float64(compare)))
			if !bytes.Equal(got, f64(float64(want))) {
				t.Errorf("op %d, compare %d: double target 10 became %x, want %d", c.op, compare, got, want)
			}
			if got := both(t, fi.AtomicCompare, fi.TypeUint128, c.op, wide(0, target), wide(0, operand), wide(0, compare)); !bytes.Equal(got, wide(0, want)) {
				t.Errorf("op %d, compare %d: uint128 target 10 became %x, want %d", c.op, compare, got, want)
			}
		}
	}
}

func TestFloatSemantics(t *testing.T) {
	nan, negZero := math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		name                             string
		kind                             fi.AtomicKind
		op                               fi.AtomicOp
		target, operand, compare, result float64
	}{
		{"min ignores a NaN operand", fi.AtomicBase, fi.AtomicMin, 1, nan, 0, 1},
		{"max ignores a NaN operand", fi.AtomicBase, fi.AtomicMax, 1, nan, 0, 1},
		{"min keeps a NaN target", fi.AtomicBase, fi.AtomicMin, nan, 1, 0, nan},
		{"max keeps a NaN target", fi.AtomicBase, fi.AtomicMax, nan, 1, 0, nan},
		{"min of zeros keeps the target", fi.AtomicBase, fi.AtomicMin, 0, negZero, 0, 0},
		{"a NaN equals nothing", fi.AtomicCompare, fi.AtomicCSwap, nan, 1, nan, nan},
		{"a NaN differs from itself", fi.AtomicCompare, fi.AtomicCSwapNE, nan, 1, nan, 1},
		{"a NaN is not less or equal", fi.AtomicCompare, fi.AtomicCSwapLE, nan, 1, 0, nan},
		{"-0 equals 0", fi.AtomicCompare, fi.AtomicCSwap, negZero, 1, 0, 1},
		{"a NaN is true", fi.AtomicBase, fi.AtomicLAnd, nan, 5, 0, 1},
		{"-0 is false", fi.AtomicBase, fi.AtomicLOr, negZero, 0, 0, 0},
		{"0.5 is true", fi.AtomicBase, fi.AtomicLXor, 0.5, 0, 0, 1},
		{"true xor true", fi.AtomicBase, fi.AtomicLXor, 0.5, 3, 0, 0},
		{"difference", fi.AtomicBase, fi.AtomicDiff, 1, 3, 0, -2},
	} {
		got := both(t, c.kind, fi.TypeDouble, c.op, f64(c.target), f64(c.operand), f64(c.compare))
		if !bytes.Equal(got, f64(c.result)) && !(c.result != c.result && same(fi.TypeDouble, got, f64(c.result))) {
			t.Errorf("%s: %x, want %g", c.name, got, c.result)
		}
		for dt := range conversions {
			if math.Abs(c.target) > 99 {
				continue
			}
			got := both(t, c.kind, dt, c.op, fromFloat(dt, c.target), fromFloat(dt, c.operand), fromFloat(dt, c.compare))
			if !same(dt, got, fromFloat(dt, c.result)) {
				t.Errorf("%s: %s %x, want %g", c.name, typeNames[dt], got, c.result)
			}
		}
	}
}

func TestComplexSemantics(t *testing.T) {
	for _, c := range []struct {
		name                             string
		kind                             fi.AtomicKind
		op                               fi.AtomicOp
		target, operand, compare, result complex128
	}{
		{"product", fi.AtomicBase, fi.AtomicProd, 1 + 2i, 3 + 4i, 0, -5 + 10i},
		{"sum", fi.AtomicBase, fi.AtomicSum, 1 + 2i, 3 - 4i, 0, 4 - 2i},
		{"difference", fi.AtomicBase, fi.AtomicDiff, 1 + 2i, 3 - 4i, 0, -2 + 6i},
		{"imaginary is true", fi.AtomicBase, fi.AtomicLAnd, 2i, 3, 0, 1},
		{"zero is false", fi.AtomicBase, fi.AtomicLOr, 0, 0, 0, 0},
		{"both parts equal", fi.AtomicCompare, fi.AtomicCSwap, 1 + 2i, 7i, 1 + 2i, 7i},
		{"one part equal", fi.AtomicCompare, fi.AtomicCSwap, 1 + 2i, 7i, 1 + 3i, 1 + 2i},
		{"one part differs", fi.AtomicCompare, fi.AtomicCSwapNE, 1 + 2i, 7i, 1 + 3i, 7i},
	} {
		got := both(t, c.kind, fi.TypeDoubleComplex, c.op, c128(c.target), c128(c.operand), c128(c.compare))
		if !bytes.Equal(got, c128(c.result)) {
			t.Errorf("%s: double %x, want %g", c.name, got, c.result)
		}
		got = both(t, c.kind, fi.TypeFloatComplex, c.op, c64(complex64(c.target)), c64(complex64(c.operand)), c64(complex64(c.compare)))
		if !bytes.Equal(got, c64(complex64(c.result))) {
			t.Errorf("%s: float %x, want %g", c.name, got, c.result)
		}
	}
}

// TestComplexProductIsNotFused has a product whose real part is 0 when each of its two products is rounded, and the
// rounding error of one when they are fused.
func TestComplexProductIsNotFused(t *testing.T) {
	const a = 1 + 0x1p-52
	if got := both(t, fi.AtomicBase, fi.TypeDoubleComplex, fi.AtomicProd, c128(complex(a, a)), c128(complex(a, a)), nil); !bytes.Equal(got[:8], f64(0)) {
		t.Errorf("double: real part %x, want 0", got[:8])
	}
	const b = 1 + 0x1p-23
	if got := both(t, fi.AtomicBase, fi.TypeFloatComplex, fi.AtomicProd, c64(complex(b, b)), c64(complex(b, b)), nil); !bytes.Equal(got[:4], make([]byte, 4)) {
		t.Errorf("float: real part %x, want 0", got[:4])
	}
}

func TestIntegersWrap(t *testing.T) {
	for _, c := range []struct {
		name                    string
		op                      fi.AtomicOp
		target, operand, result int64
	}{
		{"sum", fi.AtomicSum, math.MaxInt64, 1, math.MinInt64},
		{"difference", fi.AtomicDiff, math.MinInt64, 1, math.MaxInt64},
		{"product", fi.AtomicProd, math.MinInt64, -1, math.MinInt64},
		{"signed min", fi.AtomicMin, 1, -1, -1},
	} {
		if got := both(t, fi.AtomicBase, fi.TypeInt64, c.op, i64(c.target), i64(c.operand), nil); !bytes.Equal(got, i64(c.result)) {
			t.Errorf("%s: %x, want %d", c.name, got, c.result)
		}
	}
	if got := both(t, fi.AtomicBase, fi.TypeUint64, fi.AtomicMin, i64(1), i64(-1), nil); !bytes.Equal(got, i64(1)) {
		t.Errorf("unsigned min of 1 and 2^64-1: %x", got)
	}
	if got := both(t, fi.AtomicBase, fi.TypeUint128, fi.AtomicSum, wide(0, -1), wide(0, 1), nil); !bytes.Equal(got, wide(1, 0)) {
		t.Errorf("128-bit carry: %x", got)
	}
	if got := both(t, fi.AtomicBase, fi.TypeInt128, fi.AtomicMax, wide(-1, -1), wide(0, 0), nil); !bytes.Equal(got, wide(0, 0)) {
		t.Errorf("128-bit max(-1, 0): %x", got)
	}
}

func TestMaskedSwap(t *testing.T) {
	got := both(t, fi.AtomicCompare, fi.TypeInt64, fi.AtomicMSwap, i64(0x1111), i64(0x2222), i64(0x0ff0))
	if !bytes.Equal(got, i64(0x1221)) {
		t.Errorf("mswap: %x, want 0x1221", got)
	}
}
