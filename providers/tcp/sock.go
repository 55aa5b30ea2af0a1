package tcp

import (
	"net/netip"
	"syscall"
)

// Sockets have numbers: descriptors of the system, or handles of pumps. What is here chooses.

// socketKind says which sockets are opened.
type socketKind uint8

const (
	rawSockets  socketKind = iota // driven by system calls: Linux
	pumpSockets                   // of package net
)

//fabric:fastpath
func sysRead(fd int, p []byte) (int, syscall.Errno) {
	if fd < noSocket {
		return pumpRead(fd, p)
	}
	return rawRead(fd, p)
}

//fabric:fastpath
func sysWrite(fd int, p []byte) (int, syscall.Errno) {
	if fd < noSocket {
		return pumpWrite(fd, p)
	}
	return rawWrite(fd, p)
}

//go:noinline
func pumpRead(fd int, b []byte) (int, syscall.Errno) {
	if p := pumpOf(fd); p != nil {
		return p.read(b)
	}
	return 0, syscall.EBADF
}

//go:noinline
func pumpWrite(fd int, b []byte) (int, syscall.Errno) {
	if p := pumpOf(fd); p != nil {
		return p.write(b)
	}
	return 0, syscall.EBADF
}

//fabric:fastpath
func (v *vec) readv(fd int) (int, syscall.Errno) {
	if fd < noSocket {
		return v.each(fd, pumpRead)
	}
	return v.rawReadv(fd)
}

//fabric:fastpath
func (v *vec) writev(fd int) (int, syscall.Errno) {
	if fd < noSocket {
		return v.each(fd, pumpWrite)
	}
	return v.rawWritev(fd)
}

// each moves the pieces one by one, as far as that goes.
//
//go:noinline
func (v *vec) each(fd int, move func(int, []byte) (int, syscall.Errno)) (n int, errno syscall.Errno) {
	for i := range v.n {
		b := v.piece(i)
		k, errno := move(fd, b)
		n += k
		if errno != 0 && n == 0 {
			return 0, errno
		}
		if k < len(b) {
			break
		}
	}
	return n, 0
}

// sockBind makes a socket that may listen.
func (c *config) sockBind(at netip.AddrPort, how sharing) (int, netip.AddrPort, error) {
	if c.kind == pumpSockets {
		return c.pumpBind(at, how)
	}
	return rawBind(at, how)
}

// sockConnect begins to connect; entry is the name in the peer's certificate, if one was given.
func (c *config) sockConnect(from netip.Addr, to netip.AddrPort, entry string) (int, error) {
	if c.kind == pumpSockets {
		return c.pumpConnect(from, to, entry)
	}
	return rawConnect(from, to)
}

func sysListen(fd int) error {
	if fd < noSocket {
		pumpOf(fd).listen()
		return nil
	}
	return rawListen(fd)
}

func sysAccept(fd int) (int, netip.AddrPort, error) {
	if fd < noSocket {
		return pumpOf(fd).accept()
	}
	return rawAccept(fd)
}

func sysConnectBound(fd int, to netip.AddrPort) error {
	if fd < noSocket {
		pumpOf(fd).dialBound(to)
		return nil
	}
	return rawConnectBound(fd, to)
}

// sysSocketError is why a connection attempt has failed; nil when it has not.
func sysSocketError(fd int) error {
	if fd < noSocket {
		p := pumpOf(fd)
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.dialErr
	}
	return rawSocketError(fd)
}

// sysStreamError is why nothing more comes, where the system's numbers do not say it; nil for others.
func sysStreamError(fd int) error {
	if fd > noSocket {
		return nil
	}
	p := pumpOf(fd)
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := asTLSError(p.inErr); t != nil {
		return t
	}
	return nil
}

// sysOnRefused has a listener tell of callers with which there is no agreement on encryption.
func sysOnRefused(fd int, tell func(from netip.AddrPort, err error)) {
	if fd < noSocket {
		p := pumpOf(fd)
		p.mu.Lock()
		p.onRefused = tell
		p.mu.Unlock()
	}
}

// sysUnread is how many bytes wait in a socket.
func sysUnread(fd int) int {
	if fd < noSocket {
		p := pumpOf(fd)
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.in)
	}
	return rawUnread(fd)
}

// sysMayCome tells whether a socket that cannot be written may still give bytes that it has not shown yet.
func sysMayCome(fd int) bool {
	if fd > noSocket {
		return false
	}
	p := pumpOf(fd)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inErr == nil
}

// sysUnsent tells whether a socket has taken bytes that have not left for the system.
func sysUnsent(fd int) bool { return fd < noSocket && pumpOf(fd).unsent() }

// sysLocalAddr is the address that a socket has here.
func sysLocalAddr(fd int) netip.AddrPort {
	if fd < noSocket {
		return pumpOf(fd).local()
	}
	return rawLocalAddr(fd)
}

// sysOptions sets what every connection gets. Options that the system refuses are done without.
func sysOptions(fd int, o socketOptions) {
	if fd < noSocket {
		pumpOf(fd).setOptions(o)
		return
	}
	rawOptions(fd, o)
}

// sysLifeSigns asks what is known of a connection; false when that is nothing.
func sysLifeSigns(fd int) (lifeSigns, bool) {
	if fd < noSocket {
		return pumpOf(fd).lifeSigns(), true
	}
	return rawLifeSigns(fd)
}

// sysKeepAlive has the system ask, after so many seconds of silence, whether the peer still knows of a connection.
func sysKeepAlive(fd, seconds int) {
	if fd < noSocket {
		pumpOf(fd).keepAlive(seconds)
		return
	}
	rawKeepAlive(fd, seconds)
}

// sysShutdown ends both directions: what was sent leaves, then the end.
func sysShutdown(fd int) {
	if fd > noSocket {
		rawShutdown(fd)
	}
}

func sysClose(fd int) {
	if fd < noSocket {
		pumpOf(fd).close()
		return
	}
	rawClose(fd)
}
