package coll

// atOnce is how many partners a round of alltoallScattered has.
const atOnce = 32

// alltoallScattered posts much at once, beginning with the next member, so that not all begin with the same one.
func alltoallScattered(b *builder) {
	r, n := b.a.Rank, b.n()
	from := b.toBlock
	if b.a.InPlace { // what comes in must not meet what has still to go out
		from = b.aside()
		b.next()
	}
	for i := 1; i < n; i += atOnce {
		for j := i; j < min(n, i+atOnce); j++ {
			p := (r - j + n) % n
			b.recvSome(p, p, b.block(p))
		}
		for j := i; j < min(n, i+atOnce); j++ {
			p := (r + j) % n
			b.sendSome(p, r, from(p))
		}
		if i+atOnce < n {
			b.next()
		}
	}
	b.copy(b.block(r), b.toBlock(r))
}

// aside takes a copy of what goes to the other members, and tells where it is.
func (b *builder) aside() func(i int) Span {
	spans := make([]Span, b.n())
	for i := range spans {
		if s := b.toBlock(i); i != b.a.Rank {
			spans[i] = b.scratch(s.Len)
			b.copy(spans[i], s)
		}
	}
	return func(i int) Span { return spans[i] }
}

// alltoallPairwise serves one partner after the other. Both are each other's partners in the same round, so that in place
// one block of scratch memory is enough.
func alltoallPairwise(b *builder) {
	r, n := b.a.Rank, b.n()
	most := 0
	for i := range n {
		if i != r {
			most = max(most, b.block(i).Len)
		}
	}
	var got Span
	if b.a.InPlace {
		got = b.scratch(most)
	} else {
		b.copy(b.block(r), b.toBlock(r))
	}
	b.next()
	for i := range n {
		p := (i - r + n) % n
		if n&(n-1) == 0 {
			p = r ^ i
		}
		if p == r {
			continue
		}
		to := b.block(p)
		if b.a.InPlace {
			to = got.part(0, to.Len)
		}
		b.recvSome(p, p, to)
		b.sendSome(p, r, b.toBlock(p))
		b.copy(b.block(p), to)
		b.next()
	}
}

// alltoallBruck moves a block for the member at distance j by the powers of two of which j consists: few rounds, in each
// of which half of all blocks go together.
func alltoallBruck(b *builder) {
	r, n, size := b.a.Rank, b.n(), b.size()
	held := b.scratch(n * size) // block j is for the member j further
	most := 0
	for d := 1; d < n; d *= 2 {
		most = max(most, b.with(d, nil))
	}
	packed, got := b.scratch(most*size), b.scratch(most*size)
	for j := range n {
		b.copy(held.part(j*size, size), b.toBlock((r+j)%n))
	}
	for tag, d := 0, 1; d < n; tag, d = tag+1, 2*d {
		m := b.with(d, func(i, j int) { b.copy(packed.part(i*size, size), held.part(j*size, size)) })
		b.next()
		b.recv((r-d+n)%n, tag, got.part(0, m*size))
		b.send((r+d)%n, tag, packed.part(0, m*size))
		b.with(d, func(i, j int) { b.copy(held.part(j*size, size), got.part(i*size, size)) })
	}
	for j := range n {
		b.copy(b.block((r-j+n)%n), held.part(j*size, size))
	}
}

// with calls f for the distances that contain the power of two d, and counts them.
func (b *builder) with(d int, f func(i, j int)) int {
	i := 0
	for j := range b.n() {
		if j&d != 0 {
			if f != nil {
				f(i, j)
			}
			i++
		}
	}
	return i
}
