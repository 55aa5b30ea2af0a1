// Package pmi joins a process to the job that a launcher started: who am I, how many are we, and what do the others
// publish about themselves.
//
// You need it to build something like package mpi: [Join] finds the launcher, [Job.Put] publishes an address,
// [Job.Fence] waits for all members, [Job.Get] reads what another member published. Launchers are this module's mpirun,
// MPICH's mpiexec.hydra and everything built on it, Slurm's srun --mpi=pmi2, and, with a rendezvous address in
// FI_PMI_RENDEZVOUS, srun without a plug-in and Open MPI's mpirun. A program that no launcher started is a job of one.
//
//	job, err := pmi.Join(ctx)
//	err = job.Put("addr-"+strconv.Itoa(job.Rank()), address)
//	err = job.Fence(ctx)
//	peers, err := job.GetAll(ctx, keys...)
//
// [NewLocal] makes the members of a job in one process, for tests and for jobs of goroutines. The launcher's side is
// package pmi/server.
//
// All methods of a [Job] are safe for concurrent use; calls that talk to the launcher wait for one another, but for
// [Job.Abort], which waits for nobody. Buffers given to Put are free again when it returns, those that Get returns
// belong to the caller. A context ends the wait only. Errors are [*fi.Error] values that say what to do next.
package pmi
