package collective

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/coll"
)

// plan is a schedule that is kept, with what executing it needs: a program does the same collectives again and again.
type plan struct {
	g     *group
	s     *coll.Schedule
	a     coll.Args
	posts int // the most communications of a round
	free  *op
}

// plansMost is how many plans a group keeps.
const plansMost = 64

// tmpMost is how much scratch memory is kept for the next operation of a plan.
const tmpMost = 1 << 20

// plan gives the plan for a.
func (g *group) plan(a coll.Args) (*plan, fi.Errno) {
	if a.Coll == coll.Barrier && g.barrier != nil {
		return g.barrier, 0
	}
	p := g.plans[a]
	if p != nil {
		return p, 0
	}
	s, err := coll.Make(coll.DefaultTable.Choose(a), a)
	if err != nil {
		return nil, fi.ErrInvalid
	}
	p = &plan{g: g, s: s, a: a}
	for i := range s.Rounds {
		p.posts = max(p.posts, len(s.Rounds[i].Comm))
	}
	if a.Coll == coll.Barrier {
		g.barrier = p
		return p, 0
	}
	if len(g.plans) >= plansMost {
		clear(g.plans) // those that run keep theirs
	}
	g.plans[a] = p
	return p, 0
}

// take gives an operation of the plan.
func (p *plan) take() *op {
	x := p.free
	if x == nil {
		x = &op{g: p.g, p: p, posts: make([]post, p.posts)}
		for i := range x.posts {
			q := &x.posts[i]
			q.x = x
			q.w = driver.Work{Iov: q.iov[:], Context: q, Flags: driver.OpNotify}
		}
	} else {
		p.free, x.next = x.next, nil
	}
	if p.s.Tmp > 0 && x.buf[coll.Tmp] == nil {
		x.buf[coll.Tmp] = make([]byte, p.s.Tmp)
	}
	p.g.ops++
	return x
}

// give takes it back.
func (p *plan) give(x *op) {
	tmp := x.buf[coll.Tmp]
	if len(tmp) > tmpMost {
		tmp = nil
	}
	for i := range x.posts {
		x.posts[i].iov[0] = nil
	}
	x.buf = [3][]byte{coll.Tmp: tmp}
	x.ctx, x.k, x.round, x.posted, x.err, x.text, x.age = nil, nil, 0, false, 0, "", 0
	x.next, p.free = p.free, x
	p.g.ops--
}
