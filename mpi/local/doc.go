// Package local runs all ranks of a job as goroutines of one process, over memory: for the tests of programs that use
// package mpi, which need no launcher, no network and no other process.
//
//	func TestSum(t *testing.T) {
//		err := local.Run(t.Context(), 4, func(ctx context.Context, world *mpi.Comm) error {
//			...
//		})
//	}
package local
