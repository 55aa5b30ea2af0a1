//go:build !linux

package tcp

import (
	"errors"
	"net/netip"
	"syscall"
)

const (
	errAgain = syscall.EAGAIN
	errIntr  = syscall.EINTR
)

const (
	pollIn uint32 = 1 << iota
	pollOut
	pollErr
	pollHup
	oneShot
)

// available says which sockets there are here: raw ones are not driven elsewhere than on Linux.
const available = pumpSockets

const maxPieces = 64

// vec is a vector of pieces for one call.
type vec struct {
	pieces   [maxPieces][]byte
	n, bytes int
}

func (v *vec) reset() { v.n, v.bytes = 0, 0 }

func (v *vec) add(p []byte) {
	v.pieces[v.n] = p
	v.n++
	v.bytes += len(p)
}

func (v *vec) piece(i int) []byte { return v.pieces[i] }
func (v *vec) full() bool         { return v.n == maxPieces }

func (v *vec) clear() {
	clear(v.pieces[:v.n])
	v.reset()
}

func (v *vec) rawReadv(int) (int, syscall.Errno)  { return 0, syscall.ENOSYS }
func (v *vec) rawWritev(int) (int, syscall.Errno) { return 0, syscall.ENOSYS }

// epollSet has nothing in it on this system.
type epollSet struct{ fd int }

func (*epollSet) open() error                           { return syscall.ENOSYS }
func (*epollSet) add(int, uint32, uint64) syscall.Errno { return syscall.ENOSYS }
func (*epollSet) modify(int, uint32, uint64)            {}
func (*epollSet) remove(int)                            {}
func (*epollSet) ask() int                              { return 0 }
func (*epollSet) get(int) (token uint64, events uint32) { return 0, 0 }
func (*epollSet) peek() bool                            { return false }
func (*epollSet) close()                                {}

func rawRead(int, []byte) (int, syscall.Errno)  { return 0, syscall.ENOSYS }
func rawWrite(int, []byte) (int, syscall.Errno) { return 0, syscall.ENOSYS }

func rawBind(netip.AddrPort, sharing) (int, netip.AddrPort, error) {
	return noSocket, netip.AddrPort{}, syscall.ENOSYS
}
func rawListen(int) error { return syscall.ENOSYS }
func rawAccept(int) (int, netip.AddrPort, error) {
	return noSocket, netip.AddrPort{}, syscall.ENOSYS
}
func rawConnect(netip.Addr, netip.AddrPort) (int, error) { return noSocket, syscall.ENOSYS }
func rawConnectBound(int, netip.AddrPort) error          { return syscall.ENOSYS }
func rawSocketError(int) error                           { return syscall.ENOSYS }
func rawUnread(int) int                                  { return 0 }
func rawLocalAddr(int) netip.AddrPort                    { return netip.AddrPort{} }
func rawOptions(int, socketOptions)                      {}
func rawLifeSigns(int) (lifeSigns, bool)                 { return lifeSigns{}, false }
func rawCongestion(string) (string, error)               { return "", errors.ErrUnsupported }
func rawKeepAlive(int, int)                              {}
func rawShutdown(int)                                    {}
func rawClose(int)                                       {}
