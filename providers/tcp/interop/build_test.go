package interop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// buildDir holds the compiled peer while the tests run.
var buildDir string

func TestMain(m *testing.M) {
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

// build compiles the peer once; the error says why there is none.
var build = sync.OnceValues(func() (string, error) {
	if runtime.GOOS != "linux" {
		return "", errors.New("the C peer is for Linux")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return "", errors.New("no gcc on this machine")
	}
	sources, err := filepath.Glob("testdata/*.c")
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	defer stop()
	probe := exec.CommandContext(ctx, gcc, "-E", "-include", "rdma/fabric.h", "-x", "c", os.DevNull)
	if err := probe.Run(); err != nil {
		return "", errors.New("no headers of C libfabric on this machine (libfabric-dev)")
	}
	out := filepath.Join(buildDir, "peer")
	args := append([]string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-o", out}, sources...)
	if text, err := exec.CommandContext(ctx, gcc, append(args, "-lfabric")...).CombinedOutput(); err != nil {
		return "", &brokenBuild{fmt.Sprintf("the C peer does not build: %v\n%s", err, text)}
	}
	return out, nil
})

// brokenBuild is a failure and no reason to skip.
type brokenBuild struct{ text string }

func (b *brokenBuild) Error() string { return b.text }

// peerProgram gives the compiled peer; it skips the test where that cannot be.
func peerProgram(t *testing.T) string {
	t.Helper()
	path, err := build()
	if _, broken := errors.AsType[*brokenBuild](err); broken {
		t.Fatal(err)
	}
	missing(t, err)
	return path
}

// missing skips a test for which something is not installed, or fails it where everything must be.
func missing(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("CI_INTEROP") == "1" {
		t.Fatalf("CI_INTEROP=1, but: %v", err)
	}
	t.Skipf("known: %v", err)
}
