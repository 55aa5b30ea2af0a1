package perfrun

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fi"
)

// Sweep is one run of a plan.
type Sweep struct {
	Plan Plan

	// Ours runs a scenario of ours with options, both sides, and calls row for each size.
	Ours func(ctx context.Context, scenario string, args []string, row func(perf.Row)) error
	// Progress is told what is measured now; nil for nobody.
	Progress func(text string)
	// MPI is the source of the program in C for MPI libraries.
	MPI []byte

	began  time.Time
	result *Result
	counts map[countKey]int
}

type countKey struct {
	scenario, provider string
	size               int
}

// Bounds of how many messages of a size are sent: a probe, and what one run may be.
const (
	probeCount = 10
	probeMost  = 500
	leastCount = 10
	mostCount  = 20000
)

// Bounds of the time of one size in one run, and how much of the whole time goes into sending messages; the rest starts
// processes.
const (
	shortestSize = time.Millisecond
	longestSize  = 200 * time.Millisecond
	busyShare    = 0.4
)

// The time that a single run always gets: processes have to start, of some peers two for each size.
const (
	leastShare = 30 * time.Second
	leastPeer  = 30 * time.Second
)

// errLate ends a run that has taken its time.
var errLate = errors.New("the run has taken its time")

// Run measures everything. Its error is that of a scenario of ours which failed; a peer that fails is noted.
func (s *Sweep) Run(ctx context.Context) (*Result, error) {
	s.began = time.Now()
	s.counts = map[countKey]int{}
	peers, notes, cleanup := findPeers(ctx, s.Plan.Peers, s.MPI)
	defer cleanup()
	s.result = &Result{Plan: s.Plan, Curves: s.Plan.curves(peers), Notes: notes, Began: s.began, Clock: clockCost(), Load: load()}
	if text := busy(s.result.Load, runtime.NumCPU()); text != "" {
		s.note(text)
	}
	if err := s.probe(ctx); err != nil {
		return nil, err
	}
	left := s.Plan.Repeat * len(s.result.Curves)
	for n := range s.Plan.Repeat {
		for _, c := range s.result.Curves {
			share := max(leastShare, 2*s.left()/time.Duration(left))
			left--
			if n > 0 && s.left() <= 0 {
				continue // of everything there is a run
			}
			s.tell("%d of %d: %s, %s, %s", n+1, s.Plan.Repeat, c.Scenario, c.Program, c.Provider)
			if err := s.measure(ctx, c, share); err != nil {
				return nil, err
			}
		}
	}
	s.noteGaps()
	s.result.Took = time.Since(s.began)
	return s.result, nil
}

func (s *Sweep) left() time.Duration { return s.Plan.Limit - time.Since(s.began) }

func (s *Sweep) tell(format string, args ...any) {
	if s.Progress != nil {
		s.Progress(fmt.Sprintf(format, args...))
	}
}

// note adds a note once.
func (s *Sweep) note(text string) {
	if !slices.Contains(s.result.Notes, text) {
		s.result.Notes = append(s.result.Notes, text)
	}
}

// probe finds out how long messages take, and chooses how many of each size are sent. Peers send as many as we do. What a
// provider does not offer is noted and left out.
func (s *Sweep) probe(ctx context.Context) error {
	runs := 0
	for _, c := range s.result.Curves {
		if runs++; c.peer == nil && Latency(c.Scenario) {
			runs++ // the percentiles
		}
	}
	each := time.Duration(busyShare * float64(s.Plan.Limit) / float64(runs*s.Plan.Repeat*len(s.Plan.Sizes)))
	each = min(max(each, shortestSize), longestSize)
	var refused []*Curve
	var none error
	fastest := map[countKey]time.Duration{}
	for _, c := range s.result.Curves {
		if c.peer != nil {
			continue
		}
		s.tell("counting: %s, %s", c.Scenario, c.Provider)
		for _, n := range s.Plan.Sizes {
			s.counts[countKey{c.Scenario, c.Provider, n}] = leastCount
		}
		var err error
		for _, most := range []int{probeCount, probeMost} { // the first messages of a connection are slow
			counts := make([]int, len(s.Plan.Sizes))
			for i, n := range s.Plan.Sizes {
				counts[i] = min(s.counts[countKey{c.Scenario, c.Provider, n}], most)
			}
			args := append(arguments(c.Scenario, c.Provider), "-S", list(s.Plan.Sizes), "-I", list(counts))
			err = s.ours(ctx, c, leastShare, args, func(r perf.Row) {
				k := countKey{c.Scenario, c.Provider, r.Size}
				one := max(r.Elapsed/time.Duration(r.Iterations), 1)
				if before, seen := fastest[k]; seen {
					one = min(one, before)
				}
				fastest[k] = one
				s.counts[k] = min(max(int(each/one), leastCount), mostCount)
			})
			if err != nil {
				break
			}
		}
		switch {
		case errors.Is(err, fi.ErrNoData):
			none = err
			s.note(fmt.Sprintf("%s, %s, %s: not offered", c.Program, c.Scenario, c.Provider))
			refused = append(refused, c)
		case err != nil:
			return err
		}
	}
	s.result.Curves = slices.DeleteFunc(s.result.Curves, func(c *Curve) bool {
		return slices.ContainsFunc(refused, func(r *Curve) bool { return r.Scenario == c.Scenario && r.Provider == c.Provider })
	})
	if len(s.result.Curves) == 0 {
		return none
	}
	return nil
}

// measure runs a curve once. The latencies of single messages come from a run of their own.
func (s *Sweep) measure(ctx context.Context, c *Curve, share time.Duration) error {
	var counts []int
	for _, n := range s.Plan.Sizes {
		counts = append(counts, s.counts[countKey{c.Scenario, c.Provider, n}])
	}
	if c.peer != nil {
		s.askPeer(ctx, c, counts, share)
		return context.Cause(ctx)
	}
	args := append(arguments(c.Scenario, c.Provider), "-S", list(s.Plan.Sizes), "-I", list(counts))
	if err := s.ours(ctx, c, share, args, func(r perf.Row) { c.at(r.Size).add(r) }); err != nil || !Latency(c.Scenario) {
		return err
	}
	return s.ours(ctx, c, share, append(args, "--percentiles"), func(r perf.Row) { c.at(r.Size).addLatencies(r.Latencies) })
}

// ours runs our scenario for no longer than its share; what it measured until then counts.
func (s *Sweep) ours(ctx context.Context, c *Curve, share time.Duration, args []string, row func(perf.Row)) error {
	own, cancel := context.WithTimeoutCause(ctx, share, errLate)
	defer cancel()
	err := s.Ours(own, c.Scenario, args, func(r perf.Row) {
		if c.at(r.Size) != nil {
			row(r)
		}
	})
	if err != nil && own.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// askPeer runs the program of others. Its failure is a note: our figures do not depend on it.
func (s *Sweep) askPeer(ctx context.Context, c *Curve, counts []int, share time.Duration) {
	own, cancel := context.WithTimeoutCause(ctx, max(share, leastPeer), errLate)
	defer cancel()
	t := task{scenario: c.Scenario, provider: c.Provider, cpus: s.Plan.CPUs}
	order := make([]int, len(counts)) // sizes that were late before come first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(c.Points[a].Runs) - len(c.Points[b].Runs) })
	for _, i := range order {
		t.sizes, t.counts = append(t.sizes, c.Points[i].Size), append(t.counts, counts[i])
	}
	err := c.peer.run(own, t, func(r perf.Row) {
		p := c.at(r.Size)
		if p == nil {
			return
		}
		if r.Elapsed > 0 {
			p.add(r)
		}
		p.addLatencies(r.Latencies)
	})
	if err != nil && own.Err() == nil {
		c.failed = true
		s.note(fmt.Sprintf("%s, %s, %s: %v", c.Program, c.Scenario, c.Provider, err))
	}
}

// noteGaps says what there was no time for.
func (s *Sweep) noteGaps() {
	few := false
	for _, c := range s.result.Curves {
		if c.failed { // it has a note
			continue
		}
		var missing []string
		for _, p := range c.Points {
			if len(p.Runs) == 0 {
				missing = append(missing, perf.SizeString(int64(p.Size)))
			}
			few = few || len(p.Runs) < s.Plan.Repeat
		}
		if len(missing) > 0 {
			s.note(fmt.Sprintf("%s, %s, %s: no figure of %s bytes: more --time", c.Program, c.Scenario, c.Provider, strings.Join(missing, ", ")))
		}
	}
	if few {
		s.note(fmt.Sprintf("not all figures are of %d runs: more --time", s.Plan.Repeat))
	}
}

// at is the point of a size; nil for one that is not in the plan.
func (c *Curve) at(size int) *Point {
	for i := range c.Points {
		if c.Points[i].Size == size {
			return &c.Points[i]
		}
	}
	return nil
}

// list writes numbers as -S and -I take them.
func list(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return "l:" + strings.Join(words, ",")
}
