package mpi

import "github.com/gofabric/gofabric/mpi/internal/element"

// Put writes the elements of src to a rank's memory, from element at on (MPI_Put; MPI 4.1, 12.3.1). It needs an epoch.
//
// Ownership: src belongs to the window until the epoch ends or a Flush.
//
// Errors: ErrRMASync without an epoch; ErrRank; ErrRMARange; ErrWin. Failures on the way come with what ends the epoch.
//
//fabric:fastpath
func (w *Win[T]) Put(src []T, rank, at int) error {
	if err := w.w.Put(element.Bytes(src), rank, at); err != nil {
		return winFault("Put", rank, err)
	}
	return nil
}

// Get reads elements of a rank's memory, from element at on, into dst (MPI_Get; MPI 4.1, 12.3.2). It needs an epoch.
//
// Ownership: dst belongs to the window until the epoch ends or a Flush; it has what was read then.
//
// Errors: as Put.
//
//fabric:fastpath
func (w *Win[T]) Get(dst []T, rank, at int) error {
	if err := w.w.Get(element.Bytes(dst), rank, at); err != nil {
		return winFault("Get", rank, err)
	}
	return nil
}

// Rput is Put with a request, which is over when src may be used again (MPI_Rput; MPI 4.1, 12.3.6). It needs an epoch of Lock
// or LockAll.
//
// Errors: as Put.
func (w *Win[T]) Rput(src []T, rank, at int) (*Request, error) {
	r, err := w.w.Rput(element.Bytes(src), rank, at)
	return w.comm.winRequest("Rput", rank, r, err)
}

// Rget is Get with a request, which is over when dst has what was read (MPI_Rget; MPI 4.1, 12.3.6).
//
// Errors: as Put.
func (w *Win[T]) Rget(dst []T, rank, at int) (*Request, error) {
	r, err := w.w.Rget(element.Bytes(dst), rank, at)
	return w.comm.winRequest("Rget", rank, r, err)
}
