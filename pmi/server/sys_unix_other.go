//go:build unix && !linux

package server

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// launch starts cmd as the leader of a group.
func launch(cmd *exec.Cmd, pin bool, _ int) error {
	if pin {
		return errors.New("processes can be bound to processors on Linux only")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Start()
}

// await says that there is no way to wait without reaping.
func await(*os.Process) bool { return false }
