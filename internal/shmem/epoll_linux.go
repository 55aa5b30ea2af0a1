package shmem

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Epoll watches descriptors. It is looked at without waiting ([Epoll.Wait]) or parked on ([Epoll.Park]): a parked goroutine
// holds no thread, because the runtime's own poller watches the Epoll.
type Epoll struct {
	fd   int
	file *os.File // owns fd
	raw  syscall.RawConn
	look func(uintptr) bool
}

// Event is what happened to a descriptor.
type Event struct {
	ev unix.EpollEvent
}

// Token is what was given to [Epoll.Add].
func (e *Event) Token() uint64 { return uint64(uint32(e.ev.Fd)) | uint64(uint32(e.ev.Pad))<<32 }

// Events is what happened, as bits.
func (e *Event) Events() Events { return Events(e.ev.Events) }

// NewEpoll makes an Epoll that watches nothing.
func NewEpoll() (*Epoll, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil { // tells os.NewFile that it can be polled
		unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	e := &Epoll{fd: fd, file: os.NewFile(uintptr(fd), "epoll")}
	e.look = func(uintptr) bool { return e.pending() }
	if err = e.file.SetReadDeadline(time.Time{}); err == nil { // fails when the runtime does not poll it
		e.raw, err = e.file.SyscallConn()
	}
	if err != nil {
		e.file.Close()
		return nil, err
	}
	return e, nil
}

// Add begins to watch a descriptor; token comes back in its events. Events are reported as long as they hold, not once.
func (e *Epoll) Add(fd int, events Events, token uint64) error {
	return e.control(unix.EPOLL_CTL_ADD, fd, events, token)
}

// Modify changes what is watched.
func (e *Epoll) Modify(fd int, events Events, token uint64) error {
	return e.control(unix.EPOLL_CTL_MOD, fd, events, token)
}

// Del stops watching. Do it before the descriptor is closed: a copy of it in another process would keep it watched.
func (e *Epoll) Del(fd int) error { return e.control(unix.EPOLL_CTL_DEL, fd, 0, 0) }

func (e *Epoll) control(op, fd int, events Events, token uint64) error {
	ev := unix.EpollEvent{Events: uint32(events), Fd: int32(uint32(token)), Pad: int32(uint32(token >> 32))}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(e.fd, op, fd, &ev))
}

// Wait fills dst with what holds now and returns how many; it never waits, and allocates nothing.
//
//fabric:fastpath
func (e *Epoll) Wait(dst []Event) int {
	if len(dst) == 0 {
		return 0
	}
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(e.fd), uintptr(unsafe.Pointer(&dst[0])),
			uintptr(len(dst)), 0, 0, 0)
		switch errno {
		case 0:
			return int(n)
		case unix.EINTR:
		default:
			return 0
		}
	}
}

func (e *Epoll) pending() bool {
	var one [1]Event
	return e.Wait(one[:]) > 0
}

// Park waits until there is something for [Epoll.Wait]. One goroutine parks at a time; a second one waits for the first.
// It ends with os.ErrDeadlineExceeded at the deadline and with os.ErrClosed when the Epoll is closed. To end it otherwise,
// watch an [EventFD].
func (e *Epoll) Park() error {
	err := e.raw.Read(e.look)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return os.ErrDeadlineExceeded
	}
	return os.ErrClosed // the only other thing that ends it, and not under this name
}

// SetDeadline ends a running or later Park at a moment; the zero time is never.
func (e *Epoll) SetDeadline(t time.Time) error { return e.file.SetReadDeadline(t) }

// FD is the descriptor: readable when there is something. It stays the Epoll's.
func (e *Epoll) FD() int { return e.fd }

// Close ends a Park and gives the descriptor back. What is watched stays open. A second call returns os.ErrClosed.
func (e *Epoll) Close() error { return e.file.Close() }
