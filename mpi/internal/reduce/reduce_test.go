package reduce_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/element"
	"github.com/gofabric/gofabric/mpi/internal/reduce"
)

func kernel[T any](t interface {
	Helper()
	Fatal(...any)
}, op reduce.Op) reduce.Kernel {
	t.Helper()
	e, err := element.Of[T]()
	if err != nil {
		t.Fatal(err)
	}
	k, err := op.Kernel(e)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func apply[T any](t interface {
	Helper()
	Fatal(...any)
}, op reduce.Op, a, b []T) []T {
	t.Helper()
	dst := make([]T, len(a))
	kernel[T](t, op)(element.Bytes(dst), element.Bytes(a), element.Bytes(b))
	return dst
}

func expect[T comparable](t *testing.T, op reduce.Op, a, b, want []T) {
	t.Helper()
	if got := apply(t, op, a, b); !slices.Equal(got, want) {
		t.Errorf("%v of %v and %v is %v, want %v", op, a, b, got, want)
	}
}

type meters float64

func TestPredefined(t *testing.T) {
	expect(t, reduce.Sum, []int{1, math.MaxInt}, []int{2, 1}, []int{3, math.MinInt})
	expect(t, reduce.Sum, []meters{1.5}, []meters{2}, []meters{3.5})
	expect(t, reduce.Sum, []complex64{1 + 2i}, []complex64{3 - 1i}, []complex64{4 + 1i})
	expect(t, reduce.Prod, []complex128{1 + 2i}, []complex128{3 - 1i}, []complex128{5 + 5i})
	expect(t, reduce.Prod, []uint8{20}, []uint8{20}, []uint8{144})
	expect(t, reduce.Min, []int8{-1, 3}, []int8{1, -128}, []int8{-1, -128})
	expect(t, reduce.Max, []uint64{1, math.MaxUint64}, []uint64{2, 0}, []uint64{2, math.MaxUint64})
	expect(t, reduce.Band, []uint16{0b1100}, []uint16{0b1010}, []uint16{0b1000})
	expect(t, reduce.Bor, []uint16{0b1100}, []uint16{0b1010}, []uint16{0b1110})
	expect(t, reduce.Bxor, []int16{0b1100}, []int16{0b1010}, []int16{0b0110})
	f, u := false, true
	expect(t, reduce.Land, []bool{f, f, u, u}, []bool{f, u, f, u}, []bool{f, f, f, u})
	expect(t, reduce.Lor, []bool{f, f, u, u}, []bool{f, u, f, u}, []bool{f, u, u, u})
	expect(t, reduce.Lxor, []bool{f, f, u, u}, []bool{f, u, f, u}, []bool{f, u, u, f})
	expect(t, reduce.Land, []int32{0, 5, 256}, []int32{1, 7, -1}, []int32{0, 1, 1})
	expect(t, reduce.Lor, []int64{0, 0, 1 << 40}, []int64{0, 3, 0}, []int64{0, 1, 1})
	expect(t, reduce.Lxor, []uint32{2, 0}, []uint32{4, 9}, []uint32{0, 1})
	expect(t, reduce.Sum, [][3]float32{{1, 2, 3}}, [][3]float32{{4, 5, 6}}, [][3]float32{{5, 7, 9}})
	expect(t, reduce.Replace, []string8{{1}}, []string8{{2}}, []string8{{2}})
	expect(t, reduce.NoOp, []string8{{1}}, []string8{{2}}, []string8{{1}})
}

type string8 struct{ c byte }

// A NaN on the right is ignored, one on the left stays, and of zeros the left one.
func TestFloatOrder(t *testing.T) {
	nan, neg := math.NaN(), math.Copysign(0, -1)
	for _, op := range []reduce.Op{reduce.Min, reduce.Max} {
		for range 40 { // so that whatever does vectors has a part in it
			a, b := slices.Repeat([]float64{nan, 1, 0, neg}, 10), slices.Repeat([]float64{1, nan, neg, 0}, 10)
			got := apply(t, op, a, b)
			for i := range got {
				if math.Float64bits(got[i]) != math.Float64bits(a[i]) {
					t.Fatalf("%v of %v and %v is %v", op, a[i], b[i], got[i])
				}
			}
		}
	}
}

type (
	loc64 = reduce.Loc[float64]
	own   struct {
		temperature int16
		where       int32
	}
)

func TestLocations(t *testing.T) {
	nan := math.NaN()
	a := []loc64{{1, 5}, {2, 1}, {3, 4}, {3, 2}, {1, 1}}
	b := []loc64{{2, 1}, {1, 5}, {3, 2}, {3, 4}, {nan, 0}}
	expect(t, reduce.MinLoc, a, b, []loc64{{1, 5}, {1, 5}, {3, 2}, {3, 2}, {1, 1}})
	expect(t, reduce.MaxLoc, a, b, []loc64{{2, 1}, {2, 1}, {3, 2}, {3, 2}, {1, 1}})
	expect(t, reduce.MaxLoc, []own{{-1, 0}, {-1, 9}}, []own{{-2, 1}, {-1, 8}}, []own{{-1, 0}, {-1, 8}})
	expect(t, reduce.MinLoc, []reduce.Loc[uint8]{{200, 3}}, []reduce.Loc[uint8]{{200, 1}}, []reduce.Loc[uint8]{{200, 1}})
}

func TestRefusals(t *testing.T) {
	refuse := func(op reduce.Op, e *element.Info, err error, words ...string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		k, err := op.Kernel(e)
		if k != nil || err == nil {
			t.Fatalf("%v of %v is accepted", op, e)
		}
		for _, w := range append(words, "OpFunc") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%v of %v: %v does not say %q", op, e, err, w)
			}
		}
	}
	f, err := element.Of[float64]()
	refuse(reduce.Band, f, err, "Band of float64", "integers")
	refuse(reduce.Land, f, err, "bools and integers")
	refuse(reduce.MinLoc, f, err, "structs")
	refuse(reduce.Op{}, f, err, "no operation")
	refuse(reduce.Func[float64](nil, true), f, err, "float64", "no function")
	refuse(reduce.Func(func(_, _ []float32) {}, true), f, err, "float32", "float64")
	b, err := element.Of[bool]()
	refuse(reduce.Sum, b, err, "Sum of bool")
	refuse(reduce.Band, b, err)
	c, err := element.Of[complex64]()
	refuse(reduce.Max, c, err)
	s, err := element.Of[struct{ X, Y float64 }]()
	refuse(reduce.Sum, s, err, "struct")
	refuse(reduce.MaxLoc, s, err)
	l, err := element.Of[reduce.Loc[bool]]()
	refuse(reduce.MaxLoc, l, err)
	if _, err := reduce.Func(func(_, _ []string) {}, true).Kernel(f); err == nil || !strings.Contains(err.Error(), "Value forms") {
		t.Errorf("a function on strings: %v", err)
	}
}

func TestProperties(t *testing.T) {
	fn := reduce.Func(func(_, _ []int32) {}, false)
	if fn.Commutes() || !reduce.Func(func(_, _ []int32) {}, true).Commutes() || !reduce.Sum.Commutes() || reduce.Replace.Commutes() {
		t.Error("wrong Commutes")
	}
	if !fn.Valid() || !fn.Collective() || fn.Predefined() || reduce.NoOp.Collective() || !reduce.NoOp.Predefined() ||
		(reduce.Op{}).Valid() || (reduce.Op{}).Collective() || (reduce.Op{}).Predefined() {
		t.Error("wrong classes")
	}
	if a, ok := reduce.Max.Atomic(); !ok || a != fi.AtomicMax {
		t.Errorf("Max is %v", a)
	}
	if _, ok := reduce.MinLoc.Atomic(); ok {
		t.Error("MinLoc has an atomic")
	}
	if fn.String() != "Func[int32]" || reduce.MinLoc.String() != "MinLoc" || (reduce.Op{}).String() != "no operation" {
		t.Error(fn, reduce.MinLoc, reduce.Op{})
	}
}

// affine maps x to m*x+c; composition is associative and does not commute.
type affine struct{ m, c uint32 }

func compose(acc, in []affine) {
	for i := range acc {
		acc[i] = affine{acc[i].m * in[i].m, acc[i].c*in[i].m + in[i].c}
	}
}

// A reduction in any bracketing gives the fold in the order of ranks, wherever the result goes and at any address.
func TestFuncOrder(t *testing.T) {
	op := reduce.Func(compose, false)
	rapid.Check(t, func(t *rapid.T) {
		k := kernel[affine](t, op)
		count := rapid.IntRange(0, 20).Draw(t, "count")
		odd := rapid.IntRange(0, 1).Draw(t, "odd")
		ranks := rapid.IntRange(1, 9).Draw(t, "ranks")
		parts := make([][]byte, ranks)
		want := make([]affine, count)
		for r := range parts {
			v := make([]affine, count)
			for i := range v {
				v[i] = affine{rapid.Uint32().Draw(t, "m"), rapid.Uint32().Draw(t, "c")}
			}
			if r == 0 {
				copy(want, v)
			} else {
				compose(want, v)
			}
			parts[r] = append(make([]byte, odd), element.Bytes(v)...)[odd:]
		}
		for len(parts) > 1 {
			i := rapid.IntRange(0, len(parts)-2).Draw(t, "join")
			a, b := parts[i], parts[i+1]
			dst := a
			switch rapid.IntRange(0, 2).Draw(t, "where") {
			case 0:
				dst = b
			case 1:
				dst = make([]byte, len(a)+odd)[odd:]
			}
			k(dst, a, b)
			parts = slices.Replace(parts, i, i+2, dst)
		}
		if !slices.Equal(parts[0], element.Bytes(want)) {
			t.Fatalf("got % x, want %v", parts[0], want)
		}
	})
}

// allocs: Op.Kernel
func TestAllocatesNothing(t *testing.T) {
	a, b := make([]float32, 1000), make([]float32, 1000)
	l := make([]loc64, 10)
	e, err := element.Of[float32]()
	if err != nil {
		t.Fatal(err)
	}
	lk := kernel[loc64](t, reduce.MaxLoc)
	n := testing.AllocsPerRun(100, func() {
		k, _ := reduce.Sum.Kernel(e)
		k(element.Bytes(a), element.Bytes(a), element.Bytes(b))
		k(element.Bytes(a)[1:9], element.Bytes(a)[1:9], element.Bytes(b)[3:11])
		lk(element.Bytes(l), element.Bytes(l), element.Bytes(l))
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
