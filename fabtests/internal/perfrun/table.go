package perfrun

import (
	"fmt"
	"io"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/report"
)

// What stands where something is not known.
const unknown = "-"

// heads are the columns of a point after its size.
func heads(latency bool) []string {
	if latency {
		return []string{"runs", "best", "median", "p50", "p99", "p99.9", "cpu"}
	}
	return []string{"runs", "best", "median", "usec", "cpu"}
}

// cells are a point's values in these columns: the time of a message in microseconds, or the rate of a stream and the time of
// one message in it.
func (p *Point) cells(latency bool) []string {
	best := p.Best()
	cpu := unknown
	if v := best.CPUMicrosPerXfer(); v > 0 {
		cpu = report.Number(v)
	}
	runs := fmt.Sprint(len(p.Runs))
	if !latency {
		return []string{runs, report.Number(p.rate(best.MicrosPerXfer())), report.Number(p.rate(p.Median())),
			report.Number(best.MicrosPerXfer()), cpu}
	}
	out := []string{runs, report.Number(best.MicrosPerXfer()), report.Number(p.Median())}
	for _, x := range perf.Percentiles {
		text := unknown
		if v, known := p.Latencies.Micros(x.Percent); known {
			text = report.Number(v)
		}
		out = append(out, text)
	}
	return append(out, cpu)
}

// unit is that of best and median.
func unit(scenario string) string {
	if Latency(scenario) {
		return "usec one way"
	}
	return "MB/s (10^6 bytes)"
}

// WriteTable writes a table for each scenario, and the notes.
func (r *Result) WriteTable(w io.Writer) error {
	var b strings.Builder
	last := ""
	r.each(func(c *Curve, p *Point) {
		latency := Latency(c.Scenario)
		if c.Scenario != last {
			if last != "" {
				b.WriteByte('\n')
			}
			last = c.Scenario
			fmt.Fprintf(&b, "%s, %s\n\n%-14s%-10s%8s", c.Scenario, unit(c.Scenario), "program", "provider", "bytes")
			for _, h := range heads(latency) {
				fmt.Fprintf(&b, "%10s", h)
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%-14s%-10s%8s", c.Program, c.Provider, perf.SizeString(int64(p.Size)))
		for _, text := range p.cells(latency) {
			fmt.Fprintf(&b, "%10s", text)
		}
		b.WriteByte('\n')
	})
	fmt.Fprintf(&b, "\nMeasured in %.0f s; reading the clock costs %d ns.", r.Took.Seconds(), r.Clock.Nanoseconds())
	if r.Load != "" {
		fmt.Fprintf(&b, " The load of the machine was %s before.", r.Load)
	}
	b.WriteByte('\n')
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
