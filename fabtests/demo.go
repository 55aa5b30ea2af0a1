package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/report"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// demoTime is how long the demo may take; it starts nothing more when two thirds of it are over.
const demoTime = 18 * time.Second

// demo measures every provider.
type demo struct {
	p        *program
	provider string
	file     string
	starts   int
	began    time.Time
	style    cli.Style
	steps    int // in all
	step     int
	late     bool // something took too long and is missing
	commands []string
}

// demoOptions are those of fabtests demo.
func (d *demo) options(help *bool) []cli.Option {
	return []cli.Option{
		{Short: 'O', Long: "output", Arg: "FILE", Help: "where the report goes (fabtests-report.html in this folder); - for none", Group: "Options of demo", Set: options.Text(&d.file)},
		{Short: 'p', Long: "provider", Arg: "NAME", Help: "only this provider", Set: options.Text(&d.provider)},
		{Long: "starts", Arg: "N", Help: "start the processes N times, print the best (2)", Set: options.Number(&d.starts, 1, 100)},
		{Short: 'h', Long: "help", Help: "this text", Set: func(string) error { *help = true; return cli.Stop }},
	}
}

// demo runs the command.
func (p *program) demo(args []string) error {
	d := &demo{p: p, file: "fabtests-report.html", starts: 2, began: time.Now()}
	if f, ok := p.err.(*os.File); ok {
		d.style = cli.Terminal(f, os.LookupEnv)
	}
	help := false
	cmd := &cli.Command{Name: "fabtests demo", Usage: []string{"fabtests demo [OPTIONS]"}, Options: d.options(&help),
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

// measure is one curve: a scenario with options.
type measure struct {
	title    string
	scenario string
	args     []string
	fresh    bool // the buffers are written before and read after
	value    func(perf.Row) float64
}

// classes are sizes and how many of them are sent, so that all take about the same time.
var classes = []struct{ sizes, count string }{
	{"l:8,64,512,4096", "2000"},
	{"l:32768,262144", "200"},
	{"l:1048576,4194304", "40"},
}

func (d *demo) run() error {
	providers, err := d.providers()
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
	curves := []struct {
		chart *report.Chart
		measure
	}{
		{&latency, measure{title: "latency", scenario: "rdm_tagged_pingpong", value: perf.Row.MicrosPerXfer}},
		{&latency, measure{title: "latency, fresh data", scenario: "rdm_tagged_pingpong", args: []string{"--touch"}, fresh: true, value: perf.Row.MicrosPerXfer}},
		{&bandwidth, measure{title: "bandwidth", scenario: "rdm_tagged_bw", value: perf.Row.MBPerSec}},
	}
	d.steps = len(providers) * len(curves) * len(classes)
	pinned := ""
	for _, c := range curves {
		for i, name := range providers {
			s := report.Series{Name: name, Colour: i, Dashed: c.fresh}
			if c.fresh {
				s.Name += ", fresh data"
			}
			pin, err := d.curve(name, &c.measure, &s)
			if err != nil {
				d.progress("")
				return err
			}
			pinned = pin
			c.chart.Series = append(c.chart.Series, s)
		}
	}
	d.progress("")
	facts := perf.Facts()
	facts.GOMAXPROCS, facts.Pinned = max(2, facts.GOMAXPROCS), pinned
	d.table(&latency)
	d.table(&bandwidth)
	return d.report(page, facts, latency, bandwidth)
}

// providers lists those that there are, the best first.
func (d *demo) providers() ([]string, error) {
	o := options.New()
	o.Provider = d.provider
	infos, err := fabric.GetInfo(d.p.ctx, session.Hints(o, session.Need{Caps: fi.CapTagged}))
	if err != nil {
		return nil, session.NotOffered(fail.Call("fi_getinfo", err), o)
	}
	var names []string
	for _, i := range infos {
		if !slices.Contains(names, i.Fabric.ProvName) {
			names = append(names, i.Fabric.ProvName)
		}
	}
	return names, nil
}

// curve measures one provider; it tells to which processors the two sides were pinned.
func (d *demo) curve(provider string, m *measure, s *report.Series) (pinned string, err error) {
	for _, c := range classes {
		d.step++
		share := d.share()
		if share <= 0 {
			d.late = true
			continue
		}
		args := append([]string{"--local", "-p", provider, "-S", c.sizes, "-I", c.count}, m.args...)
		d.commands = append(d.commands, strings.Join(append([]string{"fabtests", m.scenario}, args...), " "))
		var best perf.Best
		for start := range d.starts {
			if start > 0 && time.Since(d.began) > demoTime*2/3 {
				break
			}
			d.progress(fmt.Sprintf("[%d/%d] %s, %s, %s bytes", d.step, d.steps, provider, m.title, strings.TrimPrefix(c.sizes, "l:")))
			job, err := d.p.job(m.scenario, args)
			if err != nil {
				return "", err
			}
			if err := d.start(job, share, &best); errors.Is(err, errDemoTime) {
				d.late = d.late || start == 0
				break
			} else if err != nil {
				return "", err
			}
			pinned = job.Pinned()
		}
		for _, r := range best.Rows() {
			s.Points = append(s.Points, report.Point{Size: r.Size, Value: m.value(r)})
		}
	}
	return pinned, nil
}

// share is how long the present step may take: twice its part of the time that is left, so that on a busy machine there is
// something of every provider.
func (d *demo) share() time.Duration {
	return 2 * (demoTime - time.Since(d.began)) / time.Duration(d.steps-d.step+2)
}

// start runs both sides once, for no longer than their share.
func (d *demo) start(job *local.Job, share time.Duration, best *perf.Best) error {
	ctx, cancel := context.WithTimeoutCause(d.p.ctx, share, errDemoTime)
	defer cancel()
	err := local.Run(ctx, job, best.Add)
	if err != nil && ctx.Err() != nil && d.p.ctx.Err() == nil {
		return errDemoTime
	}
	return err
}

// errDemoTime ends a run that has taken long enough.
var errDemoTime = errors.New("the run has taken long enough")

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
	return &local.Job{Scenario: s, Opt: o, Args: args, Provider: provider, Count: o.Procs, Out: io.Discard, Err: p.err}, nil
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
	if d.late {
		fmt.Fprintln(d.p.out, "What took too long was left out: this machine is busy, and the demo ends after 18 s.")
	}
	if page == nil {
		return nil
	}
	facts := []report.Fact{{Name: "Time", Value: time.Now().Format(time.RFC1123)}, {Name: "Program", Value: "fabtests " + version()},
		{Name: "System", Value: f.OS + "/" + f.Arch + " " + f.Kernel}, {Name: "Processor", Value: fmt.Sprintf("%s, %d CPUs", f.CPU, f.CPUs)},
		{Name: "Go", Value: fmt.Sprintf("%s, GOMAXPROCS=%d", f.Go, f.GOMAXPROCS)}}
	if f.Virtual {
		facts = append(facts, report.Fact{Name: "Virtual", Value: "yes: figures of a virtual machine move"})
	}
	if f.GODEBUG != "" {
		facts = append(facts, report.Fact{Name: "GODEBUG", Value: f.GODEBUG})
	}
	if f.Pinned != "" {
		facts = append(facts, report.Fact{Name: "Pinned to", Value: f.Pinned})
	}
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
