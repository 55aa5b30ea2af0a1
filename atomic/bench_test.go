package atomic

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

var benchTypes = []struct {
	name string
	dt   fi.Datatype
}{
	{"uint8", fi.TypeUint8}, {"int32", fi.TypeInt32}, {"uint64", fi.TypeUint64}, {"double", fi.TypeDouble},
	{"float16", fi.TypeFloat16}, {"bfloat16", fi.TypeBFloat16}, {"e4m3", fi.TypeFloat8E4M3}, {"uint128", fi.TypeUint128},
}

var benchOps = []struct {
	name string
	kind fi.AtomicKind
	op   fi.AtomicOp
}{
	{"sum", fi.AtomicBase, fi.AtomicSum},
	{"write", fi.AtomicBase, fi.AtomicWrite},
	{"max", fi.AtomicBase, fi.AtomicMax},
	{"fetchsum", fi.AtomicFetch, fi.AtomicSum},
	{"swap", fi.AtomicFetch, fi.AtomicWrite},
	{"read", fi.AtomicFetch, fi.AtomicRead},
	{"cswap", fi.AtomicCompare, fi.AtomicCSwap},
}

// BenchmarkApplyShared is one call for one element, as a provider makes it: with the kernel looked up.
func BenchmarkApplyShared(b *testing.B) {
	for _, t := range benchTypes {
		for _, o := range benchOps {
			b.Run("type="+t.name+"/op="+o.name, func(b *testing.B) {
				target, operand, result := make([]byte, 64), make([]byte, 16), make([]byte, 16)
				operand[0] = 1
				for b.Loop() {
					k, err := Lookup(o.kind, t.dt, o.op)
					if err != nil {
						b.Fatal(err)
					}
					if err := k.ApplyShared(target, operand, operand, result, 1); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkShared64 is the form for one word, as a provider makes it: with the kernel looked up and the operand from a
// buffer.
func BenchmarkShared64(b *testing.B) {
	for _, o := range benchOps {
		b.Run("op="+o.name, func(b *testing.B) {
			target, operand, result := new(uint64), []byte{1, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 8)
			for b.Loop() {
				k, err := Lookup(o.kind, fi.TypeUint64, o.op)
				if err != nil {
					b.Fatal(err)
				}
				v := binary.NativeEndian.Uint64(operand)
				old, err := k.Shared64(target, v, v)
				if err != nil {
					b.Fatal(err)
				}
				binary.NativeEndian.PutUint64(result, old)
			}
		})
	}
}

// BenchmarkFloor is what the processor alone takes for a fetch-add.
func BenchmarkFloor(b *testing.B) {
	target, sum := new(uint64), uint64(0)
	for b.Loop() {
		sum += atomic.AddUint64(target, 1)
	}
}

// BenchmarkApply is a vector under a lock, as reductions use it.
func BenchmarkApply(b *testing.B) {
	for _, count := range []int{1, 4096} {
		for _, t := range benchTypes {
			for _, o := range benchOps {
				b.Run(fmt.Sprintf("count=%d/type=%s/op=%s", count, t.name, o.name), func(b *testing.B) {
					k, err := Lookup(o.kind, t.dt, o.op)
					if err != nil {
						b.Fatal(err)
					}
					n := count * k.Size()
					target, operand, result := make([]byte, n), make([]byte, n), make([]byte, n)
					b.SetBytes(int64(n))
					for b.Loop() {
						if err := k.Apply(target, operand, operand, result, count); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		if _, err := Lookup(fi.AtomicFetch, fi.TypeInt64, fi.AtomicSum); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNewTable is what the package costs a program at its start.
func BenchmarkNewTable(b *testing.B) {
	for b.Loop() {
		newTable()
	}
}
