package fifo_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gofabric/gofabric/internal/fifo"
)

// Against a slice.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q fifo.Queue[int]
		var want []int
		next := 0
		push := func(*rapid.T) { next++; q.Push(next); want = append(want, next) }
		t.Repeat(map[string]func(*rapid.T){
			"push": push,
			"pop": func(t *rapid.T) {
				if len(want) == 0 {
					t.Skip()
				}
				if v := q.Pop(); v != want[0] {
					t.Fatalf("popped %d, want %d", v, want[0])
				}
				want = want[1:]
			},
			"pop and put back": func(t *rapid.T) {
				if len(want) == 0 {
					t.Skip()
				}
				q.PutBack(q.Pop())
			},
			"remove": func(t *rapid.T) {
				if len(want) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(want)-1).Draw(t, "at")
				q.Remove(i)
				want = slices.Delete(slices.Clone(want), i, i+1)
			},
			"drop": func(t *rapid.T) {
				if got := q.Drop(); !slices.Equal(got, want) {
					t.Fatalf("dropped %v, want %v", got, want)
				}
				want = nil
			},
			"": func(t *rapid.T) {
				if q.Len() != len(want) || !slices.Equal(q.All(), want) {
					t.Fatalf("%v, want %v", q.All(), want)
				}
				if len(want) > 0 && (*q.First() != want[0] || *q.Last() != want[len(want)-1]) {
					t.Fatalf("from %d to %d, want %v", *q.First(), *q.Last(), want)
				}
			},
		})
	})
}

func TestAllocatesNothing(t *testing.T) {
	var q fifo.Queue[int]
	for i := range 100 {
		q.Push(i)
	}
	if n := testing.AllocsPerRun(1000, func() { q.Push(1); q.Pop() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
