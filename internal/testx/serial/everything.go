package serial

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// Caller is one member of a group. It belongs to one goroutine.
type Caller struct {
	EP    *fabric.Endpoint
	Group fi.Addr
	Rank  int
	Addrs []fi.Addr // of all members, by rank
	// Wait gives the outcome of the operation that was posted with ctx; posted is what posting has said.
	Wait func(ctx any, posted error) error
}

// Everything does every collective with every operation on every type. All members call it. Errors: the first call that
// failed or gave something else than one processor computes.
func (c *Caller) Everything() error {
	b := batch{c: c}
	for dt := fi.TypeInt8; dt <= fi.TypeFloat8E5M2; dt++ {
		b.moves(dt, 1+int(dt)%3)
		for op := fi.AtomicMin; op <= fi.AtomicDiff; op++ {
			if fiatomic.Valid(fi.AtomicBase, dt, op) == nil {
				b.reductions(dt, op, 3)
			}
		}
		if err := b.wait(); err != nil {
			return err
		}
	}
	return nil
}

// Large does collectives with blocks of some numbers of bytes, where algorithms change. All members call it, with the same
// sizes. Errors: as Everything.
func (c *Caller) Large(sizes ...int) error {
	b := batch{c: c}
	for _, n := range sizes {
		b.moves(fi.TypeInt32, n/4)
		b.reductions(fi.TypeInt64, fi.AtomicSum, n/8)
		b.reductions(fi.TypeInt16, fi.AtomicDiff, n/2)
		count, dt, op := n, fi.TypeUint32, fi.AtomicBXor // four times as long
		in, out := Value(dt, op, c.Rank, count), make([]byte, count*dt.Size())
		b.add("long allreduce", dt, out, Reduced(dt, op, len(c.Addrs), count), func(ctx any) error {
			return c.EP.Allreduce(in, out, c.Group, dt, op, 0, ctx)
		})
		if err := b.wait(); err != nil {
			return err
		}
	}
	return nil
}

// Value gives what a member contributes: count elements that reductions of floats compute exactly, in any order.
func Value(dt fi.Datatype, op fi.AtomicOp, rank, count int) []byte {
	b := make([]byte, count*dt.Size())
	x := uint64(rank+1)*0x9e3779b97f4a7c15 + uint64(dt)<<8
	next := func() uint64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return x
	}
	float := func() float64 {
		v := float64(next() >> 32 & 1) // the sum of any members is small: half of them have -1, the others 1, or 0
		if rank%2 == 1 {
			v = -v
		}
		if op == fi.AtomicProd {
			v = float64(int(next()>>32&1)*2 - 1)
		}
		return v
	}
	le := binary.NativeEndian
	if dt < fi.TypeFloat || dt == fi.TypeInt128 || dt == fi.TypeUint128 || dt == fi.TypeLongDouble || dt == fi.TypeLongDoubleComplex {
		i := 0
		for ; i+8 <= len(b); i += 8 { // integers wrap around, and those without operations are only moved: any bits
			le.PutUint64(b[i:], next())
		}
		for ; i < len(b); i++ {
			b[i] = byte(next())
		}
		return b
	}
	for i := range count {
		e := b[i*dt.Size():]
		switch dt {
		case fi.TypeFloat:
			le.PutUint32(e, math.Float32bits(float32(float())))
		case fi.TypeDouble:
			le.PutUint64(e, math.Float64bits(float()))
		case fi.TypeFloatComplex:
			le.PutUint32(e, math.Float32bits(float32(float())))
			if op != fi.AtomicProd {
				le.PutUint32(e[4:], math.Float32bits(float32(float())))
			}
		case fi.TypeDoubleComplex:
			le.PutUint64(e, math.Float64bits(float()))
			if op != fi.AtomicProd {
				le.PutUint64(e[8:], math.Float64bits(float()))
			}
		case fi.TypeFloat16:
			le.PutUint16(e, fiatomic.ToFloat16(float32(float())))
		case fi.TypeBFloat16:
			le.PutUint16(e, fiatomic.ToBFloat16(float32(float())))
		case fi.TypeFloat8E4M3:
			e[0] = fiatomic.ToFloat8E4M3(float32(float()))
		case fi.TypeFloat8E5M2:
			e[0] = fiatomic.ToFloat8E5M2(float32(float()))
		}
	}
	return b
}

// Reduced is what a reduction of n members gives, done one after the other.
func Reduced(dt fi.Datatype, op fi.AtomicOp, n, count int) []byte {
	k, err := fiatomic.Lookup(fi.AtomicBase, dt, op)
	if err != nil {
		panic(err) // callers have asked fiatomic.Valid
	}
	out := Value(dt, op, 0, count)
	for r := 1; r < n; r++ {
		if err := k.Apply(out, Value(dt, op, r, count), nil, nil, count); err != nil {
			panic(err) // the lengths are ours
		}
	}
	return out
}

// same compares, but -0 with 0: which of them comes first is the order's.
func same(dt fi.Datatype, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	if dt >= fi.TypeFloat && dt <= fi.TypeDoubleComplex || dt >= fi.TypeFloat16 {
		part := dt.Size()
		if dt == fi.TypeFloatComplex || dt == fi.TypeDoubleComplex {
			part /= 2
		}
		got, want = bytes.Clone(got), bytes.Clone(want)
		for _, b := range [][]byte{got, want} {
			for i := 0; i+part <= len(b); i += part {
				e := b[i : i+part]
				sign := part - 1
				if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
					sign = 0
				}
				e[sign] &^= 0x80
				zero := true
				for _, x := range e {
					zero = zero && x == 0
				}
				if !zero {
					e[sign] |= 0x80 & b[i+sign]
				}
			}
		}
		if bytes.Equal(got, want) {
			return nil
		}
	}
	if len(got) > 64 {
		for i := range got {
			if got[i] != want[i] {
				return fmt.Errorf("byte %d of %d is %#x, want %#x", i, len(got), got[i], want[i])
			}
		}
	}
	return fmt.Errorf("%x, want %x", got, want)
}

// batch are operations that were posted and not waited for: many are under way at once.
type batch struct {
	c     *Caller
	posts []posted
}

type posted struct {
	what      string
	ctx       any
	err       error
	got, want []byte
	dt        fi.Datatype
}

// add posts an operation whose result must be want.
func (b *batch) add(what string, dt fi.Datatype, got, want []byte, post func(ctx any) error) {
	p := posted{what: what, ctx: new(int), got: got, want: want, dt: dt}
	p.err = post(p.ctx)
	b.posts = append(b.posts, p)
}

// wait waits for all and looks at their results.
func (b *batch) wait() error {
	for _, p := range b.posts {
		err := b.c.Wait(p.ctx, p.err)
		if err == nil {
			err = same(p.dt, p.got, p.want)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.what, err)
		}
	}
	b.posts = b.posts[:0]
	return nil
}

func (b *batch) reductions(dt fi.Datatype, op fi.AtomicOp, count int) {
	c, at, n, size := b.c, b.c.Group, len(b.c.Addrs), count*dt.Size()
	what := fmt.Sprintf("%v of %d %v: ", op, count, dt)
	in, want := Value(dt, op, c.Rank, count), Reduced(dt, op, n, count)
	out := make([]byte, size)
	b.add(what+"allreduce", dt, out, want, func(ctx any) error { return c.EP.Allreduce(in, out, at, dt, op, 0, ctx) })
	root := int(op+fi.AtomicOp(dt)) % n
	var res, wantRes []byte
	if c.Rank == root {
		res, wantRes = make([]byte, size), want
	}
	b.add(fmt.Sprintf("%sreduce to %d", what, root), dt, res, wantRes, func(ctx any) error {
		return c.EP.Reduce(in, res, at, c.Addrs[root], dt, op, 0, ctx)
	})
	ins, wants, part := Value(dt, op, c.Rank, n*count), Reduced(dt, op, n, n*count), make([]byte, size)
	b.add(what+"reduce_scatter", dt, part, wants[c.Rank*size:(c.Rank+1)*size], func(ctx any) error {
		return c.EP.ReduceScatter(ins, part, at, dt, op, 0, ctx)
	})
}

func (b *batch) moves(dt fi.Datatype, count int) {
	c, at, n, size := b.c, b.c.Group, len(b.c.Addrs), count*dt.Size()
	what := fmt.Sprintf("%d of %v: ", count, dt)
	data := func(rank, blocks int) []byte { return Value(fi.TypeUint8, fi.AtomicSum, rank, blocks*size) }
	add := func(name string, got, want []byte, post func(ctx any) error) {
		b.add(what+name, fi.TypeUint8, got, want, post)
	}
	add("barrier", nil, nil, func(ctx any) error { return c.EP.Barrier(at, ctx) })
	rank := (int(dt) + count) % n
	root := c.Addrs[rank]
	one := make([]byte, size)
	if c.Rank == rank {
		copy(one, data(rank, 1))
	}
	add("broadcast", one, data(rank, 1), func(ctx any) error { return c.EP.Broadcast(one, at, root, dt, 0, ctx) })
	var every, mine []byte
	for r := range n {
		every = append(every, data(r, 1)...)
		mine = append(mine, data(r, n)[c.Rank*size:(c.Rank+1)*size]...)
	}
	all, others := make([]byte, n*size), make([]byte, n*size)
	add("allgather", all, every, func(ctx any) error { return c.EP.Allgather(data(c.Rank, 1), all, at, dt, 0, ctx) })
	add("alltoall", others, mine, func(ctx any) error { return c.EP.Alltoall(data(c.Rank, n), others, at, dt, 0, ctx) })
	var res, want, in []byte
	if c.Rank == rank {
		res, want, in = make([]byte, n*size), every, data(rank, n)
	}
	add("gather", res, want, func(ctx any) error { return c.EP.Gather(data(c.Rank, 1), res, at, root, dt, 0, ctx) })
	out := make([]byte, size)
	add("scatter", out, data(rank, n)[c.Rank*size:(c.Rank+1)*size], func(ctx any) error { return c.EP.Scatter(in, out, at, root, dt, 0, ctx) })
}
