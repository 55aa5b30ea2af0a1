package coll

// allreduceRing lets partial sums of n pieces go round, and then the sums: each member sends 2(n-1)/n of the data.
func allreduceRing(b *builder) { b.ring(max(b.size(), 1)) }

// allreduceSegmentedRing does it in segments: what has come in is reduced while it is in the cache, and the other members
// go on with the segments before.
func allreduceSegmentedRing(b *builder) {
	n := b.n()
	b.ring(b.segments((b.a.Count/n+1)*b.a.Size, tagMore/n))
}

// ring has segments of a number of bytes.
func (b *builder) ring(each int) {
	r, n, k := b.a.Rank, b.n(), blocks{b.a.Count, b.n(), b.a.Size}
	acc := Span{Out, 0, b.size()}
	got := b.scratch(min(k.at(1), each))
	left, right := (r-1+n)%n, (r+1)%n
	count := segments{Span{Len: k.at(1)}, each}.count() // the first piece has the most
	b.copy(acc, b.input(b.size()))
	b.next()
	for i := range n - 1 {
		out, in := segments{k.of(acc, (r-i+n)%n, (r-i+n)%n+1), each}, segments{k.of(acc, (r-i-1+n)%n, (r-i-1+n)%n+1), each}
		for j := range count {
			to := got.part(0, in.at(j).Len)
			b.recvSome(left, i*count+j, to)
			b.sendSome(right, i*count+j, out.at(j))
			b.reduce(in.at(j), to)
			b.next()
		}
	}
	for i := range n - 1 {
		out, in := segments{k.of(acc, (r+1-i+n)%n, (r+1-i+n)%n+1), each}, segments{k.of(acc, (r-i+n)%n, (r-i+n)%n+1), each}
		for j := range count {
			b.recvSome(left, tagMore+i*count+j, in.at(j))
			b.sendSome(right, tagMore+i*count+j, out.at(j))
			b.next()
		}
	}
}
