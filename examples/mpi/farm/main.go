// Farm computes pi by throwing darts, on all ranks. Rank 0 hands out tasks to whoever is free: it receives from any source,
// and answers with the next task. Fast ranks do more of them, and the result is the same whoever does which, since each task
// has random numbers of its own.
//
//	mpirun -n 4 ./farm
package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/gofabric/gofabric/mpi"
)

const (
	tasks = 100
	darts = 10_000 // of a task

	taskTag, stopTag = 1, 2
)

func main() { mpi.Main(run) }

func run(ctx context.Context, world *mpi.Comm) error {
	if world.Rank() != 0 {
		return work(ctx, world)
	}
	hits, err := master(ctx, world)
	if err != nil {
		return err
	}
	fmt.Printf("pi is about %.5f: %d of %d darts\n", 4*float64(hits)/(tasks*darts), hits, tasks*darts)
	return nil
}

// master gives every rank one task after the other, and adds up what they find. Alone it does the work itself.
func master(ctx context.Context, world *mpi.Comm) (hits int, err error) {
	if world.Size() == 1 {
		for t := range tasks {
			hits += throw(t)
		}
		return hits, nil
	}
	next, busy := 0, world.Size()-1 // everybody asks for work first
	for busy > 0 {
		found := make([]int, 1)
		st, err := mpi.Recv(ctx, world, found, mpi.AnySource, mpi.AnyTag)
		if err != nil {
			return 0, err
		}
		hits += found[0]
		tag := taskTag
		if next == tasks {
			tag = stopTag
			busy--
		}
		if err := mpi.Send(ctx, world, []int{next}, st.Source, tag); err != nil {
			return 0, err
		}
		if tag == taskTag {
			next++
		}
	}
	return hits, nil
}

// work asks for tasks, with what came out of the last one, until there are none.
func work(ctx context.Context, world *mpi.Comm) error {
	found, task := []int{0}, []int{0}
	for {
		st, err := mpi.SendRecv(ctx, world, found, 0, taskTag, task, 0, mpi.AnyTag)
		if err != nil || st.Tag == stopTag {
			return err
		}
		found[0] = throw(task[0])
	}
}

// throw counts the darts of a task that hit the quarter of a circle.
func throw(task int) (hits int) {
	random := rand.New(rand.NewPCG(uint64(task), 2026))
	for range darts {
		if x, y := random.Float64(), random.Float64(); x*x+y*y < 1 {
			hits++
		}
	}
	return hits
}
