package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gofabric/gofabric/internal/testx/rank"
)

// TestMain is also two programs of the scripts: mpirun, and ranks of jobs, which do what their arguments say.
func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=0") // a second for each of many processes
	}
	testscript.Main(m, map[string]func(){
		"mpirun": main,
		"member": func() {
			if err := rank.Play(strings.Join(os.Args[1:], " ")); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
	})
}

// TestScripts runs the command as users do.
func TestScripts(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "sorted": sorted},
		Setup: func(e *testscript.Env) error {
			self, err := exec.LookPath("mpirun")
			if err != nil {
				return err
			}
			e.Setenv("BIN", filepath.Dir(self))
			e.Setenv("TMPDIR", e.WorkDir)
			e.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
			e.Setenv("GOFLAGS", "-buildvcs=false")
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
	})
}

// exits STATUS COMMAND...: the command ends with exactly that status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	status := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		status = exit.ExitCode()
	}
	if status != want {
		ts.Fatalf("status %d, want %d", status, want)
	}
}

// sorted FILE: the last command wrote the lines of the file, in any order.
func sorted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sorted FILE")
	}
	got, want := lines(ts.ReadFile("stdout")), lines(ts.ReadFile(args[0]))
	if got != want {
		ts.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}
