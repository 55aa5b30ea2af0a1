package coll

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gofabric/gofabric/internal/osx"
)

// Elements of the tests are pairs of numbers: (which operands, how often), so that an operand that is missing or taken
// twice shows. Every reduction is by combine.
const elem = 16

type combine func(dst, src []byte)

// sum counts commutatively: 8 bytes of sum and 8 bytes of how many.
func sum(dst, src []byte) {
	for i := 0; i < len(dst); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], binary.LittleEndian.Uint64(dst[i:])+binary.LittleEndian.Uint64(src[i:]))
	}
}

// inorder is neither commutative nor associative: x op y = 3x + y.
func inorder(dst, src []byte) {
	for i := 0; i < len(dst); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], 3*binary.LittleEndian.Uint64(dst[i:])+binary.LittleEndian.Uint64(src[i:]))
	}
}

// world is all members of one operation.
type world struct {
	a       Args
	op      combine
	members []*simMember
	wires   map[wire][][]byte // messages on their way
}

type wire struct {
	to  int
	tag uint32
}

type simMember struct {
	s     *Schedule
	buf   [3][]byte
	round int
	posts []Step // of the round, not completed
	begun bool
}

// at gives the bytes of a span.
func (m *simMember) at(s Span) []byte { return m.buf[s.Buf][s.Off : s.Off+s.Len] }

// lengths of In and Out.
func lengths(a Args) (in, out int) {
	one := a.Count * a.Size
	all := one * a.Members
	root := a.Rank == a.Root
	pick := func(yes bool, n int) int {
		if yes {
			return n
		}
		return 0
	}
	switch a.Coll {
	case Broadcast:
		return one, one
	case Alltoall:
		return all, all
	case Allreduce:
		return one, one
	case Allgather:
		return one, all
	case ReduceScatter:
		return all, one
	case Reduce:
		return one, pick(root, one)
	case Scatter:
		return pick(root, all), one
	case Gather:
		return one, pick(root, all)
	}
	return 0, 0
}

// input is what a member contributes: 8-byte numbers that tell member and place.
func input(rank, n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], uint64(rank+1)*1000003+uint64(i)*uint64(rank*rank+7))
	}
	return b
}

func newWorld(a Args, g Alg, op combine) (*world, error) {
	w := &world{a: a, op: op, wires: make(map[wire][][]byte)}
	for r := range a.Members {
		a.Rank = r
		s, err := Make(g, a)
		if err != nil {
			return nil, err
		}
		in, out := lengths(a)
		m := &simMember{s: s}
		m.buf = [3][]byte{input(r, in), bytes.Repeat([]byte{0xee}, out), bytes.Repeat([]byte{0xdd}, s.Tmp)}
		if a.Coll == Broadcast {
			m.buf[Out] = m.buf[In]
			if r != a.Root {
				m.buf[In] = nil
				clear(m.buf[Out])
			}
		}
		w.members = append(w.members, m)
	}
	return w, w.sound()
}

// sound checks what makes a schedule independent of the order of delivery.
func (w *world) sound() error {
	seen := make(map[wire]bool)
	for r, m := range w.members {
		sends := 0
		for i, round := range m.s.Rounds {
			var got, sent []Span
			for _, s := range round.Comm {
				if s.Peer < 0 || s.Peer >= w.a.Members || s.Peer == r || s.Tag >= MaxTag {
					return fmt.Errorf("rank %d round %d: %+v: no such peer or tag", r, i, s)
				}
				switch s.Kind {
				case KindRecv:
					key := wire{r, s.Tag}
					if seen[key] {
						return fmt.Errorf("rank %d receives two messages with tag %d", r, s.Tag)
					}
					seen[key] = true
					got = append(got, s.Dst)
				case KindSend:
					sends++
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
				if s.Kind != KindCopy && s.Kind != KindReduce || s.Dst.Len != s.Src.Len || s.Dst.Buf == In && w.a.Coll != Broadcast {
					return fmt.Errorf("rank %d round %d: local %+v", r, i, s)
				}
			}
			if len(round.Comm)+len(round.Local) == 0 {
				return fmt.Errorf("rank %d round %d is empty", r, i)
			}
		}
		if sends != m.s.Sends {
			return fmt.Errorf("rank %d: %d sends, Sends says %d", r, sends, m.s.Sends)
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
				if s.Kind == KindSend || len(w.wires[wire{i, s.Tag}]) > 0 {
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
					w.op(m.at(s.Dst), m.at(s.Src))
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

// want is what a member must have in the end, by the definition of the operation.
func (w *world) want(rank int) []byte {
	a := w.a
	one := a.Count * a.Size
	part := func(r, i int) []byte { // block i of member r
		in, _ := lengths(Args{Coll: a.Coll, Members: a.Members, Count: a.Count, Size: a.Size, Root: a.Root, Rank: r})
		return input(r, in)[i*one : (i+1)*one]
	}
	reduced := func(i int) []byte {
		out := part(0, i)
		for r := 1; r < a.Members; r++ {
			w.op(out, part(r, i))
		}
		return out
	}
	var out []byte
	switch a.Coll {
	case Broadcast:
		return part(a.Root, 0)
	case Alltoall:
		for r := range a.Members {
			out = append(out, part(r, rank)...)
		}
	case Allreduce:
		return reduced(0)
	case Allgather:
		for r := range a.Members {
			out = append(out, part(r, 0)...)
		}
	case ReduceScatter:
		return reduced(rank)
	case Reduce:
		if rank == a.Root {
			return reduced(0)
		}
	case Scatter:
		return part(a.Root, rank)
	case Gather:
		if rank == a.Root {
			for r := range a.Members {
				out = append(out, part(r, 0)...)
			}
		}
	}
	return out
}

func (w *world) check() error {
	for r, m := range w.members {
		if want := w.want(r); !bytes.Equal(m.buf[Out], want) {
			return fmt.Errorf("rank %d has %x, want %x", r, m.buf[Out], want)
		}
		in, _ := lengths(Args{Coll: w.a.Coll, Members: w.a.Members, Count: w.a.Count, Size: w.a.Size, Root: w.a.Root, Rank: r})
		if w.a.Coll != Broadcast && !bytes.Equal(m.buf[In], input(r, in)) {
			return fmt.Errorf("rank %d: its contribution was written to", r)
		}
	}
	return nil
}

// algs are the algorithms that serve a.
func algs(a Args) (out []Alg) {
	for g := range numAlg {
		if g.Serves(&a) {
			out = append(out, g)
		}
	}
	return out
}

// roots that matter: the first, the last and one between.
func roots(a Args) []int {
	if !a.Coll.Rooted() {
		return []int{0}
	}
	switch a.Members {
	case 1:
		return []int{0}
	case 2:
		return []int{0, 1}
	}
	return []int{0, a.Members/2 + 1 - a.Members%2, a.Members - 1}
}

// TestSchedules executes every algorithm for 1 to 16 members, in orders of delivery that differ each time, and compares
// with the definition of the operation.
func TestSchedules(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	orders := []func(int) int{rnd.IntN, func(n int) int { return n - 1 }} // any, and the last member first
	for c := range numColl {
		t.Run(c.String(), func(t *testing.T) {
			for n := 1; n <= 16; n++ {
				if osx.RaceEnabled && n > 5 && n != 7 && n != 8 { // nothing here runs beside anything else
					continue
				}
				for _, count := range []int{0, 1, n - 1, 2*n + 1} {
					for _, ordered := range []bool{false, true} {
						a := Args{Coll: c, Members: n, Count: count, Size: elem, Ordered: ordered}
						if ordered && !c.Reduces() {
							continue
						}
						op := combine(sum)
						if ordered {
							op = inorder
						}
						found := algs(a)
						if len(found) == 0 {
							t.Fatalf("%+v: no algorithm serves it", a)
						}
						for _, root := range roots(a) {
							a.Root = root
							for _, g := range found {
								for i, pick := range orders {
									w, err := newWorld(a, g, op)
									if err == nil {
										err = w.run(pick)
									}
									if err != nil {
										t.Fatalf("%v, %+v, order %d: %v", g, a, i, err)
									}
								}
							}
						}
					}
				}
			}
		})
	}
}
