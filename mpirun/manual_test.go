package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofabric/gofabric/internal/cli"
)

var update = flag.Bool("update", false, "write the manual page")

// TestManualIsCurrent compares docs/man with what the table of options says; -update writes it.
func TestManualIsCurrent(t *testing.T) {
	text := newCommand(&config{}).Manual()
	for name, want := range map[string]string{"mpirun.1": cli.Roff(text), "mpirun.1.md": text} {
		file := filepath.Join("..", "docs", "man", name)
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ReplaceAll(string(got), "\r\n", "\n") != want {
			t.Errorf("%s is out of date: go generate ./docs/man", file)
		}
	}
}

// TestManualNamesEveryOption keeps the hand-written parts honest: options that they mention exist.
func TestManualNamesEveryOption(t *testing.T) {
	cmd := newCommand(&config{})
	known := map[string]bool{}
	for _, o := range cmd.Options {
		known["--"+o.Long] = true
	}
	for _, p := range cmd.Parts {
		for word := range strings.FieldsFuncSeq(p.Text, func(r rune) bool { return strings.ContainsRune(" `,.;:()\n", r) }) {
			if strings.HasPrefix(word, "--") && !known[word] {
				t.Errorf("%s: there is no %s", p.Title, word)
			}
		}
	}
}

// TestManualReadsWell lets a program that knows manual pages look for mistakes.
func TestManualReadsWell(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("groff is not here: the page was not read by it")
		return
	}
	cmd := exec.Command(groff, "-man", "-ww", "-Tutf8", "-z")
	cmd.Stdin = strings.NewReader(cli.Roff(newCommand(&config{}).Manual()))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
