package match

import (
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/relstore"
)

// Post posts a receive of one buffer (fi_recv, fi_trecv). If an unexpected message matches, Post stores nothing and
// returns the oldest one, which is the caller's: deliver it, then [Queue.Free] it. Otherwise it returns nil and the
// receive waits.
//
// src is the source to receive from, or [fi.AddrUnspec] for any; bits set in ignore are not compared. fi.OpMultiRecv in
// flags is dropped: see [Queue.PostMulti].
//
//fabric:fastpath
func (q *Queue) Post(buf []byte, src fi.Addr, tag, ignore uint64, group uint32, ctx any, flags fi.OpFlags) *Msg {
	r := q.Slot()
	if r == nil {
		return q.postSlow(buf, src, tag, ignore, group, ctx, flags)
	}
	r.Buf, r.Ctx, r.Flags = buf, ctx, flags&^fi.OpMultiRecv
	q.Store(r, src, tag, ignore, group)
	return nil
}

// Slot is the fast half of Post: a free receive, whose Buf, Ctx and Flags the caller fills before it gives it to
// [Queue.Store]. It is nil when messages wait or no receive is free: then the caller uses Post.
//
//fabric:fastpath
func (q *Queue) Slot() *Recv {
	n := q.free
	if n == nil || q.first != nil {
		return nil
	}
	q.free = n.chain
	q.frees--
	return n.owner
}

// postSlow is Post when there are unexpected messages, or no free receives.
//
//go:noinline
func (q *Queue) postSlow(buf []byte, src fi.Addr, tag, ignore uint64, group uint32, ctx any, flags fi.OpFlags) *Msg {
	if m := q.take(src, tag, ignore, group); m != nil {
		return m
	}
	r := q.slot()
	r.Buf, r.Ctx, r.Flags = buf, ctx, flags&^fi.OpMultiRecv
	q.Store(r, src, tag, ignore, group)
	return nil
}

// PostV posts a receive of several buffers (fi_recvv, fi_trecvv), which are filled one after the other. It is Post in
// everything else. The slice iov is the caller's again when PostV returns.
//
//fabric:fastpath
func (q *Queue) PostV(iov [][]byte, src fi.Addr, tag, ignore uint64, group uint32, ctx any, flags fi.OpFlags) *Msg {
	if len(iov) == 0 {
		return q.Post(nil, src, tag, ignore, group, ctx, flags)
	}
	if len(iov) == 1 {
		return q.Post(iov[0], src, tag, ignore, group, ctx, flags)
	}
	if m := q.take(src, tag, ignore, group); m != nil {
		return m
	}
	r := q.slot()
	r.setIov(iov)
	r.Ctx, r.Flags = ctx, flags&^fi.OpMultiRecv
	q.Store(r, src, tag, ignore, group)
	return nil
}

// PostMulti posts a buffer that takes many messages, one behind the other (FI_MULTI_RECV). It is always stored; the
// messages that wait for it are taken by [Queue.Next] afterwards.
//
//fabric:fastpath
func (q *Queue) PostMulti(buf []byte, src fi.Addr, tag, ignore uint64, group uint32, ctx any, flags fi.OpFlags) *Recv {
	r := q.slot()
	r.Buf, r.Ctx, r.Flags = buf, ctx, flags|fi.OpMultiRecv
	q.Store(r, src, tag, ignore, group)
	return r
}

// Store puts a receive that has its buffer into the table; no message may match it. The table's insert is written out in it.
//
//fabric:fastpath
func (q *Queue) Store(r *Recv, src fi.Addr, tag, ignore uint64, group uint32) {
	c := q.classes.recent
	t := &q.recvs
	if c.ignore != ignore || c.anySrc != anyOf(src) || t.keys >= t.high {
		q.storeSlow(r, src, tag, ignore, group)
		return
	}
	c.n++
	relstore.Uint64(&q.posted, q.posted+1)
	q.seq++
	n := &r.n
	r.uses, n.seq = isPosted, q.seq
	n.tag, n.src, n.kind = tag&^ignore, uint64(src), kindOf(group, c.id)
	at := t.bucket(n.tag, n.src, n.kind)
	first := *at
	for h := first; h != nil; h = h.chain {
		if h.is(n.tag, n.src, n.kind) {
			h.append(n)
			return
		}
	}
	n.prev, n.chain, *at = n, first, n
	t.keys++
}

// storeSlow is Store when the receive is of another class than the last one, or the table is full.
//
//go:noinline
func (q *Queue) storeSlow(r *Recv, src fi.Addr, tag, ignore uint64, group uint32) {
	q.classes.search(ignore, anyOf(src))
	if q.recvs.keys >= q.recvs.high {
		q.recvs.grow()
	}
	q.Store(r, src, tag, ignore, group)
}
