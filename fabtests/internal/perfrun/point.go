package perfrun

import (
	"slices"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// Point is a size of a curve, with a row for each repetition. The latencies are those of all repetitions.
type Point struct {
	Size      int
	Runs      []perf.Row
	Latencies *perf.Latencies // nil: not measured
}

// add takes a row of a repetition.
func (p *Point) add(r perf.Row) {
	r.Latencies = nil
	p.Runs = append(p.Runs, r)
}

// addLatencies takes those of a repetition.
func (p *Point) addLatencies(l *perf.Latencies) {
	switch {
	case l == nil:
	case p.Latencies == nil:
		p.Latencies = l
	default:
		p.Latencies.Add(l)
	}
}

// sorted are the runs, the fastest first.
func (p *Point) sorted() []perf.Row {
	return slices.SortedStableFunc(slices.Values(p.Runs), func(a, b perf.Row) int {
		switch {
		case a.MicrosPerXfer() < b.MicrosPerXfer():
			return -1
		case a.MicrosPerXfer() > b.MicrosPerXfer():
			return 1
		}
		return 0
	})
}

// Best is the fastest run. There is one at least.
func (p *Point) Best() perf.Row { return p.sorted()[0] }

// Median is the microseconds of a transfer of the run in the middle, between two of them the mean.
func (p *Point) Median() float64 {
	runs := p.sorted()
	n := len(runs)
	return (runs[(n-1)/2].MicrosPerXfer() + runs[n/2].MicrosPerXfer()) / 2
}

// rate turns microseconds a transfer into 10^6 bytes a second.
func (p *Point) rate(micros float64) float64 { return float64(p.Size) / micros }
