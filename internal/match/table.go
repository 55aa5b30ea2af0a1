package match

import (
	"math/bits"
	"math/rand/v2"
)

const (
	// minBuckets is the size of the first hash table.
	minBuckets = 64
	// keptBuckets is the size down to which a table shrinks: what fits the free receives or messages that are kept.
	keptBuckets = poolLimit
)

// A node hangs an owner (a receive or a message) into a table, in the queue of those with an equal key. Its first
// member stands in the bucket's chain for all of them, so that the chain holds each key once.
type node[T any] struct {
	owner *T
	next  *node[T] // the younger neighbour of equal key
	prev  *node[T] // the older one; in the first of a queue: the last
	chain *node[T] // the next key of the bucket; only in the first of a queue
	// Of a node that is in no table only next is known: nil.

	tag  uint64 // less the bits that the class ignores
	src  uint64 // all ones: any source
	kind uint64 // peer group and class
	seq  uint64 // age
}

// A table finds the oldest owner of a key in constant time, however many keys and however many owners of one key there
// are. Keys may come from a hostile peer, so the hash has a seed.
type table[T any] struct {
	heads     []*node[T] // a power of two
	keys      int
	low, high int // the number of keys below and above which the table changes its size
	s0, s1    uint64
}

// kindOf packs what makes a key beside tag and source.
func kindOf(group, class uint32) uint64 { return uint64(class)<<32 | uint64(group) }

// bucket is the place where the chain of a key's bucket starts. The table has had a node already.
func (t *table[T]) bucket(tag, src, kind uint64) **node[T] {
	hi, lo := bits.Mul64(tag^t.s0, src^bits.RotateLeft64(kind, 40)^t.s1)
	return &t.heads[(hi^lo)&uint64(len(t.heads)-1)]
}

func (n *node[T]) is(tag, src, kind uint64) bool {
	return n.tag == tag && n.src == src && n.kind == kind
}

// find gives the oldest node of a key and the pointer that points to it; nil if there is none.
//
//fabric:fastpath
func (t *table[T]) find(tag, src, kind uint64) (at **node[T], n *node[T]) {
	if t.keys == 0 {
		return nil, nil
	}
	at = t.bucket(tag, src, kind)
	for n = *at; n != nil; n = *at {
		if n.is(tag, src, kind) {
			return at, n
		}
		at = &n.chain
	}
	return nil, nil
}

// append puts a node behind all others of the key whose first n is.
func (n *node[T]) append(young *node[T]) {
	last := n.prev
	last.next, young.prev, n.prev = young, last, young
}

// insert puts a node behind those of its key.
func (t *table[T]) insert(n *node[T]) {
	if t.keys >= t.high {
		t.grow()
	}
	if _, h := t.find(n.tag, n.src, n.kind); h != nil {
		h.append(n)
		return
	}
	at := t.bucket(n.tag, n.src, n.kind)
	n.prev, n.chain, *at = n, *at, n
	t.keys++
}

// insertByAge puts a node among those of its key where its age belongs. The walk starts at the young end.
func (t *table[T]) insertByAge(n *node[T]) {
	at, h := t.find(n.tag, n.src, n.kind)
	switch {
	case h == nil || h.prev.seq < n.seq:
		t.insert(n)
	case n.seq < h.seq:
		n.next, n.prev, n.chain, *at = h, h.prev, h.chain, n
		h.prev, h.chain = n, nil
	default:
		x := h.prev
		for x.seq > n.seq {
			x = x.prev
		}
		n.prev, n.next = x, x.next
		n.next.prev, x.next = n, n
	}
}

// pop takes the oldest node of a key out; at is what points to it.
//
//fabric:fastpath
func (t *table[T]) pop(at **node[T], n *node[T]) {
	if s := n.next; s != nil {
		n.next, s.prev, s.chain, *at = nil, n.prev, n.chain, s
		return
	}
	*at = n.chain
	if t.keys--; t.keys < t.low {
		t.resize(len(t.heads) / 2)
	}
}

// remove takes any node out.
func (t *table[T]) remove(n *node[T]) {
	older := n.prev
	if older.next != n { // n is the first: its prev is the last, which has no next
		at := t.bucket(n.tag, n.src, n.kind)
		for *at != n {
			at = &(*at).chain
		}
		t.pop(at, n)
		return
	}
	older.next = n.next
	if n.next != nil {
		n.next.prev = older
	} else {
		_, h := t.find(n.tag, n.src, n.kind)
		h.prev = older
	}
	n.next = nil
}

// each calls f for every node, in no order. f leaves the table alone.
func (t *table[T]) each(f func(n *node[T])) {
	for _, h := range t.heads {
		for ; h != nil; h = h.chain {
			for n := h; n != nil; n = n.next {
				f(n)
			}
		}
	}
}

//go:noinline
func (t *table[T]) grow() {
	if len(t.heads) == 0 {
		t.s0, t.s1 = rand.Uint64(), rand.Uint64()
		t.resize(minBuckets)
		return
	}
	t.resize(2 * len(t.heads))
}

// resize makes n buckets. It halves only far below the point where it doubled, so that neither happens in turn.
//
//go:noinline
func (t *table[T]) resize(n int) {
	old := t.heads
	t.heads = make([]*node[T], n)
	t.high, t.low = n, n/8
	if n <= keptBuckets {
		t.low = 0
	}
	for _, h := range old {
		for h != nil {
			next := h.chain
			at := t.bucket(h.tag, h.src, h.kind)
			h.chain, *at = *at, h
			h = next
		}
	}
}
