//go:build unix

package server

import (
	"net"
	"os"
	"syscall"
)

// inherits says that processes get an inherited socket.
const inherits = true

// socketPair makes the connection of a process: our end, and the one to hand over.
func socketPair() (mine net.Conn, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	f := os.NewFile(uintptr(fds[0]), "pmi")
	mine, err = net.FileConn(f)
	f.Close() // FileConn has a copy
	theirs = os.NewFile(uintptr(fds[1]), "pmi")
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return mine, theirs, nil
}

// kill ends the group by force. The caller knows that the process was not reaped.
func (p *process) kill() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) } //nolint:errcheck // it may be gone

// ask asks the group to end; a stopped one goes on, so that it hears.
func (p *process) ask() {
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) //nolint:errcheck // it may be gone
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGCONT) //nolint:errcheck // as above
}

// signaled gives the signal that killed a process, or 0.
func signaled(st *os.ProcessState) (int, string) {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return int(ws.Signal()), ws.Signal().String()
	}
	return 0, ""
}
