package cq_test

import (
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
)

// TestSteadyStateAllocatesNothing writes and reads what operations, receives and peers leave in a queue.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	q := cq.NewQueue(64)
	ctx := new(int)
	var got [8]cq.Entry
	if n := testing.AllocsPerRun(1000, func() {
		if !q.Reserve() {
			t.Fatal("no place")
		}
		q.Put(ctx, fi.CompSend, 8, 1)
		q.AddRecv(ctx, fi.CompRecv, 8, 0, 1, 0)
		*q.Add() = cq.Entry{Flags: fi.CompRemoteWrite}
		q.Publish()
		if n, isErr := q.Read(got[:]); n != 3 || isErr {
			t.Fatal(n, isErr)
		}
	}); n != 0 {
		t.Errorf("a queue: %v allocations", n)
	}
	c := cq.NewCounter(fi.CounterEventsBytes)
	if n := testing.AllocsPerRun(1000, func() { c.Done(8) }); n != 0 || c.Value() != 8*1001 {
		t.Errorf("a counter: %v allocations, %d", n, c.Value())
	}
}
