package tcp

import (
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/gofabric/gofabric/internal/osx"
	"golang.org/x/sys/unix"
)

// Calls of the data path are raw: without the runtime's hooks, which cost a third of a small message. They must not
// block: every socket is non-blocking, and a call moves a bounded piece.

const (
	errAgain    = syscall.EAGAIN
	errProgress = syscall.EINPROGRESS
	errIntr     = syscall.EINTR
)

// Interest of a socket in a pollSet, and what it reports.
const (
	pollIn  = unix.EPOLLIN
	pollOut = unix.EPOLLOUT
	pollErr = unix.EPOLLERR | unix.EPOLLHUP
	pollHup = unix.EPOLLRDHUP
	oneShot = unix.EPOLLONESHOT
)

// available says which sockets there are here.
const available = rawSockets

//fabric:fastpath
func rawRead(fd int, p []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall6(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), 0, 0, 0)
	if e != 0 {
		return 0, e
	}
	osx.RaceWriteRange(p[:n])
	return int(n), 0
}

//fabric:fastpath
func rawWrite(fd int, p []byte) (int, syscall.Errno) {
	osx.RaceReadRange(p)
	n, _, e := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)),
		unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, 0, 0)
	if e != 0 {
		return 0, e
	}
	return int(n), 0
}

// vec is a vector of pieces for one call.
type vec struct {
	iov   [maxPieces]unix.Iovec
	n     int
	bytes int
}

const maxPieces = 64

func (v *vec) reset() { v.n, v.bytes = 0, 0 }

// add appends a piece. The caller keeps it alive and sees that there is room.
func (v *vec) add(p []byte) {
	v.iov[v.n].Base = unsafe.SliceData(p)
	v.iov[v.n].SetLen(len(p))
	v.n++
	v.bytes += len(p)
}

// piece is the i-th one.
func (v *vec) piece(i int) []byte { return unsafe.Slice(v.iov[i].Base, int(v.iov[i].Len)) }

func (v *vec) full() bool { return v.n == maxPieces }

//fabric:fastpath
func (v *vec) rawReadv(fd int) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall(unix.SYS_READV, uintptr(fd), uintptr(unsafe.Pointer(&v.iov[0])), uintptr(v.n))
	if e != 0 {
		return 0, e
	}
	if osx.RaceEnabled {
		left := int(n)
		for i := range v.iov[:v.n] {
			k := min(left, int(v.iov[i].Len))
			osx.RaceWriteRange(unsafe.Slice(v.iov[i].Base, k))
			left -= k
		}
	}
	return int(n), 0
}

//fabric:fastpath
func (v *vec) rawWritev(fd int) (int, syscall.Errno) {
	if osx.RaceEnabled {
		for i := range v.iov[:v.n] {
			osx.RaceReadRange(unsafe.Slice(v.iov[i].Base, int(v.iov[i].Len)))
		}
	}
	n, _, e := syscall.RawSyscall(unix.SYS_WRITEV, uintptr(fd), uintptr(unsafe.Pointer(&v.iov[0])), uintptr(v.n))
	if e != 0 {
		return 0, e
	}
	return int(n), 0
}

// clear lets go of the pieces.
func (v *vec) clear() {
	clear(v.iov[:v.n])
	v.reset()
}

// epollSet is the inner of two epoll descriptors: it holds raw sockets, and is asked without waiting.
type epollSet struct {
	fd int
	ev [64]unix.EpollEvent
}

func (s *epollSet) open() error {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	s.fd = fd
	return nil
}

func (s *epollSet) control(op, fd int, interest uint32, token uint64) syscall.Errno {
	ev := unix.EpollEvent{Events: interest, Fd: int32(uint32(token)), Pad: int32(uint32(token >> 32))}
	_, _, e := syscall.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(s.fd), uintptr(op), uintptr(fd), uintptr(unsafe.Pointer(&ev)), 0, 0)
	return e
}

func (s *epollSet) add(fd int, interest uint32, token uint64) syscall.Errno {
	return s.control(unix.EPOLL_CTL_ADD, fd, interest, token)
}

func (s *epollSet) modify(fd int, interest uint32, token uint64) {
	s.control(unix.EPOLL_CTL_MOD, fd, interest, token)
}

func (s *epollSet) remove(fd int) { s.control(unix.EPOLL_CTL_DEL, fd, 0, 0) }

// ask gives the number of sockets that have something; get tells what.
//
//fabric:fastpath
func (s *epollSet) ask() int { return epollLook(s.fd, s.ev[:]) }

func (s *epollSet) get(i int) (token uint64, events uint32) {
	e := &s.ev[i]
	return uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32, e.Events
}

// peek tells whether a socket has something. It may be called without a lock.
//
//fabric:fastpath
func (s *epollSet) peek() bool {
	var one [1]unix.EpollEvent
	return epollLook(s.fd, one[:]) > 0
}

func epollLook(fd int, ev []unix.EpollEvent) int {
	if fd < 0 {
		return 0
	}
	n, _, e := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(fd), uintptr(unsafe.Pointer(&ev[0])), uintptr(len(ev)), 0, 0, 0)
	if e != 0 {
		return 0
	}
	return int(n)
}

func (s *epollSet) close() {
	if s.fd >= 0 {
		unix.Close(s.fd)
	}
}

func rawClose(fd int) { unix.Close(fd) }

// rawShutdown ends both directions: what was sent leaves, then FIN.
func rawShutdown(fd int) { _ = unix.Shutdown(fd, unix.SHUT_RDWR) }

func toSockaddr(a netip.AddrPort) (unix.Sockaddr, int) {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}, unix.AF_INET
	}
	s := &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
	if z := a.Addr().Zone(); z != "" {
		id, _ := strconv.ParseUint(z, 10, 32)
		s.ZoneId = uint32(id)
	}
	return s, unix.AF_INET6
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

func sysSocket(family int) (int, error) {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_TCP)
	if err == nil && family == unix.AF_INET6 {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1)
	}
	return fd, err
}

// rawBind makes a socket that may listen at an address; listening begins with rawListen.
func rawBind(at netip.AddrPort, how sharing) (fd int, name netip.AddrPort, err error) {
	sa, family := toSockaddr(at)
	fd, err = sysSocket(family)
	if err != nil {
		return -1, name, err
	}
	if at.Addr() == netip.IPv6Unspecified() { // all addresses of the host: IPv4 ones, too, where there are any
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0)
	}
	if at.Port() != 0 {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	}
	if how == shared {
		err = share(fd, at)
	}
	if err == nil {
		err = unix.Bind(fd, sa)
	}
	if err == nil {
		sa, err = unix.Getsockname(fd)
	}
	if err != nil {
		unix.Close(fd)
		return -1, name, err
	}
	return fd, fromSockaddr(sa), nil
}

// rawListen listens. The address may be used again as soon as the listener is closed, whatever its connections do.
func rawListen(fd int) error {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	return unix.Listen(fd, 4096)
}

// rawAccept takes a connection; errAgain when there is none.
func rawAccept(fd int) (int, netip.AddrPort, error) {
	c, sa, err := unix.Accept4(fd, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	if err != nil {
		return -1, netip.AddrPort{}, err
	}
	return c, fromSockaddr(sa), nil
}

// rawConnect begins to connect from an address (its port is not used) to another one.
func rawConnect(from netip.Addr, to netip.AddrPort) (int, error) {
	sa, family := toSockaddr(to)
	fd, err := sysSocket(family)
	if err != nil {
		return -1, err
	}
	if from.IsValid() && !from.IsUnspecified() && from.Is4() == to.Addr().Is4() {
		local, _ := toSockaddr(netip.AddrPortFrom(from, 0))
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
		if err = unix.Bind(fd, local); err != nil {
			unix.Close(fd)
			return -1, err
		}
	}
	if err = unix.Connect(fd, sa); err != nil && err != errProgress { //nolint:errorlint // documented: a bare value
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// rawConnectBound begins to connect with a socket that is bound.
func rawConnectBound(fd int, to netip.AddrPort) error {
	sa, _ := toSockaddr(to)
	if err := unix.Connect(fd, sa); err != nil && err != errProgress { //nolint:errorlint // documented: a bare value
		return err
	}
	return nil
}

// rawSocketError is why a connection attempt has failed; nil when it has not.
func rawSocketError(fd int) error {
	v, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return err
	}
	if v != 0 {
		return syscall.Errno(v)
	}
	return nil
}

// rawUnread is how many bytes wait in a socket.
func rawUnread(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}

// rawLocalAddr is the address that a socket has here.
func rawLocalAddr(fd int) netip.AddrPort {
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return netip.AddrPort{}
	}
	return fromSockaddr(sa)
}

// rawLifeSigns asks what the kernel knows; false when it does not tell.
func rawLifeSigns(fd int) (lifeSigns, bool) {
	i, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return lifeSigns{}, false
	}
	ms := func(v uint32) time.Duration { return time.Duration(v) * time.Millisecond }
	out := lifeSigns{stuck: i.Retransmits > 0 || i.Probes > 0, sinceAck: ms(i.Last_ack_recv),
		sinceData: min(ms(i.Last_data_recv), ms(i.Last_data_sent))}
	if i.Snd_wnd == 0 { // the peer takes nothing now: it is asked ever more rarely, and need not answer each time
		out.stuck = i.Probes >= deadProbes
	}
	return out, true
}

// deadProbes is how many questions in a row a living peer answers at least one of: kernels answer no more than two a second.
const deadProbes = 3

// rawKeepAlive has the kernel ask, after so many seconds of silence, whether the peer still knows of a connection.
func rawKeepAlive(fd, seconds int) {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, seconds)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, max(1, seconds/3))
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, 3)
}

// rawCongestion tells whether connections can have a congestion control, and which ones there are.
func rawCongestion(name string) (there string, err error) {
	fd, err := sysSocket(unix.AF_INET)
	if err != nil {
		return "", nil // no socket at all: others tell of that
	}
	defer unix.Close(fd)
	if err = unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, name); err != nil {
		b, _ := os.ReadFile("/proc/sys/net/ipv4/tcp_available_congestion_control")
		return strings.TrimSpace(string(b)), err
	}
	return "", nil
}

// rawOptions sets what every connection gets. Options that the system refuses are done without.
func rawOptions(fd int, o socketOptions) {
	if o.noDelay {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	}
	if o.congestion == "" {
		return
	}
	if now, err := unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION); err == nil && now != o.congestion &&
		!(o.paced && (now == "cubic" || now == "reno")) {
		_ = unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, o.congestion)
	}
}
