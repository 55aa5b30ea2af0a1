package element_test

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mpi/internal/element"
)

type (
	celsius float64
	point   struct{ X, Y, Z float64 }
	mixed   struct {
		A int8
		B int64
		C bool
	}
	twice struct{ M1, M2 mixed }
	big   struct{ A, B [3000]mixed }
	deep  struct {
		In [2]struct {
			Name string
		}
	}
	blank struct {
		A int32
		_ [4]byte
	}
	loop struct{ Next *loop }
)

func of[T any](t *testing.T) *element.Info {
	t.Helper()
	e, err := element.Of[T]()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNumbers(t *testing.T) {
	check := func(e *element.Info, want fi.Datatype) {
		t.Helper()
		if dt, ok := e.Datatype(); !ok || dt != want || e.Size != want.Size() || e.Padding != 0 || e.Hash == 0 || e.Hash >= 1024 {
			t.Errorf("%v: %v %v, size %d, padding %d, hash %d", e, dt, ok, e.Size, e.Padding, e.Hash)
		}
	}
	check(of[int8](t), fi.TypeInt8)
	check(of[uint8](t), fi.TypeUint8)
	check(of[int16](t), fi.TypeInt16)
	check(of[uint16](t), fi.TypeUint16)
	check(of[int32](t), fi.TypeInt32)
	check(of[uint32](t), fi.TypeUint32)
	check(of[int64](t), fi.TypeInt64)
	check(of[uint64](t), fi.TypeUint64)
	check(of[float32](t), fi.TypeFloat)
	check(of[celsius](t), fi.TypeDouble)
	check(of[complex64](t), fi.TypeFloatComplex)
	check(of[complex128](t), fi.TypeDoubleComplex)
	if e := of[int](t); e.Size != int(unsafe.Sizeof(0)) || e.Base != map[int]reflect.Kind{4: reflect.Int32, 8: reflect.Int64}[e.Size] {
		t.Errorf("int is %v of %d bytes", e.Base, e.Size)
	}
	for _, e := range []*element.Info{of[bool](t), of[[2]float64](t), of[point](t)} {
		if dt, ok := e.Datatype(); ok {
			t.Errorf("%v is the number %v", e, dt)
		}
	}
	if of[[2][3]float32](t).Base != reflect.Float32 || of[point](t).Base != reflect.Invalid || of[bool](t).Base != reflect.Bool {
		t.Error("wrong bases")
	}
}

// The basic types are told from each other with certainty.
func TestBasicHashesDiffer(t *testing.T) {
	list := []*element.Info{of[bool](t), of[int8](t), of[uint8](t), of[int16](t), of[uint16](t), of[int32](t), of[uint32](t),
		of[int64](t), of[uint64](t), of[float32](t), of[float64](t), of[complex64](t), of[complex128](t)}
	seen := map[uint16]*element.Info{}
	for _, e := range append(list, of[mixed](t), of[blank](t)) {
		if o := seen[e.Hash]; o != nil {
			t.Errorf("%v and %v have the hash %d", o, e, e.Hash)
		}
		seen[e.Hash] = e
	}
}

func TestLikeLayouts(t *testing.T) {
	like := [][]*element.Info{
		{of[float64](t), of[celsius](t), of[point](t), of[[3]float64](t), of[[1 << 20]float64](t), of[struct{ A [2]point }](t)},
		{of[mixed](t), of[twice](t), of[[2]mixed](t), of[struct{ M mixed }](t), of[[100000]mixed](t), of[big](t)},
		{of[complex64](t), of[[2]complex64](t)},
		{of[struct {
			A int8
			B int16
		}](t), of[[2]struct {
			A int8
			B int16
		}](t)},
		{of[blank](t)},
		{of[struct {
			A [5000]int32
			B [5000]float64
		}](t), of[[2]struct {
			A [5000]int32
			B [5000]float64
		}](t)},
	}
	for i, a := range like {
		for _, x := range a {
			for j, b := range like {
				for _, y := range b {
					if x.Like(y) != (i == j) {
						t.Errorf("%v like %v is %v", x, y, i != j)
					}
					if i == j && x.Hash != y.Hash {
						t.Errorf("%v has hash %d, %v %d", x, x.Hash, y, y.Hash)
					}
				}
			}
		}
	}
}

func TestPadding(t *testing.T) {
	for e, want := range map[*element.Info]int{of[mixed](t): 14, of[blank](t): 0, of[[3]mixed](t): 42, of[point](t): 0} {
		if e.Padding != want {
			t.Errorf("%v has %d bytes of padding, want %d", e, e.Padding, want)
		}
	}
}

func TestErrorsNameTheField(t *testing.T) {
	check := func(err error, words ...string) {
		t.Helper()
		for _, w := range append(words, "Value forms") {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%v does not say %q", err, w)
			}
		}
	}
	fail := func(_ *element.Info, err error) error { return err }
	check(fail(element.Of[string]()), "element type string: it is a string")
	check(fail(element.Of[*int]()), "it is a *int")
	check(fail(element.Of[deep]()), "element_test.deep: its In[].Name is a string")
	check(fail(element.Of[struct{ A struct{ F func() } }]()), "its A.F is a func()")
	check(fail(element.Of[[2]map[int]int]()), "its [] is a map[int]int")
	check(fail(element.Of[unsafe.Pointer]()), "unsafe.Pointer")
	check(fail(element.Of[any]()), "interface {}")
	check(fail(element.Of[[]int]()), "[]int")
	check(fail(element.Of[chan int]()), "chan int")
	check(fail(element.Of[loop]()), "its Next is a *element_test.loop")
	for range 2 { // also the second time
		if _, err := element.Of[struct{}](); err == nil || !strings.Contains(err.Error(), "no size") {
			t.Errorf("an empty struct: %v", err)
		}
	}
	check(fail(element.Of[string]()), "string")
}

func TestBytes(t *testing.T) {
	s := []uint32{1, 2, 3}
	b := element.Bytes(s)
	if len(b) != 12 || cap(b) != 12 {
		t.Fatalf("%d bytes of %d", len(b), cap(b))
	}
	clear(b[4:8])
	if !slices.Equal(s, []uint32{1, 0, 3}) {
		t.Error("not the same memory")
	}
	if back, ok := element.Slice[uint32](b[:11]); !ok || len(back) != 2 || &back[0] != &s[0] {
		t.Errorf("%v %v", back, ok)
	}
	if _, ok := element.Slice[uint32](b[1:]); ok {
		t.Error("odd addresses are taken")
	}
	if x, y, z, ok := element.Slices[uint32](b[:8], b, b[4:]); !ok || len(x) != 2 || len(y) != 2 || len(z) != 2 || &z[0] != &s[1] {
		t.Errorf("%v %v %v %v", x, y, z, ok)
	}
	for i := range 3 {
		m := [3][]byte{b[:4], b[:4], b[:4]}
		m[i] = b[1:5]
		if _, _, _, ok := element.Slices[uint32](m[0], m[1], m[2]); ok {
			t.Error("odd addresses are taken")
		}
	}
	if b := element.Bytes[uint32](nil); len(b) != 0 {
		t.Error("nil has bytes")
	}
}

func TestFixBools(t *testing.T) {
	e := of[mixed](t)
	s := []mixed{{A: 2, B: 2}, {A: 3, B: 3}, {A: 4, C: true}}
	raw := element.Bytes(s)
	raw[unsafe.Offsetof(mixed{}.C)] = 2
	e.FixBools(raw)
	if !slices.Equal(s, []mixed{{2, 2, true}, {3, 3, false}, {4, 0, true}}) || raw[unsafe.Offsetof(mixed{}.C)] != 1 {
		t.Errorf("%v", s)
	}
	other := []byte{7, 8}
	of[uint8](t).FixBools(other)
	arr := []byte{0, 1, 200, 255, 9}
	of[[2]bool](t).FixBools(arr)
	if other[0] != 7 || !slices.Equal(arr, []byte{0, 1, 1, 1, 9}) {
		t.Errorf("%v %v", other, arr)
	}
}

// Many goroutines that meet a type for the first time get one Info.
func TestOneInfo(t *testing.T) {
	type fresh struct{ A, B int16 }
	var wg sync.WaitGroup
	got := make([]*element.Info, 16)
	for i := range got {
		wg.Go(func() { got[i], _ = element.Of[fresh]() })
	}
	wg.Wait()
	for _, e := range got {
		if e == nil || e != got[0] {
			t.Fatal("different infos of one type")
		}
	}
}

func TestAllocatesNothing(t *testing.T) {
	s := make([]point, 10)
	n := testing.AllocsPerRun(100, func() {
		e, _ := element.Of[point]()
		b := element.Bytes(s)
		if v, ok := element.Slice[point](element.Hidden(b)); !ok || len(v)*e.Size != len(b) {
			t.Fatal("wrong")
		}
		if _, _, v, ok := element.Slices[point](b, b, b); !ok || len(v) != len(s) {
			t.Fatal("wrong")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		element.Of[point]()
	}
}
