package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gofabric/gofabric/internal/testx/rank"
)

// standIn writes a program that takes the place of ssh and stays on this host.
func standIn(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(file, []byte("#!/bin/sh\nshift\nexec sh -c \"$*\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// hanging starts four ranks on two hosts that hang, and gives the processes of the job: ranks, what they started, agents.
func hanging(t *testing.T, role string) (cmd *exec.Cmd, ranks, agents []string) {
	t.Helper()
	cmd = exec.Command("mpirun", "-hosts", "a:2,b:2", "-launcher-exec", standIn(t), "-n", "4", "member", "join fence "+role+" pid hang")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(out)
	seen := map[string]bool{}
	for told := 0; told < 4 && in.Scan(); {
		var pid, parent string
		if n, _ := fmt.Sscanf(in.Text(), "pid %s %s", &pid, &parent); n == 2 {
			told++
			ranks = append(ranks, pid)
			if !seen[parent] {
				seen[parent] = true
				agents = append(agents, parent)
			}
		} else if n, _ := fmt.Sscanf(in.Text(), "child %s", &pid); n == 1 {
			ranks = append(ranks, pid)
		}
	}
	go func() { // so that mpirun never waits for us
		for in.Scan() {
		}
	}()
	if len(agents) != 2 {
		t.Fatalf("ranks %v, agents %v", ranks, agents)
	}
	return cmd, ranks, agents
}

func status(err error) int {
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return 0
	case !ok:
		return -1
	}
	return exit.ExitCode()
}

func noneLeft(t *testing.T, pids ...string) {
	t.Helper()
	for _, pid := range pids {
		if !rank.Gone(pid) {
			t.Errorf("process %s is left behind", pid)
			n, _ := strconv.Atoi(pid)
			syscall.Kill(n, syscall.SIGKILL) //nolint:errcheck // tidying up
		}
	}
}

func TestLauncherKilled(t *testing.T) {
	t.Parallel()
	cmd, ranks, agents := hanging(t, "child")
	cmd.Process.Kill() //nolint:errcheck // it runs
	cmd.Wait()         //nolint:errcheck // it was killed
	noneLeft(t, append(ranks, agents...)...)
}

func TestAgentKilled(t *testing.T) {
	t.Parallel()
	cmd, ranks, agents := hanging(t, "")
	n, _ := strconv.Atoi(agents[0])
	syscall.Kill(n, syscall.SIGKILL) //nolint:errcheck // it runs
	if got := status(cmd.Wait()); got != exitLost {
		t.Errorf("status %d", got)
	}
	noneLeft(t, append(ranks, agents...)...)
}

func TestRankKilled(t *testing.T) {
	t.Parallel()
	cmd, ranks, agents := hanging(t, "")
	n, _ := strconv.Atoi(ranks[2])
	syscall.Kill(n, syscall.SIGKILL) //nolint:errcheck // it runs
	if got := status(cmd.Wait()); got != 137 {
		t.Errorf("status %d", got)
	}
	noneLeft(t, append(ranks, agents...)...)
}

// TestSignals ends a job as Ctrl-C does, which all processes of the terminal get, and as kill does.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		to   func(*exec.Cmd) int
		sig  syscall.Signal
		role string
	}{
		{func(c *exec.Cmd) int { return -c.Process.Pid }, syscall.SIGINT, "child"},
		{func(c *exec.Cmd) int { return c.Process.Pid }, syscall.SIGINT, ""},
		{func(c *exec.Cmd) int { return c.Process.Pid }, syscall.SIGTERM, ""},
		{func(c *exec.Cmd) int { return c.Process.Pid }, syscall.SIGHUP, "deaf"},
	} {
		cmd, ranks, agents := hanging(t, c.role)
		if err := syscall.Kill(c.to(cmd), c.sig); err != nil {
			t.Fatal(err)
		}
		if got := status(cmd.Wait()); got != 128+int(c.sig) {
			t.Errorf("status %d after %v", got, c.sig)
		}
		noneLeft(t, append(ranks, agents...)...)
	}
}

// TestTwoSignals: who asks twice does not wait for the deaf.
func TestTwoSignals(t *testing.T) {
	t.Parallel()
	cmd, ranks, agents := hanging(t, "deaf")
	for range 2 {
		syscall.Kill(cmd.Process.Pid, syscall.SIGTERM) //nolint:errcheck // it runs
	}
	if got := status(cmd.Wait()); got != 143 {
		t.Errorf("status %d", got)
	}
	noneLeft(t, append(ranks, agents...)...)
}

// TestNobodyReads: a reader that is stopped does not hold up who asks twice.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("mpirun", "-n", "2", "member", "err=here pid lines=1000000")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	errs := bufio.NewScanner(said)
	for told := 0; told < 2 && errs.Scan(); told++ {
	}
	syscall.Kill(cmd.Process.Pid, syscall.SIGTERM) //nolint:errcheck // it runs
	for errs.Scan() && !strings.Contains(errs.Text(), "ended by a signal") {
	}
	syscall.Kill(cmd.Process.Pid, syscall.SIGTERM) //nolint:errcheck // it runs
	for errs.Scan() {
	}
	text, _ := io.ReadAll(out) // what had been written
	if got := status(cmd.Wait()); got != 143 {
		t.Errorf("status %d", got)
	}
	for line := range strings.Lines(string(text)) {
		var pid, parent string
		if n, _ := fmt.Sscanf(line, "pid %s %s", &pid, &parent); n == 2 {
			noneLeft(t, pid, parent)
		}
	}
}

// TestLinesStayWhole has many ranks write lines in pieces.
func TestLinesStayWhole(t *testing.T) {
	t.Parallel()
	const n, each = 12, 200
	for _, args := range [][]string{nil, {"-prepend-rank"}, {"-hosts", "a,b", "-launcher-exec", standIn(t)}} {
		cmd := exec.Command("mpirun", append(args, "-n", strconv.Itoa(n), "member", "lines="+strconv.Itoa(each))...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		next := map[string]int{}
		for line := range strings.Lines(string(out)) {
			var r string
			var i int
			text := line
			if len(args) == 1 {
				mark, rest, _ := strings.Cut(line, " ")
				text = rest
				if m, _ := fmt.Sscanf(rest, "rank %s", &r); m != 1 || mark != "["+r+"]" {
					t.Fatalf("line %q", line)
				}
			}
			if m, _ := fmt.Sscanf(text, "rank %s line %d abcdefgh\n", &r, &i); m != 2 || i != next[r] {
				t.Fatalf("line %q, rank %s is at %d", line, r, next[r])
			}
			next[r]++
		}
		for r := range n {
			if next[strconv.Itoa(r)] != each {
				t.Errorf("rank %d: %d lines", r, next[strconv.Itoa(r)])
			}
		}
	}
}
