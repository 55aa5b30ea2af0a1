//go:build unix

package osx

import (
	"syscall"
	"time"
)

// ProcessTime is the processor time that this process has used, of its own and in the kernel. Where the system does not
// tell it is -1.
func ProcessTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return -1
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
