// Table computes a function of two parameters: a row of inputs is scattered over the ranks, each computes a row of the table,
// and rank 0 gathers the rows. With -time it tells how long that took, and how long rank 0 needs alone.
//
//	mpirun -n 10 ./table
package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/gofabric/gofabric/mpi"
)

const columns = 1000

var (
	tell  = flag.Bool("time", false, "tell the times")
	steps = flag.Int("steps", 200, "steps of the integration from column to column")
)

func main() {
	flag.Parse()
	mpi.Main(run)
}

func run(ctx context.Context, world *mpi.Comm) error {
	var inputs, all []float64 // at rank 0 only
	if world.Rank() == 0 {
		for i := range world.Size() {
			inputs = append(inputs, 0.1*float64(i+1))
		}
		all = make([]float64, world.Size()*columns)
	}
	begin := time.Now()
	mine := make([]float64, 1)
	if err := mpi.Scatter(ctx, world, inputs, mine, 0); err != nil {
		return err
	}
	if err := mpi.Gather(ctx, world, row(mine[0]), all, 0); err != nil {
		return err
	}
	if world.Rank() != 0 {
		return nil
	}
	together := time.Since(begin)

	begin = time.Now()
	var serial []float64
	for _, damping := range inputs {
		serial = append(serial, row(damping)...)
	}
	alone := time.Since(begin)
	if !slices.Equal(all, serial) {
		return fmt.Errorf("the table differs from what one process computes")
	}
	fmt.Printf("%d rows of %d: the same as one process computes\n", len(inputs), columns)
	if *tell {
		fmt.Printf("%d ranks %.3f s, one %.3f s: %.1f times as fast\n",
			world.Size(), together.Seconds(), alone.Seconds(), alone.Seconds()/together.Seconds())
	}
	return nil
}

// row is an oscillation that is damped, integrated in small steps: its place at equal times.
func row(damping float64) []float64 {
	dt := 0.02 / float64(*steps)
	out := make([]float64, columns)
	x, v := 1.0, 0.0
	for i := range out {
		for range *steps {
			v -= (x + damping*v) * dt
			x += v * dt
		}
		out[i] = x
	}
	return out
}
