package match

import (
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/relstore"
)

// Arrive gives the oldest posted receive that matches a message, or nil: then the caller keeps the message
// ([Queue.Keep]). src is [fi.AddrUnspec] for a sender who is not in the address vector; only receives from any source
// match that one.
//
// The receive leaves the queue, unless it is a multi-receive. The caller answers with Done when the message is
// delivered or has failed.
//
//fabric:fastpath
func (q *Queue) Arrive(src fi.Addr, tag uint64, group uint32) *Recv {
	t := &q.recvs
	if t.keys == 0 {
		return nil
	}
	if q.classes.busy != 1 {
		return q.arriveMany(src, tag, group)
	}
	// The table's find and pop, written out.
	c := q.classes.all[0]
	tag, from, kind := tag&^c.ignore, uint64(src)|c.anySrc, kindOf(group, c.id)
	at := t.bucket(tag, from, kind)
	n := *at
	for n != nil && !n.is(tag, from, kind) {
		at = &n.chain
		n = *at
	}
	if n == nil {
		return nil
	}
	r := n.owner
	if n.next != nil || t.keys <= t.low || r.Flags&fi.OpMultiRecv != 0 || q.byCtx.entries != nil {
		return q.handOut(at, n)
	}
	r.uses = 1
	c.n--
	relstore.Uint64(&q.posted, q.posted-1)
	*at = n.chain
	t.keys--
	return r
}

// arriveMany is Arrive when there are several classes: the oldest of what each has.
//
//fabric:fastpath
func (q *Queue) arriveMany(src fi.Addr, tag uint64, group uint32) *Recv {
	var at **node[Recv]
	var n *node[Recv]
	for _, c := range q.classes.all[:q.classes.busy] {
		if c.n == 0 {
			if c.misses++; c.misses == idleAfter {
				q.classes.rest(c)
				return q.Arrive(src, tag, group)
			}
			continue
		}
		tag, from, kind := tag&^c.ignore, uint64(src)|c.anySrc, kindOf(group, c.id)
		a := q.recvs.bucket(tag, from, kind)
		x := *a
		for x != nil && !x.is(tag, from, kind) {
			a = &x.chain
			x = *a
		}
		if x != nil && (n == nil || x.seq < n.seq) {
			at, n = a, x
		}
	}
	if n == nil {
		return nil
	}
	return q.handOut(at, n)
}

// handOut gives the receive of a node that was found to the caller.
//
//fabric:fastpath
func (q *Queue) handOut(at **node[Recv], n *node[Recv]) *Recv {
	r := n.owner
	if r.Flags&fi.OpMultiRecv != 0 {
		r.uses++
		return r
	}
	if t := &q.recvs; n.next == nil && t.keys > t.low {
		*at = n.chain
		t.keys--
	} else {
		t.pop(at, n)
	}
	r.uses = 1
	c := q.classes.of(r)
	relstore.Uint64(&q.posted, q.posted-1)
	if c.n--; c.n == 0 && q.watchesEmpty() {
		q.emptied(c)
	}
	return r
}

// unpost takes a receive out of the table.
func (q *Queue) unpost(r *Recv) {
	q.recvs.remove(&r.n)
	r.uses &^= isPosted
	c := q.classes.of(r)
	relstore.Uint64(&q.posted, q.posted-1)
	if c.n--; c.n == 0 && q.watchesEmpty() {
		q.emptied(c)
	}
}
