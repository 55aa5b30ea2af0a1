package perfrun

import (
	"context"
	"fmt"
	"runtime"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// Peers are the programs of others that a sweep can compare with.
var Peers = []string{"fi_pingpong", "ucx_perftest", "openmpi", "mpich"}

// packages are Debian's with each of them.
var packages = map[string]string{"fi_pingpong": "libfabric-bin", "ucx_perftest": "ucx-utils",
	"openmpi": "openmpi-bin libopenmpi-dev", "mpich": "mpich libmpich-dev"}

// peer is a program of others, ready to run.
type peer interface {
	name() string
	// measures tells whether it has something like a scenario over something like a provider.
	measures(scenario, provider string) bool
	// run measures all sizes and calls row for each. A row without Elapsed has latencies for the size only.
	run(ctx context.Context, t task, row func(perf.Row)) error
}

// task is a curve to measure once: for each size so many messages.
type task struct {
	scenario, provider string
	sizes, counts      []int
	cpus               []int // of server and client; nil: anywhere
}

// cpu is the processor of a side; -1 for any.
func (t *task) cpu(side int) int {
	if len(t.cpus) < 2 {
		return -1
	}
	return t.cpus[side]
}

// findPeers looks for programs by their names. A note says of each that is not there in which package it is.
func findPeers(ctx context.Context, names []string, mpi []byte) (found []peer, notes []string, cleanup func()) {
	var remove []func()
	cleanup = func() {
		for _, f := range remove {
			f()
		}
	}
	for _, n := range names {
		if runtime.GOOS != "linux" {
			notes = append(notes, n+": other programs are measured on Linux only")
			continue
		}
		var p peer
		var err error
		switch n {
		case "fi_pingpong":
			p, err = findPingPong(ctx)
		case "ucx_perftest":
			p, err = findUCX()
		case "openmpi", "mpich":
			var drop func()
			if p, drop, err = findMPI(ctx, n, mpi); drop != nil {
				remove = append(remove, drop)
			}
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: %v", n, err))
			continue
		}
		found = append(found, p)
	}
	return found, notes, cleanup
}

// missing is why a program is not measured, and what would help.
func missing(name, program string) error {
	return fmt.Errorf("not measured, there is no %s here: apt-get install %s", program, packages[name])
}

// rowOf is the row of n messages of so many microseconds each.
func rowOf(size, n int, micros, cpu float64) perf.Row {
	return perf.Row{Size: size, Iterations: n, PerIter: 1, Elapsed: duration(micros * float64(n)), CPU: duration(cpu * float64(n))}
}
