package coll

import (
	"bytes"
	"encoding/binary"
)

// Elements of the tests are pairs of numbers, so that an operand that is missing or taken twice shows.
const elem = 16

type combine func(dst, src []byte)

// sum counts commutatively.
func sum(dst, src []byte) {
	for i := 0; i < len(dst); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], binary.LittleEndian.Uint64(dst[i:])+binary.LittleEndian.Uint64(src[i:]))
	}
}

// chain is associative and not commutative: the elements are functions ax + b, done one after the other.
func chain(dst, src []byte) {
	for i := 0; i < len(dst); i += elem {
		a, b := binary.LittleEndian.Uint64(dst[i:]), binary.LittleEndian.Uint64(dst[i+8:])
		c, d := binary.LittleEndian.Uint64(src[i:]), binary.LittleEndian.Uint64(src[i+8:])
		binary.LittleEndian.PutUint64(dst[i:], a*c)
		binary.LittleEndian.PutUint64(dst[i+8:], c*b+d)
	}
}

// inorder is neither commutative nor associative: x op y = 3x + y.
func inorder(dst, src []byte) {
	for i := 0; i < len(dst); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], 3*binary.LittleEndian.Uint64(dst[i:])+binary.LittleEndian.Uint64(src[i:]))
	}
}

// opOf is the worst operation that a's reduction must stand.
func opOf(a Args) combine {
	switch {
	case a.Ordered:
		return inorder
	case a.InRankOrder:
		return chain
	}
	return sum
}

type edge struct{ from, to, count int }

// problem is one operation of all members, and what it means.
type problem struct {
	Args           // what is common; Count of operations without a Vector
	counts [][]int // of vector operations: elements from one member to another; of gatherv and its like [i][0] of member i
	edges  []edge  // of neighbourhood exchanges
	op     combine
	mixed  bool // only members of even rank are in place
}

// args are those of a member.
func (p *problem) args(rank int) Args {
	a := p.Args
	a.Rank = rank
	if a.Coll.Rooted() && rank != a.Root || p.mixed && rank%2 != 0 {
		a.InPlace = false
	}
	if !a.Coll.Vectored() {
		return a
	}
	v := new(Vector)
	a.Vector = v
	var firsts []int
	for _, c := range p.counts {
		firsts = append(firsts, c[0])
	}
	switch a.Coll {
	case Gatherv, Scatterv, Allgatherv, ReduceScatterv:
		a.Count = firsts[rank]
		switch {
		case a.Coll == Scatterv && rank == a.Root:
			v.Send = firsts
		case a.Coll != Scatterv && (a.Coll != Gatherv || rank == a.Root):
			v.Recv = firsts
		}
	case Alltoallv:
		a.Count = 0
		if !a.InPlace || rank == 0 { // in place both forms are allowed
			v.Send = p.counts[rank]
		}
		for _, row := range p.counts {
			v.Recv = append(v.Recv, row[rank])
		}
	default:
		a.Count = 0
		if a.Coll == NeighborAllgather {
			a.Count = firsts[rank]
		}
		for _, e := range p.edges {
			if e.from == rank {
				v.Dests = append(v.Dests, e.to)
				if a.Coll == NeighborAlltoall {
					v.Send = append(v.Send, e.count)
				}
			}
			if e.to == rank {
				v.Sources = append(v.Sources, e.from)
				v.Recv = append(v.Recv, p.edgeCount(e))
			}
		}
	}
	return a
}

func (p *problem) edgeCount(e edge) int {
	if p.Coll == NeighborAllgather {
		return p.counts[e.from][0]
	}
	return e.count
}

// data is what a member contributes, in one of its places: 8-byte numbers that tell member and place.
func data(rank, place, n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], uint64(rank+1)*1000003+uint64(place)*7919+uint64(i)*uint64(rank*rank+7)|1)
	}
	return b
}

func poison(n int) []byte { return bytes.Repeat([]byte{0xee}, n) }

// buffers gives what a member has in each buffer before and after, by the definition of the operation.
func (p *problem) buffers(rank int) (before, after map[Buf][]byte) {
	a := p.args(rank)
	n, one := a.Members, a.Count*a.Size
	before, after = make(map[Buf][]byte), make(map[Buf][]byte)
	root := rank == a.Root
	bytesOf := func(i, j int) int { return p.counts[i][j] * a.Size }
	all := func(f func(r int) []byte) (out []byte) {
		for r := range n {
			out = append(out, f(r)...)
		}
		return out
	}
	reduced := func(to int, f func(r int) []byte) []byte {
		out := f(0)
		for r := 1; r <= to; r++ {
			p.op(out, f(r))
		}
		return out
	}
	whole := func(r int) []byte { return data(r, 0, one) }
	set := func(b Buf, was, is []byte) { before[b], after[b] = was, is }
	in := func(x []byte) { set(In, x, x) }
	// out is a result, whose memory holds was when the operation is in place.
	out := func(was, is []byte) {
		set(Out, poison(len(is)), is)
		if a.InPlace {
			copy(before[Out], was)
			set(In, nil, nil)
		}
	}
	switch a.Coll {
	case Broadcast:
		in(nil)
		set(Out, poison(one), data(a.Root, 0, one))
		if root {
			in(data(a.Root, 0, one))
			delete(before, Out) // the same memory
		}
	case Alltoall:
		in(data(rank, 0, n*one))
		out(before[In], all(func(r int) []byte { return data(r, 0, n*one)[rank*one:][:one] }))
	case Allreduce:
		in(whole(rank))
		out(whole(rank), reduced(n-1, whole))
	case Allgather, Gather:
		in(whole(rank))
		if a.Coll == Allgather || root {
			x := poison(n * one)
			copy(x[rank*one:], whole(rank))
			out(x, all(whole))
		}
	case ReduceScatter, ReduceScatterv:
		at := []int{0}
		for r := range n {
			l := one
			if a.Vector != nil {
				l = a.Vector.Recv[r] * a.Size
			}
			at = append(at, at[r]+l)
		}
		in(data(rank, 0, at[n]))
		is := reduced(n-1, func(r int) []byte { return data(r, 0, at[n])[at[rank]:at[rank+1]] })
		if out(nil, is); a.InPlace {
			x := data(rank, 0, at[n])
			set(Out, x, append(is, x[len(is):]...))
		}
	case Reduce:
		in(whole(rank))
		if root {
			out(whole(rank), reduced(n-1, whole))
		}
	case Scatter:
		if root {
			in(data(rank, 0, n*one))
		}
		if !a.InPlace {
			set(Out, poison(one), data(a.Root, 0, n*one)[rank*one:][:one])
		}
	case Scan:
		in(whole(rank))
		out(whole(rank), reduced(rank, whole))
	case Exscan:
		in(whole(rank))
		is := poison(one)
		if rank > 0 {
			is = reduced(rank-1, whole)
		} else if a.InPlace {
			is = whole(rank)
		}
		out(whole(rank), is)
	case Gatherv, Allgatherv:
		in(whole(rank))
		if a.Coll == Allgatherv || root {
			for i := range n {
				x := data(i, 0, bytesOf(i, 0))
				set(OutBlock(i), poison(len(x)), x)
			}
		}
		if a.InPlace {
			in(nil)
			before[OutBlock(rank)] = whole(rank)
		}
	case Scatterv:
		if root {
			for i := range n {
				x := data(rank, i, bytesOf(i, 0))
				set(InBlock(i), x, x)
			}
		}
		if !a.InPlace {
			set(Out, poison(one), data(a.Root, rank, one))
		}
	case Alltoallv:
		for i := range n {
			x, y := data(rank, i, bytesOf(rank, i)), data(i, rank, bytesOf(i, rank))
			set(OutBlock(i), poison(len(y)), y)
			if a.InPlace {
				before[OutBlock(i)] = x
			} else {
				set(InBlock(i), x, x)
			}
		}
	case NeighborAllgather, NeighborAlltoall:
		if a.Coll == NeighborAllgather {
			in(whole(rank))
		}
		sent, got := 0, 0
		for place, e := range p.edges {
			if a.Coll == NeighborAllgather {
				place = 0
			}
			x := data(e.from, place, p.edgeCount(e)*a.Size)
			if e.from == rank && a.Coll == NeighborAlltoall {
				set(InBlock(sent), x, x)
				sent++
			}
			if e.to == rank {
				set(OutBlock(got), poison(len(x)), x)
				got++
			}
		}
	}
	return before, after
}
