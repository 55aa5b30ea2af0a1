package server

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// launch starts cmd as the leader of a group, which dies with us.
func launch(cmd *exec.Cmd, pin bool, cpu int) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if !pin {
		return cmd.Start()
	}
	// A child has the processors of the thread that starts it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, only unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return os.NewSyscallError("sched_getaffinity", err)
	}
	only.Set(cpu)
	if err := unix.SchedSetaffinity(0, &only); err != nil {
		return os.NewSyscallError("sched_setaffinity", err)
	}
	defer unix.SchedSetaffinity(0, &before) //nolint:errcheck // it was that before
	return cmd.Start()
}

// await waits for the end of a process without reaping it, and says whether it could.
func await(p *os.Process) bool {
	for {
		err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}
