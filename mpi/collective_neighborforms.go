package mpi

// The non-blocking and persistent forms of neighbourhood collectives (MPI 4.1, 8.7 and 8.8).

// IneighborAllgather begins a NeighborAllgather (MPI_Ineighbor_allgather).
//
// Errors: as NeighborAllgather.
func IneighborAllgather[T any](c *Comm, send, recv []T) (*Request, error) {
	k := neighborAllgather(c, "IneighborAllgather", nonblocking, send, recv)
	return c.begin(&k)
}

// NeighborAllgatherInit prepares a NeighborAllgather (MPI_Neighbor_allgather_init).
//
// Errors: as NeighborAllgather.
func NeighborAllgatherInit[T any](c *Comm, send, recv []T) (*Persistent, error) {
	k := neighborAllgather(c, "NeighborAllgatherInit", persistent, send, recv)
	return c.prepare(&k)
}

// IneighborAllgatherv begins a NeighborAllgatherv (MPI_Ineighbor_allgatherv).
//
// Errors: as NeighborAllgatherv.
func IneighborAllgatherv[T any](c *Comm, send []T, recv [][]T) (*Request, error) {
	k := neighborAllgatherv(c, "IneighborAllgatherv", nonblocking, send, recv)
	return c.begin(&k)
}

// NeighborAllgathervInit prepares a NeighborAllgatherv (MPI_Neighbor_allgatherv_init).
//
// Errors: as NeighborAllgatherv.
func NeighborAllgathervInit[T any](c *Comm, send []T, recv [][]T) (*Persistent, error) {
	k := neighborAllgatherv(c, "NeighborAllgathervInit", persistent, send, recv)
	return c.prepare(&k)
}

// IneighborAlltoall begins a NeighborAlltoall (MPI_Ineighbor_alltoall).
//
// Errors: as NeighborAlltoall.
func IneighborAlltoall[T any](c *Comm, send, recv []T) (*Request, error) {
	k := neighborAlltoall(c, "IneighborAlltoall", nonblocking, send, recv)
	return c.begin(&k)
}

// NeighborAlltoallInit prepares a NeighborAlltoall (MPI_Neighbor_alltoall_init).
//
// Errors: as NeighborAlltoall.
func NeighborAlltoallInit[T any](c *Comm, send, recv []T) (*Persistent, error) {
	k := neighborAlltoall(c, "NeighborAlltoallInit", persistent, send, recv)
	return c.prepare(&k)
}

// IneighborAlltoallv begins a NeighborAlltoallv (MPI_Ineighbor_alltoallv).
//
// Errors: as NeighborAlltoallv.
func IneighborAlltoallv[T any](c *Comm, send, recv [][]T) (*Request, error) {
	k := neighborAlltoallv(c, "IneighborAlltoallv", nonblocking, send, recv)
	return c.begin(&k)
}

// NeighborAlltoallvInit prepares a NeighborAlltoallv (MPI_Neighbor_alltoallv_init).
//
// Errors: as NeighborAlltoallv.
func NeighborAlltoallvInit[T any](c *Comm, send, recv [][]T) (*Persistent, error) {
	k := neighborAlltoallv(c, "NeighborAlltoallvInit", persistent, send, recv)
	return c.prepare(&k)
}
