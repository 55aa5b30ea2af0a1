package udp

import (
	"net/netip"
	"strconv"
	"syscall"
	"unsafe"

	"github.com/gofabric/gofabric/internal/osx"
	"golang.org/x/sys/unix"
)

// haveRaw tells that there are raw sockets here. Their calls are made without the runtime's hooks and must not block.
const haveRaw = true

//fabric:fastpath
func rawSend(fd int, b []byte, to *sockName) syscall.Errno {
	osx.RaceReadRange(b)
	for range 2 { // the first call may tell of an error of the past
		_, _, e := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
			unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, uintptr(unsafe.Pointer(&to.b)), uintptr(to.n))
		if e != unix.ECONNREFUSED && e != unix.EINTR {
			return e
		}
	}
	return 0 // refused twice: as good as lost
}

// batch is what one call has received.
type batch struct {
	h     [batchMost]mmsghdr
	iov   [batchMost]unix.Iovec
	names [batchMost]sockName
	slots [batchMost]*[slotSize]byte

	soft [batchMost]datagram // a pump's, instead
}

type mmsghdr struct {
	unix.Msghdr
	n uint32
	_ [unsafe.Sizeof(uintptr(0)) - 4]byte
}

// slot gives the i-th one a buffer.
//
//go:noinline
func (b *batch) slot(i int) {
	b.slots[i] = new([slotSize]byte)
	b.iov[i].Base = &b.slots[i][0]
	b.iov[i].SetLen(slotSize)
	b.h[i].Iov = &b.iov[i]
	b.h[i].SetIovlen(1)
	b.h[i].Name = &b.names[i].b[0]
}

//fabric:fastpath
func (b *batch) rawRecv(fd, n int) int {
	for i := range n {
		if b.slots[i] == nil {
			b.slot(i)
		}
		b.h[i].Namelen = sizeofInet6
	}
	got, _, e := syscall.RawSyscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&b.h[0])), uintptr(n),
		unix.MSG_DONTWAIT, 0, 0)
	if e != 0 {
		return 0 // nothing, or an error of a datagram of the past
	}
	return int(got)
}

// data is the i-th datagram.
//
//fabric:fastpath
func (b *batch) data(i int) []byte {
	if b.soft[i].b != nil {
		return b.soft[i].b
	}
	return b.slots[i][:min(b.h[i].n, slotSize)]
}

// from is who has sent it.
//
//fabric:fastpath
func (b *batch) from(i int) key {
	if b.soft[i].b != nil {
		return b.soft[i].from
	}
	return b.names[i].key()
}

func rawClose(fd int) { unix.Close(fd) }

func toSockaddr(a netip.AddrPort) (unix.Sockaddr, int) {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}, unix.AF_INET
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16(), ZoneId: scopeOf(a.Addr())}, unix.AF_INET6
}

func fromSockaddr(s unix.Sockaddr) netip.AddrPort {
	switch s := s.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(s.Addr), uint16(s.Port))
	case *unix.SockaddrInet6:
		a := netip.AddrFrom16(s.Addr).Unmap()
		if a.Is6() && s.ZoneId != 0 {
			a = a.WithZone(strconv.FormatUint(uint64(s.ZoneId), 10))
		}
		return netip.AddrPortFrom(a, uint16(s.Port))
	}
	return netip.AddrPort{}
}

// rawBind makes a socket with an address; at [::] it serves IPv4 too.
func rawBind(at netip.AddrPort) (int, netip.AddrPort, error) {
	return rawSocket(at, func(fd int) error {
		if at.Addr() == netip.IPv6Unspecified() {
			return nil
		}
		return onlyV6(fd, at)
	})
}

func onlyV6(fd int, at netip.AddrPort) error {
	if at.Addr().Is4() {
		return nil
	}
	return unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1)
}

// rawSocket makes a socket, has it prepared, and binds it.
func rawSocket(at netip.AddrPort, prepare func(fd int) error) (int, netip.AddrPort, error) {
	sa, family := toSockaddr(at)
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_UDP)
	if err != nil {
		return -1, netip.AddrPort{}, err
	}
	rawOwnGroups(fd, family == unix.AF_INET)
	if at.Addr() == netip.IPv6Unspecified() {
		rawOwnGroups(fd, true)
	}
	if err = prepare(fd); err == nil {
		err = unix.Bind(fd, sa)
	}
	if err == nil {
		sa, err = unix.Getsockname(fd)
	}
	if err != nil {
		unix.Close(fd)
		return -1, netip.AddrPort{}, err
	}
	return fd, fromSockaddr(sa), nil
}

// rawJoin makes a socket that gets what is sent to a group, at the group's port, by one of the interfaces. Several may have
// the same address: each gets every datagram.
func rawJoin(group netip.AddrPort, ifaces []int) (int, error) {
	fd, _, err := rawSocket(group, func(fd int) error {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
			return err
		}
		if err := onlyV6(fd, group); err != nil {
			return err
		}
		var failed error
		joined := false
		for _, i := range ifaces {
			if err := rawMember(fd, group.Addr(), i); err != nil {
				failed = err
			} else {
				joined = true
			}
		}
		if joined { // the others cannot
			return nil
		}
		return failed
	})
	return fd, err
}

func rawMember(fd int, group netip.Addr, iface int) error {
	if group.Is4() {
		return unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP,
			&unix.IPMreqn{Multiaddr: group.As4(), Ifindex: int32(iface)})
	}
	return unix.SetsockoptIPv6Mreq(fd, unix.IPPROTO_IPV6, unix.IPV6_JOIN_GROUP,
		&unix.IPv6Mreq{Multiaddr: group.As16(), Interface: uint32(iface)})
}

// rawOwnGroups has a socket get what is sent to groups that it has joined itself, by its interfaces: Linux gives one at a
// wildcard what any other of the host has joined.
func rawOwnGroups(fd int, four bool) {
	if four {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0)
		return
	}
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_ALL, 0) // since Linux 4.20
}

// rawSendBy has a socket send to groups by an interface.
func rawSendBy(fd int, four bool, iface int) error {
	if four {
		return unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, &unix.IPMreqn{Ifindex: int32(iface)})
	}
	return unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_IF, iface)
}
