package interop_test

import (
	"slices"

	"github.com/gofabric/gofabric/mpi"
)

// Kinds of collective operations and forms of calls, as scripts number them.
const (
	collBarrier = iota
	collBcast
	collGather
	collScatter
	collAllgather
	collAlltoall
	collReduce
	collAllreduce
	collReduceScatterBlock
	collReduceScatter
	collScan
	collExscan
	collGatherv
	collScatterv
	collAllgatherv
	collAlltoallv
	colls
)

const (
	formBlocking = iota
	formRequest
	formPersistent
	formLate // waited for at the next drain
	forms
)

func (r *rank) collective(c *mpi.Comm) error {
	which, form, typ := r.number(), r.number(), r.number()
	switch typ {
	case typeI32:
		return collect(r, c, integers[int32](), which, form)
	case typeI64:
		return collect(r, c, integers[int64](), which, form)
	case typeF32:
		return collect(r, c, floats[float32](), which, form)
	case typeF64:
		return collect(r, c, floats[float64](), which, form)
	case typeU8:
		return collect(r, c, integers[uint8](), which, form)
	case typeU16:
		return collect(r, c, integers[uint16](), which, form)
	case typeInts:
		return collect(r, c, ints, which, form)
	case typeDoubleInt:
		return collect(r, c, doubleInt, which, form)
	}
	return collect(r, c, matrices, which, form)
}

// operation is one collective operation of a rank with its memory.
type operation[T any] struct {
	which, op, root int
	inPlace         bool
	counts, theirs  []int // of the parts of mine, and of recv
	mine, recv      []T
	place           int // of the own part of recv, in place
	result          int // elements of recv that are the result
}

// parts cuts a vector.
func parts[T any](v []T, counts []int) [][]T {
	out := make([][]T, len(counts))
	for i, n := range counts {
		out[i], v = v[:n:n], v[n:]
	}
	return out
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// measure finds out how long everything is.
func (o *operation[T]) measure(c *mpi.Comm, n, stride, modulus int) {
	size, rank := c.Size(), c.Rank()
	root := rank == o.root
	counted := func(row, times int) []int {
		out := make([]int, size)
		for i := range out {
			out[i] = n
			if modulus != 0 {
				out[i] = (n + (row+i*times)*stride) % modulus
			}
		}
		return out
	}
	var send, recv int
	switch o.which {
	case collBcast:
		send = n
	case collGather, collGatherv:
		o.counts = slices.Repeat([]int{n}, size)
		if o.which == collGatherv {
			o.counts = counted(0, 1)
		}
		send, o.place, o.inPlace = o.counts[rank], sum(o.counts[:rank]), o.inPlace && root
		if root {
			recv = sum(o.counts)
		}
		o.result = recv
	case collScatter, collScatterv:
		o.counts = slices.Repeat([]int{n}, size)
		if o.which == collScatterv {
			o.counts = counted(0, 1)
		}
		recv, o.inPlace = o.counts[rank], o.inPlace && root
		if root {
			send = sum(o.counts)
		}
		if !o.inPlace {
			o.result = recv
		}
	case collAllgather, collAllgatherv:
		o.counts = slices.Repeat([]int{n}, size)
		if o.which == collAllgatherv {
			o.counts = counted(0, 1)
		}
		send, recv, o.place = o.counts[rank], sum(o.counts), sum(o.counts[:rank])
		o.result = recv
	case collAlltoall:
		send, recv, o.result = n*size, n*size, n*size
	case collReduce:
		send, recv, o.inPlace = n, n, o.inPlace && root
		if root {
			o.result = n
		}
	case collAllreduce, collScan:
		send, recv, o.result = n, n, n
	case collExscan:
		send, recv = n, n
		if rank > 0 {
			o.result = n
		}
	case collReduceScatterBlock, collReduceScatter:
		o.counts = slices.Repeat([]int{n}, size)
		if o.which == collReduceScatter {
			o.counts = counted(0, 1)
		}
		send, recv, o.result = sum(o.counts), o.counts[rank], o.counts[rank]
		if o.inPlace {
			recv = send
		}
	case collAlltoallv: // what i sends to j, j expects of i
		times := 3
		if o.inPlace {
			times = 1
		}
		o.counts, o.theirs = counted(rank*times, 1), counted(rank, times)
		send, recv = sum(o.counts), sum(o.theirs)
		o.result = recv
	}
	o.mine, o.recv = make([]T, send), make([]T, recv)
}

func collect[T any](r *rank, c *mpi.Comm, k kind[T], which, form int) error {
	o := &operation[T]{which: which}
	var n, stride, modulus, inPlace int
	if err := r.numbers(&o.op, &n, &stride, &modulus, &o.root, &inPlace); err != nil {
		return err
	}
	o.root %= c.Size()
	o.inPlace = inPlace != 0
	o.measure(c, n, stride, modulus)
	step := r.step
	prepare := func() {
		k.fill(o.mine, step, o.op, r.me, 1)
		k.fill(o.recv, step, o.op, r.me, 2)
		if o.inPlace && which != collScatter && which != collScatterv {
			copy(o.recv[o.place:], o.mine)
		}
	}
	show := func() {
		now := r.step
		r.step = step
		switch which {
		case collBarrier:
		case collBcast:
			r.say("collective: %016x", k.digest(o.mine))
		default:
			r.say("collective: %016x %016x", k.digest(o.recv[:o.result]), k.digest(o.mine))
		}
		r.step = now
	}
	prepare()
	switch form {
	case formBlocking:
		if err := o.block(r, c); err != nil {
			return err
		}
	case formPersistent:
		p, err := o.init(c)
		if err != nil {
			return err
		}
		for range 2 {
			prepare()
			if err := p.Start(); err != nil {
				return err
			}
			if _, err := p.Wait(r.ctx); err != nil {
				return err
			}
		}
	default:
		q, err := o.begin(c)
		if err != nil {
			return err
		}
		end := func() error {
			if _, err := q.Wait(r.ctx); err != nil {
				return err
			}
			show()
			return nil
		}
		if form == formLate {
			r.late = append(r.late, end)
			return nil
		}
		return end()
	}
	show()
	return nil
}
