package interop_test

import "github.com/gofabric/gofabric/mpi"

// arguments are what the calls are given: nil says in place.
func (o *operation[T]) arguments() (send, recv []T, rows [][]T, op mpi.Op) {
	send, recv, op = o.mine, o.recv, ops[o.op]
	if o.which == collAlltoallv && !o.inPlace {
		rows = parts(o.mine, o.counts)
	}
	if o.inPlace {
		send, recv = nil, nil
	}
	return send, recv, rows, op
}

// rows cuts what only the root has.
func (o *operation[T]) rows(v []T) [][]T {
	if len(v) == 0 && sum(o.counts) > 0 {
		return nil
	}
	return parts(v, o.counts)
}

// block calls the operation and waits.
func (o *operation[T]) block(r *rank, c *mpi.Comm) error {
	send, recv, rows, op := o.arguments()
	switch o.which {
	case collBarrier:
		return c.Barrier(r.ctx)
	case collBcast:
		return mpi.Bcast(r.ctx, c, o.mine, o.root)
	case collGather:
		return mpi.Gather(r.ctx, c, send, o.recv, o.root)
	case collScatter:
		return mpi.Scatter(r.ctx, c, o.mine, recv, o.root)
	case collAllgather:
		return mpi.Allgather(r.ctx, c, send, o.recv)
	case collAlltoall:
		return mpi.Alltoall(r.ctx, c, send, o.recv)
	case collReduce:
		return mpi.Reduce(r.ctx, c, send, o.recv, op, o.root)
	case collAllreduce:
		return mpi.Allreduce(r.ctx, c, send, o.recv, op)
	case collReduceScatterBlock:
		return mpi.ReduceScatterBlock(r.ctx, c, send, o.recv, op)
	case collReduceScatter:
		return mpi.ReduceScatter(r.ctx, c, send, o.recv, o.counts, op)
	case collScan:
		return mpi.Scan(r.ctx, c, send, o.recv, op)
	case collExscan:
		return mpi.Exscan(r.ctx, c, send, o.recv, op)
	case collGatherv:
		return mpi.Gatherv(r.ctx, c, send, o.rows(o.recv), o.root)
	case collScatterv:
		return mpi.Scatterv(r.ctx, c, o.rows(o.mine), recv, o.root)
	case collAllgatherv:
		return mpi.Allgatherv(r.ctx, c, send, parts(o.recv, o.counts))
	}
	return mpi.Alltoallv(r.ctx, c, rows, parts(o.recv, o.theirs))
}

// begin begins the operation.
func (o *operation[T]) begin(c *mpi.Comm) (*mpi.Request, error) {
	send, recv, rows, op := o.arguments()
	switch o.which {
	case collBarrier:
		return c.Ibarrier()
	case collBcast:
		return mpi.Ibcast(c, o.mine, o.root)
	case collGather:
		return mpi.Igather(c, send, o.recv, o.root)
	case collScatter:
		return mpi.Iscatter(c, o.mine, recv, o.root)
	case collAllgather:
		return mpi.Iallgather(c, send, o.recv)
	case collAlltoall:
		return mpi.Ialltoall(c, send, o.recv)
	case collReduce:
		return mpi.Ireduce(c, send, o.recv, op, o.root)
	case collAllreduce:
		return mpi.Iallreduce(c, send, o.recv, op)
	case collReduceScatterBlock:
		return mpi.IreduceScatterBlock(c, send, o.recv, op)
	case collReduceScatter:
		return mpi.IreduceScatter(c, send, o.recv, o.counts, op)
	case collScan:
		return mpi.Iscan(c, send, o.recv, op)
	case collExscan:
		return mpi.Iexscan(c, send, o.recv, op)
	case collGatherv:
		return mpi.Igatherv(c, send, o.rows(o.recv), o.root)
	case collScatterv:
		return mpi.Iscatterv(c, o.rows(o.mine), recv, o.root)
	case collAllgatherv:
		return mpi.Iallgatherv(c, send, parts(o.recv, o.counts))
	}
	return mpi.Ialltoallv(c, rows, parts(o.recv, o.theirs))
}

// init prepares the operation.
func (o *operation[T]) init(c *mpi.Comm) (*mpi.Persistent, error) {
	send, recv, rows, op := o.arguments()
	switch o.which {
	case collBarrier:
		return c.BarrierInit()
	case collBcast:
		return mpi.BcastInit(c, o.mine, o.root)
	case collGather:
		return mpi.GatherInit(c, send, o.recv, o.root)
	case collScatter:
		return mpi.ScatterInit(c, o.mine, recv, o.root)
	case collAllgather:
		return mpi.AllgatherInit(c, send, o.recv)
	case collAlltoall:
		return mpi.AlltoallInit(c, send, o.recv)
	case collReduce:
		return mpi.ReduceInit(c, send, o.recv, op, o.root)
	case collAllreduce:
		return mpi.AllreduceInit(c, send, o.recv, op)
	case collReduceScatterBlock:
		return mpi.ReduceScatterBlockInit(c, send, o.recv, op)
	case collReduceScatter:
		return mpi.ReduceScatterInit(c, send, o.recv, o.counts, op)
	case collScan:
		return mpi.ScanInit(c, send, o.recv, op)
	case collExscan:
		return mpi.ExscanInit(c, send, o.recv, op)
	case collGatherv:
		return mpi.GathervInit(c, send, o.rows(o.recv), o.root)
	case collScatterv:
		return mpi.ScattervInit(c, o.rows(o.mine), recv, o.root)
	case collAllgatherv:
		return mpi.AllgathervInit(c, send, parts(o.recv, o.counts))
	}
	return mpi.AlltoallvInit(c, rows, parts(o.recv, o.theirs))
}
