package perfrun

import (
	"fmt"
	"io"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/report"
)

// WritePage writes one HTML file with curves: of each scenario all providers, then each provider beside its peers, then how
// the latencies are spread; and all numbers.
func (r *Result) WritePage(w io.Writer) error {
	page := &report.Report{Title: "Gofabric, measured", Facts: r.facts(), Notes: r.Notes, Commands: []string{r.Command},
		Intro: "By fabtests perf, on one machine on one day: figures of another machine, or of this one an hour later, differ. " +
			"Curves are the best of the runs; the tables have the median, too."}
	for _, s := range r.Plan.Scenarios {
		page.Charts = append(page.Charts, r.charts(s)...)
		page.Tables = append(page.Tables, r.numbers(s))
	}
	return page.Write(w)
}

// facts are those of the machine and of the sweep.
func (r *Result) facts() []report.Fact {
	facts := report.MachineFacts(r.Machine)
	if r.Load != "" {
		facts = append(facts, report.Fact{Name: "Load", Value: r.Load + " before it began; what else runs makes the time of a message longer, for some programs more than for others"})
	}
	return append(facts,
		report.Fact{Name: "Time", Value: r.Began.Format(time.RFC1123)},
		report.Fact{Name: "Program", Value: "fabtests " + r.Version},
		report.Fact{Name: "Runs", Value: fmt.Sprintf("%d of everything, in turns, in %.0f s", r.Plan.Repeat, r.Took.Seconds())},
		report.Fact{Name: "Clock", Value: fmt.Sprintf("reading it costs %d ns, of which a ping-pong's percentiles have half in them; means have none",
			r.Clock.Nanoseconds())})
}

// title is that of a scenario's charts, with the unit of its curves.
func title(scenario string) (text, unit string) {
	if Latency(scenario) {
		return "Latency, " + scenario, "microseconds, one way"
	}
	return "Bandwidth, " + scenario, "MB/s (10^6 bytes)"
}

// charts are those of a scenario.
func (r *Result) charts(scenario string) []report.Chart {
	var all []report.Chart
	text, unit := title(scenario)
	ours := report.Chart{Title: text, Unit: unit}
	spread := report.Chart{Title: "How latencies are spread, " + scenario, Unit: unit,
		Note: "Solid p50, dashed p99, dotted p99.9, of a pass of its own that reads the clock for each message."}
	for i, prov := range r.Plan.Providers {
		beside := report.Chart{Title: text + ", beside others over " + prov, Unit: unit}
		for _, c := range r.Curves {
			if c.Scenario != scenario || c.Provider != prov || !c.measured() {
				continue
			}
			beside.Series = append(beside.Series, report.Series{Name: c.Program, Colour: len(beside.Series), Points: c.best()})
			if c.Program == Ours {
				ours.Series = append(ours.Series, report.Series{Name: prov, Colour: i, Points: c.best()})
				spread.Series = append(spread.Series, c.spread(i)...)
			}
		}
		if len(beside.Series) > 1 {
			all = append(all, beside)
		}
	}
	if len(ours.Series) > 0 {
		all = append([]report.Chart{ours}, all...)
	}
	if len(spread.Series) > 0 {
		all = append(all, spread)
	}
	return all
}

// measured tells whether a curve has a point.
func (c *Curve) measured() bool { return len(c.best()) > 0 }

// best are the points of a curve by its fastest runs.
func (c *Curve) best() []report.Point {
	var out []report.Point
	for i := range c.Points {
		p := &c.Points[i]
		if len(p.Runs) == 0 {
			continue
		}
		v := p.Best().MicrosPerXfer()
		if !Latency(c.Scenario) {
			v = p.rate(v)
		}
		out = append(out, report.Point{Size: p.Size, Value: v})
	}
	return out
}

// spread are the percentiles of a curve that are known.
func (c *Curve) spread(colour int) []report.Series {
	var out []report.Series
	for i, name := range []string{"p50", "p99", "p99.9"} {
		s := report.Series{Name: c.Provider + ", " + name, Colour: colour, Dashed: i == 1, Dotted: i == 2}
		for _, p := range c.Points {
			if v, known := p.Latencies.Micros(perf.Percentiles[i].Percent); known {
				s.Points = append(s.Points, report.Point{Size: p.Size, Value: v})
			}
		}
		if len(s.Points) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// numbers is the table of all points of a scenario.
func (r *Result) numbers(scenario string) report.Table {
	latency := Latency(scenario)
	t := report.Table{Title: "All numbers, " + scenario, Heads: append([]string{"program", "provider", "bytes"}, heads(latency)...),
		Names: 2, Note: "best, median: " + unit(scenario) + "; percentiles and cpu, the processor time of the client for a message: usec"}
	r.each(func(c *Curve, p *Point) {
		if c.Scenario == scenario {
			t.Rows = append(t.Rows, append([]string{c.Program, c.Provider, perf.SizeString(int64(p.Size))}, p.cells(latency)...))
		}
	})
	return t
}
