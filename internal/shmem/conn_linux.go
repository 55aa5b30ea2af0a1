package shmem

import (
	"fmt"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Conn is one end of a connection: a local socket that keeps messages apart and in order.
type Conn struct {
	fd int
}

// Connect connects with a [Listener]. It never waits: [ErrAgain] says that too many wait there to be accepted,
// ECONNREFUSED or ENOENT that nobody listens.
func Connect(a Addr) (*Conn, error) {
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("shmem: connect to %q: %w", a, err)
	}
	fd, err := unix.Socket(unix.AF_UNIX, sockType, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	err = retry(func() error { return unix.Connect(fd, &unix.SockaddrUnix{Name: a.name}) })
	if err != nil {
		unix.Close(fd)
		if err == unix.EAGAIN {
			return nil, ErrAgain
		}
		return nil, fmt.Errorf("shmem: connect to %q: %w", a, os.NewSyscallError("connect", err))
	}
	return &Conn{fd: fd}, nil
}

// SocketPair returns the two ends of a connection of this process with itself.
func SocketPair() (a, b *Conn, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, sockType, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return &Conn{fd: fds[0]}, &Conn{fd: fds[1]}, nil
}

// FD is the descriptor, for an [Epoll]: In when a message or bell has come, Hangup when the other side is gone. It stays
// the connection's.
func (c *Conn) FD() int { return c.fd }

// Cred tells who is on the other side: the one who connected, or the one who listened.
func (c *Conn) Cred() (Cred, error) {
	u, err := unix.GetsockoptUcred(c.fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return Cred{}, os.NewSyscallError("getsockopt(SO_PEERCRED)", err)
	}
	return Cred{PID: int(u.Pid), UID: int(u.Uid), GID: int(u.Gid)}, nil
}

// PidFD returns a descriptor of the process on the other side, which becomes readable when that process has ended (see
// [Dead]). It is the caller's to close. It is safe against numbers used again from Linux 6.5 on; before, it names whoever
// has the peer's number now, so ask at once. ESRCH says that the process has ended, another error that there is no such
// thing here (before 5.3, or a process that cannot be seen): then only [Hangup] tells, and a child that the peer forked
// holds it back.
func (c *Conn) PidFD() (int, error) {
	fd, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	if err == nil {
		return fd, nil
	}
	if err == unix.EINVAL { // what older kernels say of a process that has ended
		err = unix.ESRCH
	}
	if err != unix.ENOPROTOOPT {
		return -1, os.NewSyscallError("getsockopt(SO_PEERPIDFD)", err)
	}
	cred, err := c.Cred()
	if err != nil {
		return -1, err
	}
	return OpenPid(cred.PID)
}

// OpenPid returns a descriptor of the process with this number, as [Conn.PidFD] does.
func OpenPid(pid int) (int, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	return fd, os.NewSyscallError("pidfd_open", err)
}

// Dead tells whether the process of a descriptor from [Conn.PidFD] has ended.
func Dead(pidfd int) bool {
	p := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(p, 0)
		if err == unix.EINTR {
			continue
		}
		return err == nil && n == 1 && p[0].Revents&unix.POLLIN != 0
	}
}

var oneByte = [1]byte{}

// Ring rings the other side's bell: a message of one byte (see [Message.IsBell]). A bell that already rings (the socket is
// full) is enough. Any error, EPIPE or ECONNRESET mostly, says that the other side is gone. It does not wait and
// allocates nothing.
//
//fabric:fastpath
func (c *Conn) Ring() error {
	for {
		_, _, e := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(c.fd), uintptr(unsafe.Pointer(&oneByte)), 1,
			unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		switch e {
		case 0, unix.EAGAIN:
			return nil
		case unix.EINTR:
		default:
			return e
		}
	}
}

// Drain throws away what has come, up to 256 messages of any kind with their descriptors: for a connection that carries
// nothing but bells. It returns io.EOF when the other side is gone. It allocates nothing.
//
//fabric:fastpath
func (c *Conn) Drain() error {
	var b [1]byte
	for range 256 { // not for ever: the peer may ring as fast as we read
		n, _, e := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(c.fd), uintptr(unsafe.Pointer(&b)), 1,
			unix.MSG_DONTWAIT, 0, 0)
		switch {
		case e == unix.EAGAIN:
			return nil
		case e == unix.EINTR:
		case e != 0:
			return e
		case n == 0:
			return io.EOF
		}
	}
	return nil
}

// Close closes this end. A second call does nothing.
func (c *Conn) Close() error {
	if c.fd < 0 {
		return nil
	}
	fd := c.fd
	c.fd = -1
	return os.NewSyscallError("close", unix.Close(fd))
}

// CloseFD closes a descriptor that was received or opened here.
func CloseFD(fd int) error { return os.NewSyscallError("close", unix.Close(fd)) }
