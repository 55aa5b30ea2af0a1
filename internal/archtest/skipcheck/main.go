package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of build output
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "skipcheck:", err)
		os.Exit(1)
	}
}

// key names a test; the Test of a package as a whole is empty.
type key struct{ pkg, test string }

// state is what is known so far.
type state struct {
	output map[key][]string
	known  map[string]int // by reason
	bad    []string       // skips without a known reason
	failed int
}

// reason finds the message of t.Skip in the output of a test: "    file_test.go:12: message".
var reason = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`)

const knownPrefix = "known:"

func run(in io.Reader, out io.Writer) error {
	s := state{output: map[key][]string{}, known: map[string]int{}}
	lines := bufio.NewReader(in)
	events := 0
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil || e.Action == "" {
				// Not an event: a message of the go command.
				out.Write(line)
			} else {
				events++
				s.take(e, out)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	return s.verdict(out, events)
}

func (s *state) take(e event, out io.Writer) {
	k := key{e.Package, e.Test}
	switch e.Action {
	case "output":
		// The lines of a package as a whole are what go test prints: "ok", "FAIL", and what the program itself printed.
		if e.Test == "" && isSummary(e.Output) {
			io.WriteString(out, e.Output)
			return
		}
		s.output[k] = append(s.output[k], e.Output)
	case "build-output":
		io.WriteString(out, e.Output)
	case "build-fail":
		s.failed++
	case "fail":
		s.failed++
		if e.Test == "" {
			s.unfinished(e.Package, out)
		}
		s.print(k, out)
	case "skip":
		if e.Test != "" {
			s.skipped(k)
		}
		delete(s.output, k)
	case "pass":
		delete(s.output, k)
	}
}

// print writes what a test has said.
func (s *state) print(k key, out io.Writer) {
	for _, line := range s.output[k] {
		io.WriteString(out, line)
	}
	delete(s.output, k)
}

// unfinished writes what the tests of a package have said that has failed before they ended: a program that crashes does
// so in the name of the test that printed last.
func (s *state) unfinished(pkg string, out io.Writer) {
	var tests []string
	for k := range s.output {
		if k.pkg == pkg && k.test != "" {
			tests = append(tests, k.test)
		}
	}
	slices.Sort(tests)
	for _, test := range tests {
		fmt.Fprintf(out, "unfinished: %s\n", test)
		s.print(key{pkg, test}, out)
	}
}

// isSummary tells a package's closing lines from the noise of -v.
func isSummary(line string) bool {
	for _, start := range []string{"ok  \t", "FAIL\t", "?   \t", "---\t", "panic:"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

func (s *state) skipped(k key) {
	why := ""
	for _, line := range s.output[k] {
		// The last message before the skip is the skip's own; testscript adds the name of its folder.
		if m := reason.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[1], "WORK=") {
			why = m[1]
		}
	}
	if text, ok := strings.CutPrefix(why, knownPrefix); ok && strings.TrimSpace(text) != "" {
		s.known[strings.TrimSpace(text)]++
		return
	}
	s.bad = append(s.bad, fmt.Sprintf("%s %s: %q", k.pkg, k.test, why))
}

func (s *state) verdict(out io.Writer, events int) error {
	reasons := make([]string, 0, len(s.known))
	for r := range s.known {
		reasons = append(reasons, r)
	}
	slices.Sort(reasons)
	for _, r := range reasons {
		fmt.Fprintf(out, "skipped %d: known: %s\n", s.known[r], r)
	}
	for _, b := range s.bad {
		fmt.Fprintf(out, "skipped without a known reason: %s\n", b)
	}
	switch {
	case events == 0:
		return fmt.Errorf("no events: is the input that of go test -json?")
	case s.failed > 0:
		return fmt.Errorf("%d failures", s.failed)
	case len(s.bad) > 0:
		return fmt.Errorf("%d tests skipped without a reason that starts with %q", len(s.bad), knownPrefix)
	}
	return nil
}
