package coll

// scanDoubling gives what each has of the members before it to the member at distance 1, 2, 4 above. Operands stay in the
// order of ranks: what comes in is the left one, and the result takes its memory.
func scanDoubling(b *builder) {
	r, n, size := b.a.Rank, b.n(), b.size()
	out := Span{Out, 0, size}
	acc, got := b.input(size), b.scratch(size)
	free := out // whatever was in place has been used before this is written
	for tag, d := 0, 1; d < n; tag, d = tag+1, 2*d {
		if r >= d {
			b.recv(r-d, tag, got)
		}
		if r+d < n {
			b.send(r+d, tag, acc)
		}
		if r >= d {
			b.reduce(got, acc)
			acc, got, free = got, free, got
		}
	}
	b.copy(out, acc)
}

// exscanDoubling does the same, and has the reduction without the own operand beside it.
func exscanDoubling(b *builder) {
	r, n, size := b.a.Rank, b.n(), b.size()
	own, out := b.input(size), Span{Out, 0, size}
	acc, got, spare, third := own, Span{}, Span{}, Span{}
	if r > 0 {
		got, spare, third = b.scratch(size), b.scratch(size), b.scratch(size)
	}
	for tag, d := 0, 1; d < n; tag, d = tag+1, 2*d {
		if r >= d {
			b.recv(r-d, tag, got)
		}
		if r+d < n {
			b.send(r+d, tag, acc)
		}
		if r >= d {
			if r+2*d < n { // nobody needs it otherwise
				b.copy(spare, got)
				b.reduce(spare, acc)
				if acc == own {
					acc, spare = spare, third
				} else {
					acc, spare = spare, acc
				}
			}
			if d > 1 {
				b.reduce(got, out)
			}
			b.copy(out, got)
		}
	}
}

// scanInOrder hands what has been reduced from one member to the next.
func scanInOrder(b *builder) {
	r, size := b.a.Rank, b.size()
	own, out := b.input(size), Span{Out, 0, size}
	if r == 0 {
		b.copy(out, own)
	} else {
		got := out
		if b.a.InPlace {
			got = b.scratch(size)
		}
		b.recv(r-1, 0, got)
		b.reduce(got, own)
		b.copy(out, got)
	}
	b.next()
	if r+1 < b.n() {
		b.send(r+1, 0, out)
	}
}

func exscanInOrder(b *builder) {
	r, last, size := b.a.Rank, b.n()-1, b.size()
	own, out := b.input(size), Span{Out, 0, size}
	acc := own
	switch r {
	case 0:
	case last:
		b.recv(r-1, 0, out)
		return
	default:
		got := b.scratch(size)
		acc = b.scratch(size)
		b.recv(r-1, 0, got)
		b.copy(acc, got)
		b.reduce(acc, own)
		b.copy(out, got)
	}
	b.next()
	b.send(r+1, 0, acc)
}
