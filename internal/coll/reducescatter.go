package coll

// reduceScatterHalving folds, halves and hands the blocks of those beyond the team back to them.
func reduceScatterHalving(b *builder) {
	v, n, at := b.a.Rank, b.n(), b.parts()
	b.a.Root = 0
	t := b.team(v)
	in, out := b.input(at(n)), Span{Out, 0, at(v+1) - at(v)}
	if t.rank < 0 {
		b.fold(v, t, Span{}, in, Span{})
		b.unfold(v, t, out)
		return
	}
	acc, got := b.scratch(at(n)), b.scratch(at(n))
	has := b.fold(v, t, acc, in, got)
	o := far
	if b.a.InRankOrder {
		o = near
	}
	begins := make([]int, 1, t.size+1) // of what a place has: the block of its member, and of who handed over to it
	for i := range t.size {
		m := o.place(i, t.size)
		first, last := at(t.member(m)), at(n)
		if m+1 < t.size {
			last = at(t.member(m + 1))
		}
		if o == near {
			b.copy(got.part(begins[i], last-first), has.part(first, last-first))
		}
		begins = append(begins, begins[i]+last-first)
	}
	if o == near {
		acc, got, has = got, acc, got
	}
	b.next()
	acc = b.halve(t, o, has, acc, got, func(i int) int { return begins[i] })
	mine := begins[o.place(t.rank, t.size)]
	b.copy(out, acc.part(mine, out.Len))
	if v < 2*t.extra {
		b.unfold(v, t, acc.part(mine+out.Len, at(v+2)-at(v+1)))
	}
}

// reduceScatterPairwise gives each other member its block of operands, one after the other.
func reduceScatterPairwise(b *builder) {
	r, n := b.a.Rank, b.n()
	own := b.toBlock(r)
	out := Span{Out, 0, own.Len}
	acc, got := out, b.scratch(own.Len)
	if b.a.InPlace { // the beginning of Out is another member's block of operands until it has been sent
		acc = b.scratch(own.Len)
	}
	for i := 1; i < n; i++ {
		to, from := (r+i)%n, (r-i+n)%n
		in, add := got, got
		if i == 1 { // the own operand is added to what comes in
			in, add = acc, own
		}
		b.recvSome(from, i, in)
		b.sendSome(to, i, b.toBlock(to))
		b.reduce(acc, add)
		b.next()
	}
	b.copy(out, acc)
}
