package perfrun

import (
	"encoding/json"
	"io"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// jsonRow is a point as JSON. Times are microseconds of a message one way, rates 10^6 bytes a second; what is not known is
// left out.
type jsonRow struct {
	Scenario     string            `json:"scenario"`
	Program      string            `json:"program"`
	Provider     string            `json:"provider"`
	Size         int               `json:"bytes"`
	Runs         int               `json:"runs"`
	Iterations   int               `json:"iters"`
	Best         float64           `json:"usec_best"`
	Median       float64           `json:"usec_median"`
	BestRate     float64           `json:"mb_per_sec_best"`
	MedianRate   float64           `json:"mb_per_sec_median"`
	P50          float64           `json:"p50_usec,omitempty"`
	P99          float64           `json:"p99_usec,omitempty"`
	P999         float64           `json:"p99.9_usec,omitempty"`
	CPU          float64           `json:"cpu_usec,omitempty"`
	ClockNanosec int64             `json:"clock_nsec"`
	Load         string            `json:"load,omitempty"`
	Time         time.Time         `json:"time"`
	Machine      perf.MachineFacts `json:"machine"`
}

// WriteJSON writes one object a point, each on a line of its own.
func (r *Result) WriteJSON(w io.Writer) error {
	var failed error
	enc := json.NewEncoder(w)
	r.each(func(c *Curve, p *Point) {
		best, median := p.Best(), p.Median()
		row := jsonRow{Scenario: c.Scenario, Program: c.Program, Provider: c.Provider, Size: p.Size, Runs: len(p.Runs),
			Iterations: best.Iterations, Best: best.MicrosPerXfer(), Median: median, BestRate: p.rate(best.MicrosPerXfer()),
			MedianRate: p.rate(median), CPU: best.CPUMicrosPerXfer(), ClockNanosec: r.Clock.Nanoseconds(), Load: r.Load, Time: r.Began, Machine: r.Machine}
		for i, to := range []*float64{&row.P50, &row.P99, &row.P999} {
			*to, _ = p.Latencies.Micros(perf.Percentiles[i].Percent)
		}
		if err := enc.Encode(row); err != nil && failed == nil {
			failed = err
		}
	})
	return failed
}
