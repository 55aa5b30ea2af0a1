package tcp

import (
	"errors"
	"net/netip"
	"syscall"

	"github.com/libp2p/go-reuseport"
)

// Sharing a port (SO_REUSEPORT) is for two uses, each on request only (FI_TCP_REUSEPORT):
//
//   - listen: a passive endpoint has several listeners at its port, among which the system spreads those that connect;
//   - dial: a connected endpoint calls from an explicit port at which a passive endpoint listens. Not for FI_EP_RDM, whose
//     peers call back: two such would open one connection at once, and calling again would meet TIME_WAIT.
//
// Sharing is within this process: a port that somebody has is refused, as ever.

// sharing says whether sockets may share a port.
type sharing uint8

const (
	alone  sharing = iota
	shared         // with others of this process that are shared
)

const (
	shareListen = 1 << iota
	shareDial
)

// sharesOf gives the uses of a value of FI_TCP_REUSEPORT.
func sharesOf(v string) int {
	return map[string]int{"listen": shareListen, "dial": shareDial, "all": shareListen | shareDial}[v]
}

// reuseListeners is how many listeners a passive endpoint then has.
const reuseListeners = 4

// rawControl is a descriptor as go-reuseport wants it.
type rawControl int

// Control calls f with the descriptor.
func (fd rawControl) Control(f func(uintptr)) error {
	f(uintptr(fd))
	return nil
}

// Read is not for a socket of ours.
func (rawControl) Read(func(uintptr) bool) error { return errors.ErrUnsupported }

// Write is not for a socket of ours.
func (rawControl) Write(func(uintptr) bool) error { return errors.ErrUnsupported }

var _ syscall.RawConn = rawControl(0)

// share lets a socket share the port that it will be bound to.
func share(fd int, at netip.AddrPort) error {
	return reuseport.Control("tcp", at.String(), rawControl(fd))
}

// bindPassive makes the socket of a passive endpoint.
func (c *config) bindPassive(at netip.AddrPort) (fd int, name netip.AddrPort, err error) {
	if c.shares == 0 {
		return c.bind(at, alone)
	}
	return c.bindShared(at)
}

// bindLink makes the socket with which a connected endpoint calls. One of package net cannot: it holds the port, which it
// shares with the socket that calls.
func (c *config) bindLink(at netip.AddrPort) (fd int, name netip.AddrPort, err error) {
	switch {
	case at.Port() != 0 && c.shares&shareDial != 0:
		return c.bind(at, shared)
	case c.kind == pumpSockets:
		return c.bindShared(at)
	}
	return c.bind(at, alone)
}

// bindShared makes a socket whose port others of this process may share from now on, and nobody has yet.
func (c *config) bindShared(at netip.AddrPort) (fd int, name netip.AddrPort, err error) {
	if at.Port() != 0 { // for any port the system gives one that nobody has
		if fd, at, err = c.bind(at, alone); err != nil {
			return fd, at, err
		}
		sysClose(fd)
	}
	return c.bind(at, shared)
}

// more opens the other listeners of a passive endpoint.
func (c *config) more(at netip.AddrPort) (fds []int, err error) {
	if c.shares&shareListen == 0 {
		return nil, nil
	}
	for len(fds) < reuseListeners-1 {
		fd, _, err := c.bind(at, shared)
		if err == nil {
			if err = sysListen(fd); err != nil {
				sysClose(fd)
			}
		}
		if err != nil {
			for _, fd := range fds {
				sysClose(fd)
			}
			return nil, err
		}
		fds = append(fds, fd)
	}
	return fds, nil
}
