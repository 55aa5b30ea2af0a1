package shmem

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Listener is a local socket that others connect to.
type Listener struct {
	fd     int
	silent bool   // nobody can connect before Start
	file   string // "" for an abstract one
	dev    uint64 // which file we made
	ino    uint64
}

const (
	sockType = unix.SOCK_SEQPACKET | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK
	backlog  = 512
)

// Listen takes an address. EADDRINUSE says that somebody listens there, or that a file that is no socket is in the way. A
// socket file that nobody listens on (its owner was killed) is replaced.
func Listen(a Addr) (*Listener, error) { return take(a, false) }

// Reserve takes an address as [Listen] does; whoever connects is refused until [Listener.Start]. Only abstract names can be
// had in this way: at a file, which others would replace, peers wait instead.
func Reserve(a Addr) (*Listener, error) { return take(a, a.abstract()) }

func take(a Addr, silent bool) (*Listener, error) {
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("shmem: listen on %q: %w", a, err)
	}
	fd, err := unix.Socket(unix.AF_UNIX, sockType, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	l := &Listener{fd: fd, silent: silent}
	if a.abstract() {
		err = l.bind(a)
	} else {
		err = l.bindFile(a)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("shmem: listen on %q: %w", a, err)
	}
	return l, nil
}

func (l *Listener) bind(a Addr) error {
	if err := unix.Bind(l.fd, &unix.SockaddrUnix{Name: a.name}); err != nil {
		return os.NewSyscallError("bind", err)
	}
	if l.silent {
		return nil
	}
	return os.NewSyscallError("listen", unix.Listen(l.fd, backlog))
}

// Start lets peers connect to an address that was reserved.
func (l *Listener) Start() error {
	if !l.silent {
		return nil
	}
	l.silent = false
	return os.NewSyscallError("listen", unix.Listen(l.fd, backlog))
}

// bindFile holds a lock on the folder, so that of several processes that find a stale file one replaces it, and nobody
// takes a socket for stale that is bound and does not listen yet.
func (l *Listener) bindFile(a Addr) error {
	unlock := lockFolder(a.name)
	defer unlock()
	err := unix.Bind(l.fd, &unix.SockaddrUnix{Name: a.name})
	if err == unix.EADDRINUSE && stale(a) {
		if err := unix.Unlink(a.name); err != nil && err != unix.ENOENT {
			return os.NewSyscallError("unlink", err)
		}
		err = unix.Bind(l.fd, &unix.SockaddrUnix{Name: a.name})
	}
	if err != nil {
		return os.NewSyscallError("bind", err)
	}
	var st unix.Stat_t
	if err := unix.Lstat(a.name, &st); err == nil {
		l.file, l.dev, l.ino = a.name, uint64(st.Dev), st.Ino
	}
	if err := unix.Listen(l.fd, backlog); err != nil {
		l.removeFile()
		return os.NewSyscallError("listen", err)
	}
	return nil
}

// lockFolder locks the folder of a file against others of our kind. Where folders cannot be locked it does nothing, and it
// gives up after a second: whoever can read the folder could hold the lock for ever.
func lockFolder(path string) (unlock func()) {
	d, err := unix.Open(filepath.Dir(path), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return func() {}
	}
	for range 200 {
		if unix.Flock(d, unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return func() { unix.Close(d) }
}

// stale tells whether a path is a socket that nobody listens on.
func stale(a Addr) bool {
	var st unix.Stat_t
	if err := unix.Lstat(a.name, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return false
	}
	fd, err := unix.Socket(unix.AF_UNIX, sockType, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return unix.Connect(fd, &unix.SockaddrUnix{Name: a.name}) == unix.ECONNREFUSED
}

// FD is the descriptor, for an [Epoll]: In when somebody has come. It stays the listener's.
func (l *Listener) FD() int { return l.fd }

// Accept returns the next connection, [ErrAgain] when there is none. EMFILE and ENFILE say that there are no descriptors
// left; the connection then still waits.
func (l *Listener) Accept() (*Conn, error) {
	for {
		fd, _, err := unix.Accept4(l.fd, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
		switch err {
		case nil:
			return &Conn{fd: fd}, nil
		case unix.EAGAIN:
			return nil, ErrAgain
		case unix.EINTR, unix.ECONNABORTED:
		default:
			return nil, os.NewSyscallError("accept4", err)
		}
	}
}

// Close stops listening; connections live on. A socket file is removed if it is still ours. A second call does nothing.
func (l *Listener) Close() error {
	if l.fd < 0 {
		return nil
	}
	fd := l.fd
	l.fd = -1
	if l.file != "" {
		unlock := lockFolder(l.file)
		defer unlock()
		l.removeFile()
	}
	return os.NewSyscallError("close", unix.Close(fd))
}

func (l *Listener) removeFile() {
	var st unix.Stat_t
	if err := unix.Lstat(l.file, &st); err == nil && uint64(st.Dev) == l.dev && st.Ino == l.ino {
		unix.Unlink(l.file)
	}
}
