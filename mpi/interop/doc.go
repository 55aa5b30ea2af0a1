// Package interop has only tests: those of package mpi against MPICH and Open MPI, the real things.
//
// Random programs are made of a seed: messages in all modes, collective operations of all kinds, communicators, windows,
// whose results do not depend on who is faster. Two interpreters execute them, the one of this package over package mpi
// and one of C, testdata/*.c, over MPI, and write what every rank got after each step; both must be the same. Without
// compilers, headers or launchers the tests are skipped with a reason; where CI_INTEROP=1 is set that is a failure.
//
//	go test ./mpi/interop
//	go test ./mpi/interop -args -programs 500 -seed 1000
//
// What fails prints its seed and keeps its script, whose lines generate_test.go describes.
package interop
