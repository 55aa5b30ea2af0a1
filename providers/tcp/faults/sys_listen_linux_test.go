package faults

import (
	"fmt"
	"net/netip"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// inside runs f on a thread that is in the namespace.
func (n *namespace) inside(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread, which is in another namespace then, ends with the goroutine
		done <- func() error {
			ns, err := unix.Open(fmt.Sprintf("/proc/%d/ns/net", n.pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				return err
			}
			defer unix.Close(ns)
			if err := unix.Setns(ns, unix.CLONE_NEWNET); err != nil {
				return err
			}
			return f()
		}()
	}()
	return <-done
}

// socket makes a socket in the namespace that ends with the test.
func (n *namespace) socket(t *testing.T, use func(fd int) error) {
	t.Helper()
	check(t, n.inside(func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		t.Cleanup(func() { unix.Close(fd) })
		return use(fd)
	}))
}

// listenSilently listens with the shortest backlog, and never accepts.
func (n *namespace) listenSilently(t *testing.T, addr string, port int) {
	t.Helper()
	n.socket(t, func(fd int) error {
		if err := unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: netip.MustParseAddr(addr).As4()}); err != nil {
			return err
		}
		return unix.Listen(fd, 0)
	})
}

// dialSilently begins to connect, and says nothing.
func (n *namespace) dialSilently(t *testing.T, addr string, port int) {
	t.Helper()
	n.socket(t, func(fd int) error {
		err := unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: netip.MustParseAddr(addr).As4()})
		if err == unix.EINPROGRESS { //nolint:errorlint // documented: a bare value
			return nil
		}
		return err
	})
}
