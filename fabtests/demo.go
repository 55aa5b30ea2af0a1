package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/report"
	"github.com/gofabric/gofabric/internal/cli"
)

// demoTime is how many seconds the demo may take, unless --time says otherwise.
const demoTime = 18

// demo measures every provider.
type demo struct {
	p        *program
	provider string
	file     string
	starts   int
	seconds  int // that it may take
	began    time.Time
	style    cli.Style
	pinned   string // the processors of the two sides
	rough    bool   // some figures are of few messages
	late     bool   // something took too long and is missing
	commands []string
}

// demoOptions are those of fabtests demo.
func (d *demo) options(help *bool) []cli.Option {
	return []cli.Option{
		{Short: 'O', Long: "output", Arg: "FILE", Help: "where the report goes (fabtests-report.html in this folder); - for none", Group: "Options of demo", Set: options.Text(&d.file)},
		{Short: 'p', Long: "provider", Arg: "NAME", Help: "only this provider", Set: options.Text(&d.provider)},
		{Long: "starts", Arg: "N", Help: "start the processes N times, print the best (2)", Set: options.Number(&d.starts, 1, 100)},
		{Long: "time", Arg: "SECONDS", Help: "how long it may take (18); more on a busy machine", Set: options.Number(&d.seconds, 1, 86400)},
		{Short: 'h', Long: "help", Help: "this text", Set: func(string) error { *help = true; return cli.Stop }},
	}
}

// demo runs the command.
func (p *program) demo(args []string) error {
	d := &demo{p: p, file: "fabtests-report.html", starts: 2, seconds: demoTime, began: time.Now()}
	if f, ok := p.err.(*os.File); ok {
		d.style = cli.Terminal(f, os.LookupEnv)
	}
	help := false
	cmd := &cli.Command{Name: "fabtests demo", Usage: []string{"fabtests demo [OPTIONS]"}, Options: allNamed(d.options(&help)),
		Examples: []cli.Example{{Line: "fabtests demo", Text: "every provider here, side by side, and a report with curves"}}}
	operands, err := cmd.Parse(args)
	switch {
	case err != nil:
		return usage("demo", err)
	case help:
		return cmd.Help(p.out)
	case len(operands) > 0:
		return &fail.Usage{Text: "demo: it takes no " + operands[0], Next: "fabtests demo"}
	}
	return d.run()
}

func (d *demo) run() error {
	var only []string
	if d.provider != "" {
		only = []string{d.provider}
	}
	providers, err := d.p.providers(only)
	if err != nil {
		return err
	}
	page, discard, err := d.create()
	if err != nil {
		return err
	}
	defer discard()
	latency := report.Chart{Title: "Latency of tagged messages", Unit: "microseconds, one way",
		Note: "“fresh data”: each buffer is written before its send and read after its receive, as programs do."}
	bandwidth := report.Chart{Title: "Bandwidth of tagged messages", Unit: "MB/s (10^6 bytes), 64 messages in flight"}
	kinds := []measure{
		{title: "latency", scenario: "rdm_tagged_pingpong", value: perf.Row.MicrosPerXfer},
		{title: "bandwidth", scenario: "rdm_tagged_bw", value: perf.Row.MBPerSec},
		{title: "latency, fresh data", scenario: "rdm_tagged_pingpong", args: []string{"--touch"}, value: perf.Row.MicrosPerXfer},
	}
	curves := make([][]curve, len(kinds))
	for i := range kinds {
		for _, name := range providers {
			curves[i] = append(curves[i], curve{measure: &kinds[i], provider: name})
		}
	}
	if err := d.measureAll(curves); err != nil {
		d.progress("")
		return err
	}
	for i, name := range providers {
		latency.Series = append(latency.Series, d.series(name, i, &curves[0][i]))
		bandwidth.Series = append(bandwidth.Series, d.series(name, i, &curves[1][i]))
	}
	for i, name := range providers {
		fresh := d.series(name+", fresh data", i, &curves[2][i])
		fresh.Dashed = true
		latency.Series = append(latency.Series, fresh)
	}
	d.progress("")
	facts := perf.Facts()
	facts.GOMAXPROCS, facts.Pinned = max(2, facts.GOMAXPROCS), d.pinned
	d.table(&latency)
	d.table(&bandwidth)
	return d.report(page, facts, latency, bandwidth)
}

// job prepares a scenario for one run of both sides.
func (p *program) job(name string, args []string) (*local.Job, error) {
	s := find(name)
	o := options.New()
	if _, err := command(s, o, new(bool)).Parse(args); err != nil {
		return nil, usage(name, err)
	}
	provider, err := local.ChooseProvider(p.ctx, s, o)
	if err != nil {
		return nil, err
	}
	return &local.Job{Scenario: s, Opt: o, Args: args, Provider: provider, Count: o.Procs,
		Command: append([]string{"fabtests", name}, args...), Out: io.Discard, Err: p.err}, nil
}

// progress replaces the line on a terminal; elsewhere there is none.
func (d *demo) progress(text string) {
	if d.style.Color {
		fmt.Fprintf(d.p.err, "\r\x1b[K%s", text)
	}
}

// table prints a chart's numbers side by side.
func (d *demo) table(c *report.Chart) {
	fmt.Fprintf(d.p.out, "%s, %s\n\n%-8s", c.Title, c.Unit, "bytes")
	for _, s := range c.Series {
		fmt.Fprintf(d.p.out, "%*s", column(s.Name), s.Name)
	}
	fmt.Fprintln(d.p.out)
	for _, size := range c.Sizes() {
		fmt.Fprintf(d.p.out, "%-8s", perf.SizeString(int64(size)))
		for _, s := range c.Series {
			text := "-"
			if v, ok := s.At(size); ok {
				text = report.Number(v)
				if slices.Contains(s.Rough, size) {
					text = "~" + text
				}
			}
			fmt.Fprintf(d.p.out, "%*s", column(s.Name), text)
		}
		fmt.Fprintln(d.p.out)
	}
	fmt.Fprintln(d.p.out)
}

func column(name string) int { return max(12, len(name)+3) }

// create opens the report's file before anything is measured; nil for none. What stands in it is kept until there is a
// new report; discard removes a file that was made in vain.
func (d *demo) create() (page *os.File, discard func(), err error) {
	if d.file == "-" {
		return nil, func() {}, nil
	}
	_, missing := os.Stat(d.file)
	page, err = os.OpenFile(d.file, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, nil, &fail.Hint{Err: fail.Call("report", err), Next: "fabtests demo --output FILE, in a folder that may be written"}
	}
	return page, func() {
		if page.Close() == nil && missing != nil { // report has not closed it
			os.Remove(d.file) //nolint:errcheck // it is empty
		}
	}, nil
}

// report writes the page and says where.
func (d *demo) report(page *os.File, f perf.MachineFacts, charts ...report.Chart) error {
	fmt.Fprintf(d.p.out, "Measured in %.1f s on %v.\n", time.Since(d.began).Seconds(), f)
	if d.rough {
		fmt.Fprintln(d.p.out, "~: of few messages only.")
	}
	if d.late {
		fmt.Fprintln(d.p.out, "-: took too long.")
	}
	if d.rough || d.late {
		fmt.Fprintf(d.p.out, "This machine is busy; for better figures: fabtests demo --time %d\n", 4*d.seconds)
	}
	if page == nil {
		return nil
	}
	facts := append([]report.Fact{{Name: "Time", Value: time.Now().Format(time.RFC1123)}, {Name: "Program", Value: "fabtests " + version()}},
		report.MachineFacts(f)...)
	facts = append(facts, report.Fact{Name: "Figures", Value: fmt.Sprintf("best of up to %d starts of the processes", d.starts)})
	r := &report.Report{Title: "Gofabric on this machine", Intro: "Both sides of every provider, measured by fabtests demo.", Facts: facts, Charts: charts, Commands: d.commands}
	if err := errors.Join(page.Truncate(0), r.Write(page), page.Close()); err != nil {
		return fail.Call("report", err)
	}
	where, err := filepath.Abs(d.file)
	if err != nil {
		where = d.file
	}
	fmt.Fprintf(d.p.out, "Report: %s\n", where)
	return nil
}
