package interop_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/internal/coll"
)

var (
	programs = flag.Int("programs", 4, "random programs to run")
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
	env     []string
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
	cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0"), j.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that a launcher ends its processes
	cmd.WaitDelay = 10 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %v\n%.20000s", j.name, err, ctx.Err(), out)
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

// rivals are the ways to run a script beside ours and MPICH's, by turns.
const rivals = 6

// rival gives one of them.
func rival(t *testing.T, which int, seed uint64, ours, reference job) job {
	t.Helper()
	other := ours
	switch which {
	case 0:
		other = job{name: "ours under mpiexec.hydra", words: mpich.launcher, program: ours.program}
	case 1:
		other = job{name: "MPICH under ours", words: ours.words, program: reference.program}
	case 2:
		other = job{name: "Open MPI", words: openmpi.launcher, program: []string{openmpi.need(t)}}
	case 3:
		other.name, other.env = "ours over tcp", []string{"FI_PROVIDER=tcp"}
	case 4:
		other.name, other.env = "ours on two hosts", []string{twoHosts + "=1"}
	case 5:
		other.name, other.env = "ours by other algorithms", algorithms(seed)
	}
	return other
}

// algorithms chooses some of an operation's algorithms for each operation.
func algorithms(seed uint64) (env []string) {
	r := rand.New(rand.NewPCG(seed, 6))
	for _, x := range []struct {
		name string
		coll coll.Coll
	}{
		{"BCAST", coll.Broadcast}, {"GATHER", coll.Gather}, {"SCATTER", coll.Scatter}, {"ALLGATHER", coll.Allgather},
		{"ALLTOALL", coll.Alltoall}, {"REDUCE", coll.Reduce}, {"ALLREDUCE", coll.Allreduce}, {"SCAN", coll.Scan}, {"EXSCAN", coll.Exscan},
		{"REDUCE_SCATTER_BLOCK", coll.ReduceScatter}, {"REDUCE_SCATTER", coll.ReduceScatterv}, {"GATHERV", coll.Gatherv},
		{"SCATTERV", coll.Scatterv}, {"ALLGATHERV", coll.Allgatherv}, {"ALLTOALLV", coll.Alltoallv},
	} {
		algs := x.coll.Algs()
		env = append(env, "MPI_"+x.name+"="+algs[r.IntN(len(algs))].String())
	}
	return env
}

// TestRandomPrograms: programs of seeds give with MPICH what they give with us, and so do, by turns, Open MPI, each of us under
// the other's launcher, and ours over other roads.
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
	ours := job{name: "ours", words: []string{launcher, "-n"}, program: []string{self, "-rank"}}
	reference := job{name: "MPICH", words: mpich.launcher, program: []string{theirs}}
	for i := range *programs {
		n, which := *seed+uint64(i), i%rivals
		t.Run(strconv.FormatUint(n, 10), func(t *testing.T) {
			other := rival(t, which, n, ours, reference)
			text, ranks := generate(n, *steps, which != 3 && which != 4)
			file := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			want := reference.run(t, file, ranks)
			if d := differ(ours.run(t, file, ranks), want, text); d != "" {
				t.Errorf("seed %d, %d ranks: ours and MPICH differ: %s", n, ranks, d)
				other = rival(t, 2, n, ours, reference) // who is right
			}
			if d := differ(other.run(t, file, ranks), want, text); d != "" {
				t.Errorf("seed %d, %d ranks: %s and MPICH differ: %s", n, ranks, other.name, d)
			}
		})
	}
}
