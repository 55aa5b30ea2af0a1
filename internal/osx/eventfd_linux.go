package osx

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// EventFD is a descriptor that is readable from a Signal to the next Clear.
type EventFD struct {
	fd     int
	closed atomic.Bool
}

// NewEventFD makes one that is not readable.
func NewEventFD() (*EventFD, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return &EventFD{fd: fd}, nil
}

// FD is the descriptor, for poll and epoll. It stays the EventFD's.
func (e *EventFD) FD() uintptr { return uintptr(e.fd) }

var one uint64 = 1

// Signal makes it readable.
func (e *EventFD) Signal() {
	if !e.closed.Load() {
		unix.RawSyscall(unix.SYS_WRITE, uintptr(e.fd), uintptr(unsafe.Pointer(&one)), 8)
	}
}

// Clear makes it unreadable.
func (e *EventFD) Clear() {
	var n uint64
	if !e.closed.Load() {
		unix.RawSyscall(unix.SYS_READ, uintptr(e.fd), uintptr(unsafe.Pointer(&n)), 8)
	}
}

// Close gives the descriptor back; nobody may use it or wait on it any more.
func (e *EventFD) Close() {
	if !e.closed.Swap(true) {
		unix.Close(e.fd)
	}
}
