package conformance

import (
	"syscall"
	"time"
)

// canPoll tells whether native waits can be tried here.
const canPoll = true

// readable waits until a descriptor is readable, by epoll as an application would.
func readable(fd uintptr, d time.Duration) (bool, error) {
	ep, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return false, err
	}
	defer syscall.Close(ep)
	ev := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}
	if err := syscall.EpollCtl(ep, syscall.EPOLL_CTL_ADD, int(fd), &ev); err != nil {
		return false, err
	}
	end := time.Now().Add(d)
	for {
		var got [1]syscall.EpollEvent
		n, err := syscall.EpollWait(ep, got[:], max(0, int(time.Until(end).Milliseconds())))
		if err == syscall.EINTR {
			continue
		}
		return n > 0, err
	}
}

// cpuTime is the processor time that this process has used.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
