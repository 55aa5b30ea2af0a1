package manpage

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gofabric/gofabric/internal/cli"
)

// Current compares the pages in docs/man, from a folder beside docs, with what the command says of itself; with update it
// writes them.
func Current(t *testing.T, cmd *cli.Command, update bool) {
	t.Helper()
	text := cmd.Manual()
	for name, want := range map[string]string{cmd.Name + ".1": cli.Roff(text), cmd.Name + ".1.md": text} {
		file := filepath.Join("..", "docs", "man", name)
		if update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, strings.ReplaceAll(string(got), "\r\n", "\n")); d != "" {
			t.Errorf("%s is out of date: go generate ./docs/man (-want +got)\n%s", file, d)
		}
	}
}

// NamesOptions keeps the hand-written parts honest: options that they mention exist.
func NamesOptions(t *testing.T, cmd *cli.Command) {
	t.Helper()
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

// ReadsWell lets a program that knows manual pages look for mistakes.
func ReadsWell(t *testing.T, cmd *cli.Command) {
	t.Helper()
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("groff is not here: the page was not read by it")
		return
	}
	run := exec.Command(groff, "-man", "-ww", "-Tutf8", "-z")
	run.Stdin = strings.NewReader(cli.Roff(cmd.Manual()))
	if out, err := run.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
