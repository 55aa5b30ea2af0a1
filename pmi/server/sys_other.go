//go:build !unix

package server

import (
	"errors"
	"net"
	"os"
	"os/exec"
)

// inherits says that processes dial a port, for want of sockets that they could inherit.
const inherits = false

func socketPair() (net.Conn, *os.File, error) { return nil, nil, errors.ErrUnsupported }

func launch(cmd *exec.Cmd, pin bool, _ int) error {
	if pin {
		return errors.New("processes can be bound to processors on Linux only")
	}
	return cmd.Start()
}

func (p *process) kill() { p.cmd.Process.Kill() } //nolint:errcheck // it may be gone

// ask has no gentle form here.
func (p *process) ask() { p.kill() }

func signaled(*os.ProcessState) (int, string) { return 0, "" }

// await says that there is no way to wait without reaping.
func await(*os.Process) bool { return false }
