package standstill

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// patience is how long a process may take to stop on a busy machine.
const patience = 30 * time.Second

// Stop stops a process, and returns when each of its threads stands still. SIGCONT lets it go on.
func Stop(t testing.TB, p *os.Process) {
	t.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); running(p.Pid); {
		if time.Now().After(end) {
			t.Fatalf("process %d does not stop", p.Pid)
		}
		time.Sleep(time.Millisecond) // sleep: nothing tells when another process has stopped
	}
}

// running tells whether a thread of a process may still run.
func running(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, name := range threads {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		if _, state, _ := bytes.Cut(stat, []byte(") ")); !bytes.HasPrefix(state, []byte("T")) {
			return true
		}
	}
	return false
}
