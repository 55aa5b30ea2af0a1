package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofabric/gofabric/internal/cli"
)

// config is what the options say.
type config struct {
	hosts        []host
	hostList     []host
	hostfile     string
	ppn          int
	keep, bind   bool
	prefix       bool
	timeout      time.Duration
	patience     time.Duration
	outputDir    string
	launcherExec string
	launcherArgs []string
	agent        string
	help         bool
	version      bool

	// Of one program; reset for each.
	n       int
	dir     string
	mustDir bool
	env     []string

	scratch string // folder of built programs
}

const maxRanks = 1 << 16

// newCommand makes the table of options, which set c.
func newCommand(c *config) *cli.Command {
	count := func(name string, to *int, most int) func(string) error {
		return func(v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > most {
				return &cli.UsageError{Text: fmt.Sprintf("%s '%s': want a number from 1 to %d", name, v, most)}
			}
			*to = n
			return nil
		}
	}
	flag := func(to *bool) func(string) error { return func(string) error { *to = true; return nil } }
	text := func(to *string) func(string) error { return func(v string) error { *to = v; return nil } }
	last := func(to *bool) func(string) error { return func(string) error { *to = true; return cli.Stop } }
	hosts := func(v string) error {
		list, err := parseHosts(v)
		if err != nil {
			return &cli.UsageError{Text: err.Error()}
		}
		c.hostList = list
		return nil
	}
	period := func(name string, to *time.Duration) func(string) error {
		return func(v string) (err error) {
			*to, err = parseTime(name, v)
			return err
		}
	}
	return &cli.Command{
		Name:    "mpirun",
		Summary: "start the processes of a parallel job, here or on many hosts",
		Usage: []string{"mpirun [OPTION]... PROGRAM [ARG]... [: [-n N] [-wdir DIR] [-x NAME]... PROGRAM [ARG]...]...",
			"mpirun completion bash|zsh|fish", "mpirun man [markdown]"},
		Examples:    examples,
		Parts:       manual,
		Operands:    []string{"completion", "man"},
		SubOperands: map[string][]string{"completion": cli.Shells, "man": {"markdown"}},
		Options: []cli.Option{
			{Group: "For the next program", Short: 'n', Long: "np", Arg: "N", Help: "number of processes",
				Text: "Without it there is one, or as many as the hosts have slots when hosts are given.", Set: count("-n", &c.n, maxRanks)},
			{Long: "wdir", Arg: "DIR", Help: "working directory", Text: "It has to be there on every host. Without it, it is the one where mpirun runs, on hosts that have it.",
				Set: func(v string) error { c.dir, c.mustDir = v, true; return nil }},
			{Short: 'x', Long: "export", Arg: "NAME[=VALUE]", Help: "environment variable for the processes",
				Text: "Without a value it has the one that it has here. Processes on this host have all variables anyway; on others FI_, MPI_ and OMP_ variables and those of the Go runtime go along.",
				Set:  func(v string) error { return c.export(v) }},

			{Group: "Where", Short: 'H', Long: "hosts", Arg: "HOST[:N],...", Help: "hosts, with the number of slots of each (default: 1)", Set: hosts},
			{Long: "host", Arg: "HOST[:N],...", Help: "the same as --hosts", Set: hosts},
			{Short: 'f', Long: "hostfile", Arg: "FILE", Help: "file of hosts, one a line: HOST:N or HOST slots=N",
				Text: "The variable `HYDRA_HOST_FILE` names one too.", Set: text(&c.hostfile)},
			{Long: "machinefile", Arg: "FILE", Help: "the same as --hostfile", Set: text(&c.hostfile)},
			{Long: "ppn", Arg: "N", Help: "slots of each host, whatever was said", Set: count("--ppn", &c.ppn, maxSlots)},
			{Long: "bind-to", Arg: "core|none", Help: "bind each process to a core of its own (default: none)",
				Text: "Only on Linux. More processes than cores share them, one after another.", Values: []string{"core", "none"},
				Set: func(v string) error {
					if v != "core" && v != "none" {
						return &cli.UsageError{Text: fmt.Sprintf("--bind-to '%s': there is core, and none", v)}
					}
					c.bind = v == "core"
					return nil
				}},
			{Long: "launcher-exec", Arg: "PATH", Help: "program that runs a command on a host, in place of ssh",
				Text: "It is called with the host and one word for a shell there; its input and output have to be the command's.", Set: text(&c.launcherExec)},
			{Long: "agent-path", Arg: "PATH", Help: "where mpirun is on other hosts (default: where it is here)", Set: text(&c.agent)},
			{Long: "launch-timeout", Arg: "TIME", Help: "how long hosts are tried that ssh does not reach (default: 30s)", Set: period("--launch-timeout", &c.patience)},

			{Group: "What happens", Short: 'k', Long: "keep-going", Help: "a process that fails does not end the others", Set: flag(&c.keep)},
			{Long: "disable-auto-cleanup", Help: "the same as --keep-going", Set: flag(&c.keep)},
			{Long: "timeout", Arg: "TIME", Help: "end the job after a time, in seconds or such as 90s, 10m", Set: period("--timeout", &c.timeout)},
			{Short: 'l', Long: "prepend-rank", Help: "put the rank in front of each line", Set: flag(&c.prefix)},
			{Long: "output-dir", Arg: "DIR", Help: "write the output into files, rankN.out and rankN.err", Set: text(&c.outputDir)},
			{Long: "version", Help: "version of this program", Set: last(&c.version)},
			{Short: 'h', Long: "help", Help: "this text", Set: last(&c.help)},
		},
	}
}

// parseTime reads a time in seconds, or with a unit.
func parseTime(name, v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil {
		var n int
		if n, err = strconv.Atoi(v); err == nil && n < 1<<30 {
			d = time.Duration(n) * time.Second
		}
	}
	if err != nil || d <= 0 {
		return 0, &cli.UsageError{Text: fmt.Sprintf("%s '%s': want a time in seconds, or 90s, 10m, 2h", name, v)}
	}
	return d, nil
}

// export notes a variable.
func (c *config) export(v string) error {
	name, _, given := strings.Cut(v, "=")
	if name == "" {
		return &cli.UsageError{Text: fmt.Sprintf("-x '%s': want NAME or NAME=VALUE", v)}
	}
	if !given {
		value, ok := os.LookupEnv(name)
		if !ok {
			return &cli.UsageError{Text: fmt.Sprintf("-x %s: it is not set here; want -x %s=VALUE", name, name)}
		}
		v = name + "=" + value
	}
	c.env = append(c.env, v)
	return nil
}

// exported are the variables that go to other hosts unasked.
func (c *config) exported() []string {
	runtime := []string{"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG", "GOTRACEBACK", "GORACE"}
	var out []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if slices.Contains(runtime, name) || strings.HasPrefix(name, "FI_") || strings.HasPrefix(name, "MPI_") ||
			strings.HasPrefix(name, "OMP_") {
			out = append(out, e)
		}
	}
	return out
}
