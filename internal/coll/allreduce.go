package coll

// allreduceDoubling exchanges everything at distance 1, 2, 4. The side with the lower ranks is the left operand on both
// sides, so that all get the same bits: where the own one is the right operand, the result comes into the memory of what
// was received.
func allreduceDoubling(b *builder) {
	v, size := b.a.Rank, b.size()
	b.a.Root = 0
	t := b.team(v)
	own, out, tmp := b.input(size), Span{Out, 0, size}, b.scratch(size)
	acc := b.fold(v, t, out, own, tmp)
	if t.rank >= 0 {
		for tag, d := 0, 1; d < t.size; tag, d = tag+1, 2*d {
			peer, right := t.member(t.rank^d), t.rank&d != 0
			got := tmp
			if acc == tmp || acc != out && right {
				got = out
			}
			b.recv(peer, tag, got)
			b.send(peer, tag, acc)
			if right {
				b.reduce(got, acc)
				acc = got
				continue
			}
			if acc != tmp { // contributions are not written to
				b.copy(out, acc)
				acc = out
			}
			b.reduce(acc, got)
		}
		b.copy(out, acc)
	}
	b.unfold(v, t, out)
}

func allreduceRabenseifner(b *builder) {
	v, size := b.a.Rank, b.size()
	b.a.Root = 0
	t := b.team(v)
	acc, got := Span{Out, 0, size}, Span{}
	if t.rank >= 0 {
		got = b.scratch(size)
	}
	has := b.fold(v, t, acc, b.input(size), got)
	if t.rank >= 0 {
		k := blocks{b.a.Count, t.size, b.a.Size}
		has = b.halve(t, near, has, acc, got, k.at)
		place := near.place(t.rank, t.size)
		b.copy(k.of(acc, place, place+1), k.of(has, place, place+1))
		b.next()
		b.spread(t, acc, k.at)
	}
	b.unfold(v, t, acc)
}
