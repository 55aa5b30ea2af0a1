package poll

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// Readable waits until fd is readable, at most as long as timeout, by poll(2). A signal ends the wait early.
func Readable(fd uintptr, timeout time.Duration) (bool, error) {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, int(timeout.Milliseconds()))
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return n > 0, err
}

// Epoll is an epoll(7) with one descriptor in it.
type Epoll struct{ fd int }

// lookEvery is after how many milliseconds a wait looks whether its context has ended.
const lookEvery = 100

// NewEpoll makes one that waits for fd. Errors: those of the system; errors.ErrUnsupported where it has none.
func NewEpoll(fd uintptr) (*Epoll, error) {
	own, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if err := unix.EpollCtl(own, unix.EPOLL_CTL_ADD, int(fd), &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}); err != nil {
		unix.Close(own) //nolint:errcheck // nothing was written
		return nil, err
	}
	return &Epoll{own}, nil
}

// Wait blocks until the descriptor is readable or ctx ends, with the cause of that.
func (e *Epoll) Wait(ctx context.Context) error {
	var events [1]unix.EpollEvent
	for {
		n, err := unix.EpollWait(e.fd, events[:], lookEvery)
		switch {
		case err != nil && !errors.Is(err, unix.EINTR):
			return err
		case n > 0:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
}

// Close gives it back; the descriptor that it waited for stays open.
func (e *Epoll) Close() error { return unix.Close(e.fd) }
