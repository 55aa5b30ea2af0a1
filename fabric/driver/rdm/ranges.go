package rdm

import (
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Range is a part of our memory that a peer has accessed: N bytes of a region, nil when that has been closed meanwhile.
type Range struct {
	Region *mr.Region
	N      int
}

// WrittenRanges is Written for one remote write of several ranges. It is one event, at the endpoint and at each counter
// that is bound to their regions, and has the bytes of all of them there.
func (e *Endpoint) WrittenRanges(rs []Range) {
	if len(rs) == 1 {
		e.Written(rs[0].Region, rs[0].N)
		return
	}
	e.countRanges(rs, fi.OpKindRemoteWrite, e.CntRemoteWrite, (*mr.Region).CountWrite, func(r *mr.Region) mr.Watcher { return r.OnWrite })
}

// ReadRanges is ReadBy for one remote read of several ranges, as WrittenRanges.
func (e *Endpoint) ReadRanges(rs []Range) {
	if len(rs) == 1 {
		e.ReadBy(rs[0].Region, rs[0].N)
		return
	}
	e.countRanges(rs, fi.OpKindRemoteRead, e.CntRemoteRead, (*mr.Region).CountRead, func(r *mr.Region) mr.Watcher { return r.OnRead })
}

// countRanges counts one access: at the endpoint, and once at each region and at each counter bound to one.
func (e *Endpoint) countRanges(rs []Range, kind fi.OpKind, c *cq.Counter, count func(*mr.Region, int), watcher func(*mr.Region) mr.Watcher) {
	n := bytes(rs)
	e.counts.Done(kind, n)
	if c != nil {
		c.Done(n)
	}
	eachOnce(rs, self, count)
	eachOnce(rs, watcher, mr.Watcher.Done)
	e.Spent(rs)
}

// Spent ends single-use keys of an access that was made and is not counted: a part of one that has failed.
func (e *Endpoint) Spent(rs []Range) {
	for i := range rs {
		if r := rs[i].Region; r != nil {
			e.used(r)
		}
	}
}

func bytes(rs []Range) (n int) {
	for i := range rs {
		n += rs[i].N
	}
	return n
}

func self(r *mr.Region) *mr.Region { return r }

// eachOnce tells each different thing that regions of the ranges have, counters for one, of all the bytes that are its own.
func eachOnce[T comparable](rs []Range, of func(*mr.Region) T, done func(T, int)) {
	var none T
	thing := func(i int) T {
		if rs[i].Region == nil {
			return none
		}
		return of(rs[i].Region)
	}
next:
	for i := range rs {
		c := thing(i)
		if c == none {
			continue
		}
		for k := range i {
			if thing(k) == c {
				continue next
			}
		}
		n := 0
		for k := i; k < len(rs); k++ {
			if thing(k) == c {
				n += rs[k].N
			}
		}
		done(c, n)
	}
}

// Part says where a range that comes by itself stands in the operation that it is of; 0 for one that is all of it.
type Part uint8

// Bits of a Part.
const (
	PartMore Part = 1 << iota // others of the operation follow
	PartRest                  // others came before
)

// Ranges counts operations whose ranges come one after the other, each as a Part: once each, when the last has come. The
// zero value has none. The domain's lock guards it.
type Ranges struct {
	done   []Range
	failed bool
}

// mostRanges is how many an operation may have.
const mostRanges = 16

// Takes tells whether a peer may send such a part now: not without end.
func (g *Ranges) Takes(at Part) bool { return at&PartRest == 0 || len(g.done) < mostRanges }

// Add notes n bytes that were accessed, or the error that this has led to. With the last part it counts, and is false
// when one has failed: an operation that fails counts nothing.
func (g *Ranges) Add(e *Endpoint, at Part, write bool, r *mr.Region, n int, err fi.Errno) (ok bool) {
	if at == 0 && err == 0 {
		if write {
			e.Written(r, n)
		} else {
			e.ReadBy(r, n)
		}
		return true
	}
	if at&PartRest == 0 { // what was not ended before will not be
		g.clear()
	}
	if err != 0 {
		g.failed, r, n = true, nil, 0
	}
	g.done = append(g.done, Range{r, n})
	if at&PartMore != 0 {
		return !g.failed
	}
	switch {
	case g.failed:
		e.Spent(g.done)
	case write:
		e.WrittenRanges(g.done)
	default:
		e.ReadRanges(g.done)
	}
	ok = !g.failed
	g.clear()
	return ok
}

func (g *Ranges) clear() {
	clear(g.done)
	g.done, g.failed = g.done[:0], false
}
