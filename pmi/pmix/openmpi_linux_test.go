package pmix

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gofabric/gofabric/internal/testx/rank"
)

var launchers = flag.Bool("launchers", false, "run the tests with Open MPI")

// TestMain is also the program of the jobs: what it does stands in ROLE.
func TestMain(m *testing.M) {
	rank.Perform()
	os.Exit(m.Run())
}

// TestOpenMPI runs ranks under a launcher that speaks PMIx only.
func TestOpenMPI(t *testing.T) {
	if !*launchers {
		t.Skip("known: other launchers were not asked for: go test ./pmi/pmix -args -launchers")
	}
	if _, err := exec.LookPath("mpirun.openmpi"); err != nil {
		if os.Getenv("CI_INTEROP") == "1" {
			t.Fatal("mpirun.openmpi is missing: install openmpi-bin")
		}
		t.Skip("known: mpirun.openmpi is missing: install openmpi-bin")
	}
	out, status := start(t, "join fence fence trade=5000 who leave")
	seen := map[int]bool{}
	for line := range strings.Lines(out) {
		var r, size, app, universe int
		var id string
		if n, _ := fmt.Sscanf(line, "%d %d %s %d %d", &r, &size, &id, &app, &universe); n == 5 && size == 3 && id != "" && app == 0 {
			seen[r] = true
		}
	}
	if status != 0 || len(seen) != 3 {
		t.Errorf("status %d, %d ranks answered\n%s", status, len(seen), out)
	}
	// An abort is not tried: Debian's Open MPI 4.1.4 hangs or crashes after PMIx_Abort of a program in C, too.
}

func start(t *testing.T, role string) (string, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "3", "-x", "ROLE", "-x", "GORACE", self)
	cmd.Env = append(os.Environ(), "ROLE="+role, "GORACE=atexit_sleep_ms=0")
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}
