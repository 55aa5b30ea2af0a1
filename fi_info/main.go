package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/internal/envknob"
	_ "github.com/gofabric/gofabric/internal/zlog" // its variables work in every program: -e lists them
	_ "github.com/gofabric/gofabric/providers/all"
)

// Exit codes beside those that are error numbers (22, 61).
const (
	exitOK    = 0
	exitUsage = 1
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	w := &world{stdout: out, stderr: os.Stderr, environ: os.Environ(), lookup: os.LookupEnv, root: os.DirFS("/"),
		style: cli.Terminal(os.Stdout, os.LookupEnv)}
	code := w.run(os.Args[1:])
	if err := out.Flush(); err != nil && code == exitOK {
		fmt.Fprintln(os.Stderr, "error:", err)
		code = exitUsage
	}
	os.Exit(code)
}

// world is what a run sees of the process.
type world struct {
	stdout, stderr io.Writer
	environ        []string
	lookup         envknob.Lookup
	root           fs.FS // with /proc and /sys
	style          cli.Style
}

func (w *world) run(args []string) int {
	var c config
	cmd := newCommand(&c)
	operands, err := cmd.Parse(args)
	if err != nil {
		return w.badArgs(cmd, err)
	}
	if len(operands) > 0 { // others are ignored, as libfabric's tool does
		switch operands[0] {
		case "completion":
			return w.completion(cmd, operands[1:])
		case "man":
			return w.manual(cmd, operands[1:])
		}
	}
	switch {
	case c.help:
		cmd.Help(w.stdout)
		return exitOK
	case c.version:
		return w.version(&c)
	}
	w.warnStrays(&c)
	switch {
	case c.env:
		return w.variables(&c)
	case c.doctor:
		return w.doctor(&c)
	case c.explain:
		return w.explain(&c)
	}
	return w.entries(&c)
}

// badArgs tells what is wrong with the command line.
func (w *world) badArgs(cmd *cli.Command, err error) int {
	var usage *cli.UsageError
	if errors.As(err, &usage) {
		fmt.Fprintf(w.stderr, "%s: %s\n", cmd.Name, usage.Text)
		if usage.Hint != "" {
			fmt.Fprintln(w.stderr, usage.Hint)
		}
		fmt.Fprintf(w.stderr, "  try: %s --help\n", cmd.Name) // the help itself would move the error off the screen
		return exitUsage
	}
	var word *wordError
	if errors.As(err, &word) {
		fmt.Fprintf(w.stderr, "error: Unrecognized %s: %s\n", word.kind, word.word)
		fmt.Fprintln(w.stderr, word.advice)
		return int(fi.ErrInvalid)
	}
	fmt.Fprintln(w.stderr, "error:", err)
	return exitUsage
}

// manual prints the manual page: roff, for man, or markdown.
func (w *world) manual(cmd *cli.Command, form []string) int {
	text := cmd.Manual()
	switch {
	case len(form) == 0, len(form) == 1 && form[0] == "roff":
		text = cli.Roff(text)
	case len(form) > 1 || form[0] != "markdown":
		fmt.Fprintf(w.stderr, "%s: no manual in '%s': there is markdown, and without a word the page for man\n", cmd.Name, strings.Join(form, " "))
		return exitUsage
	}
	io.WriteString(w.stdout, text)
	return exitOK
}

func (w *world) completion(cmd *cli.Command, shells []string) int {
	shell := ""
	if len(shells) > 0 {
		shell = shells[0]
	}
	script, err := cmd.Completion(shell)
	if err != nil {
		var usage *cli.UsageError
		errors.As(err, &usage)
		fmt.Fprintf(w.stderr, "%s: %s: %s\n", cmd.Name, usage.Text, usage.Hint)
		return exitUsage
	}
	io.WriteString(w.stdout, script)
	return exitOK
}

// warnStrays warns of misspelled variables. What belongs to other providers of libfabric is left to -e and --doctor:
// clusters set such variables for everybody.
func (w *world) warnStrays(c *config) {
	if c.doctor { // tells it as a finding
		return
	}
	for _, s := range envknob.Unknown(w.environ) {
		if s.Nearest != "" || c.env {
			fmt.Fprintln(w.stderr, "warning:", s)
		}
	}
}
