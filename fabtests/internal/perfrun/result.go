package perfrun

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// Result is what a sweep measured.
type Result struct {
	Plan    Plan
	Curves  []*Curve
	Machine perf.MachineFacts
	Clock   time.Duration // what reading the clock costs; each single latency of ours has one in it
	Began   time.Time
	Took    time.Duration
	Load    string   // of the machine before the sweep: what else ran in the last minute; empty: not known
	Notes   []string // what is not there, and why
	Command string   // that measures it again
	Version string   // of fabtests
}

// each calls f for all points that have been measured.
func (r *Result) each(f func(*Curve, *Point)) {
	for _, c := range r.Curves {
		for i := range c.Points {
			if len(c.Points[i].Runs) > 0 {
				f(c, &c.Points[i])
			}
		}
	}
}

// load is how many processes wanted to run in the last minute, as Linux counts them.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(b), " ")
	return first
}

// busy is a note on a machine that has more to do than processors; empty for another.
func busy(load string, cpus int) string {
	if v, err := strconv.ParseFloat(load, 64); err != nil || v < float64(cpus) {
		return ""
	}
	return fmt.Sprintf("the machine was busy, load %s on %d processors: measure again when it is quiet", load, cpus)
}

// clockCost measures what reading the clock costs: the best of some batches, since others use the machine, too.
func clockCost() time.Duration {
	const batches, reads = 20, 1000
	best := time.Hour
	for range batches {
		began := time.Now()
		for range reads {
			time.Now()
		}
		best = min(best, time.Since(began)/reads)
	}
	return best
}
