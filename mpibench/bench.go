package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gofabric/gofabric/mpi"
)

// benchmark is one row of the table.
type benchmark struct {
	name  string // as OSU's, without osu_
	title string // "MPI Latency Test"
	head  string // the line above the columns, after the title
	least int    // ranks
	most  int    // ranks; 0: any number
	min   int    // bytes of the first row
	max   int    // and of the last
	bare  bool   // it is no benchmark of OSU's, and has no title
	run   func(ctx context.Context, e *env) error
}

var benchmarks = concat(pointToPoint, collective, oneSided, suite, tuning)

func concat(tables ...[]benchmark) (all []benchmark) {
	for _, t := range tables {
		all = append(all, t...)
	}
	return all
}

// env is what a benchmark runs in.
type env struct {
	config
	c        *mpi.Comm
	out      io.Writer // for results
	progress io.Writer // what is being done
}

// measure runs a benchmark on all ranks.
func (e *env) measure(ctx context.Context, b *benchmark) error {
	if n := e.c.Size(); n < b.least || b.most > 0 && n > b.most {
		if b.least == b.most {
			return fmt.Errorf("%s: %d ranks: give %d", b.name, n, b.least)
		}
		return fmt.Errorf("%s: %d ranks: give at least %d", b.name, n, b.least)
	}
	if e.min < 0 {
		e.min = b.min
	}
	if e.max < 0 {
		e.max = max(b.max, e.min)
	}
	if !b.bare {
		if b.name != "tune" {
			fmt.Fprintf(e.out, "# OSU %s\n", b.title)
		}
	}
	if b.head != "" {
		fmt.Fprintln(e.out, b.head)
	}
	return b.run(ctx, e)
}

// bySize calls f for each size of a message.
func (e *env) bySize(f func(n, warmup, iterations int) error) error {
	for n := e.min; n <= e.max; n = max(2*n, 1) {
		warmup, iterations := e.repetitions(n)
		if err := f(n, warmup, iterations); err != nil {
			return fmt.Errorf("%d bytes: %w", n, err)
		}
	}
	return nil
}

// repetitions are how often an operation of n bytes is done before it is measured, and then.
func (e *env) repetitions(n int) (warmup, iterations int) {
	warmup, iterations = 200, 10_000
	if n > 8<<10 {
		warmup, iterations = 20, 1000
	}
	if e.warmup >= 0 {
		warmup = e.warmup
	}
	if e.iterations > 0 {
		iterations = e.iterations
	}
	return warmup, iterations
}

// row prints a size and figures beside it.
func (e *env) row(n int, figures ...float64) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10d", n)
	for _, f := range figures {
		fmt.Fprintf(&b, "%18.2f", f)
	}
	fmt.Fprintln(e.out, b.String())
}

// micro is a time in microseconds, a share of n.
func micro(t time.Duration, n int) float64 { return t.Seconds() * 1e6 / float64(n) }

// repeat does something warmup times, and gives the time of doing it iterations times more.
func repeat(warmup, iterations int, f func() error) (time.Duration, error) {
	var began time.Time
	for i := range warmup + iterations {
		if i == warmup {
			began = time.Now()
		}
		if err := f(); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}
