package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/gofabric/gofabric/pmi/server"
)

// build makes the command once for all tests.
var build = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "mpibench-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, "mpibench")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return program, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if program, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(program))
	}
	os.Exit(code)
}

// job runs the command as n ranks and gives what rank 0 printed.
func job(t *testing.T, n int, args ...string) (string, error) {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	errs := make([]bytes.Buffer, n)
	procs := make([]server.Proc, n)
	for i := range procs {
		procs[i] = server.Proc{Rank: i, Path: program, Args: append([]string{program}, args...), Env: os.Environ(), Stderr: &errs[i]}
	}
	procs[0].Stdout = &out
	j, err := server.Start(t.Context(), server.Spec{Procs: procs})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Wait(); err != nil {
		for i := range errs {
			err = fmt.Errorf("%w\n%s", err, errs[i].String())
		}
		return out.String(), err
	}
	return out.String(), nil
}

// Each benchmark runs, checks what arrives, and prints a title, the columns and one line for each size.
func TestEachBenchmark(t *testing.T) {
	figures := regexp.MustCompile(`^[0-9]*( +[0-9]+\.[0-9]{2})+$`)
	for _, b := range benchmarks {
		t.Run(b.name, func(t *testing.T) {
			ranks := 3
			if b.most > 0 {
				ranks = b.most
			}
			if b.name == suite[0].name || b.name == tuning[0].name {
				t.Parallel()
				testSuite(t)
				return
			}
			t.Parallel()
			out, err := job(t, ranks, "osu_"+b.name, "-m", "8:32", "-i", "5", "-x", "1", "-c", "-W", "4")
			if err != nil {
				t.Fatal(err)
			}
			rows := 0
			for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
				switch {
				case i == 0 && line != "# OSU "+b.title:
					t.Errorf("title %q", line)
				case strings.HasPrefix(line, "#"):
				case figures.MatchString(line):
					rows++
				default:
					t.Errorf("line %q", line)
				}
			}
			want := 3
			if b.name == "barrier" || b.min == b.max {
				want = 1
			}
			if rows != want {
				t.Errorf("%d rows, want %d:\n%s", rows, want, out)
			}
		})
	}
}

// testSuite looks at the rows that docs/perf/measure-mpi.sh reads. Three ranks have few of them.
func testSuite(t *testing.T) {
	out, err := job(t, 3, "suite")
	if err != nil {
		t.Fatal(err)
	}
	if want := regexp.MustCompile(`^barrier 0 3 [0-9.]+ us\nallreduce 8 3 [0-9.]+ us\nallreduce 1048576 3 [0-9.]+ us\n$`); !want.MatchString(out) {
		t.Errorf("rows %q", out)
	}
}

func TestFullColumns(t *testing.T) {
	out, err := job(t, 2, "bcast", "-f", "-m", "8", "-i", "7")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if want := "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations"; lines[1] != want {
		t.Errorf("columns %q, want %q", lines[1], want)
	}
	for _, line := range lines[2:] {
		if f := strings.Fields(line); len(f) != 5 || f[4] != "7" {
			t.Errorf("row %q", line)
		}
	}
}

func TestWrongCommandLines(t *testing.T) {
	for _, args := range [][]string{{}, {"nothing"}, {"latency", "bw"}, {"latency", "-m", "x"}, {"latency", "-m", "9:8"}, {"latency", "-i", "0"}, {"latency", "-s", "never"}} {
		var c config
		var out, errs bytes.Buffer
		if b, code := choose(newCommand(&c), &c, args, &out, &errs); b != nil || code != exitUsage || errs.Len() == 0 {
			t.Errorf("%q: benchmark %v, code %d, says %q", args, b, code, errs.String())
		}
	}
	if _, err := job(t, 3, "latency"); err == nil || !strings.Contains(err.Error(), "3 ranks: give 2") {
		t.Errorf("three ranks: %v", err)
	}
}

// Windows of each kind with each synchronisation.
func TestWindows(t *testing.T) {
	for _, memory := range memories {
		for _, sync := range syncs {
			for _, b := range oneSided {
				if sync != "lock" && b.name != "put_latency" && b.name != "fop_latency" {
					continue
				}
				t.Run(memory+"/"+sync+"/"+b.name, func(t *testing.T) {
					t.Parallel()
					out, err := job(t, 2, b.name, "-w", memory, "-s", sync, "-m", "8:8", "-i", "3", "-x", "1", "-W", "2")
					if err != nil {
						t.Fatal(err)
					}
					if want := "# Window creation: MPI_Win_" + memory + "\n# Synchronization: MPI_Win_" + sync + "\n"; !strings.Contains(out, want) {
						t.Errorf("no %q in\n%s", want, out)
					}
				})
			}
		}
	}
}
