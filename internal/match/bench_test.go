package match

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// kinds are the usual receives.
var kinds = []struct {
	name   string
	src    fi.Addr
	ignore uint64
}{
	{"exact", 1, 0},
	{"any-source", fi.AddrUnspec, 0},
	{"any-tag", 1, 0xffff},
	{"anything", fi.AddrUnspec, ^uint64(0)},
}

// BenchmarkPostArrive posts a receive and takes it by a message.
func BenchmarkPostArrive(b *testing.B) {
	for _, k := range kinds {
		b.Run("kind="+k.name, func(b *testing.B) {
			var q Queue
			buf, ctx := make([]byte, 8), new(int)
			b.ReportAllocs()
			for b.Loop() {
				q.Post(buf, k.src, 7, k.ignore, 0, ctx, 0)
				q.Done(q.Arrive(1, 7, 0))
			}
		})
	}
}

// BenchmarkPastOther has one receive of another kind posted, which never matches.
func BenchmarkPastOther(b *testing.B) {
	var q Queue
	buf, ctx := make([]byte, 8), new(int)
	q.Post(buf, fi.AddrUnspec, 1<<40, 0xffff, 0, ctx, 0)
	b.ReportAllocs()
	for b.Loop() {
		q.Post(buf, 1, 7, 0, 0, ctx, 0)
		q.Done(q.Arrive(1, 7, 0))
	}
}

// BenchmarkDepth takes one of very many posted receives and posts it again.
func BenchmarkDepth(b *testing.B) {
	const depth = 100_000
	buf, ctx := make([]byte, 8), new(int)
	for _, c := range []struct {
		name string
		tag  func(i int) uint64
	}{
		{"first", func(int) uint64 { return 0 }},
		{"last", func(int) uint64 { return depth - 1 }},
		{"random", func(int) uint64 { return rand.Uint64N(depth) }},
		{"in-order", func(i int) uint64 { return uint64(i % depth) }},
	} {
		b.Run("which="+c.name, func(b *testing.B) {
			var q Queue
			for i := range depth {
				q.Post(buf, 1, uint64(i), 0, 0, ctx, 0)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				tag := c.tag(i)
				q.Done(q.Arrive(1, tag, 0))
				q.Post(buf, 1, tag, 0, 0, ctx, 0)
				i++
			}
		})
	}
	b.Run("which=equal", func(b *testing.B) {
		var q Queue
		for range depth {
			q.Post(buf, 1, 7, 0, 0, ctx, 0)
		}
		for b.Loop() {
			q.Done(q.Arrive(1, 7, 0))
			q.Post(buf, 1, 7, 0, 0, ctx, 0)
		}
	})
}

// BenchmarkBurst posts very many and takes them in order: what a queue that has forgotten its memory pays.
func BenchmarkBurst(b *testing.B) {
	const depth = 100_000
	var q Queue
	buf, ctx := make([]byte, 8), new(int)
	for b.Loop() {
		for i := range depth {
			q.Post(buf, 1, uint64(i), 0, 0, ctx, 0)
		}
		for i := range depth {
			q.Done(q.Arrive(1, uint64(i), 0))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/depth, "ns/msg")
}

// BenchmarkKeepPost keeps an unexpected message and takes it by a receive.
func BenchmarkKeepPost(b *testing.B) {
	for _, k := range kinds {
		for _, size := range []int{8, 1024, 8192} {
			b.Run(fmt.Sprintf("kind=%s/size=%d", k.name, size), func(b *testing.B) {
				var q Queue
				buf, ctx, payload := make([]byte, size), new(int), make([]byte, size)
				b.ReportAllocs()
				for b.Loop() {
					q.Keep(1, 7, 0, payload)
					q.Free(q.Post(buf, k.src, 7, k.ignore, 0, ctx, 0))
				}
			})
		}
	}
}

// BenchmarkUnexpectedDepth takes one of very many unexpected messages.
func BenchmarkUnexpectedDepth(b *testing.B) {
	const depth = 100_000
	for _, k := range kinds[:2] {
		b.Run("kind="+k.name, func(b *testing.B) {
			var q Queue
			for i := range depth {
				q.Keep(1, uint64(i), 0, nil)
			}
			b.ReportAllocs()
			for b.Loop() {
				tag := rand.Uint64N(depth)
				q.Free(q.Post(nil, k.src, tag, k.ignore, 0, nil, 0))
				q.Keep(1, tag, 0, nil)
			}
		})
	}
}

// BenchmarkCancel posts a receive and cancels it.
func BenchmarkCancel(b *testing.B) {
	var q Queue
	ctx := new(int)
	b.ReportAllocs()
	for b.Loop() {
		q.Post(nil, 1, 7, 0, 0, ctx, 0)
		q.Done(q.Cancel(ctx))
	}
}
