package coll

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAnyOrder draws operations, counts and orders of delivery: no schedule makes a member wait for ever, and each does
// what the operation is defined to do.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Args{Coll: Coll(rapid.IntRange(0, int(numColl)-1).Draw(t, "operation")), Size: elem,
			Members: rapid.IntRange(1, 37).Draw(t, "members"), Count: rapid.IntRange(0, 70).Draw(t, "count"),
			Segment: rapid.IntRange(0, 20*elem).Draw(t, "segment")}
		a = rapid.SampledFrom(kinds(a)).Draw(t, "kind")
		a.Root = rapid.IntRange(0, a.Members-1).Draw(t, "root")
		g := rapid.SampledFrom(algs(a)).Draw(t, "algorithm")
		seed := rapid.Uint32().Draw(t, "order")
		draw := func(n int) int {
			seed = seed*1664525 + 1013904223
			return int(seed>>8) % n
		}
		p := &problem{Args: a, op: opOf(a)}
		p.vary(a.Count/(1+a.Members/8), draw)
		if err := p.solve(g, draw); err != nil {
			t.Fatalf("%v, %v: %v", g, p, err)
		}
	})
}

// TestSameBits: with an operation that is associative but not commutative all members of an allreduce agree, even if
// nobody has asked for an order.
func TestSameBits(t *testing.T) {
	left := func(dst, src []byte) {} // x op y = x: the lowest rank's operand is everybody's result
	for n := 2; n <= 16; n++ {
		p := &problem{Args: Args{Coll: Allreduce, Members: n, Count: 1, Size: elem}, op: left}
		if err := p.solve(RecursiveDoubling, func(int) int { return 0 }); err != nil {
			t.Errorf("%d members: %v", n, err)
		}
	}
}

// TestSimulationSees shows that the tests would find a schedule with a fault.
func TestSimulationSees(t *testing.T) {
	p := &problem{Args: Args{Coll: Allreduce, Members: 5, Count: 7, Size: elem}, op: sum}
	for _, c := range []struct {
		name, want string
		g          Alg
		harm       func(w *world)
	}{
		{"a value is left out", "want", RecursiveDoubling, func(w *world) {
			s := w.members[2].s
			s.Rounds[len(s.Rounds)-1].Local = s.Rounds[len(s.Rounds)-1].Local[1:]
		}},
		{"a message is not sent", "sends", Ring, func(w *world) {
			r := &w.members[1].s.Rounds[1]
			r.Comm = r.Comm[:1]
		}},
		{"a message is not received", "not received", Rabenseifner, func(w *world) {
			s := w.members[4].s
			r := &s.Rounds[len(s.Rounds)-1]
			r.Comm = r.Comm[1:]
		}},
		{"a tag twice", "two messages", Ring, func(w *world) {
			s := w.members[0].s
			s.Rounds[2].Comm[0].Tag = s.Rounds[1].Comm[0].Tag
		}},
		{"a wrong peer", "for ever", RecursiveDoubling, func(w *world) {
			r := w.members[3].s.Rounds
			for i := range r {
				for j := range r[i].Comm {
					if r[i].Comm[j].Kind == KindSend {
						r[i].Comm[j].Peer = (r[i].Comm[j].Peer + 1) % 3
					}
				}
			}
		}},
		{"a contribution is written to", "into a contribution", Ring, func(w *world) {
			w.members[0].s.Rounds[1].Comm[0].Dst.Buf = In
		}},
		{"memory used twice", "received over", Ring, func(w *world) {
			c := w.members[0].s.Rounds[1].Comm
			c[0].Dst = c[1].Src
		}},
	} {
		w, err := newWorld(p, c.g)
		if err != nil {
			t.Fatal(err)
		}
		c.harm(w)
		if err = w.sound(); err == nil {
			err = w.run(func(int) int { return 0 })
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.want)
		}
	}
}

// TestWrongArguments: nothing panics, and the text says what is wrong.
func TestWrongArguments(t *testing.T) {
	good := Args{Coll: Reduce, Members: 4, Count: 1, Size: 8}
	for _, c := range []struct {
		want string
		g    Alg
		a    func(*Args)
	}{
		{"unknown operation", Binomial, func(a *Args) { a.Coll = numColl }},
		{"0 members", Binomial, func(a *Args) { a.Members = 0 }},
		{"members: give", Binomial, func(a *Args) { a.Members = MaxMembers + 1 }},
		{"rank 4 of 4", Binomial, func(a *Args) { a.Rank = 4 }},
		{"rank -1 of 4", Binomial, func(a *Args) { a.Rank = -1 }},
		{"root 4 of 4", Binomial, func(a *Args) { a.Root = 4 }},
		{"-1 elements", Binomial, func(a *Args) { a.Count = -1 }},
		{"of 0 bytes", Binomial, func(a *Args) { a.Size = 0 }},
		{"at most", Binomial, func(a *Args) { a.Count = maxBytes / 8 }},
		{"does not serve", Ring, func(*Args) {}},
		{"does not serve", Binomial, func(a *Args) { a.Ordered = true }},
		{"does not serve", RecursiveDoubling, func(a *Args) { a.Coll, a.Members = Allgather, 6 }},
	} {
		a := good
		c.a(&a)
		if _, err := Make(c.g, a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %+v: %v, want %q in it", c.g, a, err, c.want)
		}
	}
	if _, err := Make(Binomial, good); err != nil {
		t.Error(err)
	}
}

// TestRounds holds the schedules to what the algorithms promise.
func TestRounds(t *testing.T) {
	for _, c := range []struct {
		a      Args
		g      Alg
		rounds int // those of copies alone count, too
		bytes  int // sent by the busiest member
	}{
		{Args{Coll: Barrier, Members: 16}, Dissemination, 4, 0},
		{Args{Coll: Barrier, Members: 9}, Dissemination, 4, 0},
		{Args{Coll: Broadcast, Members: 16, Count: 16, Size: 1}, Binomial, 2, 64},
		{Args{Coll: Broadcast, Members: 16, Count: 16, Size: 1}, ScatterRing, 17, 30},
		{Args{Coll: Allreduce, Members: 16, Count: 16, Size: 1}, RecursiveDoubling, 5, 64},
		{Args{Coll: Allreduce, Members: 16, Count: 16, Size: 1}, Rabenseifner, 9, 30},
		{Args{Coll: Allreduce, Members: 16, Count: 16, Size: 1}, Ring, 31, 30},
		{Args{Coll: Allgather, Members: 16, Count: 1, Size: 1}, Bruck, 6, 15},
		{Args{Coll: Alltoall, Members: 16, Count: 1, Size: 1}, Bruck, 5, 32},
		{Args{Coll: Alltoall, Members: 16, Count: 1, Size: 1}, Scattered, 1, 15},
		{Args{Coll: ReduceScatter, Members: 16, Count: 1, Size: 1}, RecursiveHalving, 6, 15},
		{Args{Coll: ReduceScatter, Members: 16, Count: 1, Size: 1}, Pairwise, 16, 15},
		{Args{Coll: Allreduce, Members: 4, Count: 16, Size: 1}, Linear, 1, 48},
		{Args{Coll: Broadcast, Members: 16, Count: 64, Size: 1, Segment: 8}, Pipeline, 9, 64},
		{Args{Coll: Scan, Members: 16, Count: 1, Size: 1}, RecursiveDoubling, 4, 4},
		{Args{Coll: Exscan, Members: 16, Count: 1, Size: 1}, RecursiveDoubling, 4, 4},
	} {
		rounds, most := 0, 0
		for r := range c.a.Members {
			c.a.Rank = r
			s, err := Make(c.g, c.a)
			if err != nil {
				t.Fatal(err)
			}
			rounds, most = max(rounds, len(s.Rounds)), max(most, s.Bytes)
		}
		if rounds > c.rounds || most > c.bytes {
			t.Errorf("%v %v: %d rounds and %d bytes, want at most %d and %d", c.a.Coll, c.g, rounds, most, c.rounds, c.bytes)
		}
	}
}

// TestRingTraffic: each member sends 2(n-1)/n of the data, in rings with and without segments.
func TestRingTraffic(t *testing.T) {
	for n := 2; n <= 8; n++ {
		for _, g := range []Alg{Ring, SegmentedRing} {
			a := Args{Coll: Allreduce, Members: n, Count: 840 * 1000, Size: 8}
			for a.Rank = range n {
				s, err := Make(g, a)
				if err != nil {
					t.Fatal(err)
				}
				if want := 2 * (n - 1) * a.Count * a.Size / n; s.Bytes != want {
					t.Errorf("%v, rank %d of %d: %d bytes, want %d", g, a.Rank, n, s.Bytes, want)
				}
			}
		}
	}
}
