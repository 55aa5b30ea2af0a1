package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const head = "package m\n\nimport \"testing\"\n\n"

var cases = []struct {
	name, source string
	says, not    []string
	err          string
}{
	{
		name:   "passed",
		source: head + `func TestA(t *testing.T) { t.Log("noise") }`,
		says:   []string{"ok  \tm/p0\t"}, not: []string{"noise"},
	},
	{
		name: "known",
		source: head + `func TestA(t *testing.T) { t.Log("first"); t.Skip("known: no device") }
			func TestB(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Skipf("known: no %s", "device") }) }`,
		says: []string{"ok  \tm/p1\t", "skipped 2: known: no device"},
	},
	{
		name:   "unknown",
		source: head + `func TestA(t *testing.T) { t.Skip("later") }`,
		says:   []string{"ok  \tm/p2\t", `skipped without a known reason: m/p2 TestA: "later"`}, err: "1 tests skipped",
	},
	{
		name:   "silent",
		source: head + `func TestA(t *testing.T) { t.SkipNow() }`,
		says:   []string{`m/p3 TestA: ""`}, err: "1 tests skipped",
	},
	{
		name:   "known without words",
		source: head + `func TestA(t *testing.T) { t.Skip("known: ") }`, err: "1 tests skipped",
	},
	{
		name:   "failed",
		source: head + `func TestA(t *testing.T) { t.Run("b", func(t *testing.T) { t.Error("broken") }) }`,
		says:   []string{"FAIL\tm/p5\t", "broken", "--- FAIL: TestA/b"}, err: "failures",
	},
	{
		name:   "does not build",
		source: head + `func TestA(t *testing.T) { undefined() }`,
		says:   []string{"undefined: undefined", "FAIL\tm/p6 [build failed]"}, err: "failures",
	},
	{
		name:   "panicked",
		source: head + `func TestA(t *testing.T) { panic("oh") }`,
		says:   []string{"panic: oh", "FAIL\tm/p7\t"}, err: "failures",
	},
	{
		name: "died",
		source: "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n" +
			`func TestA(t *testing.T) { t.Log("before") }
			func TestB(t *testing.T) { println("fatal error: it broke"); os.Exit(2) }`,
		says: []string{"unfinished: TestB", "fatal error: it broke", "FAIL\tm/p8\t"}, not: []string{"before"}, err: "failures",
	},
}

// TestVerdicts runs the cases as packages of a module through the real go command, and each one's events through the
// check.
func TestVerdicts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	for i, c := range cases {
		pkg := fmt.Sprintf("p%d", i)
		if err := os.Mkdir(filepath.Join(dir, pkg), 0o700); err != nil {
			t.Fatal(err)
		}
		write(filepath.Join(pkg, "m_test.go"), c.source)
	}
	cmd := exec.Command("go", "test", "-json", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
	events, _ := cmd.Output() // fails with the tests
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var mine, out bytes.Buffer
			for line := range strings.Lines(string(events)) {
				if strings.Contains(line, fmt.Sprintf("m/p%d", i)) {
					mine.WriteString(line)
				}
			}
			err := run(&mine, &out)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			for _, w := range c.says {
				if !strings.Contains(out.String(), w) {
					t.Errorf("no %q in\n%s", w, out.String())
				}
			}
			for _, w := range c.not {
				if strings.Contains(out.String(), w) {
					t.Errorf("%q in\n%s", w, out.String())
				}
			}
		})
	}
}

func TestWrongInput(t *testing.T) {
	var out bytes.Buffer
	if err := run(strings.NewReader("no json\n"), &out); err == nil || out.String() != "no json\n" {
		t.Errorf("got %v, %q", err, out.String())
	}
}
