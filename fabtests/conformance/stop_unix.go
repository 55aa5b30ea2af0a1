//go:build unix

package conformance

import (
	"os"
	"syscall"
)

// canStop tells whether processes can be paused here.
const canStop = true

func stopProcess(p *os.Process) error     { return p.Signal(syscall.SIGSTOP) }
func continueProcess(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
