package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/local"
)

// launch starts a long run of both sides and waits until its two children live.
func launch(t *testing.T) (*exec.Cmd, []int) {
	t.Helper()
	self, err := exec.LookPath("fabtests")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "wakeup", "-p", "shm", "-I", "100000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended when all went well
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if kids := childrenOf(cmd.Process.Pid); len(kids) == 2 {
			return cmd, kids
		}
	}
	t.Fatal("no two children within ", patience)
	return nil, nil
}

// childrenOf lists the living children of a process.
func childrenOf(pid int) []int {
	var kids []int
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	for _, f := range stats {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		w := strings.Fields(rest)
		if len(w) < 2 || w[0] == "Z" || w[1] != strconv.Itoa(pid) {
			continue
		}
		if kid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
			kids = append(kids, kid)
		}
	}
	return kids
}

// gone waits until processes have ended.
func gone(t *testing.T, pids []int) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for _, pid := range pids {
		for !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !zombie(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d lives on", pid)
			}
		}
	}
}

func zombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(b), ") Z ")
}

// TestInterrupt presses Ctrl-C: both sides end, the status is that of an interrupt.
func TestInterrupt(t *testing.T) {
	cmd, kids := launch(t)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != interrupted {
		t.Errorf("ended with %v, want status %d", err, interrupted)
	}
	gone(t, kids)
}

// TestKilledLauncher kills the launcher, which cannot clean up then: the kernel does.
func TestKilledLauncher(t *testing.T) {
	cmd, kids := launch(t)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // killed
	gone(t, kids)
}

// TestKilledServer kills the server: the client says so within the second that a peer's death may take, and the launcher
// reports it.
func TestKilledServer(t *testing.T) {
	self, err := exec.LookPath("fabtests")
	if err != nil {
		t.Fatal(err)
	}
	name := "killed-server-" + strconv.Itoa(os.Getpid())
	server := exec.Command(self, "rdm_pingpong", "-p", "shm", "-B", name, "-I", "1000000000", "-S", "64k")
	client := exec.Command(self, "rdm_pingpong", "-p", "shm", "-P", name, "-I", "1000000000", "-S", "64k", "--timeout", "60", "localhost")
	stderr, err := client.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*exec.Cmd{server, client} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill() }) //nolint:errcheck // it has ended when all went well
	}
	busy(t, client.Process.Pid)
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	server.Wait() //nolint:errcheck // killed
	began := time.Now()
	var said []string
	for sc := bufio.NewScanner(stderr); sc.Scan(); {
		said = append(said, sc.Text())
	}
	if err := client.Wait(); err == nil {
		t.Error("the client succeeded without a server")
	}
	text := strings.Join(said, "\n")
	if !strings.Contains(text, "ret=-") || !strings.Contains(text, "  try: ") {
		t.Errorf("the client said:\n%s", text)
	}
	t.Logf("%v after the death of the server: %s", time.Since(began), text)
}

// busy waits until a process has used some processor time: it is in its loop then.
func busy(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		if w := strings.Fields(rest); len(w) > 12 {
			if ticks, err := strconv.Atoi(w[11]); err == nil && ticks >= 20 {
				return
			}
		}
	}
	t.Fatal("the client does not run")
}

// set starts fabtests run on a test that waits for ever for its client, and waits until the server of that lives.
func set(t *testing.T, out *bytes.Buffer) (*exec.Cmd, []int) {
	t.Helper()
	self, err := exec.LookPath("fabtests")
	if err != nil {
		t.Fatal(err)
	}
	ssh := filepath.Join(t.TempDir(), "ssh")
	if err := os.WriteFile(ssh, []byte("#!/bin/sh\nif [ $1 = beta ]; then exec sleep 1000; fi\nexec sh -c \"exec $2\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "run", "-t", "functional", "-T", "0", "-e", "fi_[a-qs-z],fi_r[^d],fi_rdm_", "-p", filepath.Dir(self), "-s", "127.0.0.1", "shm", "alpha", "beta")
	cmd.Env, cmd.Stdout = append(os.Environ(), sshVar+"="+ssh), out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended when all went well
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if kids := childrenOf(cmd.Process.Pid); len(kids) == 2 {
			return cmd, kids
		}
	}
	t.Fatal("no two processes within ", patience)
	return nil, nil
}

// TestInterruptedRun presses Ctrl-C in the middle of a run: both sides end, the table so far is there.
func TestInterruptedRun(t *testing.T) {
	var out bytes.Buffer
	cmd, kids := set(t, &out)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != interrupted {
		t.Errorf("ended with %v, want status %d", err, interrupted)
	}
	for _, want := range []string{"fi_cm_data:", "Excluded\n", "# Interrupted: ", " without a result\n", "# Total Fail                                                 0\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
	gone(t, kids)
}

// TestKilledRun kills the runner, which cannot clean up then: those it started end all the same.
func TestKilledRun(t *testing.T) {
	var out bytes.Buffer
	cmd, kids := set(t, &out)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // killed
	gone(t, kids)
}

// TestSupervised: a server that a runner started says when it is ready, and ends when its input does: on another host there
// is no other news of the runner's death.
func TestSupervised(t *testing.T) {
	self, err := exec.LookPath("fabtests")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "rdm", "-p", "shm", "-B", "supervised-"+strconv.Itoa(os.Getpid()), "--timeout", "0")
	cmd.Env = append(os.Environ(), "FABTESTS_RUN=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended when all went well
	sc := bufio.NewScanner(out)
	for sc.Scan() && sc.Text() != local.ReadyLine {
	}
	if sc.Text() != local.ReadyLine {
		t.Fatal("it is never ready: ", sc.Err())
	}
	in.Close() //nolint:errcheck // the end of it is what counts
	for sc.Scan() {
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it succeeded without a client")
	}
}
