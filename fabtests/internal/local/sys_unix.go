//go:build unix && !linux

package local

import (
	"errors"
	"syscall"
)

// attributes put a child into a process group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (c *child) kill() {
	syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) //nolint:errcheck // it may have ended
}

// PinTo would bind this process to a set of processors; this system cannot.
func PinTo([]int) error { return errors.ErrUnsupported }
