//go:build !linux

package tcp

import (
	"errors"
	"net/netip"
	"syscall"
)

const (
	errAgain    = syscall.EAGAIN
	errProgress = syscall.EINPROGRESS
	errIntr     = syscall.EINTR
)

const (
	pollIn uint32 = 1 << iota
	pollOut
	pollErr
	pollHup
	oneShot
)

var errNoSockets = errors.New("tcp drives sockets by epoll, which only Linux has")

// sysAvailable tells why sockets cannot be driven here.
func sysAvailable() error { return errNoSockets }

func sysRead(int, []byte) (int, syscall.Errno)  { return 0, syscall.ENOSYS }
func sysWrite(int, []byte) (int, syscall.Errno) { return 0, syscall.ENOSYS }

const maxPieces = 64

// vec is a vector of pieces for one call.
type vec struct{ n, bytes int }

func (v *vec) reset()                          { v.n, v.bytes = 0, 0 }
func (v *vec) add(p []byte)                    { v.n++; v.bytes += len(p) }
func (v *vec) full() bool                      { return v.n == maxPieces }
func (v *vec) readv(int) (int, syscall.Errno)  { return 0, syscall.ENOSYS }
func (v *vec) writev(int) (int, syscall.Errno) { return 0, syscall.ENOSYS }
func (v *vec) clear()                          { v.reset() }

// pollSet is the set of sockets; there is none on this system.
type pollSet struct{ fd int }

func newPollSet() (*pollSet, error)                    { return nil, errNoSockets }
func (*pollSet) add(int, uint32, uint64) syscall.Errno { return syscall.ENOSYS }
func (*pollSet) modify(int, uint32, uint64)            {}
func (*pollSet) remove(int)                            {}
func (*pollSet) ask() int                              { return 0 }
func (*pollSet) get(int) (token uint64, events uint32) { return 0, 0 }
func (*pollSet) peek() bool                            { return false }
func (*pollSet) close()                                {}

func sysClose(int)    {}
func sysShutdown(int) {}

func sysBind(netip.AddrPort, sharing) (int, netip.AddrPort, error) {
	return -1, netip.AddrPort{}, errNoSockets
}
func sysListen(int) error                                { return errNoSockets }
func sysAccept(int) (int, netip.AddrPort, error)         { return -1, netip.AddrPort{}, errNoSockets }
func sysConnect(netip.Addr, netip.AddrPort) (int, error) { return -1, errNoSockets }
func sysConnectBound(int, netip.AddrPort) error          { return errNoSockets }
func sysSocketError(int) error                           { return errNoSockets }
func sysUnread(int) int                                  { return 0 }
func sysLocalAddr(int) netip.AddrPort                    { return netip.AddrPort{} }
func sysLifeSigns(int) (lifeSigns, bool)                 { return lifeSigns{}, false }
func sysKeepAlive(int, int)                              {}
func sysOptions(int, socketOptions)                      {}
