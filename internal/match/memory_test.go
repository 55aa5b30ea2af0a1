package match

import (
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/gofabric/gofabric/fi"
)

// TestForgetsBuffers checks that the queue does not hold what belongs to the application once it is done with it.
func TestForgetsBuffers(t *testing.T) {
	var q Queue
	type ctx struct{ _ [64]byte }
	var bufs []weak.Pointer[[256]byte]
	var ctxs []weak.Pointer[ctx]
	buf := func() []byte {
		p := new([256]byte)
		bufs = append(bufs, weak.Make(p))
		return p[:]
	}
	context := func() *ctx {
		p := new(ctx)
		ctxs = append(ctxs, weak.Make(p))
		return p
	}
	for i := range uint64(3) {
		q.Post(buf(), 1, i, 0, 0, context(), 0)
		q.Done(q.Arrive(1, i, 0))
		q.PostV([][]byte{buf(), buf(), buf()}, 1, i, 0, 0, context(), 0)
		q.Done(q.Arrive(1, i, 0))
		r := q.PostMulti(buf(), 1, i, 0, 0, context(), 0)
		q.Consume(q.Arrive(1, i, 0), 300, 1)
		q.Done(r)
		c := context()
		q.Post(buf(), 1, i, 0, 0, c, 0)
		q.Done(q.Cancel(c))
		m := q.Keep(1, i, 0, make([]byte, 100))
		m.From = context()
		q.Claim(m, context())
		q.Free(m)
	}
	q.Post(buf(), 1, 9, 0, 0, context(), 0)
	q.Drain(func(r *Recv) { q.Done(r) })
	runtime.GC()
	for i, p := range bufs {
		if p.Value() != nil {
			t.Errorf("buffer %d is still held", i)
		}
	}
	for i, p := range ctxs {
		if p.Value() != nil {
			t.Errorf("context %d is still held", i)
		}
	}
	runtime.KeepAlive(&q)
}

// TestGivesMemoryBack checks what is left of a burst.
func TestGivesMemoryBack(t *testing.T) {
	const burst = 50_000
	var q Queue
	stays := q.PostMulti(make([]byte, 8), 1, 1<<40, 0, 0, nil, 0) // one is always there
	for i := range uint64(burst) {
		q.Post(nil, 1, i, 0, 0, nil, 0)
	}
	for i := range uint64(burst) {
		q.Done(q.Arrive(1, i, 0))
	}
	payload := make([]byte, 1000)
	for i := range uint64(burst) {
		q.Keep(1, i, 0, payload[:i%1000])
	}
	for i := range uint64(burst) {
		q.Free(q.Post(nil, fi.AddrUnspec, burst-1-i, 0, 0, nil, 0))
	}
	if q.Bytes() != 0 || q.Unexpected() != 0 || q.Posted() != 1 || !stays.posted() {
		t.Errorf("%d bytes, %d messages, %d receives", q.Bytes(), q.Unexpected(), q.Posted())
	}
	if q.frees > poolLimit || len(q.spareMsgs.free) > poolLimit || len(q.spareNodes.free) > poolLimit {
		t.Errorf("%d receives, %d messages, %d nodes are kept", q.frees, len(q.spareMsgs.free), len(q.spareNodes.free))
	}
	if q.spareBuffers.pooled > pooledMax {
		t.Errorf("%d bytes of buffers are kept", q.spareBuffers.pooled)
	}
	tables := len(q.recvs.heads)
	for i := range q.indexes {
		tables += len(q.indexes[i].table.heads)
	}
	if tables > keptBuckets*(1+maxIndexes) {
		t.Errorf("%d buckets are kept", tables)
	}
}

// TestManyMasks posts receives that all ignore other bits.
func TestManyMasks(t *testing.T) {
	const n = 3000
	var q Queue
	for round := range 3 {
		for i := range uint64(n) {
			q.Post(nil, 1, 0, i, 0, nil, fi.OpFlags(i)<<32)
		}
		for i := range uint64(n) {
			r := q.Arrive(1, 0, 0)
			if r == nil || uint64(r.Flags>>32) != i {
				t.Fatalf("round %d: message %d got %+v", round, i, r)
			}
			q.Done(r)
		}
		if len(q.classes.all) > fewClasses+1 || len(q.classes.byKey) > fewClasses+1 || len(q.classes.ids) > n {
			t.Errorf("%d classes are kept", len(q.classes.all))
		}
	}
	// One at a time: the lone busy class.
	for i := range uint64(n) {
		q.Post(nil, 1, 0, i, 0, nil, 0)
		q.Done(q.Arrive(1, 0, 0))
		if len(q.classes.all) > 2*fewClasses {
			t.Fatalf("%d classes after %d", len(q.classes.all), i)
		}
	}
	if q.Posted() != 0 {
		t.Errorf("%d receives are left", q.Posted())
	}
}

// TestSizes keeps the slots on whole cache lines.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"node", unsafe.Sizeof(node[Recv]{}), 64},
		{"Recv", unsafe.Sizeof(Recv{}), 128},
		{"Msg", unsafe.Sizeof(Msg{}), 256},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %d bytes, want %d", c.name, c.got, c.want)
		}
	}
}
