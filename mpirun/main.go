package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofabric/gofabric/internal/cli"
)

// Exit codes beside those of the ranks and 128 + n for signal n.
const (
	exitOK       = 0
	exitLost     = 1   // a host or its agent
	exitUsage    = 2   // wrong options
	exitTimeout  = 124 // -timeout
	exitCannot   = 126 // a program cannot be started
	exitNotFound = 127 // a program is not there
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == agentOption {
		os.Exit(runAgent(os.Stdin, os.Stdout))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	c := config{patience: 30 * time.Second, launcherArgs: strings.Fields(os.Getenv("HYDRA_LAUNCH_EXTRA_ARGS"))}
	cmd := newCommand(&c)
	if len(args) > 0 {
		switch args[0] {
		case "completion":
			return completion(cmd, args[1:], stdout, stderr)
		case "man":
			return manualPage(cmd, args[1:], stdout, stderr)
		}
	}
	signals := make(chan os.Signal, 4) // from here on, so that a build leaves nothing either
	signal.Notify(signals, endSignals...)
	defer signal.Stop(signals)
	build := &builder{stderr: stderr}
	defer build.remove()
	progs, err := c.read(cmd, args, build)
	switch {
	case err != nil:
		return complain(stderr, err)
	case c.help:
		cmd.Help(stdout) //nolint:errcheck // whoever closed it does not read it
		return exitOK
	case c.version:
		version := "(devel)"
		if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
			version = info.Main.Version
		}
		fmt.Fprintf(stdout, "mpirun: %s\n", strings.TrimPrefix(version, "v"))
		return exitOK
	}
	size := 0
	for _, p := range progs {
		size += p.n
	}
	out, err := newOutputs(&c, size, stdout, stderr)
	if err != nil {
		return complain(stderr, err)
	}
	c.scratch = build.folder
	return newLaunch(&c, progs, out, stderr).run(signals)
}

// read reads the command line.
func (c *config) read(cmd *cli.Command, args []string, build *builder) ([]program, error) {
	var progs []program
	var err error
	for i, section := range sections(args) {
		c.n, c.dir, c.mustDir, c.env = 0, "", false, nil
		options, prog := words(cmd, section)
		if _, err := cmd.Parse(options); err != nil {
			return nil, err
		}
		if c.help || c.version {
			return nil, nil
		}
		if i == 0 {
			if c.hosts, err = c.where(); err != nil {
				return nil, err
			}
		}
		if len(prog) == 0 {
			return nil, &cli.UsageError{Text: "no program to start"}
		}
		p := program{n: c.n, args: prog, dir: c.dir, mustDir: c.mustDir, env: c.env}
		if p.n == 0 {
			p.n = 1
			if len(c.hosts) > 0 && (c.hostfile != "" || c.hostList != nil) {
				p.n = slots(c.hosts)
			}
		}
		if p.dir == "" {
			if p.dir, err = os.Getwd(); err != nil {
				return nil, err
			}
		}
		if p.args, err = build.resolve(prog); err != nil {
			return nil, err
		}
		progs = append(progs, p)
	}
	if build.folder != "" {
		for _, h := range c.hosts {
			if !isHere(h.name) {
				return nil, &cli.UsageError{Text: "a Go package can be built for this host only", Hint: "go build it into a folder that host " + h.name + " has too, and start that"}
			}
		}
	}
	return progs, nil
}

// where gives the hosts, this one without any.
func (c *config) where() (hosts []host, err error) {
	hosts = c.hostList
	if c.hostfile == "" && hosts == nil {
		c.hostfile = os.Getenv("HYDRA_HOST_FILE")
	}
	if c.hostfile != "" {
		if hosts != nil {
			return nil, &cli.UsageError{Text: "hosts are given twice: by --hosts and by --hostfile"}
		}
		if hosts, err = readHostfile(c.hostfile); err != nil {
			return nil, err
		}
	}
	if hosts == nil {
		hosts = []host{{"localhost", 1}}
	}
	if c.ppn > 0 {
		for i := range hosts {
			hosts[i].slots = c.ppn
		}
	}
	return hosts, nil
}

// complain tells what is wrong with the command line.
func complain(stderr io.Writer, err error) int {
	if usage, ok := errors.AsType[*cli.UsageError](err); ok {
		fmt.Fprintf(stderr, "mpirun: %s\n", usage.Text)
		if usage.Hint != "" {
			fmt.Fprintln(stderr, usage.Hint)
		}
		fmt.Fprintln(stderr, "  try: mpirun --help")
		return exitUsage
	}
	fmt.Fprintln(stderr, "mpirun:", err)
	return exitUsage
}

// manualPage prints the manual page: roff, for man, or markdown.
func manualPage(cmd *cli.Command, form []string, stdout, stderr io.Writer) int {
	text := cmd.Manual()
	switch {
	case len(form) == 0, len(form) == 1 && form[0] == "roff":
		text = cli.Roff(text)
	case len(form) > 1 || form[0] != "markdown":
		fmt.Fprintf(stderr, "mpirun: no manual in '%s': there is markdown, and without a word the page for man\n", strings.Join(form, " "))
		return exitUsage
	}
	io.WriteString(stdout, text) //nolint:errcheck // whoever closed it does not read it
	return exitOK
}

func completion(cmd *cli.Command, shells []string, stdout, stderr io.Writer) int {
	shell := ""
	if len(shells) > 0 {
		shell = shells[0]
	}
	script, err := cmd.Completion(shell)
	if err != nil {
		return complain(stderr, err)
	}
	io.WriteString(stdout, script) //nolint:errcheck // whoever closed it does not read it
	return exitOK
}
