package rdm

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// Target finds the region of a remote access and checks key, range and right. Errors are what the initiator's completion
// shows: ErrKeyRejected, ErrInvalid, ErrAccess.
//
//fabric:fastpath
func (e *Endpoint) Target(key, addr uint64, n int, need fi.Access) (*mr.Region, uint64, fi.Errno) {
	r := e.Regions.Find(key)
	if r == nil {
		return nil, 0, fi.ErrKeyRejected
	}
	off, err := r.Check(addr, n, need)
	if err != 0 {
		r.CountRefused(need)
	}
	return r, off, err
}

// Written counts a remote write of n bytes that is in memory: RMA events and the end of single-use keys.
func (e *Endpoint) Written(r *mr.Region, n int) {
	e.counts.Done(fi.OpKindRemoteWrite, n)
	if c := e.CntRemoteWrite; c != nil {
		c.Done(n)
	}
	if r != nil {
		r.CountWrite(n)
		if r.OnWrite != nil {
			r.OnWrite.Done(n)
		}
		e.used(r)
	}
}

// WrittenData reports the data that came with a remote write.
func (e *Endpoint) WrittenData(n int, data uint64, src fi.Addr) {
	if e.RxCQ == nil {
		return
	}
	d := e.RxCQ.Add()
	*d = cq.Entry{Flags: kindWritten, Len: n, Data: data, Src: src}
	e.RxCQ.Publish()
}

// ReadBy counts a remote read of n bytes.
func (e *Endpoint) ReadBy(r *mr.Region, n int) {
	e.counts.Done(fi.OpKindRemoteRead, n)
	if c := e.CntRemoteRead; c != nil {
		c.Done(n)
	}
	if r != nil {
		r.CountRead(n)
		if r.OnRead != nil {
			r.OnRead.Done(n)
		}
		e.used(r)
	}
}

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
	e.counts.Done(fi.OpKindRemoteWrite, bytes(rs))
	for i := range rs {
		if r := rs[i].Region; r != nil {
			r.CountWrite(rs[i].N)
		}
	}
	if c := e.CntRemoteWrite; c != nil {
		c.Done(bytes(rs))
	}
	countEach(rs, func(r *mr.Region) mr.Watcher { return r.OnWrite })
	e.Spent(rs)
}

// ReadRanges is ReadBy for one remote read of several ranges, as WrittenRanges.
func (e *Endpoint) ReadRanges(rs []Range) {
	if len(rs) == 1 {
		e.ReadBy(rs[0].Region, rs[0].N)
		return
	}
	e.counts.Done(fi.OpKindRemoteRead, bytes(rs))
	for i := range rs {
		if r := rs[i].Region; r != nil {
			r.CountRead(rs[i].N)
		}
	}
	if c := e.CntRemoteRead; c != nil {
		c.Done(bytes(rs))
	}
	countEach(rs, func(r *mr.Region) mr.Watcher { return r.OnRead })
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

// countEach counts at each different counter once.
func countEach(rs []Range, of func(*mr.Region) mr.Watcher) {
	counter := func(i int) mr.Watcher {
		if rs[i].Region == nil {
			return nil
		}
		return of(rs[i].Region)
	}
next:
	for i := range rs {
		c := counter(i)
		if c == nil {
			continue
		}
		for k := range i {
			if counter(k) == c {
				continue next
			}
		}
		n := 0
		for k := i; k < len(rs); k++ {
			if counter(k) == c {
				n += rs[k].N
			}
		}
		c.Done(n)
	}
}

func (e *Endpoint) used(r *mr.Region) {
	if r.Flags&fi.MRSingleUse != 0 {
		e.Regions.Kill(r)
	}
}

// AtomicNeeds says which rights an atomic needs of its target region.
func AtomicNeeds(k *fiatomic.Kernel) fi.Access {
	switch {
	case k.Op() == fi.AtomicRead:
		return fi.AccessRemoteRead
	case k.Kind() == fi.AtomicBase:
		return fi.AccessRemoteWrite
	}
	return fi.AccessRemoteRead | fi.AccessRemoteWrite
}

// Atomic executes an atomic on our memory: count elements at addr of the region key. Aligned elements are updated by
// processor atomics, so that whoever has mapped the region, or updates its own memory, is in order with us; a region
// that peers can map takes no others (fi.ErrInvalid).
func (e *Endpoint) Atomic(k *fiatomic.Kernel, key, addr uint64, operand, compare, result []byte, count int) fi.Errno {
	r, err := e.AtomicRange(k, key, addr, operand, compare, result, count)
	switch {
	case err != 0:
	case AtomicWrites(k):
		e.Written(r, count*k.Size())
	default:
		e.ReadBy(r, count*k.Size())
	}
	return err
}

// AtomicWrites tells as what an atomic counts at its target: base ones as writes, what brings something back as reads, as
// fi_endpoint(3) says.
func AtomicWrites(k *fiatomic.Kernel) bool { return k.Kind() == fi.AtomicBase }

// AtomicRange is Atomic for one of several ranges: it counts nothing, and gives the region.
func (e *Endpoint) AtomicRange(k *fiatomic.Kernel, key, addr uint64, operand, compare, result []byte, count int) (*mr.Region, fi.Errno) {
	size := k.Size()
	r, off, err := e.Target(key, addr, count*size, AtomicNeeds(k))
	if err != 0 {
		return nil, err
	}
	if mem := r.Slice(off, count*size); mem != nil {
		if !k.Aligned(mem) && r.Export != nil {
			return nil, fi.ErrInvalid
		}
		apply(k, mem, operand, compare, result, count)
	} else { // several parts: element by element
		for i := range count {
			o, c, s := part(operand, i, size), part(compare, i, size), part(result, i, size)
			at := off + uint64(i*size)
			if mem := r.Slice(at, size); mem != nil {
				apply(k, mem, o, c, s, 1)
				continue
			}
			var tmp [32]byte // an element across two parts
			r.CopyOut(tmp[:size], at)
			k.Apply(tmp[:size], o, c, s, 1)
			r.CopyIn(at, tmp[:size])
		}
	}
	return r, 0
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

func apply(k *fiatomic.Kernel, mem, operand, compare, result []byte, count int) {
	if k.Shared() && k.Aligned(mem) {
		k.ApplyShared(mem, operand, compare, result, count)
	} else {
		k.Apply(mem, operand, compare, result, count)
	}
}

func part(b []byte, i, size int) []byte {
	if len(b) == 0 {
		return nil
	}
	return b[i*size : (i+1)*size]
}

// SameLength tells whether the remote ranges have n bytes in all.
func SameLength(n int, rma []fi.RMAIov) bool {
	left := uint64(n)
	for _, v := range rma {
		if v.Len > left {
			return false
		}
		left -= v.Len
	}
	return left == 0
}
