package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/internal/cli"
)

// command describes one scenario as a command.
func command(s *scenario.Scenario, o *options.Options, help *bool) *cli.Command {
	var own []cli.Option
	if s.Options != nil {
		own = s.Options(o)
		if len(own) > 0 {
			own[0].Group = "Options of " + s.Name
		}
	}
	table := append(operations(s, own, o.Table(own)), cli.Option{Short: 'h', Long: "help", Help: "this text", Set: func(string) error {
		*help = true
		return cli.Stop
	}})
	c := &cli.Command{Name: "fabtests " + s.Name, Summary: s.Summary, Options: table}
	switch s.Sides {
	case scenario.Pair:
		c.Usage = []string{
			"fabtests " + s.Name + " [OPTIONS]           start the server",
			"fabtests " + s.Name + " [OPTIONS] SERVER    connect to it",
			"fabtests " + s.Name + " --local [OPTIONS]   both, on this machine",
		}
		c.Examples = []cli.Example{{Line: "fabtests " + s.Name + " --local", Text: s.Summary}}
	default:
		c.Usage = []string{"fabtests " + s.Name + " [OPTIONS]"}
		if s.Address != "" {
			c.Usage = append(c.Usage, "fabtests "+s.Name+" [OPTIONS] ADDRESS   "+s.Address)
		}
		c.Examples = []cli.Example{{Line: "fabtests " + s.Name, Text: s.Summary}}
	}
	return c
}

// operations leaves -o to the scenarios that have a choice of operations, with their words. An option of the scenario's own
// stays as it is.
func operations(s *scenario.Scenario, own, table []cli.Option) []cli.Option {
	isOp := func(c cli.Option) bool { return c.Long == "op" }
	i := slices.IndexFunc(table, isOp)
	switch {
	case i < 0 || slices.ContainsFunc(own, isOp):
		return table
	case len(s.Ops) == 0:
		return slices.Delete(table, i, i+1)
	}
	last := len(s.Ops) - 1
	choice := strings.Join(s.Ops[:last], ", ") + " or " + s.Ops[last]
	set := table[i].Set
	table[i].Help, table[i].Values = choice+" ("+s.Ops[0]+")", s.Ops
	table[i].Set = func(v string) error {
		if slices.Contains(s.Ops, v) {
			return set(v)
		}
		return &cli.UsageError{Text: "option '--op': no operation " + v + ": " + choice}
	}
	return table
}

// help prints the list of scenarios, or the options of one.
func (p *program) help(args []string) error {
	if len(args) == 0 {
		overview(p.out)
		return nil
	}
	switch args[0] {
	case "demo":
		return p.demo([]string{"--help"})
	case "run":
		return p.sets([]string{"--help"})
	case "perf":
		return p.perf([]string{"--help"})
	case "mon":
		return p.mon([]string{"--help"})
	}
	s := find(args[0])
	if s == nil {
		return unknown(args[0])
	}
	return p.scenario(s, []string{"--help"})
}

// overview lists the scenarios.
func overview(w io.Writer) {
	fmt.Fprint(w, "  fabtests demo                    measure every provider here, side by side\n"+
		"  fabtests rdm_pingpong --local    a server and a client on this machine\n"+
		"  fabtests rdm_pingpong            the server; with its name behind, the client\n"+
		"  fabtests run shm                 all tests of a provider, with a table\n\n"+
		"Usage: fabtests SCENARIO [OPTIONS] [SERVER]\n"+
		"       fabtests perf [OPTIONS] [SCENARIO]...\n"+
		"       fabtests demo | run | mon | help [SCENARIO] | version | completion bash|zsh|fish\n")
	kind := scenario.Kind("")
	for _, s := range scenarios() {
		if s.Kind != kind {
			kind = s.Kind
			fmt.Fprintf(w, "\n%s:\n", kind)
		}
		fmt.Fprintf(w, "  %-20s  %s\n", s.Name, s.Summary)
	}
	fmt.Fprint(w, "\nThe names may begin with fi_, as those of libfabric's programs do. Options: fabtests help SCENARIO\n")
}

// completion prints the script for a shell.
func (p *program) completion(args []string) error {
	shell := ""
	if len(args) > 0 {
		shell = args[0]
	}
	text, err := manual().Completion(shell)
	if err != nil {
		return &fail.Usage{Text: err.Error(), Next: "fabtests completion bash"}
	}
	_, err = io.WriteString(p.out, text)
	return err
}

// manual describes the whole program, for the manual page and for completion: the options that all scenarios have, and
// those of each in a chapter.
func manual() *cli.Command {
	c := &cli.Command{
		Name: "fabtests", Summary: "benchmarks and tests of fabric providers",
		Usage: []string{"fabtests SCENARIO [OPTIONS] [SERVER]", "fabtests demo [OPTIONS]", "fabtests run [OPTIONS] [PROVIDER]... [SERVER CLIENT]", "fabtests perf [OPTIONS] [SCENARIO]...", "fabtests mon [OPTIONS] [PID]...", "fabtests help [SCENARIO]",
			"fabtests version", "fabtests completion bash|zsh|fish"},
		Examples: []cli.Example{
			{Line: "fabtests demo", Text: "every provider here, side by side, and a report with curves"},
			{Line: "fabtests rdm_pingpong --local", Text: "a server and a client on this machine"},
			{Line: "fabtests run -t unit,functional -v shm", Text: "tests of a provider, with the output of those that fail"},
			{Line: "fabtests perf -o html=perf.html", Text: "a sweep of sizes over all providers and other programs, with percentiles, as a page"},
			{Line: "fabtests rdm_tagged_bw --local -p shm -S 8", Text: "the rate of small tagged messages over shared memory"},
		},
		Options:     options.New().Table(nil),
		Operands:    append(names(), "demo", "run", "perf", "mon", "help", "version", "completion"),
		SubOperands: map[string][]string{"completion": cli.Shells, "help": names(), "run": providerWords},
	}
	var list strings.Builder
	for _, s := range scenarios() {
		fmt.Fprintf(&list, "- `%s`: %s.", s.Name, s.Summary)
		if s.Options != nil {
			for _, opt := range s.Options(options.New()) {
				fmt.Fprintf(&list, " `--%s`: %s.", opt.Long, opt.Help)
			}
		}
		list.WriteString("\n")
	}
	c.Parts = []cli.Part{
		{Title: "DESCRIPTION", Text: description},
		{Title: "SCENARIOS", Text: list.String()},
		{Title: "SETS OF TESTS", Text: runText + runOptions()},
		{Title: "PERF", Text: perfText + perfManual()},
		{Title: "C PROGRAMS", Text: programsText},
		{Title: "FIGURES OF RUNNING PROGRAMS", Text: monText},
		{Title: "OUTPUT", Text: outputText},
		{Title: "EXIT STATUS", Text: exitText},
		{Title: "ENVIRONMENT", Text: environmentText},
		{Title: "SEE ALSO", Text: "fi_info(1), fabric(7)"},
	}
	return c
}

const description = `fabtests is libfabric's set of test programs in one: each scenario has the name, the options, the output and the
exit status of the C program, and may be the other side of it where the provider speaks the same protocol.

A scenario of two sides is started on two machines, the server first: without an operand it is the server, with the
name of one it is the client. With *--local* both are started on this machine, each pinned to a processor. Without *-p*
the best provider that reaches other processes is used.

Benchmarks with *--local* start their processes several times and print the best of each row: where the pages of a
process lie makes whole runs faster or slower.`

const programsText = `Over *-p tcp* the other side of a scenario may be the C program of the same name. Both want the same options, and fi_
before the name is ours to leave out:

    fi_rdm_tagged_pingpong -p tcp -v               # C, the server (-p net where libfabric is older than 1.18)
    fabtests rdm_tagged_pingpong -p tcp -v HOST    # ours, the client

Programs of different versions of libfabric do not send quite the same. What is told by the first message that
synchronises, before 2.0 or since, is found out; the rest has to be said by *--peer-version*: rma_bw with -o writedata or
-v against 2.0 to 2.3, or anything older than 1.19; rdm_tagged_peek against anything older than 2.1; -b, and
what does so by itself (av_xfer, dgram_pingpong, multi_recv, unexpected_msg, unmap_mem), against anything older than 2.4;
dgram_pingpong, and multi_ep with connected endpoints, against all. ubertest is the other side of fi_ubertest with connected endpoints (ep_type: FI_EP_MSG), and since 1.18 with RDM
endpoints; what it injects then has at most 128 bytes, as much as C's tcp takes. The provider of its tests is that of *-p*, else of prov_name in the file; where both are
given and differ, a line says so. Without -S a C program begins by clearing a gigabyte, in which time nothing seems to happen.`

const monText = `fabtests mon lists what programs do that run with *FI_HOOK=monitor*: the calls of each process and provider by
their sizes, those of receives when they complete. With *-f* it goes on and prints, for what has happened since it last
looked, calls and megabytes (10^6 bytes) in a second; *-t SECONDS* says how often. *--json* prints the files themselves, a
line each. Operands are the numbers of processes to show; without, all of the user's are shown. Files that killed processes
have left are removed. The folder is that of FI_OFI_HOOK_MONITOR_BASEPATH.`

const perfText = `fabtests perf measures benchmarks (rdm_tagged_pingpong, rdm_tagged_bw and rma_bw, unless others are named) over
every provider and many sizes, beside the same exchange by other programs where they are installed: fi_pingpong of C
libfabric, ucx_perftest, and a program of ours in C for Open MPI and MPICH, which is compiled where mpicc is. All is measured
in turns, each side on its own processor, several times; best and median are printed. Threading is safe; memory of rma_bw and
rma_pingpong comes from mr.Alloc, and rma_bw is written by one side only, as others do.

The p50, p99 and p99.9 of a ping-pong are of a pass of its own, which reads the clock for each message; they are left out
where fewer than ten messages are beyond. cpu is the processor time of the client for a message; of mem it is that of both
sides, which are one process.

` + "`-o bench`" + ` is for benchstat: benchstat -col /program FILE.

`

// perfManual lists the options of perf.
func perfManual() string {
	var b strings.Builder
	for _, o := range (&sweep{}).options(new(bool)) {
		fmt.Fprintf(&b, "- `--%s", o.Long)
		if o.Arg != "" {
			b.WriteString(" " + o.Arg)
		}
		b.WriteByte('`')
		if o.Short != 0 {
			fmt.Fprintf(&b, ", `-%c`", o.Short)
		}
		fmt.Fprintf(&b, ": %s.", o.Help)
		if o.Text != "" {
			b.WriteString(" " + o.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const outputText = `A benchmark prints, for each size, the columns bytes, iters, total, time, MB/sec (10^6 bytes), usec/xfer and Mxfers/sec.
A transfer is one way: half a round trip of a ping-pong. What it was measured on goes to standard error.`

const exitText = `- 0: all went well.
- fabtests run: how many tests failed, at most 125; 1 also when its command line makes no sense.
- 1: the command line makes no sense.
- 61: not supported here (FI_ENODATA): no provider offers what the scenario needs.
- 130: interrupted.
- others: the error number (FI_ETIMEDOUT is 110).`

const environmentText = "- `FI_PROVIDER`: which providers may be used, as in every program.\n" +
	"- `FI_SHM_ROAD`: how shm moves large messages; `--road` sets it.\n" +
	"- `FABTESTS_SSH`: the command with its options that fabtests run reaches other hosts by, in place of ssh. It gets the\n" +
	"  host and one word for the shell there.\n" +
	"- `FI_LOG_LEVEL`: more about what happens.\n" +
	"- `FI_HOOK`: trace, profile, monitor or check, before every provider.\n" +
	"- `FI_OFI_HOOK_MONITOR_BASEPATH`: where mon finds the figures.\n" +
	"- `NO_COLOR`: plain output; so is all that does not go to a terminal."

// version is that of the module.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
