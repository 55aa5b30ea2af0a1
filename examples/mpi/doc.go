// Package examples is where the programs of package mpi stand, each whole, in a folder of its own. Its test builds them and
// runs each as the processes of a job, with the numbers of processes that it is meant for, over every provider, and compares
// what they print with what must come out.
//
// You need it to see how something is written; docs/guide/mpi.md goes through them, with mpi4py's calls beside ours.
//
//	go run ./mpirun -n 4 ./examples/mpi/hello
//
// It reads no environment variables, and nothing is to be imported.
package examples
