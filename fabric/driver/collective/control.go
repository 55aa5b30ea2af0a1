package collective

import (
	"encoding/binary"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Kinds of control messages.
const (
	kindJoin  = 1 // I am a member, too, and call the group so
	kindProbe = 2 // are you there? The confirmation of the delivery is the answer
	kindAbort = 3 // a member has ended
	kindLeft  = 4 // the answer of who has left to a probe: nothing more of the group comes from here
)

// A control message: the header, little-endian, and the sender's name.
//
//	0 version (1)  1 kind  2-3 zero  4-7 rank of the sender  8-11 rank of the receiver  12-15 members
//	16-19 number of the group: of a join the sender's, else the receiver's, or nobody's if that has not told it
//	20-23 of an abort: the rank of who has ended
//	24-31 hash of the members   32... name
const (
	controlVersion = 1
	headerSize     = 32
	controlSize    = 1024
	nameMost       = controlSize - headerSize

	nobody = 2*keyed - 1 // no group has this number
)

// message is a control message as it came.
type message struct {
	kind          uint8
	from, to      int
	members, rank int
	id            uint32
	hash          uint64
	name          string
}

func (m *message) encode() []byte {
	b := make([]byte, headerSize, headerSize+len(m.name))
	b[0], b[1] = controlVersion, m.kind
	le := binary.LittleEndian
	le.PutUint32(b[4:], uint32(m.from))
	le.PutUint32(b[8:], uint32(m.to))
	le.PutUint32(b[12:], uint32(m.members))
	le.PutUint32(b[16:], m.id)
	le.PutUint32(b[20:], uint32(m.rank))
	le.PutUint64(b[24:], m.hash)
	return append(b, m.name...)
}

// decode is false for what is no control message.
func decode(b []byte) (m message, ok bool) {
	if len(b) < headerSize || b[0] != controlVersion || b[1] < kindJoin || b[1] > kindLeft {
		return m, false
	}
	le := binary.LittleEndian
	m = message{kind: b[1], from: int(le.Uint32(b[4:])), to: int(le.Uint32(b[8:])), members: int(le.Uint32(b[12:])),
		id: le.Uint32(b[16:]), rank: int(le.Uint32(b[20:])), hash: le.Uint64(b[24:]), name: string(b[headerSize:])}
	return m, m.from < m.members && m.to < m.members && m.rank < m.members && m.members <= MaxMembers && m.id < 2*keyed
}

// control is a receive in which control messages come.
type control struct {
	e    *Endpoint
	from fi.Addr
	w    driver.Work
	buf  [controlSize]byte
	n    int
	ok   bool
}

// listen posts the receive for control messages of anybody, once; where receives must name their sender, one for each member
// of a group.
func (e *Endpoint) listen(g *group) {
	if !e.exact {
		e.listenTo(fi.AddrUnspec)
		return
	}
	for i := range g.members {
		if i != g.self {
			e.listenTo(e.from(g, i))
		}
	}
}

func (e *Endpoint) listenTo(from fi.Addr) {
	if e.controls[from] == nil {
		c := &control{e: e, from: from}
		e.controls[from] = c
		c.post()
	}
}

func (c *control) post() {
	c.w = driver.Work{Kind: driver.WorkTRecv, Iov: [][]byte{c.buf[:]}, Addr: c.from, Tag: driver.CollectiveTag | tagControl,
		Context: c, Flags: driver.OpNotify}
	c.e.eng.Issue(c.e.host, &c.w)
}

// Done notes a message.
func (c *control) Done(x cq.ErrEntry) {
	switch x.Err {
	case 0, fi.ErrAddrNotAvail: // the sender is not known yet
		c.n, c.ok = x.Len, true
	default:
		if x.Err == fi.ErrCanceled || x.Err == fi.ErrBadFD || x.Text == driver.RefusedLater {
			c.ok = false // the endpoint closes, or the sender is no longer in the vector
			delete(c.e.controls, c.from)
			return
		}
		c.n, c.ok = 0, true // too long, or its sender has ended in the middle of it: others still have something to say
	}
	c.e.eng.Later(c)
}

// Run handles the message and posts the receive again.
func (c *control) Run() {
	if !c.ok || c.e.closed {
		return
	}
	c.ok = false
	m, ok := decode(c.buf[:c.n])
	c.post()
	if ok {
		c.e.handle(&m)
	}
}

// handle does what a control message asks for. What does not fit anything is dropped.
func (e *Endpoint) handle(m *message) {
	if m.kind == kindJoin || m.id == nobody {
		if !e.welcome(m) && len(e.early) < earlyMost {
			e.early = append(e.early, *m)
		}
		return
	}
	g := e.groups[m.id]
	if g == nil {
		g = e.gone[m.id]
		if g != nil && m.kind == kindProbe && g.is(m) {
			g.tell(m.from, kindLeft, 0)
		}
		return
	}
	if !g.is(m) {
		return
	}
	switch m.kind {
	case kindProbe:
		if g.state == groupFailed { // who was taken for ended, and was not told, is there
			g.tell(m.from, kindAbort, g.self)
		}
	case kindAbort:
		g.aborted(m)
	case kindLeft:
		g.deserted(m.from)
	}
}

// is tells whether a message is of the group.
func (g *group) is(m *message) bool {
	return g.hash == m.hash && len(g.members) == m.members && g.names[m.from] == m.name
}

// deserted fails a group if something still waits for a message of a member that has left: what it had sent before came
// before it said so.
func (g *group) deserted(rank int) {
	waits := false
	g.e.running.each(func(x *op) {
		for i := range x.posts {
			q := &x.posts[i]
			waits = waits || x.g == g && q.active && q.w.Kind == driver.WorkTRecv && q.peer == rank
		}
	})
	if waits {
		g.fail(fi.ErrConnAborted, g.who(rank)+" has left the group before all was done; leave it, too", rank)
	}
}

// aborted fails a group as another member has said.
func (g *group) aborted(m *message) {
	text := g.ended(m.rank, "")
	if m.rank == m.from {
		text = g.who(m.rank) + " has given the group up: it has left before all was done, or its calls are not ours; leave it, too"
	}
	g.fail(fi.ErrConnAborted, text, m.rank)
}

// letter is a control message on its way.
type letter struct {
	w    driver.Work
	g    *group
	rank int
	kind uint8
	err  fi.Errno
	text string
}

// tell sends a control message to a member.
func (g *group) tell(rank int, kind uint8, about int) {
	m := message{kind: kind, from: g.self, to: rank, members: len(g.members), rank: about, id: g.ids[rank], hash: g.hash, name: g.names[g.self]}
	fl := driver.OpNotify
	switch kind {
	case kindJoin:
		m.id = g.id
	case kindProbe:
		fl |= fi.OpDeliveryComplete
	case kindAbort:
		if !g.heard[rank] && g.id&keyed == 0 {
			m.id = nobody
		}
	}
	l := &letter{g: g, rank: rank, kind: kind}
	l.w = driver.Work{Kind: driver.WorkTSend, Iov: [][]byte{m.encode()}, Addr: g.members[rank],
		Tag: driver.CollectiveTag | tagControl, Context: l, Flags: fl}
	g.e.eng.Issue(g.e.host, &l.w)
}

// Done notes what became of it: that a member could not be told something says that it has ended.
func (l *letter) Done(c cq.ErrEntry) {
	if l.kind == kindProbe {
		l.g.asked[l.rank] = false
	}
	if c.Err == 0 || c.Err == fi.ErrCanceled || c.Err == fi.ErrBadFD || l.kind == kindAbort || l.kind == kindLeft {
		return
	}
	l.g.e.eng.Later(&failure{l.g, c.Err, l.g.ended(l.rank, c.Text), l.rank})
}
