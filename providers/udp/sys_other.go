//go:build !linux

package udp

import (
	"net/netip"
	"syscall"

	"github.com/gofabric/gofabric/fi"
)

// haveRaw tells that there are no raw sockets here: all are pumps.
const haveRaw = false

// batch is what one call has received.
type batch struct {
	soft [batchMost]datagram
}

func (b *batch) data(i int) []byte { return b.soft[i].b }
func (b *batch) from(i int) key    { return b.soft[i].from }

func rawSend(int, []byte, *sockName) syscall.Errno        { return syscall.EBADF }
func (b *batch) rawRecv(int, int) int                     { return 0 }
func rawClose(int)                                        {}
func rawBind(netip.AddrPort) (int, netip.AddrPort, error) { return -1, netip.AddrPort{}, fi.ErrNoSys }
func rawJoin(netip.AddrPort, []int) (int, error)          { return -1, fi.ErrNoSys }
func rawSendBy(int, bool, int) error                      { return fi.ErrNoSys }
