package match

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestAllocations guards the fast path: nothing allocates once the queue has seen the load.
func TestAllocations(t *testing.T) {
	var q Queue
	buf, ctx := make([]byte, 16<<10), new(int)
	iov := [][]byte{buf[:10], buf[10:]}
	multi := q.PostMulti(buf, 1, 1<<40, 0, 0, ctx, 0)
	const deep = 200
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"post, arrive, done", func() {
			q.Post(buf, 1, 7, 0, 0, ctx, 0)
			q.Done(q.Arrive(1, 7, 0))
		}},
		{"other kinds in turn", func() {
			for _, k := range kinds {
				q.Post(buf, k.src, 7, k.ignore, 0, ctx, 0)
			}
			for range kinds {
				q.Done(q.Arrive(1, 7, 0))
			}
		}},
		{"vector", func() {
			q.PostV(iov, 1, 7, 0, 0, ctx, 0)
			q.Done(q.Arrive(1, 7, 0))
		}},
		{"deep", func() {
			for i := range uint64(deep) {
				q.Post(buf, 1, i, 0, 0, ctx, 0)
			}
			for i := range uint64(deep) {
				q.Done(q.Arrive(1, i, 0))
			}
		}},
		{"multi-receive, arrive", func() {
			r := q.Arrive(1, 1<<40, 0)
			q.Consume(r, 0, 0)
			q.Done(r)
		}},
		{"multi-receive, post", func() {
			q.Keep(1, 7, 0, buf[:100])
			r := q.PostMulti(buf, 1, 7, 0, 0, ctx, 0)
			m := q.Next(r)
			q.Consume(r, m.Len, len(buf))
			if !q.Done(r) {
				t.Fatal("not released")
			}
			q.Free(m)
		}},
		{"keep, post, free", func() {
			for _, n := range []int{0, 8, 100, 1000, 5000, 16 << 10} {
				q.Keep(1, 7, 0, buf[:n])
				q.Free(q.Post(buf, 1, 7, 0, 0, ctx, 0))
			}
		}},
		{"keep many, take the youngest first", func() {
			for i := range uint64(deep) {
				q.Keep(1, i, 0, buf[:8])
			}
			for i := range uint64(deep) {
				q.Free(q.Post(buf, fi.AddrUnspec, deep-1-i, 0, 0, ctx, 0))
			}
		}},
		{"peek, claim, take", func() {
			q.Keep(1, 7, 0, buf[:8])
			q.Claim(q.Peek(1, 7, 0, 0), ctx)
			q.Free(q.Claimed(ctx))
		}},
		{"cancel", func() {
			q.Post(buf, 1, 7, 0, 0, &q, 0)
			q.Done(q.Cancel(&q))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.f()
			if n := testing.AllocsPerRun(100, c.f); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
	q.Cancel(ctx)
	if multi.Len() != len(buf) {
		t.Errorf("multi-receive: %d bytes left, want %d", multi.Len(), len(buf))
	}
}
