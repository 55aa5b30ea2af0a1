package perfrun

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fi"
)

// told is what our scenario was asked to do.
type told struct{ calls []string }

// run answers as a machine on which a message takes 1 us and a byte 1 ns more, at once.
func (o *told) run(_ context.Context, scenario string, args []string, row func(perf.Row)) error {
	o.calls = append(o.calls, scenario+" "+strings.Join(args, " "))
	at := func(option string) []int {
		var out []int
		for w := range strings.SplitSeq(strings.TrimPrefix(args[slices.Index(args, option)+1], "l:"), ",") {
			n, err := strconv.Atoi(w)
			if err != nil {
				return nil
			}
			out = append(out, n)
		}
		return out
	}
	sizes, counts := at("-S"), at("-I")
	for i, size := range sizes {
		r := rowOf(size, counts[i], 1+float64(size)/1e3, 0)
		if slices.Contains(args, "--percentiles") {
			r.Latencies = perf.NewLatencies()
			for range counts[i] {
				r.Latencies.Record(time.Microsecond)
			}
		}
		row(r)
	}
	return nil
}

// TestSweepInTurns: every repetition measures everything once, the percentiles apart from the mean, with as many messages as
// there is time for.
func TestSweepInTurns(t *testing.T) {
	var o told
	s := &Sweep{Plan: Plan{Scenarios: []string{"rdm_pingpong", "rma_bw"}, Providers: []string{"shm", "mem"}, Sizes: []int{8, 1 << 20}, Repeat: 2,
		Limit: 10 * time.Second}, Ours: o.run}
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	turn := []string{"rdm_pingpong shm", "rdm_pingpong shm %", "rdm_pingpong mem", "rdm_pingpong mem %", "rma_bw shm", "rma_bw mem"}
	want := slices.Concat([]string{"rdm_pingpong shm", "rdm_pingpong shm", "rdm_pingpong mem", "rdm_pingpong mem", "rma_bw shm", "rma_bw shm",
		"rma_bw mem", "rma_bw mem"}, turn, turn)
	var got []string
	for _, c := range o.calls {
		w := strings.Fields(c)
		line := w[0] + " " + w[slices.Index(w, "-p")+1]
		if slices.Contains(w, "--percentiles") {
			line += " %"
		}
		got = append(got, line)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if last := o.calls[len(o.calls)-1]; !strings.Contains(last, "--one-way") || !strings.Contains(last, "--alloc") || !strings.Contains(last, "-I l:20000,158") {
		t.Errorf("%q", last)
	}
	for _, c := range r.Curves {
		for _, p := range c.Points {
			if len(p.Runs) != 2 || (p.Latencies.Count() > 0) != Latency(c.Scenario) {
				t.Errorf("%s %s %d: %d runs, %d latencies", c.Scenario, c.Provider, p.Size, len(p.Runs), p.Latencies.Count())
			}
		}
	}
	if len(others(r.Notes)) > 0 || r.Clock <= 0 {
		t.Error(r.Notes, r.Clock)
	}
}

// TestSweepLate makes one run of everything when there is no time, and says what is not there.
func TestSweepLate(t *testing.T) {
	var o told
	s := &Sweep{Plan: Plan{Scenarios: []string{"rdm_bw"}, Providers: []string{"mem"}, Sizes: []int{8}, Repeat: 3, Limit: time.Nanosecond}, Ours: o.run}
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Curves[0].Points[0].Runs); n != 1 {
		t.Errorf("%d runs", n)
	}
	if !slices.Equal(others(r.Notes), []string{"not all figures are of 3 runs: more --time"}) {
		t.Errorf("%q", r.Notes)
	}
}

// TestSweepRefused leaves out what one provider does not offer, and fails where nobody does, or for another reason.
func TestSweepRefused(t *testing.T) {
	var o told
	broken := errors.New("broken")
	plan := Plan{Scenarios: []string{"rdm_bw"}, Providers: []string{"shm", "mem"}, Sizes: []int{8}, Repeat: 1, Limit: time.Second}
	refuse := func(bad error, providers ...string) func(context.Context, string, []string, func(perf.Row)) error {
		return func(ctx context.Context, scenario string, args []string, row func(perf.Row)) error {
			if slices.Contains(providers, args[slices.Index(args, "-p")+1]) {
				return bad
			}
			return o.run(ctx, scenario, args, row)
		}
	}
	r, err := (&Sweep{Plan: plan, Ours: refuse(fi.ErrNoData, "shm")}).Run(context.Background())
	if err != nil || len(r.Curves) != 1 || !slices.Equal(others(r.Notes), []string{"gofabric, rdm_bw, shm: not offered"}) {
		t.Errorf("%v: %+v", err, r)
	}
	if _, err := (&Sweep{Plan: plan, Ours: refuse(fi.ErrNoData, "shm", "mem")}).Run(context.Background()); !errors.Is(err, fi.ErrNoData) {
		t.Errorf("nobody offers it: %v", err)
	}
	if _, err := (&Sweep{Plan: plan, Ours: refuse(broken, "mem")}).Run(context.Background()); !errors.Is(err, broken) {
		t.Errorf("a failure: %v", err)
	}
}

// TestMedian is that of an odd and an even number of runs.
func TestMedian(t *testing.T) {
	p := Point{Size: 8}
	for i, want := range []float64{5, 4, 5, 5.5} {
		p.add(rowOf(8, 1, []float64{5, 3, 7, 6}[i], 0))
		if got := p.Median(); got != want {
			t.Errorf("of %d runs: %v, want %v", i+1, got, want)
		}
	}
	if b := p.Best().MicrosPerXfer(); b != 3 {
		t.Errorf("best %v", b)
	}
}

// others are the notes without the one on a busy machine, which this one may be.
func others(notes []string) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(n string) bool { return strings.HasPrefix(n, "the machine was busy") })
}

// TestBusy notes a machine that has more to do than processors.
func TestBusy(t *testing.T) {
	for load, want := range map[string]bool{"1.99": false, "2.00": true, "33.5": true, "": false, "x": false} {
		if got := busy(load, 2); (got != "") != want {
			t.Errorf("load %q: %q", load, got)
		}
	}
}
