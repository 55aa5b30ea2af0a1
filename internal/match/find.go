package match

import "github.com/gofabric/gofabric/fi"

const (
	// maxIndexes is the number of kinds of receives for which messages are indexed: MPI has four, with and without a
	// source, with and without a tag. Others search message by message.
	maxIndexes = 4
	// scanLimit is how many messages a search looks at before it thinks of an index.
	scanLimit = 8
)

// An index finds unexpected messages for one class of receives. It is made when a search has become long, and given up
// when the queue is empty.
type index struct {
	ignore, anySrc uint64
	used           uint64 // tick of the last search
	table          table[Msg]
}

// take removes the oldest message that a receive matches and returns it, or nil.
//
//fabric:fastpath
func (q *Queue) take(src fi.Addr, tag, ignore uint64, group uint32) *Msg {
	m := q.first
	if m == nil {
		return nil
	}
	if q.indexed != 0 || !m.matches(src, tag, ignore, group, anyOf(src)) {
		if m = q.find(src, tag, ignore, group); m == nil {
			return nil
		}
	}
	q.unlink(m)
	return m
}

// find gives the oldest message that a receive matches, or nil.
//
//fabric:fastpath
func (q *Queue) find(src fi.Addr, tag, ignore uint64, group uint32) *Msg {
	anySrc := anyOf(src)
	for i := range q.indexed {
		if ix := &q.indexes[i]; ix.ignore == ignore && ix.anySrc == anySrc {
			return q.lookUp(ix, src, tag, group)
		}
	}
	steps := 0
	for m := q.first; m != nil; m = m.next {
		if m.matches(src, tag, ignore, group, anySrc) {
			return m
		}
		if steps++; steps == scanLimit {
			return q.findFrom(m.next, src, tag, ignore, group)
		}
	}
	return nil
}

func (m *Msg) matches(src fi.Addr, tag, ignore uint64, group uint32, anySrc uint64) bool {
	return (m.Tag^tag)&^ignore == 0 && uint64(m.Src)|anySrc == uint64(src)|anySrc && m.Group == group
}

func (q *Queue) lookUp(ix *index, src fi.Addr, tag uint64, group uint32) *Msg {
	q.tick++
	ix.used = q.tick
	if _, n := ix.table.find(tag&^ix.ignore, uint64(src)|ix.anySrc, uint64(group)); n != nil {
		return n.owner
	}
	return nil
}

// findFrom goes on with a long search, by a new index if there is room for one or it has become worth the place of
// another.
//
//go:noinline
func (q *Queue) findFrom(m *Msg, src fi.Addr, tag, ignore uint64, group uint32) *Msg {
	anySrc := anyOf(src)
	i := q.indexed
	if i == maxIndexes {
		i = q.replaceable()
	}
	if i >= 0 {
		return q.lookUp(q.makeIndex(i, ignore, anySrc), src, tag, group)
	}
	for ; m != nil; m = m.next {
		q.debt++
		if m.matches(src, tag, ignore, group, anySrc) {
			return m
		}
	}
	return nil
}

// replaceable gives the index that was not used for longest, once the searches without one have cost more than making
// another; else -1.
func (q *Queue) replaceable() int {
	if q.debt < 4*int(q.unexpected) {
		return -1
	}
	oldest := 0
	for i := range q.indexes {
		if q.indexes[i].used < q.indexes[oldest].used {
			oldest = i
		}
	}
	return oldest
}

// makeIndex makes index i anew from all messages.
func (q *Queue) makeIndex(i int, ignore, anySrc uint64) *index {
	ix := &q.indexes[i]
	if i < q.indexed {
		for m := q.first; m != nil; m = m.next {
			q.leave(i, m)
		}
	} else {
		q.indexed++
	}
	ix.ignore, ix.anySrc = ignore, anySrc
	q.debt = 0
	for m := q.first; m != nil; m = m.next {
		q.enter(i, m)
	}
	return ix
}

// enter puts the youngest message into index i.
func (q *Queue) enter(i int, m *Msg) {
	ix := &q.indexes[i]
	n := q.spareNodes.get()
	n.owner, n.tag, n.src, n.kind, n.seq = m, m.Tag&^ix.ignore, uint64(m.Src)|ix.anySrc, uint64(m.Group), m.seq
	m.nodes[i] = n
	ix.table.insert(n)
}

// leave takes a message out of index i.
func (q *Queue) leave(i int, m *Msg) {
	n := m.nodes[i]
	m.nodes[i] = nil
	q.indexes[i].table.remove(n)
	n.owner = nil
	q.spareNodes.put(n)
}

// leaveAll takes a message out of all indexes; with the last message they end.
//
//go:noinline
func (q *Queue) leaveAll(m *Msg) {
	for i := range q.indexed {
		q.leave(i, m)
	}
	if q.unexpected == 0 {
		q.indexed, q.debt = 0, 0
	}
}
