package match

import (
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/relstore"
)

// A Msg is a message that came before its receive: kept whole, or announced while its data stay at the sender. The
// queue owns it until Post, Next, Remove or Claimed hands it out; then it is the caller's until Free.
//
// The fields are the provider's; what the queue goes by (source, tag, group) it sets itself.
type Msg struct {
	// Four cache lines: the queue's, what a receive wants to know, what the provider wrote, and a short payload.
	next, prev *Msg // of the queue, or of the claimed ones
	nodes      [maxIndexes]*node[Msg]
	seq        uint64
	state      msgState
	Group      uint32 // its peer group

	Payload []byte  // the bytes that came with it; nil when there were none
	Len     int     // bytes of the whole message; Keep sets the payload's length
	Src     fi.Addr // who sent it; fi.AddrUnspec: nobody of the address vector
	Tag     uint64  // its tag
	From    any     // the provider's object of the peer, a pointer

	Flags fi.CompFlags // what its completion will say
	Data  uint64       // remote CQ data
	Token [4]uint64    // the provider's own words
	claim any          // the context that it is reserved for

	buf   []byte // pooled; Payload lies in it
	small [inlineMax]byte
}

type msgState uint8

const (
	msgFree msgState = iota
	msgQueued
	msgClaimed
	msgTaken
)

// Claimed says that the message is reserved.
func (m *Msg) Claimed() bool { return m.state == msgClaimed }

// Keep stores a message that no receive waits for, with a copy of payload, and returns it for the caller to fill in
// From, Flags, Data, Token and, when the payload is not the whole message, Len. The caller has asked Arrive before.
//
//fabric:fastpath
func (q *Queue) Keep(src fi.Addr, tag uint64, group uint32, payload []byte) *Msg {
	m := q.spareMsgs.get()
	m.state, m.Src, m.Tag, m.Group, m.Len, m.seq = msgQueued, src, tag, group, len(payload), q.age()
	bytes := q.bytes + uint64(msgBytes)
	if n := len(payload); n > inlineMax {
		m.buf = q.spareBuffers.get(n)
		m.Payload = m.buf
		bytes += uint64(cap(m.buf))
		copy(m.buf, payload)
	} else if n > 0 {
		m.Payload = m.small[:n:n]
		copy(m.Payload, payload)
	}
	if m.prev = q.last; m.prev != nil {
		m.prev.next = m
	} else {
		q.first = m
	}
	q.last = m
	relstore.Uint64(&q.bytes, bytes)
	relstore.Uint64(&q.unexpected, q.unexpected+1)
	for i := range q.indexed {
		q.enter(i, m)
	}
	return m
}

// Remove takes a message out of the queue, or from its claim; it is the caller's then. It is how a message that was
// peeked is discarded.
func (q *Queue) Remove(m *Msg) {
	switch m.state {
	case msgQueued:
		q.unlink(m)
	case msgClaimed:
		q.unclaim(m)
	}
}

// Free gives a message back. One that is still in the queue is removed first. The pointer means nothing afterwards.
//
//fabric:fastpath
func (q *Queue) Free(m *Msg) {
	if m.state != msgTaken {
		if m.state == msgFree {
			return
		}
		q.Remove(m)
	}
	bytes := q.bytes - uint64(msgBytes)
	if m.buf != nil {
		bytes -= uint64(cap(m.buf))
		q.spareBuffers.put(m.buf)
		m.buf = nil
	}
	relstore.Uint64(&q.bytes, bytes)
	m.state, m.Payload, m.From, m.claim = msgFree, nil, nil, nil
	m.Flags, m.Data, m.Token = 0, 0, [4]uint64{}
	q.spareMsgs.put(m)
}

// unlink takes a message out of the queue and its indexes.
//
//fabric:fastpath
func (q *Queue) unlink(m *Msg) {
	if m.prev != nil {
		m.prev.next = m.next
	} else {
		q.first = m.next
	}
	if m.next != nil {
		m.next.prev = m.prev
	} else {
		q.last = m.prev
	}
	m.next, m.prev, m.state = nil, nil, msgTaken
	relstore.Uint64(&q.unexpected, q.unexpected-1)
	if q.indexed != 0 {
		q.leaveAll(m)
	}
}
