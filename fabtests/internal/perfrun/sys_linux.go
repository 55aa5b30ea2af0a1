package perfrun

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// startOn starts a process on a processor, any where that is below 0. The caller holds its thread, whose binding a child
// inherits, and with which it dies.
func startOn(cpu int, cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var before, one unix.CPUSet
	if cpu < 0 || unix.SchedGetaffinity(0, &before) != nil {
		return cmd.Start()
	}
	one.Set(cpu)
	if unix.SchedSetaffinity(0, &one) == nil { // a machine that cannot pin measures unpinned
		defer unix.SchedSetaffinity(0, &before) //nolint:errcheck // it was possible before
	}
	return cmd.Start()
}

// stopGroup asks a process and those that it has started to end.
func stopGroup(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) //nolint:errcheck // it may have ended
}

// killGroup ends a process and those that it has started.
func killGroup(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) //nolint:errcheck // it may have ended
}

// listening tells whether somebody listens at a TCP port of this host, without connecting to it.
func listening(port int) bool {
	want := fmt.Sprintf(":%04X", port)
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		found := false
		for sc := bufio.NewScanner(f); sc.Scan() && !found; {
			w := strings.Fields(sc.Text())
			const listens = "0A"
			found = len(w) > 3 && strings.HasSuffix(w[1], want) && w[3] == listens
		}
		f.Close() //nolint:errcheck // it was read only
		if found {
			return true
		}
	}
	return false
}
