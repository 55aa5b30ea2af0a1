package reduce_test

import (
	"fmt"
	"testing"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/element"
	"github.com/gofabric/gofabric/mpi/internal/reduce"
)

// Bytes are those of one vector: a kernel reads two and writes one.
func benchKernel[T any](b *testing.B, op reduce.Op) {
	e, err := element.Of[T]()
	if err != nil {
		b.Fatal(err)
	}
	k, err := op.Kernel(e)
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{8, 1 << 10, 16 << 10, 512 << 10, 4 << 20} {
		x, y := make([]T, size/e.Size), make([]T, size/e.Size)
		acc, in := element.Bytes(x), element.Bytes(y)
		b.Run(fmt.Sprintf("op=%v/type=%v/size=%d/by=reduce", op, e, size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				k(acc, acc, in)
			}
		})
		dt, _ := e.Datatype()
		a, _ := op.Atomic()
		ak, err := fiatomic.Lookup(fi.AtomicBase, dt, a)
		if err != nil {
			continue
		}
		b.Run(fmt.Sprintf("op=%v/type=%v/size=%d/by=atomic", op, e, size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := ak.Apply(acc, in, nil, nil, len(x)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkKernel(b *testing.B) {
	for _, op := range []reduce.Op{reduce.Sum, reduce.Prod, reduce.Min, reduce.Max} {
		benchKernel[float32](b, op)
		benchKernel[float64](b, op)
		benchKernel[int32](b, op)
		benchKernel[int64](b, op)
	}
	benchKernel[complex128](b, reduce.Sum)
	benchKernel[uint64](b, reduce.Bor)
	benchKernel[reduce.Loc[float64]](b, reduce.MinLoc)
}
