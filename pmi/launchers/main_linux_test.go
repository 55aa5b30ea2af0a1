package launchers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/internal/testx/rank"
)

var launchers = flag.Bool("launchers", false, "run the tests with MPICH, Slurm and Open MPI")

// TestMain is also the program of the jobs: what it does stands in ROLE.
func TestMain(m *testing.M) {
	rank.Perform()
	goleak.VerifyTestMain(m)
}

// need skips a test that was not asked for, or whose programs are not there.
func need(t *testing.T, programs ...string) {
	t.Helper()
	if !*launchers {
		t.Skip("known: other launchers were not asked for: go test ./pmi/launchers -args -launchers")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			if os.Getenv("CI_INTEROP") == "1" {
				t.Fatalf("%s is missing: install mpich, openmpi-bin, slurm-wlm, munge and openssh-server", p)
			}
			t.Skipf("known: %s is missing: install mpich, openmpi-bin, slurm-wlm, munge and openssh-server", p)
		}
	}
}

// start runs a launcher with ROLE for this program, and gives what it prints and its status.
func start(t *testing.T, role string, env []string, words ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(append(os.Environ(), "ROLE="+role, "GORACE=atexit_sleep_ms=0"), env...)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("%s took too long\n%s", strings.Join(words, " "), out)
	}
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case failed:
		return string(out), exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return string(out), 0
}

// well expects a job of n that ends in order, in which each rank says who it is.
func well(t *testing.T, n int, nodes, out string, status int) {
	t.Helper()
	if status != 0 {
		t.Fatalf("status %d\n%s", status, out)
	}
	seen := map[int]bool{}
	for line := range strings.Lines(out) {
		var r, size, app, universe int
		var id string
		if got, _ := fmt.Sscanf(line, "%d %d %s %d %d", &r, &size, &id, &app, &universe); got == 5 && size == n && strings.HasSuffix(line, " "+nodes+"\n") {
			seen[r] = true
		}
	}
	if len(seen) != n {
		t.Errorf("%d ranks of %d on nodes %s answered\n%s", len(seen), n, nodes, out)
	}
}

// self is this program.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// built builds our mpirun.
func built(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mpirun")
	if out, err := exec.Command("go", "build", "-o", file, "github.com/gofabric/gofabric/mpirun").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// script writes a program of the shell.
func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// there takes the place of ssh and stays on this host.
const there = "shift\nexec sh -c \"$*\"\n"

// lines gives the lines of a text in order.
func lines(text string) []string {
	l := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(l)
	return l
}
