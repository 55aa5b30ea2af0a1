package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/internal/coll/tune"
	"github.com/gofabric/gofabric/mpi"
)

var tuning = []benchmark{{name: "tune", title: "table of the fastest algorithms", least: 2, min: 8, max: megabyte, run: runTune}}

// tuned are the operations that have several algorithms.
var tuned = []coll.Coll{
	coll.Barrier, coll.Broadcast, coll.Gather, coll.Scatter, coll.Allgather, coll.Alltoall, coll.Reduce, coll.Allreduce,
	coll.ReduceScatter, coll.Scan, coll.Exscan,
}

// tuner measures trials, all ranks the same ones.
type tuner struct {
	*env
	groups map[int]*mpi.Comm // by the number of members; nil where this rank is none
}

// runTune measures each algorithm of each operation among all ranks and among fewer, and writes a table of the fastest.
func runTune(ctx context.Context, e *env) (err error) {
	t := &tuner{env: e, groups: make(map[int]*mpi.Comm)}
	var members []int
	for n := 2; n <= e.c.Size(); n *= 2 {
		members = append(members, n)
	}
	if n := e.c.Size(); !slices.Contains(members, n) {
		members = append(members, n)
	}
	for _, n := range members {
		color := mpi.Undefined
		if e.c.Rank() < n {
			color = 0
		}
		g, err := e.c.Split(ctx, color, 0)
		if err != nil {
			return err
		}
		if t.groups[n] = g; g != nil {
			defer g.Close() //nolint:errcheck // the job ends
		}
	}
	colls := tuned
	if len(e.colls) > 0 {
		colls = e.colls
	}
	search := tune.Search{Colls: colls, Members: members, Bytes: tune.Powers(e.min, e.max), Segments: []int{8 << 10, 64 << 10}}
	samples, err := search.Run(func(x tune.Trial) (time.Duration, error) { return t.measure(ctx, x) })
	if err != nil {
		return err
	}
	return e.writeTable(tune.Table(samples).String())
}

// writeTable writes the table where the command line says; rank 0 does.
func (e *env) writeTable(table string) error {
	if e.c.Rank() != 0 {
		return nil
	}
	table = fmt.Sprintf("# %d ranks over %s, %d to %d bytes: MPI_COLL_TABLE=FILE uses it\n%s", e.c.Size(), e.c.Provider(), e.min, e.max, table)
	if e.output == "" {
		_, err := io.WriteString(e.out, table)
		return err
	}
	if err := os.WriteFile(e.output, []byte(table), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "# the table is in %s\n", e.output)
	return nil
}

// measure gives the time of one operation, that of the slowest member, at all ranks of the job.
func (t *tuner) measure(ctx context.Context, x tune.Trial) (time.Duration, error) {
	took := []int64{0}
	if g := t.groups[x.Members]; g != nil {
		d, err := t.among(ctx, g, x)
		if err != nil {
			return 0, err
		}
		took[0] = int64(d)
		if err := mpi.Allreduce(ctx, g, nil, took, mpi.Max); err != nil {
			return 0, err
		}
		if g.Rank() == 0 {
			fmt.Fprintf(t.progress, "%v by %v: %d members, %d bytes: %v\n", x.Coll, x.Alg, x.Members, x.Bytes, time.Duration(took[0]))
		}
	}
	err := mpi.Bcast(ctx, t.c, took, 0)
	return time.Duration(took[0]), err
}

// among measures in a group, on a communicator that has this algorithm only.
func (t *tuner) among(ctx context.Context, g *mpi.Comm, x tune.Trial) (took time.Duration, err error) {
	var info mpi.Info
	if err := info.Set(mpi.TableHint, coll.Table{{Coll: x.Coll, Alg: x.Alg, Segment: x.Segment}}.String()); err != nil {
		return 0, err
	}
	c, err := g.DupWithInfo(ctx, &info)
	if err != nil {
		return 0, err
	}
	defer c.Close() //nolint:errcheck // one that has no attributes
	op, err := operationOf(ctx, c, x)
	if err != nil {
		return 0, err
	}
	warmup, iterations := t.repetitions(x.Bytes)
	if _, err := repeat(0, warmup, op); err != nil {
		return 0, err
	}
	if err := g.Barrier(ctx); err != nil {
		return 0, err
	}
	d, err := repeat(0, iterations, op)
	return d / time.Duration(iterations), err
}

// operationOf makes the call that a trial is about.
func operationOf(ctx context.Context, c *mpi.Comm, x tune.Trial) (func() error, error) {
	size := 1
	if x.Coll.Reduces() {
		size = 8
	}
	a, err := x.Args(c.Rank(), size)
	if err != nil {
		return nil, err
	}
	one, all := make([]byte, a.Count), make([]byte, a.Count*c.Size())
	switch x.Coll {
	case coll.Barrier:
		return func() error { return c.Barrier(ctx) }, nil
	case coll.Broadcast:
		return func() error { return mpi.Bcast(ctx, c, one, 0) }, nil
	case coll.Gather:
		return func() error { return mpi.Gather(ctx, c, one, all, 0) }, nil
	case coll.Scatter:
		return func() error { return mpi.Scatter(ctx, c, all, one, 0) }, nil
	case coll.Allgather:
		return func() error { return mpi.Allgather(ctx, c, one, all) }, nil
	case coll.Alltoall:
		recv := make([]byte, len(all))
		return func() error { return mpi.Alltoall(ctx, c, all, recv) }, nil
	}
	send, recv := make([]float64, a.Count), make([]float64, a.Count)
	switch x.Coll {
	case coll.Reduce:
		return func() error { return mpi.Reduce(ctx, c, send, recv, mpi.Sum, 0) }, nil
	case coll.Allreduce:
		return func() error { return mpi.Allreduce(ctx, c, send, recv, mpi.Sum) }, nil
	case coll.Scan:
		return func() error { return mpi.Scan(ctx, c, send, recv, mpi.Sum) }, nil
	case coll.Exscan:
		return func() error { return mpi.Exscan(ctx, c, send, recv, mpi.Sum) }, nil
	case coll.ReduceScatter:
		send = make([]float64, a.Count*c.Size())
		return func() error { return mpi.ReduceScatterBlock(ctx, c, send, recv, mpi.Sum) }, nil
	}
	return nil, fmt.Errorf("%v: not an operation that is tuned: name some of %s", x.Coll, names(tuned))
}

// names lists operations.
func names(colls []coll.Coll) string {
	var words []string
	for _, c := range colls {
		words = append(words, c.String())
	}
	return strings.Join(words, ", ")
}
