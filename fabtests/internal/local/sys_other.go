//go:build !unix

package local

import (
	"errors"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

func (c *child) kill() {
	c.cmd.Process.Kill() //nolint:errcheck // it may have ended
}

// PinTo would bind this process to a set of processors; this system cannot.
func PinTo([]int) error { return errors.ErrUnsupported }
