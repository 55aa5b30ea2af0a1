package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/runner"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/ubertest"
	"github.com/gofabric/gofabric/fi"
)

// sshVar names the command that reaches other hosts, with its options, in place of ssh.
const sshVar = "FABTESTS_SSH"

// sshCommand asks nothing and does not wait long for a host that is not there.
const sshCommand = "ssh -o BatchMode=yes -o ConnectTimeout=5"

// mostFailures is the highest number of failures that an exit status tells: what is above means something else to shells.
const mostFailures = 125

// sets is one run of the command.
type sets struct {
	p        *program
	names    []string // -t
	verbose  int
	files    []string // -f
	config   runner.Config
	json     bool
	junit    string
	peer     bool
	peerPath string
	help     bool
}

// sets runs fabtests run.
func (p *program) sets(args []string) error {
	s := newSets(p)
	cmd := s.command()
	operands, err := cmd.Parse(args)
	switch {
	case err != nil:
		return usage("run", err)
	case s.help:
		return cmd.Help(p.out)
	}
	if err := s.place(operands); err != nil {
		return err
	}
	if err := s.finish(); err != nil {
		return err
	}
	return s.run()
}

func newSets(p *program) *sets {
	return &sets{p: p, config: runner.Config{Negative: true, Limit: 120 * time.Second, PeerSide: runner.BothSides}}
}

// wrong is the error for a command line of run.
func wrong(next, text string, args ...any) error {
	if next == "" {
		next = "fabtests run --help"
	}
	return &fail.Usage{Text: "run: " + fmt.Sprintf(text, args...), Next: next}
}

// place sorts operands into providers and the two hosts behind them.
func (s *sets) place(operands []string) error {
	known := providerNames(s.p.ctx)
	c := &s.config
	for len(operands) > 0 && contains(known, operands[0]) {
		if !contains(c.Providers, operands[0]) {
			c.Providers = append(c.Providers, operands[0])
		}
		operands = operands[1:]
	}
	switch {
	case len(operands) == 0:
	case len(operands) == 2 && (len(c.Providers) > 0 || fi.Suggest(operands[0], known) == ""):
		c.Remote, c.Server.Name, c.Client.Name = true, operands[0], operands[1]
	default:
		text := fmt.Sprintf("there is no provider %q, but %s", operands[0], strings.Join(known, ", "))
		next := "fabtests run " + strings.Join(known[:1], "")
		if near := fi.Suggest(operands[0], known); near != "" {
			text, next = fmt.Sprintf("there is no provider %q: did you mean %s?", operands[0], near), "fabtests run "+near
		} else if len(c.Providers) > 0 {
			text += "; hosts are two, the server's and the client's"
			next = "fabtests run " + c.Providers[0] + " SERVER CLIENT"
		}
		return wrong(next, "%s", text)
	}
	return s.choose(known)
}

// choose takes the providers that libfabric's script takes, when none was named.
func (s *sets) choose(known []string) error {
	c := &s.config
	if len(c.Providers) > 0 {
		return nil
	}
	var missing []string
	for _, name := range []string{"tcp", "udp"} {
		if contains(known, name) {
			c.Providers = append(c.Providers, name)
		} else {
			missing = append(missing, name)
		}
	}
	if len(c.Providers) == 0 {
		return wrong("fabtests run "+known[0], "without a provider it takes tcp and udp, which are not here; there is %s", strings.Join(known, ", "))
	}
	line := "# No provider was named: " + strings.Join(c.Providers, " and ")
	if len(missing) > 0 {
		line += " (" + strings.Join(missing, ", ") + " is not here)"
	}
	fmt.Fprintln(s.p.err, line)
	return nil
}

// finish checks what options say together, and fills in the rest.
func (s *sets) finish() error {
	c := &s.config
	if len(s.names) == 0 {
		s.names = []string{"quick"}
	}
	c.Sets = s.names
	for _, name := range s.files {
		f, err := os.Open(name)
		if err != nil {
			return wrong("fabtests run -f FILE, with one expression a line", "-f: %v", err)
		}
		list, err := runner.ReadExcludes(name, f)
		f.Close() //nolint:errcheck // it was read
		if err != nil {
			return wrong("a regular expression a line, # before remarks", "-f: %v", err)
		}
		c.Exclude = append(c.Exclude, list...)
	}
	for _, name := range c.Providers {
		if c.Ubertest == "" {
			break
		}
		if err := ubertest.Check(c.Ubertest, name); err != nil {
			return wrong(fail.Next(err), "-u: %v", err)
		}
		if other := ubertest.Overridden(c.Ubertest, name); other != "" {
			fmt.Fprintf(s.p.err, "# %s\n", other)
		}
	}
	if err := s.hosts(); err != nil {
		return err
	}
	if err := s.withC(); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fail.Call("exec", err)
	}
	c.Program, c.Parse = self, parseLine
	pairs := max(1, runtime.NumCPU()/2)
	if n := len(c.Cores) / 2; n > 0 {
		pairs = n
	}
	switch {
	case c.Jobs == 0 && (c.Remote || c.Peer != nil):
		c.Jobs = 1
	case c.Jobs == 0:
		c.Jobs = pairs
	case len(c.Cores) > 0 && c.Jobs > pairs:
		return wrong("", "-j %d: two processors for each test at a time, --pin-core has %d", c.Jobs, len(c.Cores))
	case c.Jobs > 1 && c.Peer != nil:
		return wrong("", "-j %d: programs of C listen at fixed ports, so only one at a time", c.Jobs)
	}
	return nil
}

// hosts checks what depends on where tests run.
func (s *sets) hosts() error {
	c := &s.config
	if c.Remote {
		command := os.Getenv(sshVar)
		if command == "" {
			command = sshCommand
		}
		c.SSH = strings.Fields(command)
		if len(c.SSH) == 0 {
			return wrong("unset "+sshVar, "%s is blank: it is the command in place of ssh", sshVar)
		}
	}
	for _, name := range c.Providers {
		switch {
		case name != local.InProcess:
		case c.Remote:
			return wrong("fabtests run "+name, "%s reaches its own process only, not other hosts", name)
		case len(c.Server.Args)+len(c.Client.Args) > 0:
			return wrong("fabtests run "+name, "-C and -L: both sides of %s are one process with the same options", name)
		}
	}
	if c.Folder != "" && !c.Remote {
		if contains(providerNames(s.p.ctx), c.Folder) {
			return wrong("fabtests run "+c.Folder, "the provider stands alone; -p is the folder of fabtests on other hosts")
		}
		return wrong("fabtests run -p FOLDER PROVIDER SERVER CLIENT", "-p is the folder of fabtests on other hosts: here all tests are in this program")
	}
	if len(c.Cores) == 1 {
		return wrong("", "--pin-core: server and client need a processor each")
	}
	if len(c.Cores) > 0 && !c.Remote {
		o := options.New()
		o.PinCore = c.Cores
		return local.CheckCores(machine(), &scenario.Scenario{Name: "run"}, o)
	}
	return nil
}

// parseLine reads the command line of a scenario for the runner.
func parseLine(words []string) (*scenario.Scenario, *options.Options, []string, error) {
	s := find(words[0])
	if s == nil {
		return nil, nil, nil, nil
	}
	o := options.New()
	operands, err := command(s, o, new(bool)).Parse(options.FillOptional(words[1:]))
	if err != nil {
		return s, nil, nil, usage(s.Name, err)
	}
	return s, o, operands, nil
}
