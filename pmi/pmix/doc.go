// Package pmix lets package pmi join jobs of launchers that speak PMIx only: Open MPI's mpirun, srun --mpi=pmix. Import it for
// that, and nothing else is to be done:
//
//	import _ "github.com/gofabric/gofabric/pmi/pmix"
//
// PMIx is a C library, libpmix.so.2, which has to be there at run time and is loaded when pmi.Join finds no other way in. A
// program that imports this package is not static any more, so no other package of this module does. It works on Linux,
// amd64 and arm64; elsewhere importing it changes nothing.
//
// The package has no names of its own. It reads no environment variables; libpmix reads those that the launcher set.
package pmix
