package main

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/runner"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cfabtests"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/internal/topo"
)

func contains(list []string, s string) bool { return slices.Contains(list, s) }

func machine() topo.Machine { return topo.New(os.DirFS("/")) }

// providerNames lists the providers of this program, the best first.
func providerNames(ctx context.Context) []string {
	infos, err := fabric.GetInfo(ctx, nil, fabric.WithFlags(fi.InfoProvAttrOnly))
	if err != nil {
		return []string{"mem"} // it is always there
	}
	var names []string
	for _, i := range infos {
		if name := i.Fabric.ProvName; !contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// command describes run as a command.
func (s *sets) command() *cli.Command {
	return &cli.Command{
		Name: "fabtests run",
		Usage: []string{"fabtests run [OPTIONS] [PROVIDER]...", "fabtests run [OPTIONS] PROVIDER... SERVER CLIENT",
			"fabtests run --peer c --peer-path FOLDER [OPTIONS] [tcp]"},
		Examples: []cli.Example{
			{Line: "fabtests run shm", Text: "unit, functional and short tests of a provider, on this machine"},
			{Line: "fabtests run -t standard tcp node1 node2", Text: "both sides on other hosts, by ssh"},
			{Line: "fabtests run -t unit,functional -vv --junit report.xml", Text: "of tcp and udp, for continuous integration"},
		},
		Options: slices.Concat(s.which(), s.how(), s.where(), s.shown(), s.refused()),
	}
}

func (s *sets) which() []cli.Option {
	c := &s.config
	return []cli.Option{
		{Short: 't', Long: "tests", Arg: "SET", Help: "which: " + strings.Join(runner.Sets[:len(runner.Sets)-1], ", ") + " or all; several by commas (quick: unit, functional, short)",
			Values: runner.Sets, Group: "Options of run", Set: func(v string) error {
				for name := range strings.SplitSeq(v, ",") {
					if !contains(runner.Sets, name) {
						text := "option '--tests': there is no set " + strconv.Quote(name) + ", but " + strings.Join(runner.Sets, ", ")
						if near := fi.Suggest(name, runner.Sets); near != "" {
							text = "option '--tests': there is no set " + strconv.Quote(name) + ": did you mean " + near + "?"
						}
						return &cli.UsageError{Text: text}
					}
					s.names = append(s.names, name)
				}
				return nil
			}},
		{Short: 'e', Long: "exclude", Arg: "LIST", Help: "leave out tests that match one of these regular expressions, separated by commas", Set: func(v string) error {
			list, err := runner.ParseExcludes(v)
			if err != nil {
				return &cli.UsageError{Text: "option '--exclude': " + err.Error()}
			}
			c.Exclude = append(c.Exclude, list...)
			return nil
		}},
		{Short: 'f', Long: "exclude-file", Arg: "FILE", Help: "the same, one a line; # begins a remark", Set: func(v string) error {
			s.files = append(s.files, v)
			return nil
		}},
		{Short: 'N', Long: "no-negative", Help: "without the tests that must fail", Set: func(string) error {
			c.Negative = false
			return nil
		}},
		{Short: 'u', Long: "ubertest", Arg: "FILE", Help: "the configuration of ubertest in the sets complex and verify (ours: all or quick, verify)", Set: options.Text(&c.Ubertest)},
		{Short: 'S', Long: "strict", Help: "what the provider does not offer is a failure, too", Set: options.On(&c.Strict)},
	}
}

func (s *sets) how() []cli.Option {
	c := &s.config
	return []cli.Option{
		{Short: 'T', Long: "time-limit", Arg: "SECONDS", Help: "how long a test may take (120; 0: for ever)", Set: func(v string) error {
			n, err := strconv.ParseFloat(v, 64)
			if err != nil || n < 0 || n > 1e6 {
				return &cli.UsageError{Text: "option '--time-limit': " + strconv.Quote(v) + " is not seconds, 0 for ever"}
			}
			c.Limit = time.Duration(n * float64(time.Second))
			return nil
		}},
		{Short: 'j', Long: "jobs", Arg: "N", Help: "tests at a time (half the processors; 1 with other hosts)", Set: named("jobs", options.Number(&c.Jobs, 1, 1024))},
		{Long: "pin-core", Arg: "LIST", Help: "bind both sides of each test to two of these processors, as 0,2-4", Set: named("pin-core", options.Cores(&c.Cores))},
		{Short: 'U', Long: "delivery-complete", Help: "transmit with FI_DELIVERY_COMPLETE in all tests of two sides", Set: options.On(&c.Delivery)},
		{Short: 'b', Long: "oob", Help: "exchange addresses over TCP", Set: options.On(&c.OOB)},
		{Short: 'k', Long: "fork", Help: "each side starts a child process after its endpoint", Set: options.On(&c.Fork)},
		{Short: 'E', Long: "env", Arg: "VAR=VALUE", Help: "a variable for all processes; may be repeated", Set: func(v string) error {
			if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
				return &cli.UsageError{Text: "option '--env': " + strconv.Quote(v) + " is not VAR=VALUE"}
			}
			c.Env = append(c.Env, v)
			return nil
		}},
		{Short: 'L', Long: "server-args", Arg: "ARGS", Help: "more options of every server", Set: words(&c.Server.Args)},
		{Short: 'C', Long: "client-args", Arg: "ARGS", Help: "more options of every client", Set: words(&c.Client.Args)},
	}
}

func (s *sets) where() []cli.Option {
	c := &s.config
	return []cli.Option{
		{Short: 's', Long: "server-address", Arg: "ADDRESS", Help: "the server's address (its name; here 127.0.0.1)", Set: options.Text(&c.Server.Iface)},
		{Short: 'c', Long: "client-address", Arg: "ADDRESS", Help: "the client's address (any)", Set: options.Text(&c.Client.Iface)},
		{Short: 'g', Long: "good-address", Arg: "ADDRESS", Help: "one that getinfo_test and av_test may use (the server's)", Set: options.Text(&c.GoodAddr)},
		{Short: 'p', Long: "path", Arg: "FOLDER", Help: "where fabtests is on the other hosts (found by their PATH)", Set: options.Text(&c.Folder)},
		{Long: "peer", Arg: "WHOSE", Help: "c: one side of each test is C's program", Values: []string{"c"}, Set: func(v string) error {
			if v != "c" && v != "C" {
				return &cli.UsageError{Text: "option '--peer': " + strconv.Quote(v) + " is not c, the one kind of peer there is besides ours"}
			}
			s.peer = true
			return nil
		}},
		{Long: "peer-path", Arg: "FOLDER", Help: "of the programs fi_… of C fabtests", Set: options.Text(&s.peerPath)},
		{Long: "peer-side", Arg: "SIDE", Help: "which side is C's: server, client or both, one after the other (both)", Values: []string{"server", "client", "both"}, Set: func(v string) error {
			c.PeerSide = runner.Side(v)
			if !contains([]string{"server", "client", "both"}, v) {
				return &cli.UsageError{Text: "option '--peer-side': " + strconv.Quote(v) + " is not server, client or both"}
			}
			return nil
		}},
	}
}

func (s *sets) shown() []cli.Option {
	return []cli.Option{
		{Short: 'v', Long: "verbose", Help: "with the output of tests that failed; -vv: and were not run; -vvv: all", Set: func(string) error {
			s.verbose++
			return nil
		}},
		{Long: "json", Help: "a JSON object for each test, in place of the table", Set: options.On(&s.json)},
		{Long: "junit", Arg: "FILE", Help: "write a JUnit file, too", Set: options.Text(&s.junit)},
		{Short: 'h', Long: "help", Help: "this text", Set: func(string) error { s.help = true; return cli.Stop }},
	}
}

// refused are the options of libfabric's script that make no sense here.
func (s *sets) refused() []cli.Option {
	no := func(short byte, long, arg, why string) cli.Option {
		return cli.Option{Short: short, Long: long, Arg: arg, Help: "refused: " + why, Set: func(string) error {
			return &cli.UsageError{Text: "option '--" + long + "': " + why}
		}}
	}
	list := []cli.Option{
		no('P', "provider-tests", "", "no test here is of one provider only; go test ./providers/... has those"),
		no('G', "gdb", "", "a debugger attaches to fabtests SCENARIO --debug-assert"),
	}
	list[0].Group = "Options of libfabric's script that are not here"
	return list
}

// named puts the option's name before what is wrong with its value.
func named(long string, set func(string) error) func(string) error {
	return func(v string) error {
		err := set(v)
		if u, ok := err.(*cli.UsageError); ok { //nolint:errorlint // as set made it
			u.Text = "option '--" + long + "': " + u.Text
		}
		return err
	}
}

// allNamed does so for a whole table.
func allNamed(table []cli.Option) []cli.Option {
	for i := range table {
		table[i].Set = named(table[i].Long, table[i].Set)
	}
	return table
}

// words takes options separated by blanks.
func words(to *[]string) func(string) error {
	return func(v string) error {
		*to = append(*to, strings.Fields(v)...)
		return nil
	}
}

// withC looks for the programs of C.
func (s *sets) withC() (err error) {
	c := &s.config
	switch {
	case !s.peer && s.peerPath != "":
		return wrong("fabtests run --peer c --peer-path "+s.peerPath, "--peer-path goes with --peer c")
	case !s.peer:
		return nil
	case s.peerPath == "":
		return wrong("fabtests run --peer c --peer-path FOLDER", "where are the programs of C fabtests?")
	case c.Remote:
		return wrong("fabtests run --peer c --peer-path "+s.peerPath, "--peer c runs on this machine")
	}
	for _, name := range c.Providers {
		if name != "tcp" && name != "udp" {
			return wrong("fabtests run --peer c --peer-path "+s.peerPath+" tcp", "%s is no protocol that C's programs speak", name)
		}
	}
	if c.Peer, err = cfabtests.Find(s.p.ctx, s.peerPath); err != nil {
		return wrong("fabtests run --peer c --peer-path FOLDER", "--peer-path: %v", err)
	}
	return nil
}
