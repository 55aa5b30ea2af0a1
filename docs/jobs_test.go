package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var mpirun = regexp.MustCompile(`(?m)^(?:go run \S*)?mpirun -n (\d+) `)

// ranksOf gives the number of ranks when the block after a program runs it with mpirun, and the place of what follows.
func ranksOf(blocks []block, i int) (ranks, next int) {
	if i >= len(blocks) || blocks[i].lang != "sh" {
		return 0, i
	}
	m := mpirun.FindStringSubmatch(blocks[i].text)
	if m == nil {
		return 0, i
	}
	ranks, _ = strconv.Atoi(m[1])
	return ranks, i + 1
}

// runJob runs a program with mpirun.
func runJob(t *testing.T, text string, ranks int) string {
	launcher := filepath.Join(t.TempDir(), "mpirun")
	build := exec.Command("go", "build", "-o", launcher, "./mpirun")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return runCommand(t, launcher, "-n", strconv.Itoa(ranks), buildProgram(t, text))
}

func sortLines(text string) string {
	lines := slices.Sorted(strings.Lines(text))
	return strings.Join(lines, "")
}

// linkedExamples gives the text of the programs below examples that a document links to.
func linkedExamples(t *testing.T, doc, text string) string {
	var whole strings.Builder
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		file := filepath.Join(filepath.Dir(doc), filepath.FromSlash(m[1]))
		if filepath.Base(file) != "main.go" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no program at %s: %v", doc, m[1], err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(f, "_test.go") {
				whole.Write(b)
			}
		}
	}
	return whole.String()
}

// TestFirstMinutes14MPI keeps the README's program of package mpi at ten lines, which say nothing of how ranks come to talk.
// That it runs with mpirun is a part of TestPrograms.
func TestFirstMinutes14MPI(t *testing.T) {
	_, blocks := read(t, filepath.Join(root, "README.md"))
	for i, b := range blocks {
		if ranks, _ := ranksOf(blocks, i+1); b.lang != "go" || ranks != 4 {
			continue
		}
		_, body, _ := strings.Cut(b.text, "func main() {\n")
		if n := strings.Count(body, "\n"); n > 10 || !strings.Contains(body, "mpi.Allreduce(") {
			t.Errorf("its main has %d lines, or no all-reduce", n)
		}
		return
	}
	t.Error("the README has no program that runs with mpirun -n 4")
}

var called = regexp.MustCompile("\\bmpi\\.([A-Z]\\w*)|\\b(?:world|comm|half|grid|win|model|next|req|c)\\.([A-Z]\\w*)\\(")

// TestMPINames wants each call of package mpi that the guide of MPI names to exist.
func TestMPINames(t *testing.T) {
	cmd := exec.Command("go", "doc", "-all", "./mpi")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |\t)([A-Z]\w*)`).FindAllSubmatch(out, -1) {
		names[string(m[1])] = true
	}
	text, _ := read(t, filepath.Join("guide", "mpi.md"))
	text = regexp.MustCompile("(?s)```python\n.*?\n```").ReplaceAllString(text, "") // mpi4py's calls,
	text = regexp.MustCompile(`(?m)^\|[^|]*\|`).ReplaceAllString(text, "")          // and the first column of tables
	found := 0
	for _, m := range called.FindAllStringSubmatch(text, -1) {
		found++
		if name := m[1] + m[2]; !names[name] {
			t.Errorf("package mpi has no %s", name)
		}
	}
	if found < 50 {
		t.Errorf("only %d names were found", found)
	}
}
