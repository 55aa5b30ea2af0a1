package perfrun

import (
	"fmt"
	"io"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// WriteBench writes Go's benchmark format, a line for each run, so that benchstat has something to compute from:
//
//	benchstat -col /program file
//
// An operation is a message one way.
func (r *Result) WriteBench(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: github.com/gofabric/gofabric/fabtests\n", r.Machine.OS, r.Machine.Arch)
	if r.Machine.CPU != "" {
		fmt.Fprintf(&b, "cpu: %s\n", r.Machine.CPU)
	}
	r.each(func(c *Curve, p *Point) {
		for _, run := range p.Runs {
			fmt.Fprintf(&b, "Benchmark%s/program=%s/prov=%s/size=%d-%d\t%d\t%.4f ns/op", camel(c.Scenario), c.Program, c.Provider, p.Size,
				max(r.Machine.GOMAXPROCS, 1), max(run.Iterations*run.PerIter, 1), run.MicrosPerXfer()*1e3)
			if p.Size > 0 {
				fmt.Fprintf(&b, "\t%.4f MB/s", p.rate(run.MicrosPerXfer()))
			}
			if run.CPU > 0 {
				fmt.Fprintf(&b, "\t%.4f cpu-ns/op", run.CPUMicrosPerXfer()*1e3)
			}
			for i, name := range []string{"p50-ns", "p99-ns", "p99.9-ns"} {
				if v, known := p.Latencies.Micros(perf.Percentiles[i].Percent); known {
					fmt.Fprintf(&b, "\t%.4f %s", v*1e3, name)
				}
			}
			b.WriteByte('\n')
		}
	})
	_, err := io.WriteString(w, b.String())
	return err
}

// camel turns the name of a scenario into the one of a benchmark: RdmTaggedPingpong.
func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
