package layout_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gofabric/gofabric/mpi/internal/element"
	"github.com/gofabric/gofabric/mpi/internal/layout"
)

func must(t interface {
	Helper()
	Fatal(...any)
}) func(l *layout.Layout, err error) *layout.Layout {
	return func(l *layout.Layout, err error) *layout.Layout {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
}

// list gives the places of all elements in the order of the message.
func list(l *layout.Layout) (places []int) {
	for at, n := range l.Runs() {
		for i := range n {
			places = append(places, at+i)
		}
	}
	return places
}

func runs(l *layout.Layout) string {
	var b strings.Builder
	for at, n := range l.Runs() {
		fmt.Fprintf(&b, "%d+%d ", at, n)
	}
	return strings.TrimSpace(b.String())
}

func TestRuns(t *testing.T) {
	ok := must(t)
	for _, c := range []struct {
		l    *layout.Layout
		want string
		size int
		end  int
	}{
		{ok(layout.Vector(3, 2, 5)), "0+2 5+2 10+2", 6, 12},
		{ok(layout.Vector(3, 2, 2)), "0+6", 6, 6},
		{ok(layout.Vector(1, 4, -9)), "0+4", 4, 4},
		{ok(layout.Vector(2, 1, 0)), "0+1 0+1", 2, 1},
		{ok(layout.Vector(0, 4, 5)), "", 0, 0},
		{ok(layout.Vector(4, 0, 5)), "", 0, 0},
		{ok(layout.Subarray([]int{4, 5}, []int{2, 3}, []int{1, 1})), "6+3 11+3", 6, 14},
		{ok(layout.Subarray([]int{4, 5}, []int{2, 5}, []int{1, 0})), "5+10", 10, 15},
		{ok(layout.Subarray([]int{2, 3, 4}, []int{2, 2, 4}, []int{0, 1, 0})), "4+8 16+8", 16, 24},
		{ok(layout.Subarray([]int{2, 3, 4}, []int{2, 3, 1}, []int{0, 0, 3})), "3+1 7+1 11+1 15+1 19+1 23+1", 6, 24},
		{ok(layout.Subarray([]int{7}, []int{0}, []int{7})), "", 0, 0},
		{ok(layout.Indexed([]int{2, 0, 1, 3}, []int{4, 99, 6, 0})), "4+3 0+3", 6, 7},
		{ok(layout.Indexed([]int{2, 3}, []int{5, 0})), "5+2 0+3", 5, 7},
		{ok(layout.IndexedBlock(2, []int{4, 6, 0})), "4+4 0+2", 6, 8},
		{ok(layout.IndexedBlock(2, nil)), "", 0, 0},
	} {
		if got := runs(c.l); got != c.want || c.l.Len() != c.size || c.l.End() != c.end {
			t.Errorf("%q, %d elements to %d, want %q, %d to %d", got, c.l.Len(), c.l.End(), c.want, c.size, c.end)
		}
		if n := len(strings.Fields(c.want)); c.l.Count() != n {
			t.Errorf("%q: %d runs", c.want, c.l.Count())
		}
		if _, ok := c.l.Contiguous(); ok != (c.l.Count() <= 1) {
			t.Errorf("%q is contiguous: %v", c.want, ok)
		}
	}
}

func TestRefusals(t *testing.T) {
	refuse := func(word string) func(l *layout.Layout, err error) {
		return func(l *layout.Layout, err error) {
			t.Helper()
			if l != nil || err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%v does not say %q", err, word)
			}
		}
	}
	refuse("negative")(layout.Vector(-1, 1, 1))
	refuse("negative")(layout.Vector(1, -1, 1))
	refuse("Indexed")(layout.Vector(2, 1, -1))
	refuse("counted")(layout.Vector(math.MaxInt, 2, 2))
	refuse("counted")(layout.Vector(3, 1, math.MaxInt))
	refuse("counted")(layout.Vector(2, math.MaxInt/2, math.MaxInt/2+9))
	refuse("one of each")(layout.Subarray(nil, nil, nil))
	refuse("one of each")(layout.Subarray([]int{2}, []int{1, 1}, []int{0}))
	refuse("dimension 1, which has 5")(layout.Subarray([]int{4, 5}, []int{2, 3}, []int{1, 3}))
	refuse("within")(layout.Subarray([]int{4}, []int{1}, []int{-1}))
	refuse("within")(layout.Subarray([]int{0}, []int{0}, []int{0}))
	refuse("counted")(layout.Subarray([]int{math.MaxInt, 3}, []int{1, 1}, []int{0, 0}))
	refuse("one of each")(layout.Indexed([]int{1}, nil))
	refuse("block 1 has 1 elements at -3")(layout.Indexed([]int{1, 1}, []int{0, -3}))
	refuse("negative")(layout.IndexedBlock(-1, []int{0}))
	refuse("counted")(layout.IndexedBlock(2, []int{math.MaxInt - 1}))
	refuse("counted")(layout.Indexed([]int{math.MaxInt, 1}, []int{0, 0}))

	l := must(t)(layout.Vector(3, 2, 5))
	if err := l.Check(11); err == nil || !strings.Contains(err.Error(), "element 11 and the slice has 11") {
		t.Error(err)
	}
	if err := l.CheckRecv(12); err != nil {
		t.Error(err)
	}
	twice := must(t)(layout.Vector(3, 2, 1))
	if err := twice.CheckRecv(99); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Error(err)
	}
	if err := twice.Check(4); err != nil {
		t.Error(err)
	}
}

// anyLayout draws a layout, and gives the places of its elements in order as MPI defines them.
func anyLayout(t *rapid.T) (l *layout.Layout, places []int) {
	small := rapid.IntRange(0, 5)
	ok := must(t)
	block := func(at, n int) {
		for i := range n {
			places = append(places, at+i)
		}
	}
	switch rapid.IntRange(0, 3).Draw(t, "form") {
	case 0:
		count, n, stride := small.Draw(t, "count"), small.Draw(t, "blocklen"), small.Draw(t, "stride")
		for i := range count {
			block(i*stride, n)
		}
		return ok(layout.Vector(count, n, stride)), places
	case 1:
		displs := rapid.SliceOfN(rapid.IntRange(0, 20), 0, 6).Draw(t, "displs")
		n := small.Draw(t, "blocklen")
		for _, at := range displs {
			block(at, n)
		}
		return ok(layout.IndexedBlock(n, displs)), places
	case 2:
		displs := rapid.SliceOfN(rapid.IntRange(0, 20), 0, 6).Draw(t, "displs")
		lens := make([]int, len(displs))
		for i, at := range displs {
			lens[i] = small.Draw(t, "blocklen")
			block(at, lens[i])
		}
		return ok(layout.Indexed(lens, displs)), places
	}
	n := rapid.IntRange(1, 4).Draw(t, "dims")
	sizes, subs, starts := make([]int, n), make([]int, n), make([]int, n)
	all := 1
	for i := range n {
		sizes[i] = rapid.IntRange(1, 5).Draw(t, "size")
		starts[i] = rapid.IntRange(0, sizes[i]).Draw(t, "start")
		subs[i] = rapid.IntRange(0, sizes[i]-starts[i]).Draw(t, "sub")
		all *= sizes[i]
	}
	for at := range all { // every element of the array in order: is it within?
		within, rest := true, at
		for i := n - 1; i >= 0; i-- {
			c := rest % sizes[i]
			within = within && c >= starts[i] && c < starts[i]+subs[i]
			rest /= sizes[i]
		}
		if within {
			places = append(places, at)
		}
	}
	return ok(layout.Subarray(sizes, subs, starts)), places
}

func TestLikeTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, places := anyLayout(t)
		if got := list(l); !slices.Equal(got, places) {
			t.Fatalf("places %v, want %v", got, places)
		}
		end, seen, twice := 0, map[int]bool{}, false
		for _, p := range places {
			end = max(end, p+1)
			twice = twice || seen[p]
			seen[p] = true
		}
		if l.Len() != len(places) || l.End() != end || l.Overlaps() != twice {
			t.Fatalf("%d elements to %d, overlaps %v; want %d to %d, %v", l.Len(), l.End(), l.Overlaps(), len(places), end, twice)
		}
		if at, ok := l.Contiguous(); ok && len(places) > 0 && (at != places[0] || places[len(places)-1] != at+len(places)-1) {
			t.Fatalf("contiguous at %d: %v", at, places)
		}
		last := -1
		for at, n := range l.Runs() {
			if n < 1 || at == last {
				t.Fatalf("runs %s", runs(l))
			}
			last = at + n
		}
		packing[uint8](t, l, places)
		packing[int32](t, l, places)
		packing[float64](t, l, places)
		packing[[3]uint16](t, l, places)
	})
}

type testElement interface {
	uint8 | int32 | float64 | [3]uint16
}

func some[T testElement](i int) T {
	var v T
	switch p := any(&v).(type) {
	case *uint8:
		*p = uint8(i)
	case *int32:
		*p = int32(i) * 1_000_003
	case *float64:
		*p = float64(i) / 3
	case *[3]uint16:
		*p = [3]uint16{uint16(i), uint16(i * 7), uint16(i * 13)}
	}
	return v
}

// packing tries Pack and, with messages of any length, Unpack.
func packing[T testElement](t *rapid.T, l *layout.Layout, places []int) {
	src := make([]T, l.End())
	for i := range src {
		src[i] = some[T](i + 1)
	}
	dst := make([]T, l.Len()+1)
	if n := layout.Pack(l, dst, src); n != len(places) {
		t.Fatalf("packed %d", n)
	}
	var zero T
	for i, p := range places {
		if dst[i] != src[p] {
			t.Fatalf("element %d is %v, want %v", i, dst[i], src[p])
		}
	}
	if dst[l.Len()] != zero {
		t.Fatal("wrote behind")
	}
	// The same in pieces of any length.
	size := len(element.Bytes(dst)) / len(dst)
	pieces, back := make([]T, l.Len()), make([]T, l.End())
	for first := 0; first < l.Len(); {
		n := rapid.IntRange(1, 7).Draw(t, "piece")
		m := l.PackPart(element.Bytes(pieces[first:min(first+n, l.Len())]), element.Bytes(src), size, first)
		if u := l.UnpackPart(element.Bytes(back), element.Bytes(pieces[first:first+m]), size, first); m < 1 || u != m {
			t.Fatalf("a piece of %d elements at %d: %d, %d", n, first, m, u)
		}
		first += m
	}
	if !slices.Equal(pieces, dst[:l.Len()]) {
		t.Fatalf("in pieces %v, want %v", pieces, dst)
	}
	for i, v := range back {
		if slices.Contains(places, i) && v != src[i] || !slices.Contains(places, i) && v != zero {
			t.Fatalf("element %d is %v after pieces", i, v)
		}
	}
	if n := l.PackPart(element.Bytes(dst), element.Bytes(src), size, l.Len()+3); n != 0 {
		t.Fatalf("packed %d elements behind the end", n)
	}
	if l.Overlaps() {
		return
	}
	n := rapid.IntRange(0, l.Len()).Draw(t, "short")
	got, want := make([]T, l.End()+1), make([]T, l.End()+1)
	for i, p := range places[:n] {
		want[p] = dst[i]
	}
	if m := layout.Unpack(l, got, dst[:n]); m != n || !slices.Equal(got, want) {
		t.Fatalf("unpacked %d of %d: %v, want %v", m, n, got, want)
	}
}

func TestAllocatesNothing(t *testing.T) {
	ok := must(t)
	v, x := ok(layout.Vector(10, 3, 7)), ok(layout.IndexedBlock(2, []int{9, 3, 0}))
	src, dst := make([]int32, 100), make([]int32, 100)
	// allocs: Layout.PackBytes, Layout.UnpackBytes
	if n := testing.AllocsPerRun(100, func() {
		layout.Pack(v, dst, src)
		layout.Unpack(x, dst, src)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPack(b *testing.B) {
	const n = 512
	src, dst := make([]float64, n*n), make([]float64, n*n)
	for _, block := range []int{1, 2, 8, 64} {
		l, err := layout.Vector(n, block, n)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("block=%d", block), func(b *testing.B) {
			b.SetBytes(int64(8 * l.Len()))
			for b.Loop() {
				layout.Pack(l, dst, src)
			}
		})
	}
}
