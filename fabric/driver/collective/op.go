package collective

import (
	"fmt"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/coll"
)

// op is an operation that runs. It is a task of the engine: what follows when the last message of a round has ended.
type op struct {
	g *group
	p *plan

	ctx    any
	fl     fi.OpFlags
	k      *fiatomic.Kernel
	buf    [3][]byte // by coll.Buf
	seq    uint64
	round  int
	posted bool // the communications of the round were posted
	left   int  // how many of them have not ended
	posts  []post
	err    fi.Errno // what it will end with
	text   string
	age    uint32 // rounds of the watch that it has seen

	listed     bool
	prev, next *op
}

// post is one message of an operation.
type post struct {
	x      *op
	w      driver.Work
	iov    [1][]byte
	peer   int
	active bool
}

// Run goes on as far as possible: local steps of a round whose messages have ended, and the messages of the next.
func (x *op) Run() {
	if !x.listed || x.left > 0 {
		return
	}
	rounds := x.p.s.Rounds
	for x.err == 0 {
		if x.posted {
			x.local(rounds[x.round].Local)
			x.round, x.posted = x.round+1, false
		}
		if x.round == len(rounds) {
			break
		}
		if x.post(rounds[x.round].Comm); x.left > 0 {
			if x.err != 0 {
				x.revoke()
			}
			return
		}
	}
	x.finish()
}

// post posts the messages of a round.
func (x *op) post(comm []coll.Step) {
	g, e := x.g, x.g.e
	x.posted = true
	x.left = len(comm) + 1 // one for ourselves: some end at once
	for i := range comm {
		s, q := &comm[i], &x.posts[i]
		if x.err != 0 {
			x.left--
			continue
		}
		q.peer, q.active = s.Peer, true
		if s.Kind == coll.KindSend {
			q.w.Kind, q.iov[0], q.w.Addr = driver.WorkTSend, x.at(s.Src), g.members[s.Peer]
			q.w.Tag = tag(g.ids[s.Peer], x.seq, s.Tag)
		} else {
			q.w.Kind, q.iov[0], q.w.Addr = driver.WorkTRecv, x.at(s.Dst), e.from(g, s.Peer)
			q.w.Tag = tag(g.id, x.seq, s.Tag)
		}
		e.eng.Issue(e.host, &q.w)
	}
	x.left--
}

// from is the sender that a receive names.
func (e *Endpoint) from(g *group, rank int) fi.Addr {
	if !e.exact {
		return fi.AddrUnspec // the tag says enough
	}
	return e.av.Reverse([]byte(g.names[rank])) // the name under which the provider knows it
}

// at gives the bytes of a span.
func (x *op) at(s coll.Span) []byte {
	if s.Len == 0 {
		return nil
	}
	return x.buf[s.Buf][s.Off : s.Off+s.Len]
}

func (x *op) local(steps []coll.Step) {
	for i := range steps {
		s := &steps[i]
		if s.Kind == coll.KindCopy {
			copy(x.at(s.Dst), x.at(s.Src))
		} else if err := x.k.Apply(x.at(s.Dst), x.at(s.Src), nil, nil, s.Dst.Len/x.p.a.Size); err != nil {
			x.fail(fi.ErrInvalid, err.Error())
		}
	}
}

// Done notes that a message has ended.
func (q *post) Done(c cq.ErrEntry) {
	x := q.x
	q.active = false
	x.left--
	switch {
	case c.Err == fi.ErrTruncated, c.Err == 0 && q.w.Kind == driver.WorkTRecv && c.Len != len(q.iov[0]):
		x.broken(fi.ErrTruncated, fmt.Sprintf("%s has sent another number of bytes than the %d that belong to this call: all "+
			"members must make the same calls in the same order, with the same counts", x.g.who(q.peer), len(q.iov[0])), x.g.self)
	case c.Err == fi.ErrCanceled || c.Err == fi.ErrBadFD:
		x.fail(c.Err, c.Text)
	case c.Err != 0:
		x.broken(c.Err, x.g.ended(q.peer, c.Text), q.peer)
	}
	if x.left == 0 {
		x.g.e.eng.Later(x)
	}
}

// ended is the text of what follows when a member has ended.
func (g *group) ended(rank int, why string) string {
	t := g.who(rank) + " has ended"
	if why != "" {
		t += " (" + why + ")"
	}
	return t + ": leave the group and join one without it"
}

// fail makes the operation end in error, when its messages have ended.
func (x *op) fail(err fi.Errno, text string) {
	if x.err == 0 {
		x.err, x.text = err, text
	}
}

// broken is fail for what concerns the whole group.
func (x *op) broken(err fi.Errno, text string, rank int) {
	x.fail(err, text)
	if x.g.state == groupReady {
		x.g.e.eng.Later(&failure{x.g, err, text, rank})
	}
}

// failure is what follows from the end of a member.
type failure struct {
	g    *group
	err  fi.Errno
	text string
	rank int
}

// Run fails the group.
func (f *failure) Run() {
	if !f.g.e.closed {
		f.g.fail(f.err, f.text, f.rank)
	}
}

// revoke takes messages back that have not ended: the memory is not ours when the operation has completed.
func (x *op) revoke() {
	for i := range x.posts {
		if q := &x.posts[i]; q.active {
			if !x.g.e.eng.Withdraw(q, x.text) {
				_ = x.g.e.host.Revoke(q) // what cannot be taken back is asked for again by the watch
			}
		}
	}
}

// finish completes the operation.
func (x *op) finish() {
	g, e := x.g, x.g.e
	e.running.remove(x)
	if x.err == 0 {
		e.host.TxDone(x.ctx, x.fl, fi.CompCollective, 0, 0)
	} else {
		e.host.TxFail(x.ctx, x.fl, fi.CompCollective, 0, 0, x.err, x.text)
	}
	x.p.give(x)
	g.forget()
}

// opList are the operations that run.
type opList struct {
	first, last *op
	n           int
}

func (l *opList) add(x *op) {
	x.listed, x.prev, x.next = true, l.last, nil
	if l.last != nil {
		l.last.next = x
	} else {
		l.first = x
	}
	l.last = x
	l.n++
}

func (l *opList) remove(x *op) {
	if x.prev != nil {
		x.prev.next = x.next
	} else {
		l.first = x.next
	}
	if x.next != nil {
		x.next.prev = x.prev
	} else {
		l.last = x.prev
	}
	x.listed, x.prev, x.next = false, nil, nil
	l.n--
}

// each calls f for all; f may remove the one that it gets.
func (l *opList) each(f func(*op)) {
	for x := l.first; x != nil; {
		next := x.next
		f(x)
		x = next
	}
}
