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
	tagMore = 1 << 20 // the second of two phases
	tagFold = 1 << 21
	tagBack = 1 << 22
)

// fold hands operands of members beyond the team over: of v odd to v-1. It gives where the operands of a member of the
// team are then: in acc, or still in.
func (b *builder) fold(v int, t team, acc, in, got Span) Span {
	switch {
	case t.rank < 0:
		b.send(b.absolute(v-1), tagFold, in)
		b.next()
	case v < 2*t.extra:
		b.recv(b.absolute(v+1), tagFold, got)
		b.copy(acc, in)
		b.reduce(acc, got)
		b.next()
		return acc
	}
	return in
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

// order is the distance to partners of halvings: it begins near, which keeps operands in the order of ranks and lets the
// longest messages go to neighbours, or it begins far, which gives each member the block of its own rank.
type order uint8

const (
	near order = iota
	far
)

// place is the number of the block that a member of a team has after halving, and the member that has a block.
func (o order) place(rank, size int) int {
	if o == far {
		return rank
	}
	p := 0 // bits in reverse
	for d := 1; d < size; d *= 2 {
		p = 2 * p
		if rank&d != 0 {
			p++
		}
	}
	return p
}

// halve is the reduce-scatter of a team: partners exchange the half that they do not keep. Operands are in has, which is
// acc or is only read. at(i) is where block i begins; in the end the member has block o.place of the span that is returned:
// acc, or got when the own operand is the right one of an operation whose operands have an order. All are of one length.
func (b *builder) halve(t team, o order, has, acc, got Span, at func(int) int) Span {
	lo, hi := 0, t.size
	for tag := 0; hi-lo > 1; tag++ {
		d := (hi - lo) / 2
		mid := lo + d
		if o == near {
			d = 1 << tag
		}
		peer := b.absolute(t.member(t.rank ^ d))
		keepLo, keepHi, giveLo, giveHi := lo, mid, mid, hi
		upper := t.rank&d != 0
		if upper {
			keepLo, keepHi, giveLo, giveHi = mid, hi, lo, mid
		}
		of := func(s Span) Span { return s.part(at(keepLo), at(keepHi)-at(keepLo)) }
		in, left := of(got), b.a.InRankOrder && !upper // left: the own operand must be
		if has != acc && !left {
			in = of(acc) // the result is wanted there, and the own operand may be added to it
		}
		b.recvSome(peer, tag, in)
		b.sendSome(peer, tag, has.part(at(giveLo), at(giveHi)-at(giveLo)))
		switch {
		case has != acc && !left:
			b.reduce(in, of(has))
		case upper && b.a.InRankOrder:
			b.reduce(in, of(acc))
			acc, got = got, acc
		default:
			b.copy(of(acc), of(has))
			b.reduce(of(acc), in)
		}
		b.next()
		lo, hi, has = keepLo, keepHi, acc
	}
	return acc
}

// spread is the opposite of halve in the order near: it gathers the blocks of a team at all of its members.
func (b *builder) spread(t team, acc Span, at func(int) int) {
	place := near.place(t.rank, t.size)
	for tag, d, m := tagMore, t.size/2, 1; d > 0; tag, d, m = tag+1, d/2, 2*m {
		peer := b.absolute(t.member(t.rank ^ d))
		mine := place &^ (m - 1)
		his := mine ^ m
		b.recvSome(peer, tag, acc.part(at(his), at(his+m)-at(his)))
		b.sendSome(peer, tag, acc.part(at(mine), at(mine+m)-at(mine)))
		b.next()
	}
}
