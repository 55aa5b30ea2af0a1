package atomic

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestFastPathDoesNotAllocate covers Lookup, Valid, Kernel.Apply, Kernel.ApplyShared, Kernel.Shared64 and
// Kernel.Shared32, with all buffers but the target on the caller's stack.
func TestFastPathDoesNotAllocate(t *testing.T) {
	target := aligned(64)
	for _, k := range allKernels() {
		n := testing.AllocsPerRun(20, func() {
			var operand, compare, result [32]byte
			var w8 uint64
			var w4 uint32
			l, err := Lookup(k.Kind(), k.Datatype(), k.Op())
			if err != nil || l != k {
				t.Fatal(err)
			}
			if err := k.Apply(target, operand[:], compare[:], result[:], 2); err != nil {
				t.Fatal(err)
			}
			if err := k.Apply(target, operand[1:], compare[1:], operand[1:], 1); err != nil {
				t.Fatal(err)
			}
			if err := k.ApplyShared(target, operand[:], compare[:], result[:], 2); err != nil && k.Shared() {
				t.Fatal(err)
			}
			_, _ = k.Shared64(&w8, 1, 0)
			_, _ = k.Shared32(&w4, 1, 0)
			_ = k.Apply(target, operand[:], compare[:], result[:], -1)
			_ = k.ApplyShared(target[1:], operand[:], compare[:], result[:], 99)
			_ = Valid(k.Kind(), k.Datatype(), fi.AtomicNoop)
		})
		if n != 0 {
			t.Errorf("%s kind %#x op %d: %v allocations", typeNames[k.Datatype()], uint64(k.Kind()), k.Op(), n)
		}
	}
}

// TestUnalignedTargets demands that Apply takes targets that ApplyShared refuses.
func TestUnalignedTargets(t *testing.T) {
	for _, k := range allKernels() {
		b := aligned(64)[1:]
		var operand, compare [16]byte
		if err := k.Apply(b, operand[:], compare[:], nil, 1); err != nil {
			t.Errorf("%s op %d: Apply of an unaligned target: %v", typeNames[k.Datatype()], k.Op(), err)
		}
		err := k.ApplyShared(b, operand[:], compare[:], nil, 1)
		want := error(fi.ErrInvalid)
		switch {
		case !k.Shared():
			want = fi.ErrOpNotSupp
		case k.Size() == 1:
			want = nil
		}
		if err != want {
			t.Errorf("%s op %d: ApplyShared of an unaligned target: %v, want %v", typeNames[k.Datatype()], k.Op(), err, want)
		}
		if Aligned(b, k.Datatype()) != (k.Size() == 1) || k.Aligned(b) != (k.Size() == 1) {
			t.Errorf("%s: Aligned is wrong about an odd address", typeNames[k.Datatype()])
		}
	}
	for _, dt := range []fi.Datatype{fi.TypeVoid, fi.TypeLongDouble, fi.TypeLongDoubleComplex, -1, 99} {
		if Aligned(aligned(64), dt) && dt != fi.TypeLongDouble {
			t.Errorf("Aligned is true of data type %d", dt)
		}
	}
}
