package coll

// neighborScattered posts everything at once. A tag is made of the sender's rank and how many messages it has sent to the
// same member before: what the receiver finds by counting how often it names the sender.
func neighborScattered(b *builder) {
	v := b.a.Vector
	seen := make(map[int]int)
	tag := func(peer, sender int) int {
		k := seen[peer]
		seen[peer]++
		return k*b.n() + sender
	}
	for i, p := range v.Sources {
		if p != b.a.Rank {
			b.recvSome(p, tag(p, p), b.block(i))
		}
	}
	clear(seen)
	for i, p := range v.Dests {
		if p != b.a.Rank {
			b.sendSome(p, tag(p, b.a.Rank), b.toNeighbor(i))
		}
	}
	from, to := v.own(b.a.Rank)
	for i := range from {
		b.copy(b.block(from[i]), b.toNeighbor(to[i]))
	}
}

// toNeighbor is what goes to destination i.
func (b *builder) toNeighbor(i int) Span {
	if b.a.Coll == NeighborAllgather {
		return b.input(b.size())
	}
	return b.toBlock(i)
}
