//go:build unix && !linux

package local

import (
	"errors"
	"os"
	"syscall"
)

// Attributes put a child into a process group of its own.
func Attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// KillGroup ends a child that was started with Attributes, and what it has started.
func KillGroup(p *os.Process) {
	syscall.Kill(-p.Pid, syscall.SIGKILL) //nolint:errcheck // it may have ended
}

// PinTo would bind this process to a set of processors; this system cannot.
func PinTo([]int) error { return errors.ErrUnsupported }
