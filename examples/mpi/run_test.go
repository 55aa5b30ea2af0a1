package examples

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofabric/gofabric/pmi/server"
)

// programs builds all examples, once.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gofabric-examples-*")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", dir+string(filepath.Separator), "./...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if dir, _ := programs(); dir != "" {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = cmp.Or(status, 1)
		}
	}
	os.Exit(status)
}

// hosts is where ranks run, by what tells them: on this host over one provider, or on two hosts that this one pretends to be.
type hosts struct {
	name string
	env  func(rank, n int) []string
}

func over(provider string) hosts {
	return hosts{provider, func(int, int) []string { return []string{"FI_PROVIDER=" + provider} }}
}

func twoHosts(rank, n int) []string {
	return []string{"FI_PROVIDER=lnx", fmt.Sprint("FI_LNX_HOST=", 2*rank/n)}
}

var places = []hosts{over("shm"), over("tcp"), {"two hosts", twoHosts}}

// run runs n ranks of a program and gives the lines that they print, sorted: their order is nobody's.
func run(t *testing.T, h hosts, n int, name string, args ...string) []string {
	t.Helper()
	stdout, stderr, err := start(t, h, n, name, args...)
	if err != nil {
		t.Fatalf("%s with %d ranks over %s: %v\n%s%s", name, n, h.name, err, stdout, stderr)
	}
	if stderr != "" {
		t.Errorf("%s with %d ranks over %s writes to stderr: %s", name, n, h.name, stderr)
	}
	if stdout == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	slices.Sort(lines)
	return lines
}

func start(t *testing.T, h hosts, n int, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("known: the examples are run over shared memory, which only linux has here")
	}
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	program := filepath.Join(dir, name)
	var out, errs text
	procs := make([]server.Proc, n)
	for i := range procs {
		procs[i] = server.Proc{
			Path: program, Args: append([]string{program}, args...), Env: append(os.Environ(), h.env(i, n)...),
			Stdout: &out, Stderr: &errs,
		}
	}
	job, err := server.Start(ctx, server.Spec{Procs: procs})
	if err != nil {
		return "", "", err
	}
	_, err = job.Wait()
	return out.String(), errs.String(), errors.Join(err, ctx.Err())
}

// text collects what processes write.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

var _ io.Writer = (*text)(nil)

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}
