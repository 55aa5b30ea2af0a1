package match

import (
	"cmp"
	"hash/maphash"
	"slices"
)

const (
	// scansBeforeIndex is how many cancellations search all receives before an index of contexts is made.
	scansBeforeIndex = 16
	// fewPosted is the number of receives up to which there is none.
	fewPosted = 64
)

// A ctxIndex finds receives by context when very many are cancelled one by one. Nobody keeps it up to date: it knows
// the receives up to an age, and sees by the age that an entry's receive has gone. So it costs nothing elsewhere.
type ctxIndex struct {
	entries []ctxEntry // by hash, then age
	seq     uint64     // of the queue, when it was made
	scans   int        // searches of all receives since
	seed    maphash.Seed
}

type ctxEntry struct {
	hash, seq uint64
	recv      *Recv // nil: gone
	skip      int   // in the first of equal hash: how many have gone from there on
}

func (x *ctxIndex) drop() { x.entries, x.scans = nil, 0 }

// oldestOf gives the oldest posted receive with this context, or nil.
func (q *Queue) oldestOf(ctx any) *Recv {
	x := &q.byCtx
	if x.entries != nil {
		if r := x.lookUp(ctx); r != nil { // those that the index does not know are younger
			return r
		}
		if x.seq == q.seq {
			return nil
		}
	}
	n := q.Posted()
	if n > fewPosted {
		x.scans++
	}
	if n > fewPosted && x.scans > scansBeforeIndex {
		x.make(q)
		return x.lookUp(ctx)
	}
	var oldest *Recv
	q.recvs.each(func(n *node[Recv]) {
		if (oldest == nil || n.seq < oldest.n.seq) && n.owner.Ctx == ctx {
			oldest = n.owner
		}
	})
	return oldest
}

func (x *ctxIndex) make(q *Queue) {
	x.seed, x.seq, x.scans = maphash.MakeSeed(), q.seq, 0
	x.entries = make([]ctxEntry, 0, q.Posted())
	q.recvs.each(func(n *node[Recv]) {
		if equatable(n.owner.Ctx) {
			h := maphash.Comparable(x.seed, n.owner.Ctx)
			x.entries = append(x.entries, ctxEntry{hash: h, seq: n.seq, recv: n.owner})
		}
	})
	slices.SortFunc(x.entries, func(a, b ctxEntry) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.seq, b.seq))
	})
}

func (x *ctxIndex) lookUp(ctx any) *Recv {
	h := maphash.Comparable(x.seed, ctx)
	first, found := slices.BinarySearchFunc(x.entries, h, func(e ctxEntry, h uint64) int { return cmp.Compare(e.hash, h) })
	if !found {
		return nil
	}
	for i := first + x.entries[first].skip; i < len(x.entries) && x.entries[i].hash == h; i++ {
		e := &x.entries[i]
		if r := e.recv; r != nil && r.posted() && r.n.seq == e.seq {
			if r.Ctx == ctx {
				return r
			}
		} else {
			e.recv = nil
			if i == first+x.entries[first].skip {
				x.entries[first].skip++
			}
		}
	}
	return nil
}
