package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/perfrun"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// mpiSource is the program that is compiled for MPI libraries.
//
//go:embed testdata/peers/mpi.c
var mpiSource []byte

// What fabtests perf does without options.
const (
	perfTime   = 180
	perfRepeat = 3
)

var (
	perfScenarios = []string{"rdm_tagged_pingpong", "rdm_tagged_bw", "rma_bw"}
	perfSizes     = []int{8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20}
)

// sweep is one run of fabtests perf.
type sweep struct {
	p       *program
	args    []string
	plan    perfrun.Plan
	only    []string // providers that were asked for
	seconds int
	outputs []*perfOutput
	style   cli.Style
}

// options are those of fabtests perf.
func (s *sweep) options(help *bool) []cli.Option {
	return []cli.Option{
		{Short: 'p', Long: "provider", Arg: "LIST", Help: "only these providers, as shm,tcp (all)", Group: "Options of perf", Set: s.setProviders},
		{Short: 'S', Long: "size", Arg: "SIZE", Help: "bytes, r:start,inc,end, l:a,b,c or all (8 64 512 4k 32k 256k 1m)", Set: s.setSizes},
		{Long: "peers", Arg: "LIST", Help: "other programs: fi_pingpong, ucx_perftest, openmpi, mpich; all or none (all)",
			Text:   "One that is not installed is named, with Debian's package that has it.",
			Values: append([]string{"all", "none"}, perfrun.Peers...), Set: s.setPeers},
		{Long: "repeat", Arg: "N", Help: "measure everything N times, in turns (3)", Set: options.Number(&s.plan.Repeat, 1, 1000)},
		{Long: "time", Arg: "SECONDS", Help: "begin no repetition after so long (180); one run of everything is always made",
			Text: "From that and from what a message takes here, the number of messages is chosen. Starting processes counts, and other programs take most of it: fi_pingpong starts two for each size, and each run of another program may take 30 seconds. `--peers none` leaves them out.",
			Set:  options.Number(&s.seconds, 1, 1<<20)},
		{Short: 'o', Long: "output", Arg: "FORMAT[=FILE]", Help: "json, bench or html, into a file or in place of the table; repeatable",
			Text:   "json is an object for each size, bench is for benchstat, html a page with curves.",
			Values: perfFormats, Set: s.setOutput},
		{Short: 'h', Long: "help", Help: "this text", Set: func(string) error { *help = true; return cli.Stop }},
	}
}

// perf runs the command.
func (p *program) perf(args []string) error {
	s := &sweep{p: p, args: args, seconds: perfTime, plan: perfrun.Plan{Scenarios: perfScenarios, Sizes: perfSizes, Peers: perfrun.Peers, Repeat: perfRepeat}}
	if f, ok := p.err.(*os.File); ok {
		s.style = cli.Terminal(f, os.LookupEnv)
	}
	help := false
	cmd := &cli.Command{Name: "fabtests perf", Usage: []string{"fabtests perf [OPTIONS] [SCENARIO]..."}, Options: allNamed(s.options(&help)),
		Examples: []cli.Example{
			{Line: "fabtests perf -o html=perf.html", Text: "latency and bandwidth of all providers and of other programs, as a page"},
			{Line: "fabtests perf -p shm --peers none -o bench rdm_pingpong", Text: "latency over shared memory, for benchstat"},
		}}
	operands, err := cmd.Parse(args)
	switch {
	case err != nil:
		return usage("perf", err)
	case help:
		return cmd.Help(p.out)
	}
	if len(operands) > 0 {
		s.plan.Scenarios = nil
	}
	for _, name := range operands {
		if err := s.addScenario(name); err != nil {
			return err
		}
	}
	return s.run()
}

// addScenario takes a benchmark by its name.
func (s *sweep) addScenario(name string) error {
	x := find(name)
	if x == nil || x.Kind != scenario.Benchmark {
		var known []string
		for _, b := range scenarios() {
			if b.Kind == scenario.Benchmark {
				known = append(known, b.Name)
			}
		}
		text := fmt.Sprintf("perf: there is no benchmark %q, but %s", name, strings.Join(known, ", "))
		next := "fabtests perf rdm_tagged_pingpong"
		if near := fi.Suggest(name, known); near != "" {
			text, next = fmt.Sprintf("perf: there is no benchmark %q: did you mean %s?", name, near), "fabtests perf "+near
		}
		return &fail.Usage{Text: text, Next: next}
	}
	if !slices.Contains(s.plan.Scenarios, x.Name) {
		s.plan.Scenarios = append(s.plan.Scenarios, x.Name)
	}
	return nil
}

func (s *sweep) setProviders(v string) error {
	s.only = nil
	for name := range strings.SplitSeq(v, ",") {
		if name == "" {
			return options.Bad(v, "a list of providers, as shm,tcp")
		}
		if !slices.Contains(s.only, name) {
			s.only = append(s.only, name)
		}
	}
	return nil
}

func (s *sweep) setSizes(v string) error {
	list, err := options.ParseSizes(v)
	if err != nil {
		return &cli.UsageError{Text: err.Error()}
	}
	slices.Sort(list)
	s.plan.Sizes = slices.Compact(list)
	return nil
}

func (s *sweep) setPeers(v string) error {
	s.plan.Peers = nil
	for name := range strings.SplitSeq(v, ",") {
		switch {
		case v == "none":
		case v == "all":
			s.plan.Peers = perfrun.Peers
		case !slices.Contains(perfrun.Peers, name):
			err := options.Bad(name, "a program to compare with: "+strings.Join(perfrun.Peers, ", ")+"; or all, or none, alone")
			return err
		case !slices.Contains(s.plan.Peers, name):
			s.plan.Peers = append(s.plan.Peers, name)
		}
	}
	return nil
}

// run measures and writes.
func (s *sweep) run() error {
	var err error
	if s.plan.Providers, err = s.p.providers(s.only); err != nil {
		return err
	}
	discard, err := s.openOutputs()
	if err != nil {
		return err
	}
	defer discard()
	facts := perf.Facts()
	facts.GOMAXPROCS = max(2, facts.GOMAXPROCS)
	facts.Settings = "FI_THREAD_SAFE"
	if c := systemControl(); c != "" && slices.Contains(s.plan.Providers, "tcp") {
		facts.Settings += ", congestion control of tcp " + congestion(c, os.Getenv("FI_TCP_CONGESTION"), true)
	}
	job, err := s.p.job(s.plan.Scenarios[0], []string{"--local", "-p", s.plan.Providers[0]})
	if err != nil {
		return err
	}
	facts.Pinned = job.Pinned()
	for word := range strings.FieldsSeq(facts.Pinned) {
		if cpu, err := strconv.Atoi(word); err == nil {
			s.plan.CPUs = append(s.plan.CPUs, cpu)
		}
	}
	s.plan.Limit = time.Duration(s.seconds) * time.Second
	engine := &perfrun.Sweep{Plan: s.plan, Ours: s.ours, Progress: s.progress, MPI: mpiSource}
	result, err := engine.Run(s.p.ctx)
	s.progress("")
	if err != nil {
		return err
	}
	result.Machine, result.Version = facts, version()
	result.Command = fail.CommandLine(append([]string{"fabtests", "perf"}, s.args...))
	return s.write(result)
}

// ours runs both sides of a scenario. What they say is held back: it does not matter when the run is stopped.
func (s *sweep) ours(ctx context.Context, name string, args []string, row func(perf.Row)) error {
	job, err := s.p.job(name, args)
	if err != nil {
		return err
	}
	var said held
	job.Err, job.Out = &said, io.Discard
	if err = local.Run(ctx, job, row); err != nil && ctx.Err() == nil {
		s.p.err.Write(said.text.Bytes()) //nolint:errcheck // nobody to tell
	}
	return err
}

// progress replaces the line on a terminal; elsewhere there is none.
func (s *sweep) progress(text string) {
	if s.style.Color {
		fmt.Fprintf(s.p.err, "\r\x1b[K%s", text)
	}
}
