package runner

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
)

// border closes the head and the foot of the table.
var border = "# " + strings.Repeat("-", 78)

// Table prints results in the form of libfabric's script, which is YAML: a line a test, or with details a mapping.
type Table struct {
	w       io.Writer
	verbose int // 0 to 3: nothing, and the output of tests that failed, were not run, passed
	totals  Totals
	absent  map[string][]string // titles' scenarios by reason
	reasons []string            // of absent, in their order
}

// NewTable makes a table with its head. title says what is run, over what.
func NewTable(w io.Writer, title string, verbose int) *Table {
	fmt.Fprintf(w, "# %s\n%s\n# %-68s%10s\n%s\n", title, border, "Test", "Result", border)
	return &Table{w: w, verbose: verbose, absent: map[string][]string{}}
}

// Add prints a result.
func (t *Table) Add(r Result) {
	t.totals.Add(r.Verdict)
	if r.Verdict == Absent {
		t.leave(r)
		return
	}
	if t.verbose == 0 {
		fmt.Fprintf(t.w, "%-70s%10s\n", r.Title()+":", r.Result())
		if r.Verdict == Fail {
			fmt.Fprintf(t.w, "#   %s\n", plain(r.Reason))
			if r.Said != "" {
				fmt.Fprintf(t.w, "#   it said: %s\n", plain(r.Said))
			}
		}
		if r.Verdict == Fail {
			fmt.Fprintf(t.w, "#   again: %s\n", r.Again())
		}
		return
	}
	fmt.Fprintf(t.w, "- name:   %s\n  timestamp: %s\n  result: %s\n  time:   %.2f\n", quoteYAML(r.Title()),
		r.Began.UTC().Format("20060102-150405+0000"), r.Result(), r.Took.Seconds())
	if r.Reason != "" {
		fmt.Fprintf(t.w, "  reason: %s\n", quoteYAML(plain(r.Reason)))
	}
	if !detailed(r.Verdict, t.verbose) {
		return
	}
	for _, s := range r.Sides {
		who := s.Who
		if who != "" {
			who += "_"
		}
		indent := "" // of the text, which YAML takes from its first line unless it is told
		if strings.HasPrefix(s.Output, " ") {
			indent = "2"
		}
		fmt.Fprintf(t.w, "  %scmd: %s\n  %sstdout: |%s\n", who, quoteYAML(s.Command), who, indent)
		for line := range strings.Lines(s.Output) {
			fmt.Fprintf(t.w, "    %s\n", plain(strings.TrimRight(line, "\r\n")))
		}
	}
}

// leave notes what is in no count.
func (t *Table) leave(r Result) {
	if t.absent[r.Reason] == nil {
		t.reasons = append(t.reasons, r.Reason)
	}
	if name := "fi_" + r.Name; !slices.Contains(t.absent[r.Reason], name) {
		t.absent[r.Reason] = append(t.absent[r.Reason], name)
	}
}

// detailed tells whether the output of a test is shown.
func detailed(v Verdict, verbose int) bool {
	switch v {
	case Fail:
		return verbose >= 1
	case NotRun, Excluded:
		return verbose >= 2
	}
	return verbose >= 3
}

// Foot ends the table. unfinished is how many tests have no result.
func (t *Table) Foot(unfinished int) Totals {
	for _, reason := range t.reasons {
		line := "# " + strings.ToUpper(reason[:1]) + reason[1:] + ":"
		for _, name := range t.absent[reason] {
			if len(line)+len(name) > 100 {
				fmt.Fprintln(t.w, line)
				line = "#   "
			}
			line += " " + name
		}
		fmt.Fprintln(t.w, line)
	}
	if unfinished > 0 {
		fmt.Fprintf(t.w, "# Interrupted: %d without a result\n", unfinished)
	}
	fmt.Fprintln(t.w, border)
	for _, l := range []struct {
		name  string
		count int
	}{{"Total Pass", t.totals.Pass}, {"Total Notrun/Excluded", t.totals.NotRun + t.totals.Excluded}, {"Total Fail", t.totals.Fail},
		{"Percentage of Pass", t.totals.Percent()}} {
		fmt.Fprintf(t.w, "# %-50s%10d\n", l.name, l.count)
	}
	fmt.Fprintln(t.w, border)
	return t.totals
}

// Again is a command line that runs the test once more: on this machine and with the same options for both sides one command,
// else the commands of the sides, as they were.
func (r *Result) Again() string {
	switch {
	case r.apart && len(r.Sides) == 2:
		return r.Sides[0].Command + " & sleep 1; " + r.Sides[1].Command + "; wait"
	case r.apart && len(r.Sides) == 1:
		return r.Sides[0].Command
	}
	words := append(slices.Clone(r.env), "fabtests", r.Name)
	if !r.Negative && r.scenario != nil && r.scenario.Sides != scenario.Alone {
		words = append(words, "--local")
		if r.oob {
			words = append(words, "-E")
		}
	}
	return fail.CommandLine(append(append(append(words, "-p", r.Provider), r.Args...), r.more...))
}

// plain is a text without signs that would do something to a terminal or to YAML.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return '?'
		}
		return r
	}, s)
}

// quoteYAML puts a text that YAML would take for something else into quotes.
func quoteYAML(s string) string {
	if s != "" && !strings.ContainsAny(s, "#:'\"{}[]&*!|>%@`,?") && strings.TrimSpace(s) == s && s[0] != '-' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// seconds rounds a time for reports.
func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond)) / float64(time.Second)
}
