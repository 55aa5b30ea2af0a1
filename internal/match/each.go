package match

import "github.com/gofabric/gofabric/fi"

// EachMessage calls f for the messages that are here, in the order of their arrival, and then for the claimed ones, in
// the order of the claims, until f returns false. f may change what is the provider's in the message it is given, and
// may remove or free that message, but no other. It is how the announcements of a dead peer go while its kept messages
// stay.
func (q *Queue) EachMessage(f func(m *Msg) bool) {
	for _, m := range [...]*Msg{q.first, q.claimed} {
		for m != nil {
			next := m.next
			if !f(m) {
				return
			}
			m = next
		}
	}
}

// Readdress tells that the peer from is known by an address now: its messages, also claimed ones, come from addr. One
// for which a receive from addr waits leaves the queue, and deliver gets both, as from Arrive and Post; it must not
// change the queue otherwise than by Consume, Done and Free.
func (q *Queue) Readdress(from any, addr fi.Addr, deliver func(r *Recv, m *Msg)) {
	q.EachMessage(func(m *Msg) bool {
		if m.From != from || m.Src == addr {
			return true
		}
		q.move(m, addr)
		if m.state != msgQueued {
			return true
		}
		if r := q.Arrive(addr, m.Tag, m.Group); r != nil {
			q.unlink(m)
			deliver(r, m)
		}
		return true
	})
}

// move changes a message's source, in the indexes too. It keeps its place in the order of arrival.
func (q *Queue) move(m *Msg, addr fi.Addr) {
	m.Src = addr
	if m.state != msgQueued {
		return
	}
	for i := range q.indexed {
		if ix := &q.indexes[i]; ix.anySrc == 0 {
			n := m.nodes[i]
			ix.table.remove(n)
			n.src = uint64(addr)
			ix.table.insertByAge(n)
		}
	}
}
