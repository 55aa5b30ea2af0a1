package coll

// inOrder gathers the operands of all at the root and reduces them there, one after the other, into result.
func (b *builder) inOrder(result Span) {
	size := result.Len
	own := b.input(size)
	if b.a.Rank != b.a.Root {
		b.gather(size, own, Span{})
		return
	}
	all := b.scratch(size * b.n())
	b.gather(size, own, all)
	b.copy(result, all.part(0, size))
	for i := 1; i < b.n(); i++ {
		b.reduce(result, all.part(i*size, size))
	}
	b.next()
}

func reduceInOrder(b *builder) { b.inOrder(Span{Out, 0, b.size()}) }

func allreduceInOrder(b *builder) {
	b.a.Root = 0
	out := Span{Out, 0, b.size()}
	b.inOrder(out)
	b.next()
	b.tag = tagMore
	v := b.relative()
	if v != 0 {
		b.recv(b.absolute(v&(v-1)), 0, out)
		b.next()
	}
	b.children(v, func(c, _ int) { b.send(b.absolute(c), 0, out) })
}

func reduceScatterInOrder(b *builder) {
	b.a.Root = 0
	r, at := b.a.Rank, b.parts()
	all, out := Span{Tmp, 0, at(b.n())}, Span{Out, 0, at(r+1) - at(r)}
	if r == 0 {
		all = b.scratch(all.Len)
	}
	b.inOrder(all)
	b.next()
	b.tag = tagMore
	switch {
	case b.a.Vector == nil:
		b.scatter(out.Len, all, out)
	case r != 0:
		b.recvSome(0, 0, out)
	default:
		b.others(func(to int) { b.sendSome(to, 0, all.part(at(to), at(to+1)-at(to))) })
		b.copy(out, all.part(0, out.Len))
	}
}
