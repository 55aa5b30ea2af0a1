//go:build !unix

package local

import (
	"errors"
	"os"
	"syscall"
)

// Attributes would put a child into a process group of its own.
func Attributes() *syscall.SysProcAttr { return nil }

// KillGroup ends a child.
func KillGroup(p *os.Process) {
	p.Kill() //nolint:errcheck // it may have ended
}

// PinTo would bind this process to a set of processors; this system cannot.
func PinTo([]int) error { return errors.ErrUnsupported }
