package coll

import (
	"bytes"
	"fmt"
	"slices"
)

// world is all members of one operation.
type world struct {
	p       *problem
	members []*simMember
	wires   map[wire][][]byte // messages on their way
	sync    bool              // a send ends only when its receive has been posted, as with long messages
}

type wire struct {
	to  int
	tag uint32
}

type simMember struct {
	s     *Schedule
	buf   [][]byte // by Buf
	round int
	posts []Step // of the round, not completed
	begun bool
}

// at gives the bytes of a span.
func (m *simMember) at(s Span) []byte { return m.buf[s.Buf][s.Off : s.Off+s.Len] }

func newWorld(p *problem, g Alg) (*world, error) {
	w := &world{p: p, wires: make(map[wire][][]byte)}
	for r := range p.Members {
		s, err := Make(g, p.args(r))
		if err != nil {
			return nil, err
		}
		m := &simMember{s: s, buf: make([][]byte, OutBlock(p.Members+len(p.edges))+1)}
		before, _ := p.buffers(r)
		for b, x := range before {
			m.buf[b] = bytes.Clone(x)
		}
		m.buf[Tmp] = bytes.Repeat([]byte{0xdd}, s.Tmp)
		if p.Coll == Broadcast && r == p.Root {
			m.buf[Out] = m.buf[In]
		}
		w.members = append(w.members, m)
	}
	return w, w.sound()
}

// readOnly are the buffers of contributions.
func readOnly(b Buf) bool { return b == In || b >= InBlock(0) && (b-InBlock(0))%2 == 0 }

// sound checks what makes a schedule independent of the order of delivery.
func (w *world) sound() error {
	seen := make(map[wire]bool)
	for r, m := range w.members {
		sends, carried := 0, 0
		for i, round := range m.s.Rounds {
			var got, sent []Span
			for _, s := range round.Comm {
				if s.Peer < 0 || s.Peer >= w.p.Members || s.Peer == r || s.Tag >= MaxTag {
					return fmt.Errorf("rank %d round %d: %+v: no such peer or tag", r, i, s)
				}
				switch s.Kind {
				case KindRecv:
					key := wire{r, s.Tag}
					if seen[key] {
						return fmt.Errorf("rank %d receives two messages with tag %d", r, s.Tag)
					}
					seen[key] = true
					if s.Dst.Len > 0 && readOnly(s.Dst.Buf) {
						return fmt.Errorf("rank %d round %d: received into a contribution: %+v", r, i, s)
					}
					got = append(got, s.Dst)
				case KindSend:
					sends++
					carried += s.Src.Len
					sent = append(sent, s.Src)
				default:
					return fmt.Errorf("rank %d round %d: %+v among communications", r, i, s)
				}
			}
			for j, g := range got {
				for _, o := range append(got[j+1:len(got):len(got)], sent...) {
					if g.Buf == o.Buf && g.Off < o.Off+o.Len && o.Off < g.Off+g.Len {
						return fmt.Errorf("rank %d round %d: %+v is received over %+v", r, i, g, o)
					}
				}
			}
			for _, s := range round.Local {
				if s.Kind != KindCopy && s.Kind != KindReduce || s.Dst.Len != s.Src.Len || readOnly(s.Dst.Buf) {
					return fmt.Errorf("rank %d round %d: local %+v", r, i, s)
				}
			}
			if len(round.Comm)+len(round.Local) == 0 {
				return fmt.Errorf("rank %d round %d is empty", r, i)
			}
		}
		if sends != m.s.Sends || carried != m.s.Bytes {
			return fmt.Errorf("rank %d: %d sends of %d bytes, Sends says %d and Bytes %d", r, sends, carried, m.s.Sends, m.s.Bytes)
		}
	}
	return nil
}

// run lets one member after the other do one thing that it can, chosen by pick, until nobody can.
func (w *world) run(pick func(n int) int) error {
	for {
		type move struct{ m, post int }
		var can []move
		for i, m := range w.members {
			if m.round == len(m.s.Rounds) {
				continue
			}
			if !m.begun || len(m.posts) == 0 {
				can = append(can, move{i, -1})
				continue
			}
			for j, s := range m.posts {
				if s.Kind == KindSend && (!w.sync || w.wanted(s)) || s.Kind == KindRecv && len(w.wires[wire{i, s.Tag}]) > 0 {
					can = append(can, move{i, j})
				}
			}
		}
		if len(can) == 0 {
			break
		}
		c := can[pick(len(can))]
		m := w.members[c.m]
		switch round := &m.s.Rounds[m.round]; {
		case !m.begun:
			m.begun, m.posts = true, append(m.posts[:0], round.Comm...)
		case c.post < 0:
			for _, s := range round.Local {
				if s.Kind == KindCopy {
					copy(m.at(s.Dst), m.at(s.Src))
				} else {
					w.p.op(m.at(s.Dst), m.at(s.Src))
				}
			}
			m.begun = false
			m.round++
		default:
			s := m.posts[c.post]
			m.posts = append(m.posts[:c.post], m.posts[c.post+1:]...)
			if s.Kind == KindSend {
				key := wire{s.Peer, s.Tag}
				w.wires[key] = append(w.wires[key], bytes.Clone(m.at(s.Src)))
				continue
			}
			key := wire{c.m, s.Tag}
			data := w.wires[key][0]
			w.wires[key] = w.wires[key][1:]
			if len(data) != s.Dst.Len {
				return fmt.Errorf("rank %d round %d: %d bytes for a receive of %d", c.m, m.round, len(data), s.Dst.Len)
			}
			copy(m.at(s.Dst), data)
		}
	}
	for i, m := range w.members {
		if m.round != len(m.s.Rounds) {
			return fmt.Errorf("rank %d waits for ever in round %d of %d: %+v", i, m.round, len(m.s.Rounds), m.posts)
		}
	}
	for key, left := range w.wires {
		if len(left) > 0 {
			return fmt.Errorf("%d messages to rank %d with tag %d were not received", len(left), key.to, key.tag)
		}
	}
	return w.check()
}

// wanted tells whether the receiver of a message has posted a receive for it.
func (w *world) wanted(s Step) bool {
	m := w.members[s.Peer]
	return m.begun && slices.ContainsFunc(m.posts, func(r Step) bool { return r.Kind == KindRecv && r.Tag == s.Tag })
}

func (w *world) check() error {
	for r, m := range w.members {
		_, after := w.p.buffers(r)
		for b, want := range after {
			if !bytes.Equal(m.buf[b], want) {
				return fmt.Errorf("rank %d has %x in buffer %d, want %x", r, m.buf[b], b, want)
			}
		}
	}
	return nil
}

// solve executes an algorithm, in the order of delivery that pick draws: twice, with sends that end at once and with
// others.
func (p *problem) solve(g Alg, pick func(n int) int) error {
	for _, sync := range []bool{false, true} {
		w, err := newWorld(p, g)
		if err == nil {
			w.sync = sync
			err = w.run(pick)
		}
		if err != nil {
			return fmt.Errorf("sends that wait %v: %w", sync, err)
		}
	}
	return nil
}
