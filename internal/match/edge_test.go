package match

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestEmpty asks an empty queue for everything.
func TestEmpty(t *testing.T) {
	var q Queue
	if q.Arrive(1, 0, 0) != nil || q.Peek(1, 0, 0, 0) != nil || q.Claimed(nil) != nil || q.Cancel(nil) != nil {
		t.Error("an empty queue has something")
	}
	q.Drain(func(*Recv) { t.Error("a receive") })
	q.EachMessage(func(*Msg) bool { t.Error("a message"); return true })
	q.Readdress(&q, 1, func(*Recv, *Msg) { t.Error("a match") })
	if q.Posted() != 0 || q.Unexpected() != 0 || q.Bytes() != 0 {
		t.Error("an empty queue counts something")
	}
}

// TestTwice gives back what was given back: nothing happens.
func TestTwice(t *testing.T) {
	var q Queue
	q.Post(nil, 1, 0, 0, 0, nil, 0)
	r := q.Arrive(1, 0, 0)
	q.Done(r)
	q.Done(r)
	q.Post(nil, 1, 0, 0, 0, nil, 0) // the same one
	q.Done(r)
	if q.Posted() != 1 || q.Arrive(1, 0, 0) != r || q.Arrive(1, 0, 0) != nil {
		t.Error("Done without a hold took a receive away")
	}
	m := q.Keep(1, 0, 0, []byte("x"))
	q.Free(m)
	q.Free(m)
	q.Claim(m, nil)
	q.Remove(m)
	if q.Bytes() != 0 || q.Claimed(nil) != nil || q.Unexpected() != 0 {
		t.Error("a freed message came back")
	}
}

// TestMultiReleased follows a multi-receive with two transfers that end in the wrong order.
func TestMultiReleased(t *testing.T) {
	var q Queue
	buf := make([]byte, 100)
	q.PostMulti(buf, fi.AddrUnspec, 0, 0, 0, &q, 0)
	a := q.Arrive(1, 0, 0)
	dstA := q.Consume(a, 60, 16)
	b := q.Arrive(2, 0, 0)
	dstB := q.Consume(b, 30, 16)
	if len(dstA) != 60 || len(dstB) != 30 || cap(dstA) != 60 || &dstA[0] != &buf[0] || &dstB[0] != &buf[60] {
		t.Errorf("places of %d and %d bytes", len(dstA), len(dstB))
	}
	if q.Arrive(1, 0, 0) != nil || q.Next(a) != nil || q.Cancel(&q) != nil {
		t.Error("10 bytes are left, less than 16, but the receive is still there")
	}
	if q.Done(b) {
		t.Error("released while the first transfer runs")
	}
	if !q.Done(a) {
		t.Error("not released by the last transfer")
	}
}

// TestMultiCancelled cancels a multi-receive into which a transfer runs.
func TestMultiCancelled(t *testing.T) {
	var q Queue
	q.PostMulti(make([]byte, 100), fi.AddrUnspec, 0, 0, 0, &q, 0)
	r := q.Arrive(1, 0, 0)
	q.Consume(r, 200, 0)
	if q.Posted() != 0 {
		t.Error("a full buffer takes more")
	}
	q.Done(r)

	q.PostMulti(make([]byte, 100), fi.AddrUnspec, 0, 0, 0, &q, 0)
	r = q.Arrive(1, 0, 0)
	q.Consume(r, 20, 0)
	c := q.Cancel(&q)
	if c != r || q.Done(c) {
		t.Error("the cancellation released the buffer of a running transfer")
	}
	if !q.Done(r) {
		t.Error("the transfer did not release it")
	}
}

// TestConsumeSingle uses Consume on an ordinary receive.
func TestConsumeSingle(t *testing.T) {
	var q Queue
	q.Post(make([]byte, 8), 1, 0, 0, 0, nil, 0)
	r := q.Arrive(1, 0, 0)
	for n, want := range map[int]int{-1: 0, 0: 0, 5: 5, 8: 8, 9: 8} {
		if got := len(q.Consume(r, n, 4)); got != want {
			t.Errorf("%d bytes: got %d, want %d", n, got, want)
		}
	}
	if q.Done(r) {
		t.Error("an ordinary receive released a multi-receive's buffer")
	}
}

// TestVector posts vectors of each length.
func TestVector(t *testing.T) {
	var q Queue
	for n := range 5 {
		iov := make([][]byte, n)
		for i := range iov {
			iov[i] = make([]byte, i+1)
		}
		q.PostV(iov, 1, 0, 0, 0, nil, 0)
		for i := range iov {
			iov[i] = nil // it is the caller's again
		}
		r := q.Arrive(1, 0, 0)
		if r.Len() != n*(n+1)/2 || (n < 2) != (len(r.Iov()) == 0) {
			t.Errorf("vector of %d: %d bytes, %d buffers", n, r.Len(), len(r.Iov()))
		}
		q.Done(r)
		q.Keep(1, 0, 0, nil)
		if m := q.PostV(iov, 1, 0, 0, 0, nil, 0); m == nil {
			t.Errorf("vector of %d: the message was not found", n)
		} else {
			q.Free(m)
		}
	}
}

// TestDrainPosts posts, takes and cancels inside Drain.
func TestDrainPosts(t *testing.T) {
	var q Queue
	for i := range uint64(4) {
		q.Post(nil, 1, i, 0, 0, i, 0)
	}
	var seen []any
	q.Drain(func(r *Recv) {
		seen = append(seen, r.Ctx)
		q.Done(r)
		if len(seen) == 1 {
			q.Done(q.Arrive(1, 1, 0))
			q.Post(nil, 1, 7, 0, 0, "new", 0) // in the place of the one taken
		}
	})
	if len(seen) != 3 || seen[1] != any(uint64(2)) || q.Posted() != 1 || q.Cancel("new") == nil {
		t.Errorf("drained %v, %d left", seen, q.Posted())
	}
}

// TestCancelMany cancels very many receives, the youngest first; searching all each time would take minutes.
func TestCancelMany(t *testing.T) {
	const n = 100_000
	var q Queue
	ctxs := make([]int, n)
	for i := range ctxs {
		q.Post(nil, 1, uint64(i), 0, 0, &ctxs[i], 0)
		q.Post(nil, 1, uint64(i), 0, 0, &q, 0)
	}
	for i := range ctxs {
		r := q.Cancel(&ctxs[n-1-i])
		if r == nil || r.Ctx != any(&ctxs[n-1-i]) {
			t.Fatalf("receive %d: got %v", n-1-i, r)
		}
		q.Done(r)
		r = q.Cancel(&q) // one context for many: the oldest
		if r == nil || r.Tag() != uint64(i) {
			t.Fatalf("receive %d of one context: got %v", i, r)
		}
		q.Done(r)
	}
	if q.Posted() != 0 || q.byCtx.entries != nil {
		t.Errorf("%d receives left, index %d", q.Posted(), len(q.byCtx.entries))
	}
}

// TestMessageWords sees that what a provider wrote into a message does not show in the next one.
func TestMessageWords(t *testing.T) {
	var q Queue
	m := q.Keep(1, 2, 3, []byte("abc"))
	m.From, m.Flags, m.Data, m.Token, m.Len = &q, fi.CompTagged, 4, [4]uint64{1, 2, 3, 4}, 100
	if m != q.Peek(1, 2, 0, 3) || m.Claimed() {
		t.Error("not found")
	}
	q.Claim(m, 1)
	if !m.Claimed() || q.Peek(1, 2, 0, 3) != nil {
		t.Error("not claimed")
	}
	q.Free(m)
	n := q.Keep(1, 2, 3, nil)
	if n != m || n.From != nil || n.Flags != 0 || n.Data != 0 || n.Token != [4]uint64{} || n.Len != 0 || n.Payload != nil {
		t.Errorf("left over: %+v", n)
	}
	q.EachMessage(func(m *Msg) bool { q.Remove(m); q.Free(m); return false })
	if q.Unexpected() != 0 {
		t.Error("not removed")
	}
}
