package coll

// team is the largest power of two of members: reductions by halving and doubling are done by so many. Of the others each
// hands its operands to a neighbour first, and gets the result of it in the end.
type team struct {
	size, extra int // members of the team, and those beyond
	rank        int // in the team; -1: handed over
}

func (b *builder) team(v int) team {
	t := team{size: 1}
	for 2*t.size <= b.n() {
		t.size *= 2
	}
	t.extra = b.n() - t.size
	switch {
	case v >= 2*t.extra:
		t.rank = v - t.extra
	case v&1 == 0:
		t.rank = v / 2
	default:
		t.rank = -1
	}
	return t
}

// member is the relative rank of a team's member.
func (t team) member(rank int) int {
	if rank < t.extra {
		return 2 * rank
	}
	return rank + t.extra
}

// The parts of a schedule that hands over, works and hands back have tags of their own.
const (
	tagFold = 1 << 21
	tagBack = 1 << 22
	tagMore = 1 << 20 // the second of two phases
)

// fold hands operands of members beyond the team over: of v odd to v-1. acc is made from in.
func (b *builder) fold(v int, t team, acc, in, got Span) {
	switch {
	case t.rank < 0:
		b.send(b.absolute(v-1), tagFold, in)
		b.next()
	case v < 2*t.extra:
		b.recv(b.absolute(v+1), tagFold, got)
		b.copy(acc, in)
		b.reduce(acc, got)
		b.next()
	default:
		b.copy(acc, in)
	}
}

// unfold hands the result back.
func (b *builder) unfold(v int, t team, result Span) {
	switch {
	case t.rank < 0:
		b.recv(b.absolute(v-1), tagBack, result)
	case v < 2*t.extra:
		b.next()
		b.send(b.absolute(v+1), tagBack, result)
	}
}

// allreduceDoubling exchanges everything at distance 1, 2, 4. The side with the lower ranks is the left operand on both
// sides, so that all get the same bits: where the own one is the right operand, the result comes into the memory of what
// was received, and the two change places.
func allreduceDoubling(b *builder) {
	v, size := b.a.Rank, b.size()
	b.a.Root = 0
	t := b.team(v)
	out := Span{Out, 0, size}
	acc, got := out, b.scratch(size)
	b.fold(v, t, acc, Span{In, 0, size}, got)
	if t.rank >= 0 {
		for tag, d := 0, 1; d < t.size; tag, d = tag+1, 2*d {
			peer := t.member(t.rank ^ d)
			b.recv(peer, tag, got)
			b.send(peer, tag, acc)
			if t.rank&d == 0 {
				b.reduce(acc, got)
			} else {
				b.reduce(got, acc)
				acc, got = got, acc
			}
		}
		b.copy(out, acc)
	}
	b.unfold(v, t, out)
}

// halve is the reduce-scatter of a team: partners at half the distance each time exchange the half that they do not keep.
// at(i) is where block i of acc begins; in the end the member has block t.rank.
func (b *builder) halve(t team, acc, got Span, at func(int) int) {
	lo, hi := 0, t.size
	for tag, d := 0, t.size/2; d > 0; tag, d = tag+1, d/2 {
		peer := b.absolute(t.member(t.rank ^ d))
		mid := lo + d
		keepLo, keepHi, giveLo, giveHi := lo, mid, mid, hi
		if t.rank&d != 0 {
			keepLo, keepHi, giveLo, giveHi = mid, hi, lo, mid
		}
		keep := acc.part(at(keepLo), at(keepHi)-at(keepLo))
		give := acc.part(at(giveLo), at(giveHi)-at(giveLo))
		in := got.part(0, keep.Len)
		if keep.Len > 0 {
			b.recv(peer, tag, in)
		}
		if give.Len > 0 {
			b.send(peer, tag, give)
		}
		b.reduce(keep, in)
		b.next()
		lo, hi = keepLo, keepHi
	}
}

// spread is the opposite of halve: it gathers the blocks of a team at all of its members.
func (b *builder) spread(t team, acc Span, at func(int) int) {
	for tag, d := tagMore, 1; d < t.size; tag, d = tag+1, 2*d {
		peer := b.absolute(t.member(t.rank ^ d))
		mine := t.rank &^ (d - 1)
		his := mine ^ d
		in := acc.part(at(his), at(his+d)-at(his))
		out := acc.part(at(mine), at(mine+d)-at(mine))
		if in.Len > 0 {
			b.recv(peer, tag, in)
		}
		if out.Len > 0 {
			b.send(peer, tag, out)
		}
		b.next()
	}
}

func allreduceRabenseifner(b *builder) {
	v, size := b.a.Rank, b.size()
	b.a.Root = 0
	t := b.team(v)
	acc, got := Span{Out, 0, size}, Span{}
	if t.rank >= 0 {
		got = b.scratch(size)
	}
	b.fold(v, t, acc, Span{In, 0, size}, got)
	if t.rank >= 0 {
		k := blocks{b.a.Count, t.size, b.a.Size}
		b.halve(t, acc, got, k.at)
		b.spread(t, acc, k.at)
	}
	b.unfold(v, t, acc)
}

// reduceRabenseifner reduces by halving and gathers the blocks at the root.
func reduceRabenseifner(b *builder) {
	v, size := b.relative(), b.size()
	t := b.team(v)
	if t.rank < 0 {
		b.fold(v, t, Span{}, Span{In, 0, size}, Span{})
		return
	}
	acc := Span{Out, 0, size}
	if v != 0 {
		acc = b.scratch(size)
	}
	got := b.scratch(size)
	b.fold(v, t, acc, Span{In, 0, size}, got)
	k := blocks{b.a.Count, t.size, b.a.Size}
	b.halve(t, acc, got, k.at)
	for tag, d := tagMore, 1; d < t.size; tag, d = tag+1, 2*d {
		if t.rank&d != 0 {
			if s := k.of(acc, t.rank, t.rank+d); s.Len > 0 {
				b.send(b.absolute(t.member(t.rank-d)), tag, s)
			}
			return
		}
		if s := k.of(acc, t.rank+d, t.rank+2*d); s.Len > 0 {
			b.recv(b.absolute(t.member(t.rank+d)), tag, s)
			b.next()
		}
	}
}

// allreduceRing lets partial sums of n pieces go round, and then the sums.
func allreduceRing(b *builder) {
	r, n, k := b.a.Rank, b.n(), blocks{b.a.Count, b.n(), b.a.Size}
	acc := Span{Out, 0, b.size()}
	got := b.scratch(k.at(1))
	left, right := (r-1+n)%n, (r+1)%n
	b.copy(acc, Span{In, 0, b.size()})
	b.next()
	step := func(tag, out, in int, reduce bool) {
		s, d := k.of(acc, out, out+1), k.of(acc, in, in+1)
		to := d
		if reduce {
			to = got.part(0, d.Len)
		}
		if d.Len > 0 {
			b.recv(left, tag, to)
		}
		if s.Len > 0 {
			b.send(right, tag, s)
		}
		if reduce {
			b.reduce(d, to)
		}
		b.next()
	}
	for i := range n - 1 {
		step(i, (r-i+n)%n, (r-i-1+n)%n, true)
	}
	for i := range n - 1 {
		step(tagMore+i, (r+1-i+n)%n, (r-i+n)%n, false)
	}
}

// reduceScatterHalving folds, halves and hands the blocks of those beyond the team back to them.
func reduceScatterHalving(b *builder) {
	v, n, size := b.a.Rank, b.n(), b.size()
	b.a.Root = 0
	t := b.team(v)
	in, out := Span{In, 0, n * size}, Span{Out, 0, size}
	if t.rank < 0 {
		b.fold(v, t, Span{}, in, Span{})
		b.unfold(v, t, out)
		return
	}
	acc, got := b.scratch(n*size), b.scratch(n*size)
	b.fold(v, t, acc, in, got)
	b.halve(t, acc, got, func(i int) int { // a member of the team has its own block, and that of who handed over to it
		if i >= t.size {
			return n * size
		}
		return t.member(i) * size
	})
	b.copy(out, acc.part(v*size, size))
	if v < 2*t.extra {
		b.unfold(v, t, acc.part((v+1)*size, size))
	}
}

// reduceScatterPairwise gives each other member its block of operands, one after the other.
func reduceScatterPairwise(b *builder) {
	r, n, size := b.a.Rank, b.n(), b.size()
	in, out, got := Span{In, 0, n * size}, Span{Out, 0, size}, b.scratch(size)
	b.copy(out, in.part(r*size, size))
	for i := 1; i < n; i++ {
		to, from := (r+i)%n, (r-i+n)%n
		b.recv(from, i, got)
		b.send(to, i, in.part(to*size, size))
		b.reduce(out, got)
		b.next()
	}
}

// inOrder gathers the operands of n·count elements at the root and reduces them there, one after the other, into result.
func (b *builder) inOrder(result Span) {
	size := result.Len
	if b.a.Rank != b.a.Root {
		b.gather(size, Span{In, 0, size}, Span{})
		return
	}
	all := b.scratch(size * b.n())
	b.gather(size, Span{In, 0, size}, all)
	b.copy(result, all.part(0, size))
	for i := 1; i < b.n(); i++ {
		b.reduce(result, all.part(i*size, size))
	}
	b.next()
}

func reduceInOrder(b *builder) { b.inOrder(Span{Out, 0, b.size()}) }

func allreduceInOrder(b *builder) {
	b.a.Root = 0
	out := Span{Out, 0, b.size()}
	b.inOrder(out)
	b.next()
	b.tag = tagMore
	v := b.relative()
	if v != 0 {
		b.recv(b.absolute(v&(v-1)), 0, out)
		b.next()
	}
	b.children(v, func(c, _ int) { b.send(b.absolute(c), 0, out) })
}

func reduceScatterInOrder(b *builder) {
	b.a.Root = 0
	all := Span{Tmp, 0, b.size() * b.n()}
	if b.a.Rank == 0 {
		all = b.scratch(all.Len)
	}
	b.inOrder(all)
	b.next()
	b.tag = tagMore
	b.scatter(b.size(), all, Span{Out, 0, b.size()})
}
