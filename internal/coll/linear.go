package coll

// Linear algorithms have one round: everybody sends straight to whoever needs it. The tag is the sender's rank.

func broadcastLinear(b *builder) {
	size := b.size()
	if b.a.Rank != b.a.Root {
		b.recv(b.a.Root, 0, Span{Out, 0, size})
		return
	}
	b.others(func(to int) { b.send(to, 0, Span{In, 0, size}) })
}

// others calls f for the other members, the next one first, so that not all begin with the same one.
func (b *builder) others(f func(rank int)) {
	for i := 1; i < b.n(); i++ {
		f((b.a.Rank + i) % b.n())
	}
}

func gatherLinear(b *builder) {
	own := b.input(b.size())
	if b.a.Rank != b.a.Root {
		b.sendSome(b.a.Root, b.a.Rank, own)
		return
	}
	b.others(func(from int) { b.recvSome(from, from, b.block(from)) })
	b.copy(b.block(b.a.Rank), own)
}

func scatterLinear(b *builder) {
	own := Span{Out, 0, b.size()}
	if b.a.Rank != b.a.Root {
		b.recvSome(b.a.Root, 0, own)
		return
	}
	b.others(func(to int) { b.sendSome(to, 0, b.toBlock(to)) })
	if !b.a.InPlace {
		b.copy(own, b.toBlock(b.a.Rank))
	}
}

func allgatherLinear(b *builder) {
	own := b.input(b.size())
	b.others(func(from int) { b.recvSome(from, from, b.block(from)) })
	b.others(func(to int) { b.sendSome(to, b.a.Rank, own) })
	b.copy(b.block(b.a.Rank), own)
}

func reduceLinear(b *builder) {
	own := b.input(b.size())
	if b.a.Rank != b.a.Root {
		b.send(b.a.Root, b.a.Rank, own)
		return
	}
	b.foldAll(own, Span{Out, 0, b.size()}, func() {})
}

func allreduceLinear(b *builder) {
	own := b.input(b.size())
	b.foldAll(own, Span{Out, 0, b.size()}, func() {
		b.others(func(to int) { b.send(to, b.a.Rank, own) })
	})
}

func reduceScatterLinear(b *builder) {
	own := b.toBlock(b.a.Rank)
	b.foldAll(own, Span{Out, 0, own.Len}, func() {
		b.others(func(to int) { b.sendSome(to, b.a.Rank, b.toBlock(to)) })
	})
}

// foldAll receives an operand of each other member, sends, and reduces all into out, one by one in the order of ranks.
func (b *builder) foldAll(own, out Span, send func()) {
	operands := make([]Span, b.n())
	for i := range operands {
		switch {
		case i == b.a.Rank:
			operands[i] = own
			continue
		case i == 0 && !b.a.InPlace:
			operands[i] = out
		default:
			operands[i] = b.scratch(own.Len)
		}
		b.recvSome(i, i, operands[i])
	}
	send()
	acc := operands[0]
	if b.a.Rank == 0 {
		acc = out
		b.copy(out, own)
	}
	for _, x := range operands[1:] {
		b.reduce(acc, x)
	}
	b.copy(out, acc)
}
