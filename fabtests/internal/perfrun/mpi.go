package perfrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/perf"
)

// mpi is our program in C, compiled for an MPI library.
type mpi struct {
	library string // its name among Peers
	program string
	mpirun  string
}

// mpiTests are the tests of the program that are like a scenario.
var mpiTests = map[string]string{"rdm_tagged_pingpong": "latency", "rdm_tagged_bw": "bandwidth", "rma_bw": "put"}

// mpiBanner is how the compiler of a library says whose it is.
var mpiBanner = map[string]struct {
	option, text string
}{"openmpi": {"--showme:version", "Open MPI"}, "mpich": {"-v", "MPICH"}}

// findMPI looks for the compiler of a library, by Debian's name for it or as mpicc, and compiles the program in a folder
// that drop removes.
func findMPI(ctx context.Context, library string, source []byte) (p peer, drop func(), err error) {
	cc, run := mpiTools(ctx, library)
	if cc == "" {
		return nil, nil, missing(library, "mpicc of it")
	}
	folder, err := os.MkdirTemp("", "fabtests-mpi-")
	if err != nil {
		return nil, nil, err
	}
	drop = func() { os.RemoveAll(folder) } //nolint:errcheck // it is a folder for what may be lost
	m := &mpi{library: library, mpirun: run, program: filepath.Join(folder, "mpi")}
	file := m.program + ".c"
	if err := os.WriteFile(file, source, 0o600); err != nil {
		return nil, drop, err
	}
	if out, err := exec.CommandContext(ctx, cc, "-O2", "-o", m.program, file).CombinedOutput(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return nil, drop, fmt.Errorf("%s: %w: %s", filepath.Base(cc), err, first)
	}
	return m, drop, nil
}

// mpiTools gives the compiler and the launcher of a library, which stand beside each other; "" where there are none.
func mpiTools(ctx context.Context, library string) (cc, run string) {
	for _, suffix := range []string{"." + library, ""} {
		cc, err := exec.LookPath("mpicc" + suffix)
		if err != nil {
			continue
		}
		run := filepath.Join(filepath.Dir(cc), "mpirun"+suffix)
		if _, err := exec.LookPath(run); err != nil {
			continue
		}
		if suffix == "" {
			b := mpiBanner[library]
			if out, err := exec.CommandContext(ctx, cc, b.option).CombinedOutput(); err != nil || !strings.Contains(string(out), b.text) {
				continue
			}
		}
		return cc, run
	}
	return "", ""
}

func (m *mpi) name() string { return m.library }

// measures: between processes of a host MPI goes through shared memory. Open MPI can be kept from it, but for one-sided
// access; whether MPICH can depends on how it was built.
func (m *mpi) measures(scenario, provider string) bool {
	switch test := mpiTests[scenario]; provider {
	case "shm":
		return test != ""
	case "tcp":
		return m.library == "openmpi" && (test == "latency" || test == "bandwidth")
	}
	return false
}

func (m *mpi) run(ctx context.Context, t task, row func(perf.Row)) error {
	args := []string{m.mpirun, "-np", "2"}
	var env []string
	if m.library == "openmpi" {
		// Two slots, or a machine of two threads of one core has too few; and root may run it, as in containers.
		args = append(args, "--host", "localhost:2", "--bind-to", "none")
		env = []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}
		if t.provider == "tcp" {
			args = append(args, "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo")
		}
	}
	args = append(args, m.program, mpiTests[t.scenario], strconv.Itoa(t.cpu(0)), strconv.Itoa(t.cpu(1)))
	for i, size := range t.sizes {
		args = append(args, fmt.Sprintf("%d:%d", size, t.counts[i]))
	}
	out, err := alone(ctx, env, args)
	if err != nil {
		return err
	}
	rows, err := mpiRows(out)
	for _, r := range rows {
		row(r)
	}
	return err
}

// mpiRows reads what the program prints: S lines with means, L lines with the nanoseconds of single messages.
func mpiRows(out string) ([]perf.Row, error) {
	var rows []perf.Row
	for l := range strings.Lines(out) {
		w := strings.Fields(l)
		if len(w) < 2 || w[0] != "S" && w[0] != "L" {
			continue // of the launcher
		}
		size, err := strconv.Atoi(w[1])
		if err != nil {
			return rows, fmt.Errorf("its output has %q", l)
		}
		if w[0] == "L" {
			all := perf.NewLatencies()
			for _, word := range w[2:] {
				ns, err := strconv.ParseInt(word, 10, 64)
				if err != nil {
					return rows, fmt.Errorf("its latencies have %q", word)
				}
				all.Record(time.Duration(ns))
			}
			rows = append(rows, perf.Row{Size: size, Latencies: all})
			continue
		}
		var n int
		var micros, cpu float64
		if _, err := fmt.Sscanf(strings.Join(w[2:], " "), "%d %g %g", &n, &micros, &cpu); err != nil {
			return rows, fmt.Errorf("its output has %q", l)
		}
		rows = append(rows, rowOf(size, n, micros, cpu))
	}
	if len(rows) == 0 {
		return nil, errors.New("its output has no rows")
	}
	return rows, nil
}
