package atomic

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/gofabric/gofabric/fi"
	"pgregory.net/rapid"
)

// drawBytes favours the bytes that carry, overflow, and make zeros, infinities and NaNs.
func drawBytes(t *rapid.T, n int, label string) []byte {
	b := rapid.OneOf(
		rapid.SampledFrom([]byte{0x00, 0xff, 0x80, 0x7f, 0x01, 0x7c, 0x3f, 0xf0}),
		rapid.Byte())
	return rapid.SliceOfN(b, n, n).Draw(t, label)
}

// TestKernelsMatchReference runs random vectors through every kernel, at any address, with results apart or on top of
// an operand, and demands the reference's values and untouched surroundings.
func TestKernelsMatchReference(t *testing.T) {
	byType := map[fi.Datatype][]*Kernel{}
	for _, k := range allKernels() {
		byType[k.Datatype()] = append(byType[k.Datatype()], k)
	}
	for _, dt := range allTypes {
		t.Run(typeNames[dt], func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := drawVectors(t, dt)
				for _, k := range byType[dt] {
					v.check(t, k)
				}
			})
		})
	}
}

// someVectors are the inputs of one case and where its buffers lie.
type someVectors struct {
	count                     int
	target, operand, compare  []byte
	atTarget, atOther, result int
}

func drawVectors(t *rapid.T, dt fi.Datatype) *someVectors {
	few, stages := rapid.IntRange(0, 12), rapid.Just(binary.Size(stage{})/dt.Size()+1)
	v := &someVectors{count: rapid.OneOf(few, few, few, stages).Draw(t, "count")}
	n := v.count * dt.Size()
	v.target, v.operand, v.compare = drawBytes(t, n, "target"), drawBytes(t, n, "operand"), drawBytes(t, n, "compare")
	if rapid.Bool().Draw(t, "equal") { // else a compare value of 16 bytes never matches
		copy(v.compare, v.target[:n/2])
	}
	v.atTarget = rapid.SampledFrom([]int{0, 0, 1, 2, 4, 8}).Draw(t, "target at")
	v.atOther = rapid.IntRange(0, 17).Draw(t, "others at")
	v.result = rapid.IntRange(0, 3).Draw(t, "result")
	return v
}

// place copies b to an offset in a larger buffer of one value.
func place(b []byte, at int) (all, part []byte) {
	all = aligned(at + len(b) + 9)
	for i := range all {
		all[i] = 0xa5
	}
	copy(all[at:], b)
	return all, all[at : at+len(b)]
}

func (v *someVectors) check(t *rapid.T, k *Kernel) {
	n, size := len(v.target), k.Size()
	for _, how := range []string{"plain", "shared"} {
		all, target := place(v.target, v.atTarget)
		_, operand := place(v.operand, v.atOther)
		_, compare := place(v.compare, v.atOther)
		_, result := place(make([]byte, n), v.atOther)
		result = [][]byte{result, operand, compare, nil}[v.result]
		apply := k.Apply
		if how == "shared" {
			if !k.Aligned(target) || !k.Shared() {
				continue
			}
			apply = k.ApplyShared
		}
		if err := apply(target, operand, compare, result, v.count); err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		for i := 0; i < n; i += size {
			j := i + size
			want := reference(k.Datatype(), k.Op(), v.target[i:j], v.operand[i:j], v.compare[i:j])
			if !same(k.Datatype(), target[i:j], want) {
				t.Fatalf("%s %s op %d: element %d: %x op %x (compare %x) gave %x, want %x", how, typeNames[k.Datatype()],
					k.Op(), i/size, v.target[i:j], v.operand[i:j], v.compare[i:j], target[i:j], want)
			}
		}
		if k.GivesResult() && result != nil && !bytes.Equal(result, v.target) {
			t.Fatalf("%s %s op %d: result %x, want %x", how, typeNames[k.Datatype()], k.Op(), result, v.target)
		}
		if len(bytes.Trim(all[:v.atTarget], "\xa5"))+len(bytes.Trim(all[v.atTarget+n:], "\xa5")) != 0 {
			t.Fatalf("%s %s op %d: bytes beside the target changed: %x", how, typeNames[k.Datatype()], k.Op(), all)
		}
	}
}

// TestWordsMatchApply holds the forms for one element against Apply.
func TestWordsMatchApply(t *testing.T) {
	var ks []*Kernel
	for _, k := range allKernels() {
		if k.Size() == 4 || k.Size() == 8 {
			ks = append(ks, k)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(ks).Draw(t, "kernel")
		size := k.Size()
		target, operand, compare := drawBytes(t, size, "target"), drawBytes(t, size, "operand"), drawBytes(t, size, "compare")
		if rapid.Bool().Draw(t, "equal") {
			copy(compare, target)
		}
		plain, result := bytes.Clone(target), make([]byte, size)
		if err := k.Apply(plain, operand, compare, result, 1); err != nil {
			t.Fatal(err)
		}
		got, old := make([]byte, size), make([]byte, size)
		if size == 8 {
			v := load64(start(target))
			o, err := k.Shared64(&v, load64(start(operand)), load64(start(compare)))
			if err != nil {
				t.Fatal(err)
			}
			give64(start(got), 0, v)
			give64(start(old), 0, o)
		} else {
			v := load32(start(target))
			o, err := k.Shared32(&v, load32(start(operand)), load32(start(compare)))
			if err != nil {
				t.Fatal(err)
			}
			give32(start(got), 0, v)
			give32(start(old), 0, o)
		}
		if !same(k.Datatype(), got, plain) || k.GivesResult() && !bytes.Equal(old, result) {
			t.Fatalf("%s op %d: %x (old %x), Apply %x (old %x)", typeNames[k.Datatype()], k.Op(), got, old, plain, result)
		}
	})
}

func TestWordsRefuseOtherSizes(t *testing.T) {
	for _, k := range allKernels() {
		var v8 uint64 = 7
		var v4 uint32 = 7
		if _, err := k.Shared64(&v8, 1, 7); k.Size() != 8 && (!errors.Is(err, fi.ErrInvalid) || v8 != 7) {
			t.Errorf("Shared64 of a kernel of %d bytes: %v, target %d", k.Size(), err, v8)
		}
		if _, err := k.Shared32(&v4, 1, 7); k.Size() != 4 && (!errors.Is(err, fi.ErrInvalid) || v4 != 7) {
			t.Errorf("Shared32 of a kernel of %d bytes: %v, target %d", k.Size(), err, v4)
		}
	}
}
