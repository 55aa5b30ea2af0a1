package coll

// barrier is the dissemination barrier: in round k each member tells the one 2^k further, and hears of the one 2^k before.
func barrier(b *builder) {
	for k, d := 0, 1; d < b.n(); k, d = k+1, 2*d {
		b.send((b.a.Rank+d)%b.n(), k, Span{}) // first: the next member waits for it
		b.recv((b.a.Rank-d+b.n())%b.n(), k, Span{})
		b.next()
	}
}
