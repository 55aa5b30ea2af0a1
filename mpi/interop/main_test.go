package interop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/mpi"
)

// twoHosts is the variable by which ranks with odd digits pretend to be on another host.
const twoHosts = "INTEROP_TWO_HOSTS"

// buildDir holds what is compiled while the tests run.
var buildDir string

// TestMain is also the program of the jobs: test -rank SCRIPT FOLDER.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "-rank" {
		if os.Getenv(twoHosts) != "" && strings.TrimLeft(os.Getenv("PMI_RANK"), "02468") != "" {
			os.Setenv("FI_LNX_HOST", "odd") //nolint:errcheck // a good name
		}
		mpi.Main(func(ctx context.Context, world *mpi.Comm) error { return play(ctx, world, os.Args[2], os.Args[3]) })
		return
	}
	dir, err := os.MkdirTemp("", "interop-") // a test of others looks for the names that ours begin with
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	buildDir = dir
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// implementation is another MPI.
type implementation struct {
	name     string
	compiler string
	launcher []string // the number of ranks and the program follow
	packages string
	program  func() (string, error)
}

var (
	mpich = &implementation{name: "MPICH", compiler: "mpicc.mpich", launcher: []string{"mpiexec.hydra", "-n"}, packages: "mpich and libmpich-dev"}
	// Its windows by another way (osc rdma) do not work on one rank, and on one host their compare_and_swap ends the job.
	openmpi = &implementation{name: "Open MPI", compiler: "mpicc.openmpi", packages: "openmpi-bin and libopenmpi-dev",
		launcher: []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "osc", "sm,pt2pt", "-n"}}
)

func init() {
	for _, m := range []*implementation{mpich, openmpi} {
		m.program = sync.OnceValues(m.build)
	}
}

// build compiles the C interpreter; the error says why there is none.
func (m *implementation) build() (string, error) {
	if runtime.GOOS != "linux" {
		return "", errors.New("the C interpreter is for Linux")
	}
	for _, tool := range []string{m.compiler, m.launcher[0]} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("no %s on this machine (%s)", tool, m.packages)
		}
	}
	sources, err := filepath.Glob("testdata/*.c")
	if err != nil {
		return "", err
	}
	out := filepath.Join(buildDir, m.compiler)
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	defer stop()
	if err := exec.CommandContext(ctx, m.compiler, "-E", "-include", "mpi.h", "-x", "c", os.DevNull).Run(); err != nil {
		return "", fmt.Errorf("no headers for %s on this machine (%s)", m.compiler, m.packages)
	}
	// Compilers take MPI_STATUSES_IGNORE for an array that is too short.
	args := append([]string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overflow", "-O1", "-o", out}, sources...)
	if text, err := exec.CommandContext(ctx, m.compiler, args...).CombinedOutput(); err != nil {
		return "", &brokenBuild{fmt.Sprintf("the C interpreter does not build with %s: %v\n%s", m.compiler, err, text)}
	}
	return out, nil
}

// brokenBuild is a failure and no reason to skip.
type brokenBuild struct{ text string }

func (b *brokenBuild) Error() string { return b.text }

// need gives the compiled interpreter; it skips the test where that cannot be, or fails it where everything must be.
func (m *implementation) need(t *testing.T) string {
	t.Helper()
	path, err := m.program()
	if err == nil {
		return path
	}
	if _, broken := errors.AsType[*brokenBuild](err); broken {
		t.Fatal(err)
	}
	if os.Getenv("CI_INTEROP") == "1" {
		t.Fatalf("CI_INTEROP=1, but: %v", err)
	}
	t.Skipf("known: %v", err)
	return ""
}

// mpirun is our launcher, built once.
var mpirun = sync.OnceValues(func() (string, error) {
	out := filepath.Join(buildDir, "mpirun")
	text, err := exec.Command("go", "build", "-o", out, "github.com/gofabric/gofabric/mpirun").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, text)
	}
	return out, err
})
