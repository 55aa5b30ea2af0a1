package atomic

import (
	"errors"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// wantValid is the rule in words, apart from the table.
func wantValid(kind fi.AtomicKind, dt fi.Datatype, op fi.AtomicOp) error {
	knownType := dt >= fi.TypeInt8 && dt <= fi.TypeFloat8E5M2 || dt == fi.TypeVoid
	knownOp := op >= fi.AtomicMin && op <= fi.AtomicDiff || op == fi.AtomicNoop
	if kind != fi.AtomicBase && kind != fi.AtomicFetch && kind != fi.AtomicCompare || !knownType || !knownOp {
		return fi.ErrInvalid
	}
	complexType := dt == fi.TypeFloatComplex || dt == fi.TypeDoubleComplex
	integerType := dt <= fi.TypeUint64 || dt == fi.TypeInt128 || dt == fi.TypeUint128
	var ok, compare bool
	switch op {
	case fi.AtomicMin, fi.AtomicMax:
		ok = !complexType
	case fi.AtomicSum, fi.AtomicProd, fi.AtomicDiff, fi.AtomicLOr, fi.AtomicLAnd, fi.AtomicLXor, fi.AtomicWrite:
		ok = true
	case fi.AtomicRead:
		ok = kind == fi.AtomicFetch
	case fi.AtomicBOr, fi.AtomicBAnd, fi.AtomicBXor:
		ok = integerType
	case fi.AtomicCSwap, fi.AtomicCSwapNE:
		ok, compare = true, true
	case fi.AtomicCSwapLE, fi.AtomicCSwapLT, fi.AtomicCSwapGE, fi.AtomicCSwapGT:
		ok, compare = !complexType, true
	case fi.AtomicMSwap:
		ok, compare = integerType, true
	}
	longDouble := dt == fi.TypeLongDouble || dt == fi.TypeLongDoubleComplex
	if !ok || compare != (kind == fi.AtomicCompare) || longDouble || dt == fi.TypeVoid {
		return fi.ErrOpNotSupp
	}
	return nil
}

func TestValid(t *testing.T) {
	kinds := append([]fi.AtomicKind{fi.AtomicFetch | fi.AtomicCompare, 1, 1 << 60, 1 << 63, fi.AtomicFetch | 1}, allKinds...)
	numbers := []int{-1 << 30, -1, 20, 21, 255, 256, 257, 1 << 30}
	for i := range 20 {
		numbers = append(numbers, i)
	}
	valid := 0
	for _, kind := range kinds {
		for _, dt := range numbers {
			for _, op := range numbers {
				dt, op := fi.Datatype(dt), fi.AtomicOp(op)
				want := wantValid(kind, dt, op)
				if err := Valid(kind, dt, op); !errors.Is(err, want) {
					t.Errorf("Valid(%#x, %d, %d) = %v, want %v", kind, dt, op, err, want)
				}
				k, err := Lookup(kind, dt, op)
				if (k == nil) != (want != nil) || !errors.Is(err, want) {
					t.Errorf("Lookup(%#x, %d, %d) = %v, %v, want %v", kind, dt, op, k, err, want)
				}
				if k == nil {
					continue
				}
				valid++
				if k.Kind() != kind || k.Datatype() != dt || k.Op() != op || k.Size() != dt.Size() ||
					k.NeedsOperand() != (op != fi.AtomicRead) || k.NeedsCompare() != (kind == fi.AtomicCompare) ||
					k.GivesResult() != (kind != fi.AtomicBase) || k.Shared() != (k.Size() < 16 || Has16()) {
					t.Errorf("Lookup(%#x, %d, %d) says of itself %+v", kind, dt, op, k)
				}
				if a := k.Attr(100); a.Count != 100/k.Size() || a.Size != k.Size() || a.Native != k.Shared() {
					t.Errorf("Attr(100) of (%#x, %d, %d) = %+v", kind, dt, op, a)
				}
				if a := k.Attr(-1); a.Count != 0 {
					t.Errorf("Attr(-1) of (%#x, %d, %d) = %+v", kind, dt, op, a)
				}
			}
		}
	}
	// Integers 12 + 13 + 7, floats 9 + 10 + 6, complex 7 + 8 + 2.
	if want := 10*32 + 6*25 + 2*17; valid != want {
		t.Errorf("%d valid combinations, want %d", valid, want)
	}
}
