package coll

// allgatherDoubling exchanges all blocks at distance 1, 2, 4; for a power of two of members.
func allgatherDoubling(b *builder) {
	r, size := b.a.Rank, b.size()
	out := Span{Out, 0, b.n() * size}
	b.copy(out.part(r*size, size), b.input(size))
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
	at := make([]int, 1, n+1) // where the block of the member at distance i begins
	for i := range n {
		at = append(at, at[i]+b.block((r+i)%n).Len)
	}
	turned := Span{Out, 0, at[n]} // of rank 0 there is nothing to turn
	inOut := r == 0 && b.a.Vector == nil
	if !inOut {
		turned = b.scratch(at[n])
	}
	b.copy(turned.part(0, size), b.input(size))
	for tag, d := 0, 1; d < n; tag, d = tag+1, 2*d {
		m := min(d, n-d)
		b.recvSome((r+d)%n, tag, turned.part(at[d], at[d+m]-at[d]))
		b.sendSome((r-d+n)%n, tag, turned.part(0, at[m]))
		b.next()
	}
	switch {
	case inOut:
	case b.a.Vector != nil:
		for i := range n {
			b.copy(b.block((r+i)%n), turned.part(at[i], at[i+1]-at[i]))
		}
	default:
		b.copy(Span{Out, r * size, at[n-r]}, turned.part(0, at[n-r]))
		b.copy(Span{Out, 0, r * size}, turned.part(at[n-r], r*size))
	}
}

// allgatherRing lets the blocks go round.
func allgatherRing(b *builder) {
	r, n, size := b.a.Rank, b.n(), b.size()
	b.copy(b.block(r), b.input(size))
	b.next()
	for i := range n - 1 {
		b.recvSome((r-1+n)%n, i, b.block((r-i-1+n)%n))
		b.sendSome((r+1)%n, i, b.block((r-i+n)%n))
		b.next()
	}
}
