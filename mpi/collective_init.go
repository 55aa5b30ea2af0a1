package mpi

import (
	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/schedule"
)

// The persistent forms (MPI 4.1, 6.13): prepared once, started again and again with the same buffers. The members start
// them in the same order as all collective operations of the communicator. Preparing is local. Once it was started the
// first time, nothing is allocated.

// prepare makes an operation that can be started.
func (c *Comm) prepare(k *collective) (*Persistent, error) {
	if k.on != nil {
		c = k.on
	}
	if err := c.usable(k.call); err != nil {
		return nil, err
	}
	if k.err != nil {
		return nil, k.err
	}
	call := *k
	p := c.persistent(call.call, 0, false, nil)
	p.coll = true
	var r *schedule.Run
	d := c.job.dev
	ended := func(*schedule.Run) { d.Unwatch() }
	p.begin = func(*device.Op) error {
		if r != nil && !r.Reusable() {
			r = nil
		}
		d.Watch()
		started, err := c.launch(&call, r, ended)
		if err != nil {
			d.Unwatch()
			p.op.Src = device.AnyPeer
			p.op.Finish()
			return err
		}
		r, p.op = started, &started.Op
		return nil
	}
	return p, nil
}

// BarrierInit prepares a Barrier (MPI_Barrier_init).
//
// Errors: as Barrier.
func (c *Comm) BarrierInit() (*Persistent, error) {
	k := barrier(c, "BarrierInit", persistent)
	return c.prepare(&k)
}

// BcastInit prepares a Bcast (MPI_Bcast_init).
//
// Errors: as Bcast.
func BcastInit[T any](c *Comm, buf []T, root int) (*Persistent, error) {
	k := bcast(c, "BcastInit", persistent, buf, root)
	return c.prepare(&k)
}

// GatherInit prepares a Gather (MPI_Gather_init).
//
// Errors: as Gather.
func GatherInit[T any](c *Comm, send, recv []T, root int) (*Persistent, error) {
	k := gather(c, "GatherInit", persistent, send, recv, root)
	return c.prepare(&k)
}

// GathervInit prepares a Gatherv (MPI_Gatherv_init).
//
// Errors: as Gatherv.
func GathervInit[T any](c *Comm, send []T, recv [][]T, root int) (*Persistent, error) {
	k := gatherv(c, "GathervInit", persistent, send, recv, root)
	return c.prepare(&k)
}

// ScatterInit prepares a Scatter (MPI_Scatter_init).
//
// Errors: as Scatter.
func ScatterInit[T any](c *Comm, send, recv []T, root int) (*Persistent, error) {
	k := scatter(c, "ScatterInit", persistent, send, recv, root)
	return c.prepare(&k)
}

// ScattervInit prepares a Scatterv (MPI_Scatterv_init).
//
// Errors: as Scatterv.
func ScattervInit[T any](c *Comm, send [][]T, recv []T, root int) (*Persistent, error) {
	k := scatterv(c, "ScattervInit", persistent, send, recv, root)
	return c.prepare(&k)
}

// AllgatherInit prepares an Allgather (MPI_Allgather_init).
//
// Errors: as Allgather.
func AllgatherInit[T any](c *Comm, send, recv []T) (*Persistent, error) {
	k := allgather(c, "AllgatherInit", persistent, send, recv)
	return c.prepare(&k)
}

// AllgathervInit prepares an Allgatherv (MPI_Allgatherv_init).
//
// Errors: as Allgatherv.
func AllgathervInit[T any](c *Comm, send []T, recv [][]T) (*Persistent, error) {
	k := allgatherv(c, "AllgathervInit", persistent, send, recv)
	return c.prepare(&k)
}

// AlltoallInit prepares an Alltoall (MPI_Alltoall_init).
//
// Errors: as Alltoall.
func AlltoallInit[T any](c *Comm, send, recv []T) (*Persistent, error) {
	k := alltoall(c, "AlltoallInit", persistent, send, recv)
	return c.prepare(&k)
}

// AlltoallvInit prepares an Alltoallv (MPI_Alltoallv_init).
//
// Errors: as Alltoallv.
func AlltoallvInit[T any](c *Comm, send, recv [][]T) (*Persistent, error) {
	k := alltoallv(c, "AlltoallvInit", persistent, send, recv)
	return c.prepare(&k)
}

// ReduceInit prepares a Reduce (MPI_Reduce_init).
//
// Errors: as Reduce.
func ReduceInit[T any](c *Comm, send, recv []T, op Op, root int) (*Persistent, error) {
	k := reduceTo(c, "ReduceInit", persistent, send, recv, op, root)
	return c.prepare(&k)
}

// AllreduceInit prepares an Allreduce (MPI_Allreduce_init).
//
// Errors: as Allreduce.
func AllreduceInit[T any](c *Comm, send, recv []T, op Op) (*Persistent, error) {
	k := allreduce(c, "AllreduceInit", persistent, coll.Allreduce, send, recv, op)
	return c.prepare(&k)
}

// ReduceScatterBlockInit prepares a ReduceScatterBlock (MPI_Reduce_scatter_block_init).
//
// Errors: as ReduceScatterBlock.
func ReduceScatterBlockInit[T any](c *Comm, send, recv []T, op Op) (*Persistent, error) {
	k := reduceScatterBlock(c, "ReduceScatterBlockInit", persistent, send, recv, op)
	return c.prepare(&k)
}

// ReduceScatterInit prepares a ReduceScatter (MPI_Reduce_scatter_init).
//
// Errors: as ReduceScatter.
func ReduceScatterInit[T any](c *Comm, send, recv []T, counts []int, op Op) (*Persistent, error) {
	k := reduceScatter(c, "ReduceScatterInit", persistent, send, recv, counts, op)
	return c.prepare(&k)
}

// ScanInit prepares a Scan (MPI_Scan_init).
//
// Errors: as Scan.
func ScanInit[T any](c *Comm, send, recv []T, op Op) (*Persistent, error) {
	k := allreduce(c, "ScanInit", persistent, coll.Scan, send, recv, op)
	return c.prepare(&k)
}

// ExscanInit prepares an Exscan (MPI_Exscan_init).
//
// Errors: as Exscan.
func ExscanInit[T any](c *Comm, send, recv []T, op Op) (*Persistent, error) {
	k := allreduce(c, "ExscanInit", persistent, coll.Exscan, send, recv, op)
	return c.prepare(&k)
}
