package coll

// A binomial tree over relative ranks: v is the distance from the root. The parent of v is v without its lowest bit, its
// subtree are the members from v up to that bit's distance.

// relative is this member's distance from the root.
func (b *builder) relative() int { return (b.a.Rank - b.a.Root + b.n()) % b.n() }

// absolute is the rank of who is v from the root.
func (b *builder) absolute(v int) int { return (v + b.a.Root) % b.n() }

// reach is how far the subtree of v reaches: its lowest bit, for the root the power of two that spans all.
func (b *builder) reach(v int) int {
	if v != 0 {
		return v & -v
	}
	d := 1
	for d < b.n() {
		d *= 2
	}
	return d
}

// children calls f for each child of v, the farthest first, with the length of its subtree.
func (b *builder) children(v int, f func(child, members int)) {
	for d := b.reach(v) / 2; d > 0; d /= 2 {
		if c := v + d; c < b.n() {
			f(c, min(d, b.n()-c))
		}
	}
}

func broadcastBinomial(b *builder) {
	v, data := b.relative(), Span{Out, 0, b.size()}
	if v == 0 {
		data.Buf = In
	} else {
		b.recv(b.absolute(v&(v-1)), 0, data)
		b.next()
	}
	b.children(v, func(c, _ int) { b.send(b.absolute(c), 0, data) })
}

// broadcastScatterRing gives each member a piece by a tree and lets the pieces go round.
func broadcastScatterRing(b *builder) {
	v, n, k := b.relative(), b.n(), blocks{b.a.Count, b.n(), b.a.Size}
	data := Span{Out, 0, b.size()}
	if v == 0 {
		data.Buf = In
	} else if s := k.of(data, v, min(v+b.reach(v), n)); s.Len > 0 {
		b.recv(b.absolute(v&(v-1)), 0, s)
		b.next()
	}
	b.children(v, func(c, m int) {
		if s := k.of(data, c, c+m); s.Len > 0 {
			b.send(b.absolute(c), 0, s)
		}
	})
	b.next()
	has := min(b.reach(v), n) // pieces from v on that the tree has brought
	for i := range n - 1 {
		out, in := (v-i+n)%n, (v-i-1+n)%n
		left, right := (v-1+n)%n, (v+1)%n
		if s := k.of(data, in, in+1); s.Len > 0 && !holds(v, has, in, n) {
			b.recv(b.absolute(left), 1+i, s)
		}
		if s := k.of(data, out, out+1); s.Len > 0 && !holds(right, min(b.reach(right), n-right), out, n) {
			b.send(b.absolute(right), 1+i, s)
		}
		b.next()
	}
}

// holds tells whether piece p is among the has pieces that member v got from the tree.
func holds(v, has, p, n int) bool { return p >= v && p < min(v+has, n) }

// tagOf is the number of v's lowest bit: what tells the children of one parent apart.
func tagOf(v int) int {
	t := 0
	for v&1 == 0 {
		v, t = v>>1, t+1
	}
	return t
}

// gatherBinomial collects blocks up the tree. The blocks of a subtree lie side by side, in the order of relative ranks;
// where they would leave the end of the root's result, they come into scratch memory first.
func gatherBinomial(b *builder) {
	b.gather(b.size(), b.input(b.size()), Span{Out, 0, b.size() * b.n()})
}

func (b *builder) gather(size int, own, all Span) {
	v, n := b.relative(), b.n()
	if v != 0 {
		m := min(b.reach(v), n-v)
		if m == 1 {
			b.send(b.absolute(v&(v-1)), tagOf(v), own)
			return
		}
		mine := b.scratch(m * size)
		b.copy(mine.part(0, size), own)
		b.children(v, func(c, m int) { b.recv(b.absolute(c), tagOf(c), mine.part((c-v)*size, m*size)) })
		b.next()
		b.send(b.absolute(v&(v-1)), tagOf(v), mine)
		return
	}
	var after []Step
	b.children(0, func(c, m int) {
		at := b.absolute(c)
		if at+m <= n {
			b.recv(at, tagOf(c), all.part(at*size, m*size))
			return
		}
		got := b.scratch(m * size)
		b.recv(at, tagOf(c), got)
		head := (n - at) * size
		after = append(after, Step{Kind: KindCopy, Dst: all.part(at*size, head), Src: got.part(0, head)},
			Step{Kind: KindCopy, Dst: all.part(0, got.Len-head), Src: got.part(head, got.Len-head)})
	})
	b.cur.Local = append(b.cur.Local, after...)
	b.copy(all.part(b.a.Rank*size, size), own)
}

// scatterBinomial hands blocks down the tree.
func scatterBinomial(b *builder) {
	all, own := Span{In, 0, b.size() * b.n()}, Span{Out, 0, b.size()}
	if b.a.InPlace {
		own = all.part(b.a.Rank*b.size(), b.size()) // where it is
	}
	b.scatter(b.size(), all, own)
}

func (b *builder) scatter(size int, all, own Span) {
	v, n := b.relative(), b.n()
	if v != 0 {
		m := min(b.reach(v), n-v)
		if m == 1 {
			b.recv(b.absolute(v&(v-1)), 0, own)
			return
		}
		mine := b.scratch(m * size)
		b.recv(b.absolute(v&(v-1)), 0, mine)
		b.next()
		b.children(v, func(c, m int) { b.send(b.absolute(c), 0, mine.part((c-v)*size, m*size)) })
		b.copy(own, mine.part(0, size))
		return
	}
	type piece struct {
		to   int
		data Span
	}
	var pieces []piece
	b.children(0, func(c, m int) {
		at := b.absolute(c)
		if at+m <= n {
			pieces = append(pieces, piece{at, all.part(at*size, m*size)})
			return
		}
		packed := b.scratch(m * size)
		head := (n - at) * size
		b.copy(packed.part(0, head), all.part(at*size, head))
		b.copy(packed.part(head, packed.Len-head), all.part(0, packed.Len-head))
		pieces = append(pieces, piece{at, packed})
	})
	for _, p := range pieces {
		b.send(p.to, 0, p.data)
	}
	b.copy(own, all.part(b.a.Rank*size, size))
}
