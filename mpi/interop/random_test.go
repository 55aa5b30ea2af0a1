package interop_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	programs = flag.Int("programs", 30, "random programs to run")
	seed     = flag.Uint64("seed", 1, "seed of the first of them")
	steps    = flag.Int("steps", 25, "lines of a program, about")
)

// patience bounds the run of one program.
const patience = 30 * time.Second

// job is one way to run a script.
type job struct {
	name    string
	words   []string // the number of ranks comes behind these
	program []string // script and folder come behind these
}

// run runs a script and gives what each rank wrote, by steps.
func (j job) run(t *testing.T, script string, ranks int) [][]string {
	t.Helper()
	folder := t.TempDir()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	words := append(slices.Clone(j.words), strconv.Itoa(ranks))
	words = append(append(words, j.program...), script, folder)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that a launcher ends its processes
	cmd.WaitDelay = 10 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %v\n%.4000s", j.name, err, ctx.Err(), out)
	}
	all := make([][]string, ranks)
	for r := range all {
		text, err := os.ReadFile(filepath.Join(folder, strconv.Itoa(r)))
		if err != nil {
			t.Fatalf("%s: %v", j.name, err)
		}
		all[r] = strings.Split(strings.TrimSpace(string(text)), "\n")
		slices.SortStableFunc(all[r], func(a, b string) int { return cmp.Compare(stepOf(a), stepOf(b)) })
	}
	return all
}

// stepOf is the number that begins a line.
func stepOf(line string) int {
	word, _, _ := strings.Cut(line, " ")
	n, _ := strconv.Atoi(word)
	return n
}

// differ tells what is not the same in two results, and "" if everything is.
func differ(a, b [][]string, script string) string {
	for r := range a {
		for i := range max(len(a[r]), len(b[r])) {
			x, y := "(nothing)", "(nothing)"
			if i < len(a[r]) {
				x = a[r][i]
			}
			if i < len(b[r]) {
				y = b[r][i]
			}
			if x == y {
				continue
			}
			step := stepOf(x)
			if n := stepOf(y); x == "(nothing)" || n != 0 && n < step {
				step = n
			}
			text := "?"
			if lines := strings.Split(script, "\n"); step > 0 && step <= len(lines) {
				text = lines[step-1]
			}
			return fmt.Sprintf("rank %d: %q, but %q\nline %d: %s", r, x, y, step, text)
		}
	}
	return ""
}

// TestRandomPrograms: programs of seeds give with MPICH and Open MPI what they give with us; ours under our launcher and
// MPICH's, and MPICH's under both.
func TestRandomPrograms(t *testing.T) {
	theirs := mpich.need(t)
	launcher, err := mpirun()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ours := job{"ours", []string{launcher, "-n"}, []string{self, "-rank"}}
	reference := job{"MPICH", mpich.launcher, []string{theirs}}
	for i := range *programs {
		n := *seed + uint64(i)
		t.Run(strconv.FormatUint(n, 10), func(t *testing.T) {
			text, ranks := generate(n, *steps, true)
			file := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			other := job{"ours under mpiexec.hydra", mpich.launcher, ours.program}
			switch i % 3 {
			case 1:
				other = job{"MPICH under ours", ours.words, reference.program}
			case 2:
				other = job{"Open MPI", openmpi.launcher, []string{openmpi.need(t)}}
			}
			got, want := ours.run(t, file, ranks), reference.run(t, file, ranks)
			if d := differ(got, want, text); d != "" {
				t.Errorf("seed %d, %d ranks: ours and MPICH differ: %s", n, ranks, d)
				if i%3 != 2 {
					other = job{"Open MPI", openmpi.launcher, []string{openmpi.need(t)}} // who is right
				}
			}
			if d := differ(other.run(t, file, ranks), want, text); d != "" {
				t.Errorf("seed %d, %d ranks: %s and MPICH differ: %s", n, ranks, other.name, d)
			}
		})
	}
}
