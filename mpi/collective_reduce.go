package mpi

import (
	"context"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/element"
)

// Reduce combines the elements of all members' send, one by one, into the root's recv (MPI_Reduce; MPI 4.1, 6.9.1). recv
// matters at the root only; a nil send there says that the root's operands are in recv, which is overwritten
// (MPI_IN_PLACE).
//
// Errors: as Bcast; ErrCount, ErrOp.
func Reduce[T any](ctx context.Context, c *Comm, send, recv []T, op Op, root int) error {
	if c != nil && c.inter != nil {
		return reduceAcross(ctx, c, send, recv, op, root)
	}
	k := reduceTo(c, "Reduce", blocking, send, recv, op, root)
	return c.do(ctx, &k)
}

// noReduction says what intercommunicators have not: their reductions consist of several operations.
const noReduction = "has reductions that block only, and no scans: Merge it first"

func reduceTo[T any](c *Comm, call string, f form, send, recv []T, op Op, root int) collective {
	k, e := describe[T](c, call, f, coll.Reduce)
	k.within(c, noReduction)
	k.root(c, root)
	k.reduces(op, e)
	switch {
	case k.err != nil:
	case c.rank != root:
		k.args.Count = len(send)
		k.in = element.Bytes(send)
	default:
		k.inOut(element.Bytes(send), element.Bytes(recv), send == nil)
	}
	return k
}

// inOut sets the memory of a reduction: one block in, one out.
func (k *collective) inOut(in, out []byte, inPlace bool) {
	k.args.InPlace = inPlace
	k.args.Count = len(out) / k.args.Size
	if !inPlace && len(in) != len(out) {
		k.wrong(ErrCount, "%d elements are given and %d expected back: these must be as many", len(in)/k.args.Size, k.args.Count)
	}
	k.buffers(in, out)
}

// Allreduce combines the elements of all members' send, one by one, into everybody's recv: the same bits at all
// (MPI_Allreduce; MPI 4.1, 6.9.6). A nil send says that the operands are in recv, which is overwritten (MPI_IN_PLACE).
//
// Errors: as Reduce.
func Allreduce[T any](ctx context.Context, c *Comm, send, recv []T, op Op) error {
	if c != nil && c.inter != nil {
		return allreduceAcross(ctx, c, send, recv, op)
	}
	k := allreduce(c, "Allreduce", blocking, coll.Allreduce, send, recv, op)
	return c.do(ctx, &k)
}

// allreduce is for what has a block in and a block out: allreduce and scans.
func allreduce[T any](c *Comm, call string, f form, what coll.Coll, send, recv []T, op Op) collective {
	k, e := describe[T](c, call, f, what)
	k.within(c, noReduction)
	k.reduces(op, e)
	if k.err == nil {
		k.inOut(element.Bytes(send), element.Bytes(recv), send == nil)
	}
	return k
}

// Scan combines the elements of the members up to this one, itself included, into recv (MPI_Scan; MPI 4.1, 6.11.1). A nil
// send says that the operands are in recv, which is overwritten (MPI_IN_PLACE).
//
// Errors: as Reduce.
func Scan[T any](ctx context.Context, c *Comm, send, recv []T, op Op) error {
	k := allreduce(c, "Scan", blocking, coll.Scan, send, recv, op)
	return c.do(ctx, &k)
}

// Exscan combines the elements of the members before this one into recv (MPI_Exscan; MPI 4.1, 6.11.2); that of rank 0 stays
// as it is. A nil send says that the operands are in recv, which is overwritten (MPI_IN_PLACE).
//
// Errors: as Reduce.
func Exscan[T any](ctx context.Context, c *Comm, send, recv []T, op Op) error {
	k := allreduce(c, "Exscan", blocking, coll.Exscan, send, recv, op)
	return c.do(ctx, &k)
}

// ReduceScatterBlock combines the elements of all members' send, one by one, and hands the result out in equal parts in the
// order of ranks (MPI_Reduce_scatter_block; MPI 4.1, 6.10.1). With a nil send the operands are in recv, and the result comes
// to its beginning (MPI_IN_PLACE).
//
// Errors: as Reduce.
func ReduceScatterBlock[T any](ctx context.Context, c *Comm, send, recv []T, op Op) error {
	if c != nil && c.inter != nil {
		return reduceScatterAcross(ctx, c, "ReduceScatterBlock", send, recv, nil, op)
	}
	k := reduceScatterBlock(c, "ReduceScatterBlock", blocking, send, recv, op)
	return c.do(ctx, &k)
}

func reduceScatterBlock[T any](c *Comm, call string, f form, send, recv []T, op Op) collective {
	k, e := describe[T](c, call, f, coll.ReduceScatter)
	k.within(c, noReduction)
	k.reduces(op, e)
	switch {
	case k.err != nil:
	case send == nil:
		k.args.InPlace = true
		k.args.Count = k.share(c, "recv", len(recv))
	default:
		k.args.Count = len(recv)
		if len(send) != len(recv)*c.size {
			k.wrong(ErrCount, "%d elements for each of %d members from %d", len(recv), c.size, len(send))
		}
	}
	if k.err == nil {
		k.buffers(element.Bytes(send), element.Bytes(recv))
	}
	return k
}

// ReduceScatter combines the elements of all members' send, one by one, and hands the result out: counts[i] elements to
// member i, in the order of ranks (MPI_Reduce_scatter; MPI 4.1, 6.10.2). counts is the same at all members. With a nil send
// the operands are in recv, and the result comes to its beginning (MPI_IN_PLACE).
//
// Errors: as Reduce.
func ReduceScatter[T any](ctx context.Context, c *Comm, send, recv []T, counts []int, op Op) error {
	if c != nil && c.inter != nil {
		return reduceScatterAcross(ctx, c, "ReduceScatter", send, recv, counts, op)
	}
	k := reduceScatter(c, "ReduceScatter", blocking, send, recv, counts, op)
	return c.do(ctx, &k)
}

func reduceScatter[T any](c *Comm, call string, f form, send, recv []T, counts []int, op Op) collective {
	k, e := describe[T](c, call, f, coll.ReduceScatterv)
	k.within(c, noReduction)
	k.args.Vector = &coll.Vector{Recv: counts}
	k.reduces(op, e)
	if k.err == nil {
		k.counts(c, counts)
	}
	if k.err != nil {
		return k
	}
	all := 0
	for _, n := range counts {
		all += n
	}
	k.args.InPlace = send == nil
	k.args.Count = counts[c.rank]
	switch {
	case send == nil && len(recv) != all:
		k.wrong(ErrCount, "recv has %d elements, counts have %d in all", len(recv), all)
	case send != nil && len(send) != all:
		k.wrong(ErrCount, "send has %d elements, counts have %d in all", len(send), all)
	case send != nil && len(recv) != counts[c.rank]:
		k.wrong(ErrCount, "recv has %d elements, counts say %d", len(recv), counts[c.rank])
	}
	k.buffers(element.Bytes(send), element.Bytes(recv))
	return k
}

// counts checks a count for each member.
func (k *collective) counts(c *Comm, counts []int) {
	if len(counts) != c.size {
		k.wrong(ErrCount, "%d counts for %d members", len(counts), c.size)
		return
	}
	for i, n := range counts {
		if n < 0 {
			k.wrong(ErrCount, "count %d is %d", i, n)
			return
		}
	}
}
