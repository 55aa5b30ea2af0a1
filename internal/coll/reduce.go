package coll

// toRoot runs f, which reduces to the member at distance 0: the root, or rank 0 when operands have to stay in the order of
// ranks, which then sends the result to the root. acc gives the memory for partial results, and at distance 0 for the whole.
func (b *builder) toRoot(f func(acc func() Span)) {
	root := b.a.Root
	if b.a.InRankOrder {
		b.a.Root = 0
	}
	out := Span{Out, 0, b.size()}
	var result Span
	f(func() Span {
		if result = out; b.relative() != 0 || b.a.Rank != root {
			result = b.scratch(out.Len)
		}
		return result
	})
	if root == b.a.Root {
		return
	}
	b.next()
	switch b.a.Rank {
	case b.a.Root:
		b.send(root, tagBack, result)
	case root:
		b.recv(b.a.Root, tagBack, out)
	}
}

// reduceBinomial reduces up the tree.
func reduceBinomial(b *builder) {
	own := b.input(b.size())
	b.toRoot(func(result func() Span) {
		v := b.relative()
		type child struct{ v, tag int }
		var below []child
		for tag, d := 0, 1; d < b.reach(v) && v+d < b.n(); tag, d = tag+1, 2*d {
			below = append(below, child{v + d, tag})
		}
		if len(below) == 0 {
			b.send(b.absolute(v&(v-1)), tagOf(v), own)
			return
		}
		acc := result()
		has, got := own, acc
		if b.a.InRankOrder || own == acc {
			b.copy(acc, own)
			has = acc
		}
		for _, c := range below {
			if has == acc && got == acc {
				got = b.scratch(b.size())
			}
			b.recv(b.absolute(c.v), c.tag, got)
			if has == acc {
				b.reduce(acc, got)
			} else { // it came into acc, and nobody has asked for an order
				b.reduce(acc, has)
				has = acc
			}
		}
		if v != 0 {
			b.send(b.absolute(v&(v-1)), tagOf(v), acc)
		}
	})
}

// reduceRabenseifner reduces by halving and gathers the blocks at the root.
func reduceRabenseifner(b *builder) {
	own := b.input(b.size())
	b.toRoot(func(result func() Span) {
		v := b.relative()
		t := b.team(v)
		if t.rank < 0 {
			b.fold(v, t, Span{}, own, Span{})
			return
		}
		acc, got := result(), b.scratch(b.size())
		has := b.fold(v, t, acc, own, got)
		k := blocks{b.a.Count, t.size, b.a.Size}
		acc = b.halve(t, near, has, acc, got, k.at)
		place := near.place(t.rank, t.size)
		for tag, d, m := tagMore, t.size/2, 1; d > 0; tag, d, m = tag+1, d/2, 2*m {
			if t.rank&d != 0 {
				b.sendSome(b.absolute(t.member(t.rank-d)), tag, k.of(acc, place, place+m))
				return
			}
			b.recvSome(b.absolute(t.member(t.rank+d)), tag, k.of(acc, place+m, place+2*m))
			b.next()
		}
	})
}
