package conformance

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/testx/together"
)

// Collectives of two members; package internal/testx/together has more for the providers here.
var _ = add("collective",
	testCase{name: "calls", need: colls | tagged, where: local, kind: core, run: collectiveCalls},
	testCase{name: "barrier", need: colls | tagged, where: local, run: collectiveBarrier},
	testCase{name: "sizes", need: colls | tagged, where: local, run: collectiveSizes},
	testCase{name: "members", need: colls | tagged, where: local, run: collectiveMembers},
	testCase{name: "sets", need: colls | tagged, where: local, run: collectiveSets},
	testCase{name: "one-member", need: colls | tagged, where: local, run: collectiveAlone},
	testCase{name: "beside-messages", need: colls | tagged, where: local, run: collectiveBeside},
	testCase{name: "query", need: colls, where: local, run: collectiveQuery},
	testCase{name: "member-ends", need: colls | tagged, where: local, run: collectiveEnds},
)

// members opens n sides and makes them the members of groups.
func (t *test) members(n int) []*together.Member {
	var out []*together.Member
	for rank, s := range t.open(n) {
		var addrs []fi.Addr
		for _, p := range t.sides {
			addrs = append(addrs, s.addr(p))
		}
		s.uncounted = true
		out = append(out, together.New(rank, s.n.eps[0], s.n.txq, s.n.eq, s.n.av, addrs, t.cell.set.Wait == fi.WaitNone))
	}
	return out
}

// leave has all members leave the group that they have joined.
func leave(t *test, ms []*together.Member) {
	together.Each(t, ms, func(m *together.Member) error { return m.Leave() })
}

// collectiveCalls does every operation on every type.
func collectiveCalls(t *test) {
	ms := t.members(2)
	together.Everything(t, ms)
	leave(t, ms)
}

// collectiveBarrier: nobody passes before all have come.
func collectiveBarrier(t *test) {
	ms := t.members(2)
	at := make([]fi.Addr, 2)
	together.Each(t, ms, func(m *together.Member) (err error) {
		at[m.Rank], err = m.All()
		return err
	})
	a, b := ms[0], ms[1]
	one, two := new(int), new(int)
	t.check(a.EP.Barrier(at[0], one))
	for range 1000 {
		var e [1]cq.Entry
		for _, q := range []*fabric.CQ{a.Tx, b.Tx} {
			if n, err := q.Read(e[:]); n > 0 || !errors.Is(err, fi.ErrAgain) {
				t.Fatalf("a barrier that one of two members has called is passed: %+v, %v", e[0], err)
			}
		}
	}
	t.check(b.EP.Barrier(at[1], two))
	together.Each(t, ms, func(m *together.Member) error {
		if m.Rank == 0 {
			return m.Wait(one, nil)
		}
		return m.Wait(two, nil)
	})
	leave(t, ms)
}

// collectiveSizes does what is longer than a message that goes at once.
func collectiveSizes(t *test) {
	ms := t.members(3)
	together.Large(t, ms, 1024, 140_000)
	leave(t, ms)
}

// collectiveMembers has more members than two, each of which is the root of something once.
func collectiveMembers(t *test) {
	ms := t.members(5)
	together.Large(t, ms, 40, 44, 48, 52, 56, 3000)
	leave(t, ms)
}

// collectiveSets makes sets of addresses: who is in them, in which order.
func collectiveSets(t *test) {
	s := t.open(6)
	av := s[0].n.av
	t.check(av.Remove([]fi.Addr{3}))
	for _, c := range []struct {
		attr fi.AVSetAttr
		want []fi.Addr
	}{
		{fi.AVSetAttr{}, nil}, {fi.AVSetAttr{Flags: fi.AVSetUniverse}, []fi.Addr{0, 1, 2, 4, 5}},
		{fi.AVSetAttr{Start: 0, End: 5, Stride: 1}, []fi.Addr{0, 1, 2, 4, 5}}, {fi.AVSetAttr{Start: 1, End: 4, Stride: 1}, []fi.Addr{1, 2, 4}},
		{fi.AVSetAttr{Start: 0, End: 4, Stride: 2}, []fi.Addr{0, 2, 4}}, {fi.AVSetAttr{Start: 1, End: 5, Stride: 2}, []fi.Addr{1, 5}},
		{fi.AVSetAttr{Start: 2, End: 2, Stride: 7}, []fi.Addr{2}}, {fi.AVSetAttr{Start: 3, End: 3, Stride: 1}, nil},
		{fi.AVSetAttr{Start: 4, End: 99, Stride: 1}, []fi.Addr{4, 5}},
	} {
		x, err := av.OpenSet(&c.attr)
		t.check(err)
		if got := x.Members(); !slices.Equal(got, c.want) {
			t.Errorf("from %d to %d by %d, flags %v: %v, want %v", c.attr.Start, c.attr.End, c.attr.Stride, c.attr.Flags, got, c.want)
		}
		t.check(x.Close())
	}
	x, err := av.OpenSet(nil)
	t.check(err)
	t.check(errors.Join(x.Insert(5), x.Insert(0), x.Insert(2), x.Remove(0)))
	for what, err := range map[string]error{"twice": x.Insert(5), "not in use": x.Insert(3), "not there": x.Remove(0)} {
		if !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("%s: %v, want FI_EINVAL", what, err)
		}
	}
	if got := x.Members(); !slices.Equal(got, []fi.Addr{5, 2}) {
		t.Errorf("inserted were 5, 0 and 2, and 0 was removed: %v", got)
	}
	t.check(x.Close())
}

// collectiveAlone is a group of one.
func collectiveAlone(t *test) {
	ms := t.members(1)
	together.Everything(t, ms)
	m, sent := ms[0], t.sides[0].n.cnt[cntSend]
	at, err := m.All()
	t.check(err)
	was := sent.Read()
	t.check(m.Wait(m, m.EP.Barrier(at, m)))
	if now := sent.Read(); now != was+1 {
		t.Errorf("a collective was counted %d times, want once", now-was)
	}
	if err := m.EP.Allreduce(nil, nil, at, fi.TypeInt32, fi.AtomicSum, 0, m); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("a reduction of nothing: %v, want FI_EINVAL", err)
	}
	leave(t, ms)
}

// collectiveBeside: messages of the application and collectives do not see each other.
func collectiveBeside(t *test) {
	ms := t.members(2)
	p := &pair{t, t.sides[0], t.sides[1]}
	any := p.b.recv(call{Form: "trecv", N: 8, Ignore: ^uint64(0)})
	together.Large(t, ms, 64)
	p.a.uncounted, p.b.uncounted = true, true
	if p.b.poll(); any.done() {
		t.Fatalf("a receive for any tag has got a message of a collective")
	}
	s := p.a.to(p.b, call{Form: "tsend", N: 8, Seed: 1, Tag: 1 << 62})
	t.wait(s, any)
	p.a.refuse(call{Form: "tsend", N: 8, To: p.a.addr(p.b), Tag: 1 << 63}, fi.ErrInvalid)
	leave(t, ms)
}

// collectiveQuery: what is said to be served is served, and what is not is refused with its own number.
func collectiveQuery(t *test) {
	s := t.newSide(t.opts(colls))
	d := s.n.dom
	for o := fi.CollBarrier; o <= fi.CollGather; o++ {
		a, err := d.QueryCollective(o, fi.TypeInt32, fi.AtomicSum)
		if err != nil || a.MaxMembers < 2 || o != fi.CollBarrier && (a.DatatypeAttr.Size != 4 || a.DatatypeAttr.Count < 1) {
			t.Errorf("%v: %+v, %v", o, a, err)
		}
		if o.Reduces() {
			if _, err := d.QueryCollective(o, fi.TypeDouble, fi.AtomicBXor); !errors.Is(err, fi.ErrOpNotSupp) {
				t.Errorf("%v of bits of floats: %v, want FI_EOPNOTSUPP", o, err)
			}
		}
	}
	if _, err := d.QueryCollective(99, fi.TypeInt32, fi.AtomicSum); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("an unknown collective: %v, want FI_EINVAL", err)
	}
}

// collectiveEnds: an endpoint that closes ends what others wait for.
func collectiveEnds(t *test) {
	ms := t.members(2)
	together.Each(t, ms, func(m *together.Member) error {
		at, err := m.All()
		if err != nil {
			return err
		}
		if m.Rank == 1 {
			return errors.Join(m.Leave(), m.EP.Close())
		}
		if err := m.Wait(m, m.EP.Broadcast(make([]byte, 8), at, m.Addrs[1], fi.TypeUint8, 0, m)); err == nil || !errors.Is(err, fi.ErrConnRefused) &&
			!errors.Is(err, fi.ErrConnReset) && !errors.Is(err, fi.ErrConnAborted) && !errors.Is(err, fi.ErrTimedOut) && !errors.Is(err, fi.ErrHostUnreach) {
			return fmt.Errorf("a broadcast of who has ended: %w", err)
		}
		return m.Leave()
	})
	t.sides[1].settled = true
}
