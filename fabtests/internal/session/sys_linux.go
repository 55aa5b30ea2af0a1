package session

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// pollFD waits until fd is readable, at most as long as timeout.
func pollFD(fd uintptr, timeout time.Duration) error {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	_, err := unix.Poll(fds, int(timeout.Milliseconds()))
	if errors.Is(err, unix.EINTR) {
		return nil
	}
	return err
}
