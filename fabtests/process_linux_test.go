package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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
