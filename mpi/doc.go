// Package mpi is the Message Passing Interface for Go: processes of a job, each with a rank, that exchange messages, call
// collective operations together and reach into each other's windows. It needs no C and no MPI installation; a program
// runs under mpirun of this module, under mpiexec of MPICH and under Slurm's srun, or alone.
//
//	func main() {
//		mpi.Main(func(ctx context.Context, world *mpi.Comm) error {
//			sum := []float64{float64(world.Rank())}
//			if err := mpi.Allreduce(ctx, world, nil, sum, mpi.Sum); err != nil {
//				return err
//			}
//			fmt.Println(world.Rank(), "of", world.Size(), "has", sum[0])
//			return nil
//		})
//	}
//
// # Buffers and values
//
// Functions on slices (Send, Recv, Bcast ...) move the memory of pointer-free elements: numbers, bools, arrays and structs
// of them. The lengths are those of the slices; displacements count elements. What other types hold goes by functions
// whose names end in Value, which encode it. Functions whose names end in View take elements that do not lie side by side: a
// column of a matrix, the border of a grid ([View]).
//
// A buffer belongs to the library from a call that starts an operation until its request is over; the collector keeps it
// alive. It may be read meanwhile when it is sent, and must not be touched when it is received into.
//
// # Contexts
//
// A context ends the wait, not the operation. A blocking call whose context ends returns an [Error] with the context's
// error and, when something goes on, with the Request: the buffer stays in use until that is over. A receive that nothing
// has matched is withdrawn. Nobody else notices, and the communicator stays as it is.
//
// # Concurrency
//
// Everything may be called by any number of goroutines (MPI_THREAD_MULTIPLE). Messages that one goroutine sends to a rank
// are received in that order. Collective calls on one communicator are made in the same order by all of its members; so
// goroutines that call them at the same time use communicators of their own (Dup).
//
// There is no package-level state: a process may be in several jobs, and package mpi/local runs all ranks of a job as
// goroutines, for tests.
//
// # Errors
//
// No call panics or ends the process because of what another rank did. Errors are of type *[Error], whose [Class] is
// compared with errors.Is. When a rank dies, calls that need it fail with [ErrProcFailed] and others go on; [Comm.Revoke],
// [Comm.Shrink] and [Comm.Agree] make a communicator of the others. With MPI_WATCHDOG=10s in the environment, or
// [WithWatchdog], a program in which nothing moves says where.
package mpi
