package memcopy_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/gofabric/gofabric/internal/memcopy"
)

var sizes = []int{0, 1, 63, 64, 511, 512, 513, 1023, 1024, 1025, 4096, 4097, 8192, 65536 + 3, 128 << 10, 128<<10 + 1, 1<<20 + 7}

// Each copy is what copy does: with any length, place and difference of the lengths.
func TestLikeCopy(t *testing.T) {
	for name, f := range map[string]func(dst, src []byte) int{"Out": memcopy.Out, "In": memcopy.In} {
		for _, size := range sizes {
			for _, at := range []int{0, 1, 17, 64} {
				for _, longer := range []int{-at, 0, 100} {
					src := make([]byte, max(0, size+longer)+at)
					for i := range src {
						src[i] = byte(rand.Uint32())
					}
					got, want := make([]byte, size+200), make([]byte, size+200)
					n, m := f(got[at:at+size], src[at:]), copy(want[at:at+size], src[at:])
					if n != m || !bytes.Equal(got, want) {
						t.Fatalf("%s of %d bytes at %d, %d longer: %d, want %d", name, size, at, longer, n, m)
					}
				}
			}
		}
	}
}

// Parts of one slice may overlap, in both directions.
func TestOverlap(t *testing.T) {
	for name, f := range map[string]func(dst, src []byte) int{"Out": memcopy.Out, "In": memcopy.In} {
		for _, size := range sizes {
			for _, by := range []int{1, 8, 63, 4096} {
				for _, up := range []bool{true, false} {
					got := make([]byte, size+by)
					for i := range got {
						got[i] = byte(rand.Uint32())
					}
					want := bytes.Clone(got)
					if up {
						f(got[by:], got[:size])
						copy(want[by:], want[:size])
					} else {
						f(got[:size], got[by:])
						copy(want[:size], want[by:])
					}
					if !bytes.Equal(got, want) {
						t.Fatalf("%s of %d bytes, %d apart, up %v: wrong bytes", name, size, by, up)
					}
				}
			}
		}
	}
}

func TestAllocatesNothing(t *testing.T) {
	a, b := make([]byte, 1<<20), make([]byte, 1<<20)
	if n := testing.AllocsPerRun(10, func() { memcopy.Out(a, b); memcopy.In(a, b); memcopy.In(a[:900], b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
