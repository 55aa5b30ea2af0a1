package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/gofabric/gofabric/mpi"
)

// operation is what a row of a collective benchmark measures, for messages of n bytes.
type operation func(ctx context.Context, e *env, n int) (func() error, error)

var collective = []benchmark{
	{name: "barrier", title: "MPI Barrier Latency Test", least: 1, run: barrier},
	of("bcast", "MPI Broadcast Latency Test", 1, bcast),
	of("reduce", "MPI Reduce Latency Test", 4, reduce),
	of("allreduce", "MPI Allreduce Latency Test", 4, allreduce),
	of("reduce_scatter", "MPI Reduce_scatter Latency Test", 4, reduceScatter),
	of("gather", "MPI Gather Latency Test", 1, gather),
	of("scatter", "MPI Scatter Latency Test", 1, scatter),
	of("allgather", "MPI Allgather Latency Test", 1, allgather),
	of("alltoall", "MPI All-to-All Personalized Exchange Latency Test", 1, alltoall),
	of("scan", "MPI Scan Latency Test", 4, scan),
	of("exscan", "MPI Exscan Latency Test", 4, exscan),
}

// of makes the benchmark of an operation.
func of(name, title string, min int, op operation) benchmark {
	return benchmark{name: name, title: title, least: 2, min: min, max: megabyte, run: func(ctx context.Context, e *env) error {
		fmt.Fprintln(e.out, e.columns("# Size  "))
		return e.bySize(func(n, warmup, iterations int) error {
			f, err := op(ctx, e, n)
			if err != nil {
				return err
			}
			return e.collective(ctx, f, warmup, iterations, fmt.Sprintf("%-10d", n))
		})
	}}
}

// columns is the head of the columns.
func (e *env) columns(first string) string {
	head := first + "     Avg Latency(us)"
	if e.full {
		head += "   Min Latency(us)   Max Latency(us)  Iterations"
	}
	return head
}

// collective measures an operation of all ranks: the time that each spends in it, with a barrier between two of them that
// does not count.
func (e *env) collective(ctx context.Context, f func() error, warmup, iterations int, label string) error {
	var spent float64
	for i := range warmup + iterations {
		if err := e.c.Barrier(ctx); err != nil {
			return err
		}
		t, err := repeat(0, 1, f)
		if err != nil {
			return err
		}
		if i >= warmup {
			spent += micro(t, iterations)
		}
	}
	sum, err := e.sum(ctx, spent)
	if err != nil {
		return err
	}
	low, err := e.reduce(ctx, spent, mpi.Min)
	if err != nil {
		return err
	}
	high, err := e.reduce(ctx, spent, mpi.Max)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%18.2f", label, sum/float64(e.c.Size()))
	if e.full {
		fmt.Fprintf(&b, "%18.2f%18.2f%12d", low, high, iterations)
	}
	fmt.Fprintln(e.out, b.String())
	return nil
}

func barrier(ctx context.Context, e *env) error {
	fmt.Fprintln(e.out, strings.Replace(e.columns(""), "     ", "# ", 1))
	e.min, e.max = 0, 0
	return e.bySize(func(_, warmup, iterations int) error {
		return e.collective(ctx, func() error { return e.c.Barrier(ctx) }, warmup, iterations, "")
	})
}

func bcast(ctx context.Context, e *env, n int) (func() error, error) {
	buf := make([]byte, n)
	return func() error { return mpi.Bcast(ctx, e.c, buf, 0) }, nil
}

// floats are the elements of reductions, as OSU has them.
func floats(n int) []float32 { return make([]float32, max(n/4, 1)) }

func reduce(ctx context.Context, e *env, n int) (func() error, error) {
	send, recv := floats(n), floats(n)
	return func() error { return mpi.Reduce(ctx, e.c, send, recv, mpi.Sum, 0) }, nil
}

func allreduce(ctx context.Context, e *env, n int) (func() error, error) {
	send, recv := floats(n), floats(n)
	return func() error { return mpi.Allreduce(ctx, e.c, send, recv, mpi.Sum) }, nil
}

// reduceScatter has n bytes in all, so that the last ranks may get nothing.
func reduceScatter(ctx context.Context, e *env, n int) (func() error, error) {
	send := floats(n)
	counts := make([]int, e.c.Size())
	for i := range counts {
		counts[i] = len(send) / e.c.Size()
		if i < len(send)%e.c.Size() {
			counts[i]++
		}
	}
	recv := make([]float32, counts[e.c.Rank()])
	return func() error { return mpi.ReduceScatter(ctx, e.c, send, recv, counts, mpi.Sum) }, nil
}

func gather(ctx context.Context, e *env, n int) (func() error, error) {
	send, all := make([]byte, n), []byte(nil)
	if e.c.Rank() == 0 {
		all = make([]byte, n*e.c.Size())
	}
	return func() error { return mpi.Gather(ctx, e.c, send, all, 0) }, nil
}

func scatter(ctx context.Context, e *env, n int) (func() error, error) {
	recv, all := make([]byte, n), []byte(nil)
	if e.c.Rank() == 0 {
		all = make([]byte, n*e.c.Size())
	}
	return func() error { return mpi.Scatter(ctx, e.c, all, recv, 0) }, nil
}

func allgather(ctx context.Context, e *env, n int) (func() error, error) {
	send, all := make([]byte, n), make([]byte, n*e.c.Size())
	return func() error { return mpi.Allgather(ctx, e.c, send, all) }, nil
}

func alltoall(ctx context.Context, e *env, n int) (func() error, error) {
	send, all := make([]byte, n*e.c.Size()), make([]byte, n*e.c.Size())
	return func() error { return mpi.Alltoall(ctx, e.c, send, all) }, nil
}

func scan(ctx context.Context, e *env, n int) (func() error, error) {
	send, recv := floats(n), floats(n)
	return func() error { return mpi.Scan(ctx, e.c, send, recv, mpi.Sum) }, nil
}

func exscan(ctx context.Context, e *env, n int) (func() error, error) {
	send, recv := floats(n), floats(n)
	return func() error { return mpi.Exscan(ctx, e.c, send, recv, mpi.Sum) }, nil
}
