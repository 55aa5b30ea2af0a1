package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var update = flag.Bool("update", false, "write the golden parts of scripts, the golden files and the manual page")

func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") != "fabtests" { // else this is the command itself
		flag.Parse()
		flag.Set("test.parallel", "1") //nolint:errcheck // scripts that spin on the same processors only hinder each other
	}
	testscript.Main(m, map[string]func(){"fabtests": main})
}

// TestScripts runs the command as users do.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(e *testscript.Env) error { // the folder of this command, names and ports of this run: another one may go on at the same time
			self, err := exec.LookPath("fabtests")
			if err != nil {
				return err
			}
			e.Setenv("BIN", filepath.Dir(self))
			e.Setenv("ID", strconv.Itoa(os.Getpid()))
			e.Setenv("FABTESTS", self)                          // for a script without PATH
			e.Setenv("TEN", strconv.Itoa(2950+os.Getpid()%250)) // ports of four digits and one more
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "race":
				return raceEnabled, nil
			case "shm":
				return runtime.GOOS == "linux", nil
			case "shm-msg":
				_, err := fabric.GetInfo(context.Background(), &fi.Hints{EP: &fi.EPAttr{Type: fi.EPMsg}, Fabric: &fi.FabricAttr{ProvName: "shm"}})
				return err == nil, nil
			}
			return false, errors.New("unknown condition " + cond)
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
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		status = exit.ExitCode()
	}
	if status != want {
		ts.Fatalf("status %d, want %d", status, want)
	}
}
