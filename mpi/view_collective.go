package mpi

import (
	"context"

	"github.com/gofabric/gofabric/internal/coll"
)

// Collective operations on views. Members may have different views of equally many elements; with views of their slices the
// call is the same operation as without: BcastView matches BcastView.

// blockCall begins a call on blocks, whose bytes are moved.
func blockCall(c *Comm, call string, f form, what coll.Coll) collective {
	k := collective{call: call, form: f, args: coll.Args{Coll: what, Size: 1, Vector: &coll.Vector{}}}
	if c == nil {
		k.err = bad(call, ErrComm, NoRank, "the communicator is nil")
	}
	return k
}

// flaw keeps an error of a block.
func (k *collective) flaw(err error) {
	if e, ok := err.(*Error); ok && k.err == nil { //nolint:errorlint // Block.check made it
		k.err = e
	}
}

// reads gives the memory of blocks that are sent: what does not lie side by side is brought together when the call begins.
func (k *collective) reads(blocks []Block) [][]byte {
	all := make([][]byte, len(blocks))
	for i, b := range blocks {
		k.flaw(b.check(k.call, false))
		if k.err != nil {
			break
		}
		mem, ok := b.plain()
		if !ok {
			mem = make([]byte, b.bytes())
			k.before = append(k.before, func() { b.l.PackBytes(mem, b.mem, b.size) })
		}
		all[i] = mem
	}
	return all
}

// writes gives memory for blocks that are received: what does not lie side by side is put to its places when the call ends.
func (k *collective) writes(blocks []Block) [][]byte {
	all := make([][]byte, len(blocks))
	for i, b := range blocks {
		k.flaw(b.check(k.call, true))
		if k.err != nil {
			break
		}
		mem, ok := b.plain()
		if !ok {
			mem = make([]byte, b.bytes())
			k.after = append(k.after, func() { b.unpack(mem) })
		}
		all[i] = mem
	}
	return all
}

// BcastView sends the elements of the root's buf that a view means to all members, who put them where their views say
// (MPI_Bcast of a derived datatype).
//
// Errors: as Bcast; ErrArg for a view that cannot be or is larger than buf.
func BcastView[T any](ctx context.Context, c *Comm, buf []T, v View, root int) error {
	const call = "BcastView"
	if err := c.oneGroup(call); err != nil {
		return err
	}
	k, _ := describe[T](c, call, nonblocking, coll.Broadcast)
	k.root(c, root)
	blocks := []Block{BlockOf(buf, v)}
	var mem [][]byte
	if c.rank == root {
		mem = k.reads(blocks)
		k.in = mem[0]
	} else {
		mem = k.writes(blocks)
		k.out = mem[0]
	}
	if k.err == nil {
		k.args.Count = len(mem[0]) / k.args.Size
	}
	r, err := c.begin(&k) // what is left behind when ctx ends still puts the elements to their places
	if err != nil {
		return err
	}
	_, err = r.Wait(ctx)
	return err
}

// GatherView collects the elements of each member's buf that a view means in the blocks of the root, recv[i] having those of
// member i (MPI_Gatherv with derived datatypes). recv matters at the root only.
//
// Errors: as Gatherv; ErrArg for views that cannot be.
func GatherView[T any](ctx context.Context, c *Comm, send []T, v View, recv []Block, root int) error {
	return rootedView(ctx, c, "GatherView", []Block{BlockOf(send, v)}, recv, root)
}

// ScatterView hands the blocks of the root out, send[i] to member i, who put the elements into those of its recv that a view
// means (MPI_Scatterv with derived datatypes). send matters at the root only.
//
// Errors: as Scatterv; ErrArg for views that cannot be.
func ScatterView[T any](ctx context.Context, c *Comm, send []Block, recv []T, v View, root int) error {
	return rootedView(ctx, c, "ScatterView", send, []Block{BlockOf(recv, v)}, root)
}

func rootedView(ctx context.Context, c *Comm, call string, send, recv []Block, root int) error {
	if err := c.oneGroup(call); err != nil {
		return err
	}
	gathers := call == "GatherView"
	what := coll.Scatterv
	if gathers {
		what = coll.Gatherv
	}
	k := blockCall(c, call, blocking, what)
	k.root(c, root)
	if c.rank != root { // what matters at the root only
		if gathers {
			recv = nil
		} else {
			send = nil
		}
	}
	in := k.reads(send)
	out := k.writes(recv)
	many, one := out, in
	if !gathers {
		many, one = in, out
	}
	if c.rank == root && len(many) != c.size {
		k.wrong(ErrCount, "%d blocks for %d members", len(many), c.size)
	}
	if k.err == nil {
		k.args.Count = len(one[0])
		if c.rank == root && len(one[0]) != len(many[root]) {
			k.wrong(ErrCount, "%d bytes are the root's own, and its block has %d", len(one[0]), len(many[root]))
		}
	}
	if gathers {
		k.in, k.outs, k.args.Vector.Recv = in[0], out, lengths(out)
	} else {
		k.out, k.ins, k.args.Vector.Send = out[0], in, lengths(in)
	}
	if c.rank != root {
		k.args.Vector = &coll.Vector{}
	}
	return c.do(ctx, &k)
}

func lengths(parts [][]byte) []int {
	ns := make([]int, len(parts))
	for i, p := range parts {
		ns[i] = len(p)
	}
	return ns
}

// Alltoallw sends block i of send to member i and puts what member i sends into block i of recv: elements of any types and
// views (MPI_Alltoallw; MPI 4.1, 6.8). Blocks without elements cost an empty message.
//
// Errors: as Alltoallv; ErrArg for views that cannot be.
func Alltoallw(ctx context.Context, c *Comm, send, recv []Block) error {
	if err := c.oneGroup("Alltoallw"); err != nil {
		return err
	}
	k := alltoallw(c, "Alltoallw", blocking, send, recv)
	return c.do(ctx, &k)
}

// Ialltoallw begins an Alltoallw (MPI_Ialltoallw).
//
// Errors: as Alltoallw.
func Ialltoallw(c *Comm, send, recv []Block) (*Request, error) {
	if err := c.oneGroup("Ialltoallw"); err != nil {
		return nil, err
	}
	k := alltoallw(c, "Ialltoallw", nonblocking, send, recv)
	return c.begin(&k)
}

// AlltoallwInit prepares an Alltoallw (MPI_Alltoallw_init).
//
// Errors: as Alltoallw.
func AlltoallwInit(c *Comm, send, recv []Block) (*Persistent, error) {
	if err := c.oneGroup("AlltoallwInit"); err != nil {
		return nil, err
	}
	k := alltoallw(c, "AlltoallwInit", persistent, send, recv)
	return c.prepare(&k)
}

func alltoallw(c *Comm, call string, f form, send, recv []Block) collective {
	k := blockCall(c, call, f, coll.Alltoallv)
	if len(send) != c.size || len(recv) != c.size {
		k.wrong(ErrCount, "%d blocks to send and %d to receive for %d members", len(send), len(recv), c.size)
	}
	k.ins = k.reads(send)
	k.outs = k.writes(recv)
	if k.err == nil {
		k.args.Vector.Send, k.args.Vector.Recv = lengths(k.ins), lengths(k.outs)
		if len(k.ins[c.rank]) != len(k.outs[c.rank]) {
			k.wrong(ErrCount, "%d bytes are sent to oneself, and there is room for %d", len(k.ins[c.rank]), len(k.outs[c.rank]))
		}
	}
	return k
}

// NeighborAlltoallw is Alltoallw with the neighbours of the communicator's topology: a block for each destination and for each
// source, in the order of Neighbors (MPI_Neighbor_alltoallw; MPI 4.1, 8.6.3). With views of one slice it exchanges all
// borders of a grid.
//
// Errors: as NeighborAlltoallv; ErrArg for views that cannot be.
func NeighborAlltoallw(ctx context.Context, c *Comm, send, recv []Block) error {
	k := neighborAlltoallw(c, "NeighborAlltoallw", blocking, send, recv)
	return c.do(ctx, &k)
}

func neighborAlltoallw(c *Comm, call string, f form, send, recv []Block) collective {
	k := blockCall(c, call, f, coll.NeighborAlltoall)
	switch near := k.near(c); {
	case k.err != nil:
	case len(send) != len(near.dests) || len(recv) != len(near.sources):
		k.wrong(ErrCount, "%d blocks for %d destinations and %d for %d sources", len(send), len(near.dests), len(recv), len(near.sources))
	default:
		if in, out := k.reads(send), k.writes(recv); k.err == nil {
			k.neighborExchange(near, in, out)
		}
	}
	return k
}

// IneighborAlltoallw begins a NeighborAlltoallw (MPI_Ineighbor_alltoallw).
//
// Errors: as NeighborAlltoallw.
func IneighborAlltoallw(c *Comm, send, recv []Block) (*Request, error) {
	k := neighborAlltoallw(c, "IneighborAlltoallw", nonblocking, send, recv)
	return c.begin(&k)
}

// NeighborAlltoallwInit prepares a NeighborAlltoallw (MPI_Neighbor_alltoallw_init).
//
// Errors: as NeighborAlltoallw.
func NeighborAlltoallwInit(c *Comm, send, recv []Block) (*Persistent, error) {
	k := neighborAlltoallw(c, "NeighborAlltoallwInit", persistent, send, recv)
	return c.prepare(&k)
}
