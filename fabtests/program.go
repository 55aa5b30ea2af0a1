package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

// program is one run of the command.
type program struct {
	ctx      context.Context
	out, err io.Writer

	supervised bool // fabtests run started us, and waits for the word of a server
}

// interrupted is the exit status after Ctrl-C, as shells have it.
const interrupted = 130

// main runs a command line and gives the exit status.
func (p *program) main(args []string) int {
	out := &output{w: p.out}
	p.out = out
	err := p.run(args)
	if lost := out.failed(); lost != nil && (err == nil || errors.Is(lost, err)) {
		err = lost
	}
	switch {
	case p.ctx.Err() != nil:
		fmt.Fprintln(p.err, "fabtests: interrupted")
		return interrupted
	case err == nil:
		return 0
	}
	p.explain(err)
	return fail.ExitCode(err)
}

// run does what the first word says.
func (p *program) run(args []string) error {
	if len(args) == 0 {
		overview(p.err)
		return &fail.Usage{Text: "which scenario?", Next: "fabtests demo"}
	}
	word, rest := args[0], args[1:]
	switch word {
	case "-h", "--help", "help":
		return p.help(rest)
	case "demo":
		p.warnStrays()
		return p.demo(rest)
	case "run":
		p.warnStrays()
		return p.sets(rest)
	case "mon":
		p.warnStrays()
		return p.mon(rest)
	case "perf":
		p.warnStrays()
		return p.perf(rest)
	case "version", "--version":
		fmt.Fprintf(p.out, "fabtests: %s, libfabric api %v\n", version(), fi.APIVersion)
		return nil
	case "completion":
		return p.completion(rest)
	case "man":
		text := manual().Manual()
		if len(rest) == 0 || rest[0] != "markdown" {
			text = cli.Roff(text)
		}
		_, err := io.WriteString(p.out, text)
		return err
	}
	s := find(word)
	if s == nil {
		return unknown(word)
	}
	p.warnStrays()
	return p.scenario(s, rest)
}

// unknown suggests the scenario that was probably meant.
func unknown(word string) error {
	if strings.HasPrefix(word, "-") {
		return &fail.Usage{Text: "the scenario comes first, then its options", Next: "fabtests rdm_pingpong --local"}
	}
	text, next := fmt.Sprintf("there is no scenario %q", word), "fabtests help"
	if near := fi.Suggest(word, append(names(), "demo", "run", "perf", "mon", "help", "version", "completion")); near != "" {
		text += ": did you mean " + near + "?"
		next = "fabtests " + near
		if s := find(near); s != nil && s.Sides > 0 {
			next += " --local"
		}
	}
	return &fail.Usage{Text: text, Next: next}
}

// explain prints an error and what to try next.
func (p *program) explain(err error) {
	if _, told := errors.AsType[*local.Exit](err); told {
		return
	}
	fmt.Fprintf(p.err, "fabtests: %v\n", err)
	next := fail.Next(err)
	if next == "" {
		next = "FI_LOG_LEVEL=info " + local.Command()
	}
	fmt.Fprintf(p.err, "  try: %s\n", next)
}

// usage turns what the parser says into an error with a next step.
func usage(name string, err error) error {
	if u, ok := errors.AsType[*cli.UsageError](err); ok {
		return &fail.Usage{Text: name + ": " + u.Error(), Next: "fabtests " + name + " --help"}
	}
	return err
}
