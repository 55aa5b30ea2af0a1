package mpi

import (
	"context"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/element"
)

// Bcast sends the elements of the root's buf into everybody's (MPI_Bcast; MPI 4.1, 6.4). All have the same length.
//
// Errors: ErrComm, ErrType, ErrRoot; ErrMismatch when members call different things; ErrProcFailed; ctx's, see package
// documentation.
func Bcast[T any](ctx context.Context, c *Comm, buf []T, root int) error {
	k := bcast(c, "Bcast", blocking, buf, root)
	return c.do(ctx, &k)
}

func bcast[T any](c *Comm, call string, f form, buf []T, root int) collective {
	k, _ := describe[T](c, call, f, coll.Broadcast)
	if k.across(c, coll.NeighborAllgather) {
		bcastAcross(&k, c, buf, root)
		return k
	}
	k.root(c, root)
	k.args.Count = len(buf)
	if k.err == nil && c.rank == root {
		k.in = element.Bytes(buf)
	} else if k.err == nil {
		k.out = element.Bytes(buf)
	}
	return k
}

// Gather collects the elements of all members' send in recv of the root, one after the other in the order of ranks
// (MPI_Gather; MPI 4.1, 6.5). All send equally many. recv matters at the root only; a nil send there says that its own part
// is in recv already (MPI_IN_PLACE).
//
// Errors: as Bcast; ErrCount.
func Gather[T any](ctx context.Context, c *Comm, send, recv []T, root int) error {
	k := gather(c, "Gather", blocking, send, recv, root)
	return c.do(ctx, &k)
}

func gather[T any](c *Comm, call string, f form, send, recv []T, root int) collective {
	k, _ := describe[T](c, call, f, coll.Gather)
	if k.across(c, coll.NeighborAllgather) {
		gatherAcross(&k, c, send, recv, root)
		return k
	}
	k.root(c, root)
	switch {
	case k.err != nil:
	case c.rank != root:
		k.args.Count = len(send)
		k.in = element.Bytes(send)
	case send == nil:
		k.args.InPlace = true
		k.args.Count = k.share(c, "recv", len(recv))
		k.out = element.Bytes(recv)
	default:
		k.args.Count = len(send)
		if len(recv) != len(send)*c.size {
			k.wrong(ErrCount, "%d elements of each of %d members into %d", len(send), c.size, len(recv))
		}
		k.buffers(element.Bytes(send), element.Bytes(recv))
	}
	return k
}

// Scatter hands the elements of the root's send out to the recv of all members, in the order of ranks (MPI_Scatter; MPI 4.1,
// 6.6). All get equally many. send matters at the root only; a nil recv there leaves its own part where it is
// (MPI_IN_PLACE).
//
// Errors: as Gather.
func Scatter[T any](ctx context.Context, c *Comm, send, recv []T, root int) error {
	k := scatter(c, "Scatter", blocking, send, recv, root)
	return c.do(ctx, &k)
}

func scatter[T any](c *Comm, call string, f form, send, recv []T, root int) collective {
	k, _ := describe[T](c, call, f, coll.Scatter)
	if k.across(c, coll.NeighborAlltoall) {
		scatterAcross(&k, c, send, recv, root)
		return k
	}
	k.root(c, root)
	switch {
	case k.err != nil:
	case c.rank != root:
		k.args.Count = len(recv)
		k.out = element.Bytes(recv)
	case recv == nil:
		k.args.InPlace = true
		k.args.Count = k.share(c, "send", len(send))
		k.in = element.Bytes(send)
	default:
		k.args.Count = len(recv)
		if len(send) != len(recv)*c.size {
			k.wrong(ErrCount, "%d elements for each of %d members from %d", len(recv), c.size, len(send))
		}
		k.buffers(element.Bytes(send), element.Bytes(recv))
	}
	return k
}

// Allgather collects the elements of all members' send in everybody's recv, in the order of ranks (MPI_Allgather; MPI 4.1,
// 6.7). A nil send says that one's own part is in recv already (MPI_IN_PLACE).
//
// Errors: as Gather.
func Allgather[T any](ctx context.Context, c *Comm, send, recv []T) error {
	k := allgather(c, "Allgather", blocking, send, recv)
	return c.do(ctx, &k)
}

func allgather[T any](c *Comm, call string, f form, send, recv []T) collective {
	k, _ := describe[T](c, call, f, coll.Allgather)
	if k.across(c, coll.NeighborAllgather) {
		allgatherAcross(&k, c, send, recv)
		return k
	}
	if k.err != nil {
		return k
	}
	if send == nil {
		k.args.InPlace = true
		k.args.Count = k.share(c, "recv", len(recv))
	} else {
		k.args.Count = len(send)
		if len(recv) != len(send)*c.size {
			k.wrong(ErrCount, "%d elements of each of %d members into %d", len(send), c.size, len(recv))
		}
	}
	k.buffers(element.Bytes(send), element.Bytes(recv))
	return k
}

// Alltoall sends the elements of send in equal parts to the members, in the order of ranks, and collects what they send in
// recv (MPI_Alltoall; MPI 4.1, 6.8). With a nil send what is in recv is sent, and replaced (MPI_IN_PLACE).
//
// Errors: as Gather.
func Alltoall[T any](ctx context.Context, c *Comm, send, recv []T) error {
	k := alltoall(c, "Alltoall", blocking, send, recv)
	return c.do(ctx, &k)
}

func alltoall[T any](c *Comm, call string, f form, send, recv []T) collective {
	k, _ := describe[T](c, call, f, coll.Alltoall)
	if k.across(c, coll.NeighborAlltoall) {
		alltoallAcross(&k, c, send, recv)
		return k
	}
	if k.err != nil {
		return k
	}
	k.args.Count = k.share(c, "recv", len(recv))
	if send == nil {
		k.args.InPlace = true
	} else if len(send) != len(recv) {
		k.wrong(ErrCount, "%d elements are sent and %d received: these must be as many", len(send), len(recv))
	}
	k.buffers(element.Bytes(send), element.Bytes(recv))
	return k
}
