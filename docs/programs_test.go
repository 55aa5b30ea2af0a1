package docs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestPrograms compiles and runs each Go program of the README and the guide. A block of text right after a program is
// what it prints; with a command of mpirun in between the program is a job, whose lines come in any order. A Go block that is
// no program is a part of one that stands in the same document, or of an example that the document links to.
func TestPrograms(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("known: the programs of the documents talk over shared memory, which only linux has here")
	}
	programs := 0
	for _, doc := range documents(t) {
		text, blocks := read(t, doc)
		var whole strings.Builder // all programs of the document
		whole.WriteString(linkedExamples(t, doc, text))
		for _, b := range blocks {
			if b.lang == "go" && isProgram(b.text) {
				whole.WriteString(b.text)
			}
		}
		for i, b := range blocks {
			switch {
			case b.lang != "go":
				continue
			case !isProgram(b.text):
				checkPart(t, b, whole.String())
				continue
			}
			programs++
			want := ""
			ranks, next := ranksOf(blocks, i+1)
			if next < len(blocks) && blocks[next].lang == "text" {
				want = blocks[next].text
			}
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(doc), b.line), func(t *testing.T) {
				got := ""
				if ranks > 0 {
					got, want = sortLines(runJob(t, b.text, ranks)), sortLines(want)
				} else {
					got = runProgram(t, b.text)
				}
				if got != want {
					t.Errorf("%s:%d prints\n%swant\n%s", b.file, b.line, got, want)
				}
			})
		}
	}
	if programs < 2 {
		t.Errorf("only %d programs were found", programs)
	}
}

func isProgram(text string) bool { return strings.HasPrefix(text, "package main\n") }

// checkPart wants each line of a part to stand in the document's programs, without regard to indentation.
func checkPart(t *testing.T, b block, whole string) {
	lines := map[string]bool{}
	for line := range strings.SplitSeq(whole, "\n") {
		lines[strings.TrimSpace(line)] = true
	}
	for line := range strings.SplitSeq(b.text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !lines[line] {
			t.Errorf("%s:%d: no program of the document has the line %q", b.file, b.line, line)
		}
	}
}

// buildProgram compiles a program and gives its binary, in a folder of its own.
func buildProgram(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-o", binary, file)
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("does not compile: %v\n%s", err, out)
	}
	vet := exec.Command("gofmt", "-l", file)
	if out, err := vet.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("is not in gofmt's form: %v %s", err, out)
	}
	return binary
}

func runProgram(t *testing.T, text string) string { return runCommand(t, buildProgram(t, text)) }

// runCommand gives what a command prints, which must end well and without complaints.
func runCommand(t *testing.T, name string, args ...string) string {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, name, args...)
	run.Dir = filepath.Dir(name)
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout.String(), stderr.String())
	}
	if stderr.Len() > 0 {
		t.Errorf("writes to stderr: %s", stderr.String())
	}
	return stdout.String()
}

// TestFirstMinutes5Program keeps the README's first program short and free of provider names: on one host the library
// picks shm for it, and it prints one line. That it compiles as pasted is a part of TestPrograms.
func TestFirstMinutes5Program(t *testing.T) {
	_, blocks := read(t, filepath.Join(root, "README.md"))
	for i, b := range blocks {
		if b.lang != "go" {
			continue
		}
		if out := blocks[i+1]; out.lang != "text" || strings.Count(out.text, "\n") != 1 {
			t.Errorf("it prints %q", out.text)
		}
		lines := 0
		inMain := false
		for line := range strings.SplitSeq(b.text, "\n") {
			inMain = inMain && line != "}" || line == "func main() {"
			if inMain && strings.TrimSpace(line) != "" {
				lines++
			}
		}
		if lines > 25 {
			t.Errorf("main has %d lines", lines)
		}
		for _, name := range []string{`"shm"`, `"mem"`, `"tcp"`, "ProvName"} {
			if strings.Contains(b.text, name) {
				t.Errorf("the first program names a provider: %s", name)
			}
		}
		if runtime.GOOS == "linux" {
			if log := tell(t, b.text, "info"); !strings.Contains(log, "provider chosen provider=shm ") {
				t.Errorf("it does not choose shm:\n%s", log)
			}
		}
		return
	}
	t.Error("the README has no program")
}
