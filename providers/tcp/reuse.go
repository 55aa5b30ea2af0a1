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
	fd, name, err = c.bind(at, alone)
	if err != nil || c.shares == 0 {
		return fd, name, err
	}
	sysClose(fd) // nobody else has the port: now it can be shared
	return c.bind(name, shared)
}

// bindLink makes the socket with which a connected endpoint calls.
func (c *config) bindLink(at netip.AddrPort) (fd int, name netip.AddrPort, err error) {
	how := alone
	if at.Port() != 0 && c.shares&shareDial != 0 {
		how = shared
	}
	return c.bind(at, how)
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
