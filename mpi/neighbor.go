package mpi

import (
	"context"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/element"
)

// NeighborAllgather sends the elements of send to all destinations of the communicator's topology, and collects those of all
// sources in recv, one block after the other in the order of Neighbors (MPI_Neighbor_allgather; MPI 4.1, 8.6.1). All send
// equally many. The block of a source that is ProcNull stays as it is.
//
// Errors: as Bcast; ErrTopology for a communicator without topology; ErrCount.
func NeighborAllgather[T any](ctx context.Context, c *Comm, send, recv []T) error {
	k := neighborAllgather(c, "NeighborAllgather", blocking, send, recv)
	return c.do(ctx, &k)
}

func neighborAllgather[T any](c *Comm, call string, f form, send, recv []T) collective {
	k, _ := describe[T](c, call, f, coll.NeighborAllgather)
	k.args.Vector = &coll.Vector{}
	if k.err == nil {
		k.neighbors(c, [][]byte{element.Bytes(send)}, cut(&k, c, "recv", recv, false))
	}
	return k
}

// NeighborAllgatherv is NeighborAllgather for blocks of different lengths: recv has a slice for each source, which is as long as
// what that sends (MPI_Neighbor_allgatherv; MPI 4.1, 8.6.1).
//
// Errors: as NeighborAllgather.
func NeighborAllgatherv[T any](ctx context.Context, c *Comm, send []T, recv [][]T) error {
	k := neighborAllgatherv(c, "NeighborAllgatherv", blocking, send, recv)
	return c.do(ctx, &k)
}

func neighborAllgatherv[T any](c *Comm, call string, f form, send []T, recv [][]T) collective {
	k, _ := describe[T](c, call, f, coll.NeighborAllgather)
	k.args.Vector = &coll.Vector{}
	if k.err == nil {
		k.neighbors(c, [][]byte{element.Bytes(send)}, memories(recv))
	}
	return k
}

// NeighborAlltoall sends the elements of send in equal blocks to the destinations of the communicator's topology, and collects
// what the sources send to this member in recv, both in the order of Neighbors (MPI_Neighbor_alltoall; MPI 4.1, 8.6.2).
//
// Errors: as NeighborAllgather.
func NeighborAlltoall[T any](ctx context.Context, c *Comm, send, recv []T) error {
	k := neighborAlltoall(c, "NeighborAlltoall", blocking, send, recv)
	return c.do(ctx, &k)
}

func neighborAlltoall[T any](c *Comm, call string, f form, send, recv []T) collective {
	k, _ := describe[T](c, call, f, coll.NeighborAlltoall)
	k.args.Vector = &coll.Vector{}
	if k.err == nil {
		k.neighbors(c, cut(&k, c, "send", send, true), cut(&k, c, "recv", recv, false))
	}
	return k
}

// NeighborAlltoallv is NeighborAlltoall for blocks of different lengths: a slice for each destination and for each source
// (MPI_Neighbor_alltoallv; MPI 4.1, 8.6.2).
//
// Errors: as NeighborAllgather.
func NeighborAlltoallv[T any](ctx context.Context, c *Comm, send, recv [][]T) error {
	k := neighborAlltoallv(c, "NeighborAlltoallv", blocking, send, recv)
	return c.do(ctx, &k)
}

func neighborAlltoallv[T any](c *Comm, call string, f form, send, recv [][]T) collective {
	k, _ := describe[T](c, call, f, coll.NeighborAlltoall)
	k.args.Vector = &coll.Vector{}
	if k.err == nil {
		k.neighbors(c, memories(send), memories(recv))
	}
	return k
}

// cut gives the blocks of equal length that elements consist of, one for each neighbour.
func cut[T any](k *collective, c *Comm, what string, s []T, dests bool) [][]byte { //nolint:revive // which side
	if c.hood == nil {
		return nil
	}
	n := c.hood.ins
	if dests {
		n = c.hood.outs
	}
	if n == 0 && len(s) > 0 || n > 0 && len(s)%n != 0 {
		k.wrong(ErrCount, "%s has %d elements, which cannot be divided among %d neighbours: give a multiple", what, len(s), n)
		return nil
	}
	parts := make([][]byte, n)
	for i := range parts {
		parts[i] = part(s, i, n)
	}
	return parts
}

func memories[T any](s [][]T) [][]byte {
	all := make([][]byte, len(s))
	for i := range s {
		all[i] = element.Bytes(s[i])
	}
	return all
}
