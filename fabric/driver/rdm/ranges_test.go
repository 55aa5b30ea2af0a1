package rdm

import (
	"testing"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// sum is a counter of a region.
type sum struct{ times, bytes int }

func (s *sum) Done(n int) { s.times, s.bytes = s.times+1, s.bytes+n }

// TestRanges counts operations whose ranges come one by one: each once, at every counter that it concerns.
func TestRanges(t *testing.T) {
	var e Endpoint
	e.Regions = mr.NewTable()
	e.CntRemoteWrite, e.CntRemoteRead = cq.NewCounter(0), cq.NewCounter(0)
	one, two := new(sum), new(sum)
	a, b, c := &mr.Region{Key: 1, OnWrite: one, OnRead: one}, &mr.Region{Key: 2, OnWrite: two, OnRead: two}, &mr.Region{Key: 3, OnWrite: one}
	once := &mr.Region{Key: 4, OnWrite: two, Flags: fi.MRSingleUse}
	var g Ranges
	check := func(what string, writes, reads uint64, w1, w2 sum) {
		t.Helper()
		if e.CntRemoteWrite.Value() != writes || e.CntRemoteRead.Value() != reads || *one != w1 || *two != w2 {
			t.Errorf("%s: %d writes and %d reads, and %+v, %+v at the regions; want %d and %d, %+v, %+v", what,
				e.CntRemoteWrite.Value(), e.CntRemoteRead.Value(), *one, *two, writes, reads, w1, w2)
		}
	}
	add := func(at Part, write bool, r *mr.Region, n int, err fi.Errno, want bool) {
		t.Helper()
		if got := g.Add(&e, at, write, r, n, err); got != want {
			t.Errorf("part %d with error %v: %v", at, err, got)
		}
	}
	add(0, true, a, 8, 0, true)
	check("a write of one range", 1, 0, sum{1, 8}, sum{})
	add(PartMore, true, a, 8, 0, true)
	add(PartMore|PartRest, true, b, 100, 0, true)
	check("a write that goes on", 1, 0, sum{1, 8}, sum{})
	add(PartRest, true, c, 1, 0, true)
	check("a write of three ranges, of which two have one counter", 2, 0, sum{2, 17}, sum{1, 100})
	add(PartMore, false, c, 5, 0, true)
	add(PartRest, false, b, 6, 0, true)
	check("a read of a region that counts none, and of one that does", 2, 1, sum{2, 17}, sum{2, 106})
	add(PartMore, true, a, 8, 0, true)
	add(PartMore|PartRest, true, nil, 0, fi.ErrKeyRejected, false)
	add(PartRest, true, b, 8, 0, false)
	check("a write that fails in the middle", 2, 1, sum{2, 17}, sum{2, 106})
	add(0, true, nil, 0, fi.ErrKeyRejected, false)
	check("a write of one range that fails", 2, 1, sum{2, 17}, sum{2, 106})
	add(PartMore, true, a, 1000, 0, true) // whose rest is cancelled
	add(PartMore, true, once, 3, 0, true)
	if once.Dead() {
		t.Error("a key of single use has ended before its operation")
	}
	add(PartRest, true, once, 4, 0, true)
	check("one behind a write that was given up", 3, 1, sum{2, 17}, sum{3, 113})
	if !once.Dead() {
		t.Error("a key of single use lives on")
	}
	if add(PartMore, true, a, 1, 0, true); !g.Takes(PartRest) {
		t.Error("a second range is not taken")
	}
	for range mostRanges - 1 {
		add(PartMore|PartRest, true, a, 1, 0, true)
	}
	if g.Takes(PartRest) || !g.Takes(PartMore) {
		t.Errorf("after %d ranges: another one is taken: %v; another operation: %v", mostRanges, g.Takes(PartRest), g.Takes(PartMore))
	}
}
