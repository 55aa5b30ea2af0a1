// Ring is the ring all-reduce written out: every rank has a vector, and all get the sum. The vector is cut in as many blocks
// as there are ranks. In N-1 steps each rank passes a block to the right and adds the one that comes from the left (that is
// a reduce-scatter); in N-1 more the sums go round (an all-gather). Each rank sends 2(N-1)/N times its data, which hardly
// grows with N. The naive way, everybody's vector to everybody, sends N-1 times the data.
//
//	mpirun -n 4 ./ring
package main

import (
	"context"
	"fmt"

	"github.com/gofabric/gofabric/mpi"
)

// length is a multiple of 2 to 8, so that all blocks are equally long.
const length = 840 * 100

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	n, rank := world.Size(), world.Rank()
	x := make([]int64, length)
	for i := range x {
		x[i] = int64(rank + i)
	}
	sent, err := allreduce(ctx, world, x)
	if err != nil {
		return err
	}
	for i, v := range x {
		if want := int64(n*(n-1)/2 + n*i); v != want {
			return fmt.Errorf("element %d is %d, want %d", i, v, want)
		}
	}
	fmt.Printf("rank %d of %d sent %d elements for %d: %.3f times, the naive way %d times\n",
		rank, n, sent, length, float64(sent)/length, n-1)
	return nil
}

// allreduce adds up the vectors of all ranks, and tells how many elements this rank has sent.
func allreduce(ctx context.Context, world *mpi.Comm, x []int64) (sent int, err error) {
	n, rank := world.Size(), world.Rank()
	right, left := (rank+1)%n, (rank-1+n)%n
	block := func(i int) []int64 {
		i = (i + n) % n
		return x[i*len(x)/n : (i+1)*len(x)/n]
	}
	in := make([]int64, len(x)/n+1)
	for s := range n - 1 {
		out, into := block(rank-s), block(rank-s-1)
		if _, err := mpi.SendRecv(ctx, world, out, right, s, in[:len(into)], left, s); err != nil {
			return sent, err
		}
		for i, v := range in[:len(into)] {
			into[i] += v
		}
		sent += len(out)
	}
	for s := range n - 1 {
		out, into := block(rank+1-s), block(rank-s)
		if _, err := mpi.SendRecv(ctx, world, out, right, s, into, left, s); err != nil {
			return sent, err
		}
		sent += len(out)
	}
	return sent, nil
}
