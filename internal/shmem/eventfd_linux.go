package shmem

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// EventFD is a bell inside one process: rung by anybody, watched by an [Epoll].
type EventFD struct {
	fd int
}

// NewEventFD makes a silent one.
func NewEventFD() (*EventFD, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("eventfd", err)
	}
	return &EventFD{fd}, nil
}

// FD is the descriptor, for an [Epoll]: In after Ring. It stays the EventFD's.
func (e *EventFD) FD() int { return e.fd }

var eventOne uint64 = 1

// Ring makes it readable; it may be rung many times before it is heard. It allocates nothing.
//
//fabric:fastpath
func (e *EventFD) Ring() {
	for {
		_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(e.fd), uintptr(unsafe.Pointer(&eventOne)), 8)
		if errno != unix.EINTR {
			return
		}
	}
}

// Drain makes it silent and tells whether it had been rung. It allocates nothing.
//
//fabric:fastpath
func (e *EventFD) Drain() bool {
	var v uint64
	for {
		_, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(e.fd), uintptr(unsafe.Pointer(&v)), 8)
		if errno != unix.EINTR {
			return errno == 0
		}
	}
}

// Close gives the descriptor back. A second call does nothing.
func (e *EventFD) Close() error {
	if e.fd < 0 {
		return nil
	}
	fd := e.fd
	e.fd = -1
	return os.NewSyscallError("close", unix.Close(fd))
}
