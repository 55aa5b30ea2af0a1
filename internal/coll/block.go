package coll

// toBlock is what the member has for member i, of operations that have a block for each.
func (b *builder) toBlock(i int) Span {
	if v := b.a.Vector; v != nil && b.a.Coll != ReduceScatterv {
		if b.a.Coll == Alltoallv && b.a.InPlace {
			return b.block(i)
		}
		return Span{InBlock(i), 0, v.Send[i] * b.a.Size}
	}
	at := b.parts()
	buf := In
	if b.a.InPlace && b.a.Coll != Scatter {
		buf = Out
	}
	return Span{buf, at(i), at(i+1) - at(i)}
}

// block is where what comes from member i is wanted, of operations that have a block of each.
func (b *builder) block(i int) Span {
	if v := b.a.Vector; v != nil {
		return Span{OutBlock(i), 0, v.Recv[i] * b.a.Size}
	}
	return Span{Out, i * b.size(), b.size()}
}

// parts gives where part i of the blocks of all members begins, when they lie side by side.
func (b *builder) parts() func(i int) int {
	if b.a.Vector == nil {
		size := b.size()
		return func(i int) int { return i * size }
	}
	at := make([]int, 1, b.n()+1)
	for i, c := range b.a.Vector.Recv {
		at = append(at, at[i]+c*b.a.Size)
	}
	return func(i int) int { return at[i] }
}

// sendSome and recvSome leave out what is empty, which both sides know.
func (b *builder) sendSome(to, tag int, src Span) {
	if src.Len > 0 {
		b.send(to, tag, src)
	}
}

func (b *builder) recvSome(from, tag int, dst Span) {
	if dst.Len > 0 {
		b.recv(from, tag, dst)
	}
}
