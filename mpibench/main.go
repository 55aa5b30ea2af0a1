package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/mpi"
)

// Exit codes.
const (
	exitOK    = 0
	exitUsage = 2
)

func main() {
	var c config
	cmd := newCommand(&c)
	b, code := choose(cmd, &c, os.Args[1:], os.Stdout, os.Stderr)
	if b == nil {
		os.Exit(code)
	}
	mpi.Main(func(ctx context.Context, world *mpi.Comm) error {
		e := &env{config: c, c: world, out: io.Discard, progress: io.Discard}
		if world.Rank() == 0 {
			e.out = os.Stdout
			if c.verbose {
				e.progress = os.Stderr
			}
		}
		return e.measure(ctx, b)
	})
}

// choose finds the benchmark that the command line names, or nil with the exit code when there is nothing to measure.
func choose(cmd *cli.Command, c *config, args []string, out, errs io.Writer) (*benchmark, int) {
	operands, err := cmd.Parse(args)
	switch {
	case err != nil:
	case c.help:
		return nil, written(cmd.Help(out))
	case len(operands) == 1 && operands[0] == "list":
		for _, b := range benchmarks {
			fmt.Fprintf(out, "%-20s %s\n", b.name, b.title)
		}
		return nil, exitOK
	case len(operands) == 2 && operands[0] == "completion":
		var script string
		if script, err = cmd.Completion(operands[1]); err == nil {
			_, err = io.WriteString(out, script)
			return nil, written(err)
		}
	case len(operands) >= 1 && operands[0] == "man":
		page := cmd.Manual()
		if len(operands) == 1 || operands[1] != "markdown" {
			page = cli.Roff(page)
		}
		_, err = io.WriteString(out, page)
		return nil, written(err)
	case len(operands) != 1:
		err = errors.New("name one benchmark: mpibench list shows them")
	default:
		name := strings.TrimPrefix(operands[0], "osu_")
		for i := range benchmarks {
			if benchmarks[i].name == name {
				return &benchmarks[i], exitOK
			}
		}
		err = fmt.Errorf("no benchmark %q: mpibench list shows them", operands[0])
	}
	fmt.Fprintln(errs, "mpibench:", err)
	return nil, exitUsage
}

func written(err error) int {
	if err != nil {
		return 1
	}
	return exitOK
}
