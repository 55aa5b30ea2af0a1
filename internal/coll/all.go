package coll

// allgatherDoubling exchanges all blocks at distance 1, 2, 4; for a power of two of members.
func allgatherDoubling(b *builder) {
	r, size := b.a.Rank, b.size()
	out := Span{Out, 0, b.n() * size}
	b.copy(out.part(r*size, size), Span{In, 0, size})
	for tag, d := 0, 1; d < b.n(); tag, d = tag+1, 2*d {
		mine := r &^ (d - 1)
		b.recv(r^d, tag, out.part((mine^d)*size, d*size))
		b.send(r^d, tag, out.part(mine*size, d*size))
		b.next()
	}
}

// allgatherBruck is for any number of members: each has its own block first, and turns them round in the end.
func allgatherBruck(b *builder) {
	r, n, size := b.a.Rank, b.n(), b.size()
	out := Span{Out, 0, n * size}
	turned := out // of rank 0 there is nothing to turn
	if r != 0 {
		turned = b.scratch(n * size)
	}
	b.copy(turned.part(0, size), Span{In, 0, size})
	for tag, d := 0, 1; d < n; tag, d = tag+1, 2*d {
		m := min(d, n-d)
		b.recv((r+d)%n, tag, turned.part(d*size, m*size))
		b.send((r-d+n)%n, tag, turned.part(0, m*size))
		b.next()
	}
	if r != 0 {
		head := (n - r) * size
		b.copy(out.part(r*size, head), turned.part(0, head))
		b.copy(out.part(0, r*size), turned.part(head, r*size))
	}
}

// allgatherRing lets the blocks go round.
func allgatherRing(b *builder) {
	r, n, size := b.a.Rank, b.n(), b.size()
	out := Span{Out, 0, n * size}
	b.copy(out.part(r*size, size), Span{In, 0, size})
	b.next()
	for i := range n - 1 {
		b.recv((r-1+n)%n, i, out.part((r-i-1+n)%n*size, size))
		b.send((r+1)%n, i, out.part((r-i+n)%n*size, size))
		b.next()
	}
}

// alltoallScattered posts everything at once, beginning with the next member, so that not all begin with the same one.
func alltoallScattered(b *builder) {
	r, n, size := b.a.Rank, b.n(), b.size()
	for i := 1; i < n; i++ {
		from := (r - i + n) % n
		b.recv(from, from, Span{Out, from * size, size})
	}
	for i := 1; i < n; i++ {
		to := (r + i) % n
		b.send(to, r, Span{In, to * size, size})
	}
	b.copy(Span{Out, r * size, size}, Span{In, r * size, size})
}

// alltoallPairwise serves one partner after the other.
func alltoallPairwise(b *builder) {
	r, n, size := b.a.Rank, b.n(), b.size()
	b.copy(Span{Out, r * size, size}, Span{In, r * size, size})
	for i := 1; i < n; i++ {
		to, from := (r+i)%n, (r-i+n)%n
		b.recv(from, i, Span{Out, from * size, size})
		b.send(to, i, Span{In, to * size, size})
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
		b.copy(held.part(j*size, size), Span{In, (r + j) % n * size, size})
	}
	for tag, d := 0, 1; d < n; tag, d = tag+1, 2*d {
		m := b.with(d, func(i, j int) { b.copy(packed.part(i*size, size), held.part(j*size, size)) })
		b.next()
		b.recv((r-d+n)%n, tag, got.part(0, m*size))
		b.send((r+d)%n, tag, packed.part(0, m*size))
		b.with(d, func(i, j int) { b.copy(held.part(j*size, size), got.part(i*size, size)) })
	}
	for j := range n {
		b.copy(Span{Out, (r - j + n) % n * size, size}, held.part(j*size, size))
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
