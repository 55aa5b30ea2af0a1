package match

import "github.com/gofabric/gofabric/fi"

// Peek gives the oldest unexpected message that a receive would match, or nil (FI_PEEK; a miss is FI_ENOMSG). It stays
// in the queue and may be claimed (FI_CLAIM), or removed and freed (FI_DISCARD).
func (q *Queue) Peek(src fi.Addr, tag, ignore uint64, group uint32) *Msg {
	return q.find(src, tag, ignore, group)
}

// Claim reserves a message of the queue for the receive that will come with ctx (FI_PEEK with FI_CLAIM). Nothing else
// finds it any more.
func (q *Queue) Claim(m *Msg, ctx any) {
	if m.state != msgQueued {
		return
	}
	q.unlink(m)
	m.state, m.claim = msgClaimed, ctx
	if m.prev = q.lastClaimed; m.prev != nil {
		m.prev.next = m
	} else {
		q.claimed = m
	}
	q.lastClaimed = m
}

// Claimed takes the oldest message that is reserved for ctx (FI_CLAIM); nil if there is none. It is the caller's, to be
// delivered, or discarded (with FI_DISCARD), and freed.
func (q *Queue) Claimed(ctx any) *Msg {
	if !equatable(ctx) {
		return nil
	}
	for m := q.claimed; m != nil; m = m.next {
		if m.claim == ctx {
			q.unclaim(m)
			return m
		}
	}
	return nil
}

// unclaim takes a message from the claimed ones.
func (q *Queue) unclaim(m *Msg) {
	if m.prev != nil {
		m.prev.next = m.next
	} else {
		q.claimed = m.next
	}
	if m.next != nil {
		m.next.prev = m.prev
	} else {
		q.lastClaimed = m.prev
	}
	m.next, m.prev, m.state, m.claim = nil, nil, msgTaken, nil
}
