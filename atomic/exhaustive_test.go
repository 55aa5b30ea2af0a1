package atomic

import (
	"bytes"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestExhaustive8 runs every operation of the 8-bit types on every pair of values, both ways.
func TestExhaustive8(t *testing.T) {
	for _, dt := range []fi.Datatype{fi.TypeInt8, fi.TypeUint8, fi.TypeFloat8E4M3, fi.TypeFloat8E5M2} {
		for _, k := range allKernels() {
			if k.Datatype() != dt || k.Kind() == fi.AtomicBase {
				continue
			}
			// The pairs are target and operand, or target and compare value; what is left is stored, or masked.
			others := []byte{0x35}
			if k.Op() == fi.AtomicMSwap {
				others = []byte{0x00, 0x35, 0x7f, 0xff}
			}
			for _, other := range others {
				exhaust8(t, k, other)
			}
		}
	}
}

// stride leaves out most second values under the race detector, which is slow and has nothing to see here.
var stride = map[bool]int{false: 1, true: 17}[raceEnabled]

func exhaust8(t *testing.T, k *Kernel, other byte) {
	t.Helper()
	targets, seconds, others := aligned(256), make([]byte, 256), bytes.Repeat([]byte{other}, 256)
	want, plain, shared, result := make([]byte, 256), make([]byte, 256), aligned(256), make([]byte, 256)
	for second := 0; second < 256; second += stride {
		operands, compares := seconds, others
		if k.NeedsCompare() {
			operands, compares = others, seconds
		}
		for i := range 256 {
			targets[i], seconds[i] = byte(i), byte(second)
		}
		for i := range 256 {
			want[i] = reference(k.Datatype(), k.Op(), targets[i:i+1], operands[i:i+1], compares[i:i+1])[0]
		}
		copy(plain, targets)
		copy(shared, targets)
		if err := k.Apply(plain, operands, compares, result, 256); err != nil || !bytes.Equal(result, targets) {
			t.Fatalf("%s op %d: Apply: %v, result %x", typeNames[k.Datatype()], k.Op(), err, result)
		}
		clear(result)
		if err := k.ApplyShared(shared, operands, compares, result, 256); err != nil || !bytes.Equal(result, targets) {
			t.Fatalf("%s op %d: ApplyShared: %v, result %x", typeNames[k.Datatype()], k.Op(), err, result)
		}
		for i := range 256 {
			for _, got := range []byte{plain[i], shared[i]} {
				if !same(k.Datatype(), []byte{got}, want[i:i+1]) {
					t.Fatalf("%s op %d: target %#02x operand %#02x compare %#02x: Apply %#02x, ApplyShared %#02x, want %#02x",
						typeNames[k.Datatype()], k.Op(), i, operands[i], compares[i], plain[i], shared[i], want[i])
				}
			}
		}
	}
}

// TestSumFloat16Exhaustive holds every value of the two 16-bit floats against some that reach all cases, by the loop
// that reductions use.
func TestSumFloat16Exhaustive(t *testing.T) {
	for _, dt := range []fi.Datatype{fi.TypeFloat16, fi.TypeBFloat16} {
		k := lookup(t, fi.AtomicBase, dt, fi.AtomicSum)
		for _, v := range []float64{-1, -0x1.8p-15, 0.33325, 65504} {
			operand := fromFloat(dt, v)
			for c := range 1 << 16 {
				before := []byte{byte(c), byte(c >> 8)}
				got := bytes.Clone(before)
				if err := k.Apply(got, operand, nil, nil, 1); err != nil {
					t.Fatal(err)
				}
				if want := reference(dt, fi.AtomicSum, before, operand, operand); !same(dt, got, want) {
					t.Fatalf("%s: %x + %x = %x, want %x", typeNames[dt], before, operand, got, want)
				}
			}
		}
	}
}
