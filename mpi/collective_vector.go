package mpi

import (
	"context"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/element"
)

// The forms whose blocks differ take a slice for each member, instead of counts and displacements: slices of one array, or
// of several.

// Gatherv collects the elements of member i's send in recv[i] of the root, which must be as long (MPI_Gatherv; MPI 4.1,
// 6.5). recv matters at the root only; a nil send there says that its own part is in its place already (MPI_IN_PLACE).
//
// Errors: as Gather.
func Gatherv[T any](ctx context.Context, c *Comm, send []T, recv [][]T, root int) error {
	k := gatherv(c, "Gatherv", blocking, send, recv, root)
	return c.do(ctx, &k)
}

func gatherv[T any](c *Comm, call string, f form, send []T, recv [][]T, root int) collective {
	k, _ := describe[T](c, call, f, coll.Gatherv)
	if k.across(c, coll.NeighborAllgather) {
		gathervAcross(&k, c, send, recv, root)
		return k
	}
	k.args.Vector = &coll.Vector{}
	k.root(c, root)
	switch {
	case k.err != nil:
		return k
	case c.rank != root:
		k.args.Count = len(send)
		k.in = element.Bytes(send)
		return k
	}
	k.outs, k.args.Vector.Recv = blocks(&k, c, "recv", recv)
	k.own(c, element.Bytes(send), send == nil)
	return k
}

// own sets what a member contributes where a block of the result is for it.
func (k *collective) own(c *Comm, send []byte, inPlace bool) {
	if k.err != nil {
		return
	}
	mine := k.outs[c.rank]
	k.args.InPlace = inPlace
	k.args.Count = len(mine) / k.args.Size
	if !inPlace && len(send) != len(mine) {
		k.wrong(ErrCount, "%d elements are sent, and there is room for %d of one's own", len(send)/k.args.Size, k.args.Count)
	}
	k.in = send
}

// Scatterv hands the root's send[i] to recv of member i, which must be as long (MPI_Scatterv; MPI 4.1, 6.6). send matters at
// the root only; a nil recv there leaves its own part where it is (MPI_IN_PLACE).
//
// Errors: as Gather.
func Scatterv[T any](ctx context.Context, c *Comm, send [][]T, recv []T, root int) error {
	k := scatterv(c, "Scatterv", blocking, send, recv, root)
	return c.do(ctx, &k)
}

func scatterv[T any](c *Comm, call string, f form, send [][]T, recv []T, root int) collective {
	k, _ := describe[T](c, call, f, coll.Scatterv)
	if k.across(c, coll.NeighborAlltoall) {
		scattervAcross(&k, c, send, recv, root)
		return k
	}
	k.args.Vector = &coll.Vector{}
	k.root(c, root)
	k.args.Count = len(recv)
	if k.err != nil {
		return k
	}
	k.out = element.Bytes(recv)
	if c.rank != root {
		return k
	}
	k.ins, k.args.Vector.Send = blocks(&k, c, "send", send)
	if k.err != nil {
		return k
	}
	k.args.InPlace = recv == nil
	if recv == nil {
		k.args.Count = len(send[root])
	} else if len(recv) != len(send[root]) {
		k.wrong(ErrCount, "%d elements are for the root itself, which has room for %d", len(send[root]), len(recv))
	}
	return k
}

// Allgatherv collects the elements of member i's send in everybody's recv[i], which must be as long (MPI_Allgatherv;
// MPI 4.1, 6.7). A nil send says that one's own part is in its place already (MPI_IN_PLACE).
//
// Errors: as Gather.
func Allgatherv[T any](ctx context.Context, c *Comm, send []T, recv [][]T) error {
	k := allgatherv(c, "Allgatherv", blocking, send, recv)
	return c.do(ctx, &k)
}

func allgatherv[T any](c *Comm, call string, f form, send []T, recv [][]T) collective {
	k, _ := describe[T](c, call, f, coll.Allgatherv)
	if k.across(c, coll.NeighborAllgather) {
		allgathervAcross(&k, c, send, recv)
		return k
	}
	k.args.Vector = &coll.Vector{}
	if k.err == nil {
		k.outs, k.args.Vector.Recv = blocks(&k, c, "recv", recv)
	}
	k.own(c, element.Bytes(send), send == nil)
	return k
}

// Alltoallv sends send[i] to member i and collects what member i sends in recv[i], which must be as long (MPI_Alltoallv;
// MPI 4.1, 6.8). With a nil send what is in recv is sent, and replaced (MPI_IN_PLACE).
//
// Errors: as Gather.
func Alltoallv[T any](ctx context.Context, c *Comm, send, recv [][]T) error {
	k := alltoallv(c, "Alltoallv", blocking, send, recv)
	return c.do(ctx, &k)
}

func alltoallv[T any](c *Comm, call string, f form, send, recv [][]T) collective {
	k, _ := describe[T](c, call, f, coll.Alltoallv)
	if k.across(c, coll.NeighborAlltoall) {
		alltoallvAcross(&k, c, send, recv)
		return k
	}
	k.args.Vector = &coll.Vector{}
	if k.err != nil {
		return k
	}
	k.outs, k.args.Vector.Recv = blocks(&k, c, "recv", recv)
	if k.args.InPlace = send == nil; send != nil {
		k.ins, k.args.Vector.Send = blocks(&k, c, "send", send)
	}
	if k.err == nil && send != nil && len(send[c.rank]) != len(recv[c.rank]) {
		k.wrong(ErrCount, "%d elements are sent to oneself, and there is room for %d", len(send[c.rank]), len(recv[c.rank]))
	}
	return k
}

// blocks gives the memory and the lengths of a slice for each member.
func blocks[T any](k *collective, c *Comm, what string, parts [][]T) ([][]byte, []int) {
	if len(parts) != c.size {
		k.wrong(ErrCount, "%s has %d slices for %d members", what, len(parts), c.size)
		return nil, nil
	}
	mem, counts := make([][]byte, len(parts)), make([]int, len(parts))
	for i, p := range parts {
		mem[i], counts[i] = element.Bytes(p), len(p)
	}
	return mem, counts
}
