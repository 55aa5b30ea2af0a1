package cq_test

import (
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// TestRelay writes every kind of entry: each is handed on at once, none stays, and places come back.
func TestRelay(t *testing.T) {
	var got []cq.ErrEntry
	var errs []bool
	q := cq.NewRelay(nil, func(e *cq.ErrEntry, isErr bool) { got, errs = append(got, *e), append(errs, isErr) })
	for range 5000 { // more than any queue has places
		if !q.Reserve() {
			t.Fatal("no place")
		}
	}
	q.Put("put", fi.CompSend, 8, 1)
	q.AddRecv("recv", fi.CompRecv, 9, 2, 3, 4)
	*q.Add() = cq.Entry{Context: "add", Flags: fi.CompRemoteWrite}
	q.Publish()
	q.PutErr(cq.ErrEntry{Entry: cq.Entry{Context: "put error"}, Err: fi.ErrIO})
	q.AddErr(cq.ErrEntry{Entry: cq.Entry{Context: "add error"}, Err: fi.ErrCanceled})
	q.Put("last", fi.CompSend, 10, 1)
	want := []any{"put", "recv", "add", "put error", "add error", "last"}
	if len(got) != len(want) || q.Len() != 0 || q.Reserved() != 4997 {
		t.Fatalf("%d entries, %d wait, %d reserved", len(got), q.Len(), q.Reserved())
	}
	for i, e := range got {
		if isErr := i == 3 || i == 4; e.Context != want[i] || errs[i] != isErr || (e.Err != 0) != isErr {
			t.Errorf("entry %d: %+v, error %v", i, e, errs[i])
		}
	}
	if e := got[1].Entry; e.Len != 9 || e.Data != 2 || e.Tag != 3 || e.Src != 4 {
		t.Errorf("the receive: %+v", e)
	}
	behind := cq.NewQueue(4)
	*behind.Add() = cq.Entry{}
	behind.Publish()
	if r := cq.NewRelay(behind, func(*cq.ErrEntry, bool) {}); r.Len() != 1 || r.Size() != 4 {
		t.Errorf("%d of %d wait behind the relay, want 1 of 4", r.Len(), r.Size())
	}
	seen := 0
	steady := cq.NewRelay(nil, func(e *cq.ErrEntry, _ bool) { seen += e.Len })
	ctx := new(int)
	if n := testing.AllocsPerRun(100, func() { steady.Reserve(); steady.Put(ctx, fi.CompSend, 1, 0) }); n != 0 || seen != 101 {
		t.Errorf("%v allocations, %d seen", n, seen)
	}
}
