package coll

// allreduceRing lets partial sums of n pieces go round, and then the sums: each member sends 2(n-1)/n of the data.
func allreduceRing(b *builder) { b.ring(max(b.size(), 1)) }

// allreduceSegmentedRing does it in segments: what has come in is reduced while it is in the cache, and the other members
// go on with the segments before.
func allreduceSegmentedRing(b *builder) {
	n := b.n()
	b.ring(b.segments((b.a.Count/n+1)*b.a.Size, tagMore/n))
}

// ring has segments of a number of bytes. Partial sums come straight into Out, and the own operand is added there.
func (b *builder) ring(each int) {
	r, n, k := b.a.Rank, b.n(), blocks{b.a.Count, b.n(), b.a.Size}
	acc, own := Span{Out, 0, b.size()}, b.input(b.size())
	var got Span
	if b.a.InPlace {
		got = b.scratch(min(k.at(1), each))
	}
	left, right := (r-1+n)%n, (r+1)%n
	count := segments{Span{Len: k.at(1)}, each}.count() // the first piece has the most
	piece := func(s Span, i int) segments {
		i = (i + n) % n
		return segments{k.of(s, i, i+1), each}
	}
	for i := range n - 1 {
		out, in, add := piece(acc, r-i), piece(acc, r-i-1), piece(own, r-i-1)
		if i == 0 {
			out = piece(own, r)
		}
		for j := range count {
			to, x := in.at(j), add.at(j)
			if b.a.InPlace { // x is there
				to, x = x, got.part(0, x.Len)
				b.recvSome(left, i*count+j, x)
			} else {
				b.recvSome(left, i*count+j, to)
			}
			b.sendSome(right, i*count+j, out.at(j))
			b.reduce(to, x)
			b.next()
		}
	}
	for i := range n - 1 {
		out, in := piece(acc, r+1-i), piece(acc, r-i)
		for j := range count {
			b.recvSome(left, tagMore+i*count+j, in.at(j))
			b.sendSome(right, tagMore+i*count+j, out.at(j))
			b.next()
		}
	}
}
