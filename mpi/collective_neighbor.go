package mpi

import (
	"context"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/element"
)

// Neighbourhood collectives (MPI 4.1, 8.6): each member sends to its destinations and receives from its sources, as the
// topology of the communicator has them, in its order. Places of ProcNull are neither sent nor written.

// neighborhood is what a topology says of a member's neighbours: ranks, or ProcNull.
type neighborhood struct {
	sources, dests []int
	order          []int // in which schedules must know the sources; nil: that of their places
	topology       any   // of package topology
}

// NeighborAllgather sends send to all destinations and collects what the sources send in recv, one after the other
// (MPI_Neighbor_allgather; MPI 4.1, 8.6.1). All send equally many elements.
//
// Errors: as Gather; ErrTopology for a communicator without one.
func NeighborAllgather[T any](ctx context.Context, c *Comm, send, recv []T) error {
	k := neighborAllgather(c, "NeighborAllgather", blocking, send, recv)
	return c.do(ctx, &k)
}

func neighborAllgather[T any](c *Comm, call string, f form, send, recv []T) collective {
	k, near := nearby[T](c, call, f, coll.NeighborAllgather)
	if k.err != nil {
		return k
	}
	if len(recv) != len(send)*len(near.sources) {
		k.wrong(ErrCount, "%d elements of each of %d sources into %d", len(send), len(near.sources), len(recv))
		return k
	}
	k.neighborGather(near, element.Bytes(send), split(element.Bytes(recv), len(near.sources)))
	return k
}

// NeighborAllgatherv is NeighborAllgather with blocks of different lengths: source i's in recv[i], which must be as long
// (MPI_Neighbor_allgatherv).
//
// Errors: as NeighborAllgather.
func NeighborAllgatherv[T any](ctx context.Context, c *Comm, send []T, recv [][]T) error {
	k := neighborAllgatherv(c, "NeighborAllgatherv", blocking, send, recv)
	return c.do(ctx, &k)
}

func neighborAllgatherv[T any](c *Comm, call string, f form, send []T, recv [][]T) collective {
	k, near := nearby[T](c, call, f, coll.NeighborAllgather)
	if k.err != nil {
		return k
	}
	if len(recv) != len(near.sources) {
		k.wrong(ErrCount, "recv has %d slices for %d sources", len(recv), len(near.sources))
		return k
	}
	k.neighborGather(near, element.Bytes(send), memories(recv))
	return k
}

// NeighborAlltoall sends the elements of send in equal parts to the destinations and collects what the sources send in recv
// (MPI_Neighbor_alltoall; MPI 4.1, 8.6.2).
//
// Errors: as NeighborAllgather.
func NeighborAlltoall[T any](ctx context.Context, c *Comm, send, recv []T) error {
	k := neighborAlltoall(c, "NeighborAlltoall", blocking, send, recv)
	return c.do(ctx, &k)
}

func neighborAlltoall[T any](c *Comm, call string, f form, send, recv []T) collective {
	k, near := nearby[T](c, call, f, coll.NeighborAlltoall)
	if k.err != nil {
		return k
	}
	to, from := max(1, len(near.dests)), max(1, len(near.sources))
	if len(send)%to != 0 || len(recv)%from != 0 || len(near.dests) == 0 && len(send) > 0 || len(near.sources) == 0 && len(recv) > 0 {
		k.wrong(ErrCount, "%d elements to %d destinations and %d of %d sources: give multiples", len(send), len(near.dests), len(recv), len(near.sources))
		return k
	}
	k.neighborExchange(near, split(element.Bytes(send), len(near.dests)), split(element.Bytes(recv), len(near.sources)))
	return k
}

// NeighborAlltoallv is NeighborAlltoall with blocks of different lengths: send[i] goes to destination i, what comes from
// source i is in recv[i], which must be as long (MPI_Neighbor_alltoallv).
//
// Errors: as NeighborAllgather.
func NeighborAlltoallv[T any](ctx context.Context, c *Comm, send, recv [][]T) error {
	k := neighborAlltoallv(c, "NeighborAlltoallv", blocking, send, recv)
	return c.do(ctx, &k)
}

func neighborAlltoallv[T any](c *Comm, call string, f form, send, recv [][]T) collective {
	k, near := nearby[T](c, call, f, coll.NeighborAlltoall)
	if k.err != nil {
		return k
	}
	if len(send) != len(near.dests) || len(recv) != len(near.sources) {
		k.wrong(ErrCount, "%d slices for %d destinations and %d for %d sources", len(send), len(near.dests), len(recv), len(near.sources))
		return k
	}
	k.neighborExchange(near, memories(send), memories(recv))
	return k
}

// nearby begins a call on the neighbours.
func nearby[T any](c *Comm, call string, f form, what coll.Coll) (collective, *neighborhood) {
	k, _ := describe[T](c, call, f, what)
	k.args.Vector = &coll.Vector{}
	return k, k.near(c)
}

// near gives the neighbours.
func (k *collective) near(c *Comm) *neighborhood {
	if k.err == nil && c.around == nil {
		k.wrong(ErrTopology, "the communicator has no topology: CartCreate, GraphCreate and DistGraphCreate make ones that have")
	}
	if k.err != nil {
		return nil
	}
	return c.around
}

// neighborGather sets what goes to all destinations and what comes from each source.
func (k *collective) neighborGather(near *neighborhood, send []byte, recv [][]byte) {
	k.in = send
	k.args.Count = len(send) / k.args.Size
	v := k.args.Vector
	_, v.Dests, _ = k.present(near.dests, nil, nil)
	k.outs, v.Sources, v.Recv = k.present(near.sources, recv, near.order)
}

// neighborExchange sets what goes to each destination and comes from each source.
func (k *collective) neighborExchange(near *neighborhood, send, recv [][]byte) {
	v := k.args.Vector
	k.ins, v.Dests, v.Send = k.present(near.dests, send, nil)
	k.outs, v.Sources, v.Recv = k.present(near.sources, recv, near.order)
}

// present leaves the places of ProcNull out, and gives the others in an order.
func (k *collective) present(ranks []int, blocks [][]byte, order []int) (mem [][]byte, there, counts []int) {
	counts = []int{}
	for i := range ranks {
		if order != nil {
			i = order[i]
		}
		r := ranks[i]
		if r == ProcNull {
			continue
		}
		there = append(there, r)
		if blocks != nil {
			mem, counts = append(mem, blocks[i]), append(counts, len(blocks[i])/k.args.Size)
		}
	}
	return mem, there, counts
}

// split cuts memory into equal parts.
func split(b []byte, parts int) [][]byte {
	out := make([][]byte, parts)
	for i := range out {
		n := len(b) / parts
		out[i] = b[i*n:][:n]
	}
	return out
}

// memories gives the memory of slices.
func memories[T any](parts [][]T) [][]byte {
	out := make([][]byte, len(parts))
	for i, p := range parts {
		out[i] = element.Bytes(p)
	}
	return out
}
