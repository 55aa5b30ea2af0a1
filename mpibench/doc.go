// Command mpibench measures package mpi with the names and columns of the OSU micro-benchmarks, so that figures stand
// beside those of C libraries.
//
//	mpirun -n 2 mpibench latency
//	mpirun -n 4 mpibench allreduce -m 8:1048576 -f
//	mpirun -n 2 mpibench put_latency -w allocate -s flush
//
// Every rank runs it; rank 0 prints. A name may begin with osu_. "mpibench list" shows all.
package main
