package value_test

import (
	"encoding/gob"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gofabric/gofabric/mpi/internal/value"
)

type (
	celsius float64
	plain   struct {
		A   int32
		b   bool
		Pos [3]float32
	}
	person struct {
		Name string
		Age  int
		Kids []*person
		At   map[string]time.Time
	}
	text    string
	temps   []celsius
	hooked  struct{ n byte }
	hooks   []hooked
	sealed  struct{ n int }
	appends struct{ s string }
	tree    struct{ Kids []tree }
)

func (h hooked) MarshalBinary() ([]byte, error) {
	if h.n == 99 {
		return nil, errors.New("99 is not liked")
	}
	return []byte{h.n + 1, 7}, nil
}

func (h *hooked) UnmarshalBinary(b []byte) error {
	if len(b) != 2 || b[1] != 7 {
		return errors.New("not seven")
	}
	h.n = b[0] - 1
	return nil
}

func (s sealed) GobEncode() ([]byte, error)             { return []byte{byte(s.n)}, nil }
func (s *sealed) GobDecode(b []byte) error              { s.n = int(b[0]); return nil }
func (a appends) AppendBinary(b []byte) ([]byte, error) { return append(b, a.s...), nil }
func (a *appends) UnmarshalBinary(b []byte) error       { a.s = string(b); return nil }

func both[T any](t *testing.T, v T) (raw []byte) {
	t.Helper()
	before := []byte("before")
	raw, err := value.Append(before, v)
	if err != nil {
		t.Fatal(err)
	}
	if string(raw[:6]) != "before" {
		t.Fatal("dst is not kept")
	}
	raw = raw[6:]
	got, err := value.Decode[T](raw)
	if err != nil {
		t.Fatalf("%v: %v", v, err)
	}
	if !reflect.DeepEqual(got, v) {
		t.Fatalf("got %#v, want %#v", got, v)
	}
	return raw
}

func TestThereAndBack(t *testing.T) {
	gob.Register(plain{})
	both(t, 7)
	both(t, celsius(36.6))
	both(t, true)
	both(t, 1+2i)
	both(t, plain{1, true, [3]float32{1, 2, 3}})
	both(t, [4]plain{{A: 3}, {b: true}})
	both(t, "hello")
	both(t, "")
	both(t, text("named"))
	both(t, []byte("bytes"))
	both(t, temps{1, 2, 3})
	both(t, []plain{{A: 1}, {b: true}})
	both(t, []int(nil))
	both(t, []int{})
	both(t, []string{"a", "", "c"})
	both(t, map[string][]int{"a": {1, 2}, "b": {3}})
	both(t, person{Name: "A", Kids: []*person{{Name: "B", Age: 3}}, At: map[string]time.Time{"now": time.Unix(5, 6).UTC()}})
	both(t, &person{Name: "P"})
	both[*person](t, nil)
	both[any](t, nil)
	both[map[string]int](t, nil)
	both[[]string](t, nil)
	both(t, time.Unix(1, 2).UTC())
	both(t, netip.MustParseAddr("10.1.2.3"))
	both(t, []netip.Addr{netip.MustParseAddr("::1")})
	both(t, hooked{5})
	both(t, hooks{{5}, {6}})
	both(t, sealed{8})
	both(t, appends{"x"})
	both(t, *big.NewInt(1 << 40))
	both(t, any(plain{A: 3}))
	both(t, tree{[]tree{{}, {[]tree{{}}}}})
}

// What has no pointers takes its memory and a few bytes; what has methods takes what they give.
func TestSizes(t *testing.T) {
	if n := len(both(t, int64(7))); n > 20 {
		t.Errorf("an int64 takes %d bytes", n)
	}
	if n := len(both(t, make([]float64, 1000))); n > 8020 {
		t.Errorf("1000 float64s take %d bytes", n)
	}
	if n := len(both(t, "hello")); n != 6 {
		t.Errorf("hello takes %d bytes", n)
	}
	if raw := both(t, hooked{1}); !strings.HasSuffix(string(raw), "\x02\x07") {
		t.Errorf("% x is not made by the method", raw)
	}
}

func mismatch[S, R any](t *testing.T, v S, names ...string) {
	t.Helper()
	raw, err := value.Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	got, err := value.Decode[R](raw)
	var zero R
	if m, ok := errors.AsType[*value.MismatchError](err); !ok || !reflect.DeepEqual(got, zero) {
		t.Errorf("%T as %T: %v, %v (%v)", v, got, got, err, m)
		return
	}
	for _, n := range names {
		if !strings.Contains(err.Error(), n) {
			t.Errorf("%v does not say %q", err, n)
		}
	}
}

func TestMismatch(t *testing.T) {
	mismatch[int32, float64](t, 1, "int32", "float64")
	mismatch[int32, uint32](t, 1, "int32", "uint32")
	mismatch[[]int32, int32](t, nil, "[]int32", "int32")
	mismatch[int32, []int32](t, 1, "int32", "[]int32")
	mismatch[[]int32, []float32](t, []int32{1}, "[]int32", "[]float32")
	mismatch[[]int32, []float32](t, nil)
	mismatch[string, []byte](t, "x", "string", "[]uint8")
	mismatch[[]byte, string](t, nil, "string", "[]uint8")
	mismatch[plain, person](t, plain{}, "value_test.plain", "value_test.person")
	mismatch[person, int](t, person{Name: "x"}, "value_test.person", "int")
	mismatch[hooked, time.Time](t, hooked{1}, "value_test.hooked", "time.Time")
	mismatch[[2]int64, [3]int64](t, [2]int64{}, "[2]int64", "[3]int64")
	mismatch[[]int64, [][2]int64](t, []int64{1}, "[]int64", "[][2]int64")
	mismatch[*person, []string](t, nil, "*value_test.person", "[]string")
	mismatch[*person, person](t, nil, "*value_test.person")
	// The same memory under other names is the same.
	raw, _ := value.Append(nil, temps{1, 2})
	if got, err := value.Decode[[]float64](raw); err != nil || !cmp.Equal(got, []float64{1, 2}) {
		t.Error(got, err)
	}
	raw, _ = value.Append(nil, text("x"))
	if got, err := value.Decode[string](raw); err != nil || got != "x" {
		t.Error(got, err)
	}
}

func TestRefusals(t *testing.T) {
	refuse := func(dst []byte, err error) {
		t.Helper()
		if err == nil || len(dst) != 1 || !strings.Contains(err.Error(), "cannot be sent") {
			t.Errorf("%d bytes, %v", len(dst), err)
		}
	}
	one := []byte{1}
	refuse(value.Append(one, make(chan int)))
	refuse(value.Append(one, func() {}))
	refuse(value.Append(one, struct{ a *int }{}))
	refuse(value.Append[any](one, struct{ Never int }{}))
	refuse(value.Append(one, hooked{99}))
	wide := tree{make([]tree, value.MaxNested)}
	refuse(value.Append(one, wide))

	bad := func(raw []byte, word string) {
		t.Helper()
		if v, err := value.Decode[hooked](raw); err == nil || v != (hooked{}) || !strings.Contains(err.Error(), word) {
			t.Errorf("% x: %v does not say %q", raw, err, word)
		}
	}
	bad(nil, "Value form")
	bad([]byte{0}, "Value form")
	bad([]byte{200, 1, 2}, "Value form")
	bad([]byte{5}, "ends within")
	bad([]byte{5, 9, 'x'}, "ends within")
	raw, _ := value.Append(nil, hooked{1})
	bad(raw[:len(raw)-1], "not seven")
	p, _ := value.Append(nil, person{Name: "x"})
	for _, raw := range [][]byte{p[:len(p)-1], append(p, 0)} {
		if _, err := value.Decode[person](raw); err == nil || !strings.Contains(err.Error(), "person") {
			t.Error(err)
		}
	}
}

// A message that nests deeper than the stack goes is refused by its length, before gob sees it.
func TestDepth(t *testing.T) {
	raw, err := value.Append(nil, tree{})
	if err != nil {
		t.Fatal(err)
	}
	raw = append(raw, make([]byte, value.MaxNested)...)
	if _, err := value.Decode[tree](raw); err == nil || !strings.Contains(err.Error(), "hold itself") {
		t.Error(err)
	}
	deep := tree{}
	for range value.MaxNested / 4 {
		deep = tree{[]tree{deep}}
	}
	raw, err = value.Append(nil, deep)
	if err != nil {
		t.Fatal(err)
	}
	got, err := value.Decode[tree](raw)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; len(got.Kids) > 0; got = got.Kids[0] {
		n++
	}
	if n != value.MaxNested/4 {
		t.Errorf("%d levels", n)
	}
}

// What Decode gives shares nothing with the message.
func TestOwnMemory(t *testing.T) {
	raw := both(t, []byte("abc"))
	str := both(t, "abc")
	v, _ := value.Decode[[]byte](raw)
	s, _ := value.Decode[string](str)
	clear(raw)
	clear(str)
	if string(v) != "abc" || s != "abc" {
		t.Error("the message is shared")
	}
}

func TestBoolsOfStrangers(t *testing.T) {
	raw := both(t, true)
	raw[len(raw)-1] = 2
	if v, err := value.Decode[bool](raw); err != nil || v != true {
		t.Error(v, err)
	}
}

func TestRandomValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		round := func(v, got any, err error) {
			if err != nil || !reflect.DeepEqual(v, got) {
				t.Fatalf("got %#v, %v, want %#v", got, err, v)
			}
		}
		ints := rapid.SliceOf(rapid.Int16()).Draw(t, "ints")
		raw, err := value.Append(nil, ints)
		if err != nil {
			t.Fatal(err)
		}
		back, err := value.Decode[[]int16](raw)
		round(ints, back, err)
		m := rapid.MapOfN(rapid.String(), rapid.Float64(), 1, 5).Draw(t, "map")
		if raw, err = value.Append(raw[:0], m); err != nil {
			t.Fatal(err)
		}
		mb, err := value.Decode[map[string]float64](raw)
		round(m, mb, err)
		p := plain{rapid.Int32().Draw(t, "a"), rapid.Bool().Draw(t, "b"), [3]float32{rapid.Float32().Draw(t, "x")}}
		if raw, err = value.Append(raw[:0], p); err != nil {
			t.Fatal(err)
		}
		pb, err := value.Decode[plain](raw)
		round(p, pb, err)
		cut := rapid.IntRange(0, len(raw)-1).Draw(t, "cut")
		if _, err := value.Decode[plain](raw[:cut]); err == nil {
			t.Fatalf("the first %d of %d bytes are a value", cut, len(raw))
		}
	})
}

func FuzzDecode(f *testing.F) {
	add := func(raw []byte, err error) {
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	gob.Register(plain{})
	add(value.Append(nil, any(plain{A: 3})))
	add(value.Append(nil, 7))
	add(value.Append(nil, "text"))
	add(value.Append(nil, []plain{{b: true}}))
	add(value.Append(nil, []int(nil)))
	add(value.Append(nil, person{Name: "x", Kids: []*person{{Age: 2}}}))
	add(value.Append(nil, tree{[]tree{{}, {}}}))
	add(value.Append(nil, hooked{3}))
	add(value.Append(nil, map[int][]string{1: {"a"}}))
	room := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	f.Fuzz(func(t *testing.T, raw []byte) {
		metrics.Read(room)
		before := room[0].Value.Uint64()
		value.Decode[person](raw)
		metrics.Read(room)
		if n := room[0].Value.Uint64() - before; n > 11<<20+1000*uint64(len(raw)) {
			t.Fatalf("%d bytes are allocated for %d", n, len(raw))
		}
		if v, err := value.Decode[[]plain](raw); err == nil {
			again[[]plain](t, v)
			if 20*len(v) > len(raw) {
				t.Fatalf("%d elements of %d bytes", len(v), len(raw))
			}
		}
		if v, err := value.Decode[person](raw); err == nil {
			if _, err := value.Append(nil, v); err != nil {
				t.Fatal(err)
			}
		}
		if v, err := value.Decode[int](raw); err == nil {
			again[int](t, v)
		}
		if v, err := value.Decode[string](raw); err == nil {
			again[string](t, v)
		}
		value.Decode[tree](raw)
		value.Decode[map[int][]string](raw)
		value.Decode[hooked](raw)
		value.Decode[any](raw)
	})
}

func again[T any](t *testing.T, v T) {
	raw, err := value.Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	got, err := value.Decode[T](raw)
	if err != nil {
		t.Fatalf("%v: %v", v, err)
	}
	more, err := value.Append(nil, got)
	if err != nil || string(raw) != string(more) {
		t.Fatalf("% x, then % x, %v", raw, more, err)
	}
}

func TestAllocations(t *testing.T) {
	buf := make([]byte, 0, 1<<10)
	s := []float32{1, 2, 3}
	if n := testing.AllocsPerRun(100, func() { buf, _ = value.Append(buf[:0], s) }); n > 0 {
		t.Errorf("appending a slice: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		v, err := value.Decode[[]float32](buf)
		if err != nil || len(v) != 3 {
			t.Fatal(err)
		}
	}); n > 3 {
		t.Errorf("reading a slice: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		buf, _ = value.Append(buf[:0], 7)
		if v, err := value.Decode[int](buf); err != nil || v != 7 {
			t.Fatal(err)
		}
	}); n > 1 {
		t.Errorf("a number: %v allocations", n)
	}
}

func BenchmarkValue(b *testing.B) {
	buf := make([]byte, 0, 1<<10)
	bench(b, buf, "int", 7)
	bench(b, buf, "slice", make([]float64, 100))
	bench(b, buf, "string", "hello")
	bench(b, buf, "struct", plain{})
	bench(b, buf, "gob", person{Name: "x"})
}

func bench[T any](b *testing.B, buf []byte, name string, v T) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			raw, err := value.Append(buf, v)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := value.Decode[T](raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}
