package mpi

import (
	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/schedule"
)

// The non-blocking forms (MPI 4.1, 6.12). The members call them in the same order as all collective operations of the
// communicator, and none of them matches a blocking one. They go on in the background; their buffers belong to the library
// until the request is over. What is wrong with a call is returned at once, what goes wrong later by Wait and Test.

// begin starts an operation that goes on in the background.
func (c *Comm) begin(k *collective) (*Request, error) {
	if k.on != nil {
		c = k.on
	}
	if err := c.usable(k.call); err != nil {
		return nil, err
	}
	d := c.job.dev
	d.Watch()
	r, err := c.launch(k, nil, func(*schedule.Run) { d.Unwatch() })
	if err != nil {
		d.Unwatch()
		return nil, err
	}
	return &Request{c: c, op: &r.Op, call: k.call, coll: true}, nil
}

// Ibarrier begins a Barrier (MPI_Ibarrier).
//
// Errors: as Barrier.
func (c *Comm) Ibarrier() (*Request, error) {
	k := barrier(c, "Ibarrier", nonblocking)
	return c.begin(&k)
}

// Ibcast begins a Bcast (MPI_Ibcast).
//
// Errors: as Bcast.
func Ibcast[T any](c *Comm, buf []T, root int) (*Request, error) {
	k := bcast(c, "Ibcast", nonblocking, buf, root)
	return c.begin(&k)
}

// Igather begins a Gather (MPI_Igather).
//
// Errors: as Gather.
func Igather[T any](c *Comm, send, recv []T, root int) (*Request, error) {
	k := gather(c, "Igather", nonblocking, send, recv, root)
	return c.begin(&k)
}

// Igatherv begins a Gatherv (MPI_Igatherv).
//
// Errors: as Gatherv.
func Igatherv[T any](c *Comm, send []T, recv [][]T, root int) (*Request, error) {
	k := gatherv(c, "Igatherv", nonblocking, send, recv, root)
	return c.begin(&k)
}

// Iscatter begins a Scatter (MPI_Iscatter).
//
// Errors: as Scatter.
func Iscatter[T any](c *Comm, send, recv []T, root int) (*Request, error) {
	k := scatter(c, "Iscatter", nonblocking, send, recv, root)
	return c.begin(&k)
}

// Iscatterv begins a Scatterv (MPI_Iscatterv).
//
// Errors: as Scatterv.
func Iscatterv[T any](c *Comm, send [][]T, recv []T, root int) (*Request, error) {
	k := scatterv(c, "Iscatterv", nonblocking, send, recv, root)
	return c.begin(&k)
}

// Iallgather begins an Allgather (MPI_Iallgather).
//
// Errors: as Allgather.
func Iallgather[T any](c *Comm, send, recv []T) (*Request, error) {
	k := allgather(c, "Iallgather", nonblocking, send, recv)
	return c.begin(&k)
}

// Iallgatherv begins an Allgatherv (MPI_Iallgatherv).
//
// Errors: as Allgatherv.
func Iallgatherv[T any](c *Comm, send []T, recv [][]T) (*Request, error) {
	k := allgatherv(c, "Iallgatherv", nonblocking, send, recv)
	return c.begin(&k)
}

// Ialltoall begins an Alltoall (MPI_Ialltoall).
//
// Errors: as Alltoall.
func Ialltoall[T any](c *Comm, send, recv []T) (*Request, error) {
	k := alltoall(c, "Ialltoall", nonblocking, send, recv)
	return c.begin(&k)
}

// Ialltoallv begins an Alltoallv (MPI_Ialltoallv).
//
// Errors: as Alltoallv.
func Ialltoallv[T any](c *Comm, send, recv [][]T) (*Request, error) {
	k := alltoallv(c, "Ialltoallv", nonblocking, send, recv)
	return c.begin(&k)
}

// Ireduce begins a Reduce (MPI_Ireduce).
//
// Errors: as Reduce.
func Ireduce[T any](c *Comm, send, recv []T, op Op, root int) (*Request, error) {
	k := reduceTo(c, "Ireduce", nonblocking, send, recv, op, root)
	return c.begin(&k)
}

// Iallreduce begins an Allreduce (MPI_Iallreduce).
//
// Errors: as Allreduce.
func Iallreduce[T any](c *Comm, send, recv []T, op Op) (*Request, error) {
	k := allreduce(c, "Iallreduce", nonblocking, coll.Allreduce, send, recv, op)
	return c.begin(&k)
}

// IreduceScatterBlock begins a ReduceScatterBlock (MPI_Ireduce_scatter_block).
//
// Errors: as ReduceScatterBlock.
func IreduceScatterBlock[T any](c *Comm, send, recv []T, op Op) (*Request, error) {
	k := reduceScatterBlock(c, "IreduceScatterBlock", nonblocking, send, recv, op)
	return c.begin(&k)
}

// IreduceScatter begins a ReduceScatter (MPI_Ireduce_scatter).
//
// Errors: as ReduceScatter.
func IreduceScatter[T any](c *Comm, send, recv []T, counts []int, op Op) (*Request, error) {
	k := reduceScatter(c, "IreduceScatter", nonblocking, send, recv, counts, op)
	return c.begin(&k)
}

// Iscan begins a Scan (MPI_Iscan).
//
// Errors: as Scan.
func Iscan[T any](c *Comm, send, recv []T, op Op) (*Request, error) {
	k := allreduce(c, "Iscan", nonblocking, coll.Scan, send, recv, op)
	return c.begin(&k)
}

// Iexscan begins an Exscan (MPI_Iexscan).
//
// Errors: as Exscan.
func Iexscan[T any](c *Comm, send, recv []T, op Op) (*Request, error) {
	k := allreduce(c, "Iexscan", nonblocking, coll.Exscan, send, recv, op)
	return c.begin(&k)
}
