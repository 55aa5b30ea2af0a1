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
		p := &problem{Args: a, op: opOf(a), mixed: rapid.Bool().Draw(t, "only some in place")}
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
		{"a receive behind the send that its sender waits for", "for ever", Ring, func(w *world) {
			w.sync = true
			for _, m := range w.members {
				r := m.s.Rounds[1]
				m.s.Rounds[1] = Round{Comm: r.Comm[1:]}
				m.s.Rounds = append(m.s.Rounds[:2:2], append([]Round{{Comm: r.Comm[:1], Local: r.Local}}, m.s.Rounds[2:]...)...)
			}
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
		{"does not serve", Ring, func(a *Args) { a.Coll, a.InRankOrder = Allreduce, true }},
		{"segments of -1", Binomial, func(a *Args) { a.Segment = -1 }},
		{"only the root, 0,", Binomial, func(a *Args) { a.InPlace, a.Rank = true, 1 }},
		{"cannot be", Dissemination, func(a *Args) { a.Coll, a.InPlace = Barrier, true }},
		{"cannot be", Scattered, func(a *Args) { a.Coll, a.InPlace, a.Vector = NeighborAlltoall, true, &Vector{} }},
		{"Vector: true", Binomial, func(a *Args) { a.Vector = &Vector{} }},
		{"Vector: false", Linear, func(a *Args) { a.Coll = Gatherv }},
		{"0 and 4 are needed", Linear, func(a *Args) { a.Coll, a.Vector = Gatherv, &Vector{} }},
		{"0 and 0 are needed", Linear, func(a *Args) { a.Coll, a.Rank, a.Vector = Gatherv, 1, &Vector{Recv: []int{1, 1, 1, 1}} }},
		{"4 and 0 are needed", Linear, func(a *Args) { a.Coll, a.Vector = Scatterv, &Vector{Send: []int{1, 1, 1}} }},
		{"the root gives", Linear, func(a *Args) { a.Coll, a.Vector = Scatterv, &Vector{Send: []int{2, 1, 1, 1}} }},
		{"its place in Recv says 3", Ring, func(a *Args) { a.Coll, a.Vector = Allgatherv, &Vector{Recv: []int{3, 1, 1, 1}} }},
		{"count 2 is -1", Ring, func(a *Args) { a.Coll, a.Vector = Allgatherv, &Vector{Recv: []int{1, 1, -1, 1}} }},
		{"at most", Ring, func(a *Args) { a.Coll, a.Vector = Allgatherv, &Vector{Recv: []int{1, 1, maxBytes / 8, 1}} }},
		{"0 elements to itself and receives 1", Pairwise, func(a *Args) {
			a.Coll, a.Vector = Alltoallv, &Vector{Send: make([]int, 4), Recv: []int{1, 1, 1, 1}}
		}},
		{"must be as many", Pairwise, func(a *Args) {
			a.Coll, a.InPlace, a.Vector = Alltoallv, true, &Vector{Send: []int{1, 2, 1, 1}, Recv: []int{1, 1, 1, 1}}
		}},
		{"has no neighbours", Linear, func(a *Args) {
			a.Coll, a.Vector = Gatherv, &Vector{Recv: []int{1, 1, 1, 1}, Dests: []int{1}}
		}},
		{"neighbour 4 of 4", Scattered, func(a *Args) {
			a.Coll, a.Vector = NeighborAlltoall, &Vector{Sources: []int{4}, Recv: []int{1}}
		}},
		{"1 and 0 are needed", Scattered, func(a *Args) { a.Coll, a.Vector = NeighborAlltoall, &Vector{Dests: []int{1}} }},
		{"more than 8 times", Scattered, func(a *Args) {
			a.Coll, a.Members, a.Vector = NeighborAllgather, MaxMembers, &Vector{Dests: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}}
		}},
		{"own sources and 1 of", Scattered, func(a *Args) {
			a.Coll, a.Vector = NeighborAllgather, &Vector{Dests: []int{0}}
		}},
		{"sends 1 elements to itself and receives 2", Scattered, func(a *Args) {
			a.Coll, a.Vector = NeighborAllgather, &Vector{Dests: []int{0}, Sources: []int{0}, Recv: []int{2}}
		}},
	} {
		a := good
		c.a(&a)
		if _, err := Make(c.g, a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %+v: %v, want %q in it", c.g, a, err, c.want)
		}
		if _, err := DefaultTable.Make(a); err == nil && c.want != "does not serve" {
			t.Errorf("%+v: a table makes a schedule of it", a)
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
		{Args{Coll: Allreduce, Members: 16, Count: 16, Size: 1}, RecursiveDoubling, 4, 64},
		{Args{Coll: Allreduce, Members: 16, Count: 16, Size: 1}, Rabenseifner, 8, 30},
		{Args{Coll: Allreduce, Members: 16, Count: 16, Size: 1}, Ring, 30, 30},
		{Args{Coll: Allgather, Members: 16, Count: 1, Size: 1}, Bruck, 6, 15},
		{Args{Coll: Alltoall, Members: 16, Count: 1, Size: 1}, Bruck, 5, 32},
		{Args{Coll: Alltoall, Members: 16, Count: 1, Size: 1}, Scattered, 1, 15},
		{Args{Coll: ReduceScatter, Members: 16, Count: 1, Size: 1}, RecursiveHalving, 5, 15},
		{Args{Coll: ReduceScatter, Members: 16, Count: 1, Size: 1}, Pairwise, 15, 15},
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

// TestNoCopies: where the buffers of the call are enough, what comes in is not copied.
func TestNoCopies(t *testing.T) {
	for _, c := range []struct {
		coll Coll
		g    Alg
	}{
		{Allreduce, Ring}, {Allreduce, SegmentedRing}, {Allreduce, Rabenseifner}, {Reduce, Binomial}, {ReduceScatter, Pairwise},
		{Broadcast, ScatterRing}, {Broadcast, Pipeline},
	} {
		a := Args{Coll: c.coll, Members: 8, Count: 64, Size: 8}
		for a.Rank = range a.Members {
			s, err := Make(c.g, a)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range s.Rounds {
				for _, x := range r.Local {
					if x.Kind == KindCopy {
						t.Errorf("%v by %v, rank %d, round %d: %+v", c.coll, c.g, a.Rank, i, x)
					}
				}
			}
		}
	}
}

// TestPeriodic: in a periodic dimension of one or two members, what goes downwards comes in from above, when neighbours are
// listed as Vector says.
func TestPeriodic(t *testing.T) {
	for n := 1; n <= 3; n++ {
		sent, got := make(map[wire]Buf), make(map[wire]Buf)
		own := 0
		for r := range n {
			below, above := (r+n-1)%n, (r+1)%n
			s, err := DefaultTable.Make(Args{Coll: NeighborAlltoall, Members: n, Rank: r, Size: 8,
				Vector: &Vector{Dests: []int{below, above}, Send: []int{1, 1}, Sources: []int{above, below}, Recv: []int{1, 1}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range s.Rounds[0].Comm {
				if x.Kind == KindSend {
					sent[wire{x.Peer, x.Tag}] = x.Src.Buf
				} else {
					got[wire{r, x.Tag}] = x.Dst.Buf
				}
			}
			for _, x := range s.Rounds[0].Local {
				if own++; x.Dst.Buf-x.Src.Buf != OutBlock(0)-InBlock(0) {
					t.Errorf("to itself: %+v", x)
				}
			}
		}
		if len(sent)+own != 2*n {
			t.Errorf("%d members: %d messages and %d to themselves", n, len(sent), own)
		}
		for w, in := range sent {
			if out, ok := got[w]; !ok || out-in != OutBlock(0)-InBlock(0) {
				t.Errorf("%d members: what member %d is sent from buffer %d comes into %d", n, w.to, in, out)
			}
		}
	}
}
