// Paramserver trains a model whose weights lie in a window of rank 0, the server, which has nothing to do for that. The
// workers go on at their own pace: each takes the number of the next batch by an atomic add, gets the weights, and adds its
// step to them, atomically for each weight. Weights may be old by some steps when they are used, and how many depends on who
// is how fast; so what is checked in the end is that no step was lost.
//
//	mpirun -n 4 ./paramserver
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gofabric/gofabric/mpi"
)

const (
	weights = 8
	batches = 500
	batch   = 16 // samples
	rate    = 0.1
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	var params, tickets int // elements of memory here
	if world.Rank() == 0 {
		params, tickets = weights, 1
	}
	model, err := mpi.WinAllocate[float64](ctx, world, params)
	if err != nil {
		return err
	}
	next, err := mpi.WinAllocate[int64](ctx, world, tickets)
	if err != nil {
		return err
	}
	done, steps := []int{0}, make([]float64, weights)
	if world.Rank() > 0 || world.Size() == 1 {
		if done[0], err = work(ctx, model, next, steps); err != nil {
			return err
		}
	}
	all, sum := []int{0}, make([]float64, weights)
	if err := mpi.Reduce(ctx, world, done, all, mpi.Sum, 0); err != nil { // and all workers have ended
		return err
	}
	if err := mpi.Reduce(ctx, world, steps, sum, mpi.Sum, 0); err != nil {
		return err
	}
	if world.Rank() == 0 {
		fmt.Printf("%d steps, all of them in the model: %t\n", all[0], apart(model.Local(), sum) < 1e-9)
	}
	if err := next.Free(ctx); err != nil {
		return err
	}
	return model.Free(ctx)
}

// work does batches until there are none, and tells how many; their steps are added to sum, too.
func work(ctx context.Context, model *mpi.Win[float64], next *mpi.Win[int64], sum []float64) (done int, err error) {
	if err := model.LockAll(ctx); err != nil {
		return 0, err
	}
	if err := next.LockAll(ctx); err != nil {
		return 0, err
	}
	w := make([]float64, weights)
	for ; ; done++ {
		b, err := next.FetchAndOp(ctx, 1, 0, 0, mpi.Sum)
		if err != nil {
			return done, err
		}
		if b >= batches {
			break
		}
		if err := model.Get(w, 0, 0); err != nil {
			return done, err
		}
		if err := model.Flush(ctx, 0); err != nil { // now they are here
			return done, err
		}
		change := step(w, b)
		if err := model.Accumulate(change, 0, 0, mpi.Sum); err != nil {
			return done, err
		}
		for i, v := range change {
			sum[i] += v
		}
		if err := model.FlushLocal(ctx, 0); err != nil {
			return done, err
		}
	}
	if err := next.UnlockAll(ctx); err != nil {
		return done, err
	}
	return done, model.UnlockAll(ctx)
}

// truth is what the model is to find.
func truth(i int) float64 { return math.Sin(float64(i + 1)) }

// step is what a batch of samples changes: against the gradient of the squared error.
func step(w []float64, batchNumber int64) []float64 {
	random := rand.New(rand.NewPCG(7, uint64(batchNumber)))
	s, x := make([]float64, weights), make([]float64, weights)
	for range batch {
		diff := 0.0
		for i := range x {
			x[i] = random.NormFloat64()
			diff += (w[i] - truth(i)) * x[i]
		}
		for i := range s {
			s[i] -= rate * diff * x[i] / batch
		}
	}
	return s
}

// apart is the largest difference of two vectors.
func apart(v, w []float64) (most float64) {
	for i := range v {
		most = max(most, math.Abs(v[i]-w[i]))
	}
	return most
}
