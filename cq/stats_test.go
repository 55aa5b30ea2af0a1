package cq

import (
	"testing"

	"github.com/gofabric/gofabric/fi"
)

// TestStats fills a queue, finds it full, reads it and closes it.
func TestStats(t *testing.T) {
	q := NewQueue(2)
	for range 2 {
		if !q.Reserve() {
			t.Fatal("no place")
		}
	}
	if q.Reserve() {
		t.Fatal("three places of two")
	}
	q.Put(nil, fi.CompSend, 1, 0)
	q.PutErr(ErrEntry{Err: fi.ErrCanceled})
	q.AddRecv(nil, fi.CompRecv, 1, 0, 0, 0)
	if s, want := q.Stats(), (fi.QueueStats{Written: 3, Errors: 1, Depth: 3, MostDeep: 3, Full: 1}); s != want {
		t.Errorf("with three entries: %+v, want %+v", s, want)
	}
	var e [4]Entry
	var bad ErrEntry
	if n, _ := q.Read(e[:]); n != 1 || !q.ReadErr(&bad) {
		t.Fatal("an entry and then an error were to come")
	}
	q.AddRecv(nil, fi.CompRecv, 1, 0, 0, 0)
	want := fi.QueueStats{Written: 4, Read: 2, Errors: 1, Depth: 2, MostDeep: 3, Full: 1}
	if s := q.Stats(); s != want {
		t.Errorf("when two are read: %+v, want %+v", s, want)
	}
	q.Close()
	if s := q.Stats(); s != want {
		t.Errorf("closed: %+v, want %+v", s, want)
	}
	q.Close()
	if s := q.Stats(); s != want {
		t.Errorf("closed twice: %+v, want %+v", s, want)
	}
}
