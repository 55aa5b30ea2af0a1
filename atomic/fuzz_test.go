package atomic

import (
	"bytes"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// FuzzLengths calls any kernel with any count and buffers of any length: what does not fit is refused and changes
// nothing, what fits is done, nothing panics.
func FuzzLengths(f *testing.F) {
	f.Add(uint16(0), uint8(8), uint8(8), uint8(8), uint8(8), 1)
	f.Add(uint16(77), uint8(16), uint8(15), uint8(16), uint8(0), 2)
	f.Add(uint16(300), uint8(16), uint8(16), uint8(16), uint8(1), -1)
	f.Add(uint16(501), uint8(255), uint8(255), uint8(255), uint8(255), 1<<31-1)
	f.Add(uint16(400), uint8(0), uint8(0), uint8(0), uint8(0), -1<<31)
	ks := allKernels()
	f.Fuzz(func(t *testing.T, which uint16, target, operand, compare, result uint8, count int) {
		k := ks[int(which)%len(ks)]
		fits := func(n uint8, needed bool) bool { return !needed || count >= 0 && count <= int(n)/k.Size() }
		want := fits(target, true) && fits(operand, k.NeedsOperand()) && fits(compare, k.NeedsCompare()) &&
			(result == 0 || fits(result, k.GivesResult()))

		tb, ob, cb, rb := aligned(int(target)), make([]byte, operand), make([]byte, compare), make([]byte, result)
		for _, b := range [][]byte{tb, rb} {
			copy(b, bytes.Repeat([]byte{0x5a}, 256))
		}
		before := bytes.Clone(tb)
		check := func(err error, want bool) {
			t.Helper()
			if (err == nil) != want {
				t.Fatalf("%s kind %#x op %d: lengths %d %d %d %d count %d: %v", typeNames[k.Datatype()], uint64(k.Kind()), k.Op(),
					target, operand, compare, result, count, err)
			}
			done := 0
			if want {
				done = count * k.Size()
			}
			if !bytes.Equal(tb[done:], before[done:]) {
				t.Fatalf("bytes behind the %d of the target changed", done)
			}
			if !k.GivesResult() {
				done = 0
			}
			if len(rb) > 0 && len(bytes.Trim(rb[done:], "\x5a")) != 0 {
				t.Fatalf("bytes behind the %d of the result changed", done)
			}
		}
		check(k.Apply(tb, ob, cb, rb, count), want)
		check(k.ApplyShared(tb, ob, cb, rb, count), want && k.Shared())
		if Valid(k.Kind(), fi.Datatype(count), k.Op()) == nil && (count < 0 || count >= numTypes) {
			t.Fatalf("data type %d is valid", count)
		}
	})
}
