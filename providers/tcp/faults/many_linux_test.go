package faults

import (
	"testing"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// Bounds of docs/man/text/fi_tcp.7.md.
const (
	connections = 2000
	spareFiles  = 32      // all other descriptors of the process
	idleMemory  = 4 << 10 // bytes of ours for an idle connection
)

// latency is the time of a write that its target confirms, with one under way: the best of some runs.
func (r *remote) latency(peer fi.Addr, of *remote) time.Duration {
	r.t.Helper()
	const n = 1000
	best := time.Hour
	for range 5 {
		j := r.begin(Work{Peer: peer, Write: n, Size: 8, Window: 1, Remote: of.at})
		j.well()
		best = min(best, j.done.Took/n)
	}
	return best
}

// TestManyConnections has one process with 2,000 connections, of which one is active.
func TestManyConnections(t *testing.T) {
	wanted(t)
	a, b := cabled(t)
	x := a.start(t, Setup{At: text(addrA, 0)})
	y := b.start(t, Setup{At: text(addrB, 0)})
	x.insert(y)
	y.insert(x)
	y.call("Limit", -1, nil)
	var names [][]byte
	y.call("OpenMany", connections-1, &names)
	x.call("InsertMany", names, nil)
	x.latency(0, y)
	x.begin(Work{Peers: 10, Write: 10, Size: 8, Remote: y.at}).well() // the first ones make what is made once
	before := x.stats()
	x.call("Most", connections+spareFiles, nil)
	x.begin(Work{Peers: connections, Write: connections, Size: 8, Remote: y.at, Limit: 2 * patient}).well()
	after := x.stats()
	if got := after.Open; got > connections+spareFiles {
		t.Errorf("%d connections take %d descriptors", connections, got)
	}
	for end := time.Now().Add(patient); after.Goroutines > before.Goroutines; after.Goroutines = x.stats().Goroutines { // that of the call ends soon
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", after.Goroutines, before.Goroutines)
		}
	}
	each := (after.Heap - before.Heap) / (connections - 10)
	if each > idleMemory {
		t.Errorf("an idle connection takes %d bytes", each)
	}
	v, w := pair(t, a, b, nil)
	for end := time.Now().Add(patient); ; {
		one, many := v.latency(0, w), x.latency(0, y) // at the same time: the machine may have other things to do
		t.Logf("an idle connection takes %d bytes; a confirmed write %v with one connection, %v with %d", each, one, many, connections)
		if many <= 3*one { // on a quiet machine they are the same
			return
		}
		if time.Now().After(end) {
			t.Fatalf("a confirmed write takes %v with one connection, %v with %d", one, many, connections)
		}
	}
}
