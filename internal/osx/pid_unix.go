//go:build unix

package osx

import "golang.org/x/sys/unix"

// PidAlive tells whether a process with this number exists and has not ended (one that ended but was not waited for is
// dead). Numbers are used again, so a peer's death is better learnt from a pidfd.
func PidAlive(pid int) bool {
	if pid <= 0 {
		return false
	}
	if err := unix.Kill(pid, 0); err != nil && err != unix.EPERM {
		return false
	}
	return !ended(pid)
}
