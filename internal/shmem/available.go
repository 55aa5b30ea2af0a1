package shmem

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
)

// Available says why there is no shared memory of this kind here; nil where there is.
func Available() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("not on %s: memory files and process_vm_readv are Linux's: %w", runtime.GOOS, errors.ErrUnsupported)
	}
	return nil
}

// NotAllowed tells whether an error of [ReadProcess] says that the system does not allow it at all (ptrace rules, a
// container's filter), rather than that the memory is not there.
func NotAllowed(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSYS) ||
		errors.Is(err, errors.ErrUnsupported)
}
