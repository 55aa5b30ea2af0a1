package shmem

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Message is a received message, and the memory to receive the next one into. The zero value is ready. It owns the
// descriptors that came until they are taken: the next Recv and Close close the others.
type Message struct {
	n    int
	fds  [MaxDescriptors]int
	nfds int
	hdr  unix.Msghdr
	iov  unix.Iovec
	data [MaxMessage]byte
	oob  [controlSpace]byte
}

// controlSpace is exactly what MaxDescriptors need: of more the kernel gives us none, says so, and drops them.
const controlSpace = unix.SizeofCmsghdr + MaxDescriptors*4

// Send sends a message of 2 to [MaxMessage] bytes with up to [MaxDescriptors] descriptors, which stay the caller's. It
// goes as a whole or not at all: [ErrAgain] when the socket is full, EPIPE or ECONNRESET when the other side is gone.
func (c *Conn) Send(b []byte, fds ...int) error {
	if len(b) < 2 || len(b) > MaxMessage || len(fds) > MaxDescriptors {
		return fmt.Errorf("shmem: send %d bytes, %d descriptors: %w", len(b), len(fds), unix.EMSGSIZE)
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	err := retry(func() error {
		return unix.Sendmsg(c.fd, b, oob, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	})
	if err == unix.EAGAIN {
		return ErrAgain
	}
	return os.NewSyscallError("sendmsg", err)
}

// Recv receives the next message or bell: [ErrAgain] when there is none, io.EOF when the other side is gone,
// [ErrTruncated] when it was too large or its descriptors could not all be received: too many, or this process has too
// many open files. All of them are closed then; Bytes is empty for a message that was too large. It allocates nothing
// unless it fails.
//
//fabric:fastpath
func (c *Conn) Recv(m *Message) error {
	if m.nfds > 0 {
		m.Close()
	}
	m.n = 0
	m.iov.Base = &m.data[0]
	m.iov.SetLen(len(m.data))
	m.hdr = unix.Msghdr{Iov: &m.iov, Iovlen: 1, Control: &m.oob[0]}
	m.hdr.SetControllen(len(m.oob))
	for {
		n, _, e := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(c.fd), uintptr(unsafe.Pointer(&m.hdr)),
			unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
		switch e {
		case 0:
			return m.received(int(n))
		case unix.EAGAIN:
			return ErrAgain
		case unix.EINTR:
		default:
			return e
		}
	}
}

func (m *Message) received(n int) error {
	m.collect(m.oob[:min(int(m.hdr.Controllen), len(m.oob))])
	switch {
	case n == 0: // an empty message cannot be told from the end; ours never sends one
		m.Close()
		return io.EOF
	case m.hdr.Flags&unix.MSG_TRUNC != 0:
		m.Close()
		return ErrTruncated
	}
	m.n = n
	if m.hdr.Flags&unix.MSG_CTRUNC != 0 {
		m.Close()
		return ErrTruncated
	}
	return nil
}

// collect takes over the descriptors of the control messages.
func (m *Message) collect(oob []byte) {
	for len(oob) >= unix.SizeofCmsghdr {
		h, data, rest, err := unix.ParseOneSocketControlMessage(oob)
		if err != nil {
			return
		}
		oob = rest
		if h.Level != unix.SOL_SOCKET || h.Type != unix.SCM_RIGHTS {
			continue
		}
		for ; len(data) >= 4; data = data[4:] {
			fd := int(int32(binary.NativeEndian.Uint32(data)))
			if m.nfds == len(m.fds) {
				unix.Close(fd)
				continue
			}
			m.fds[m.nfds] = fd
			m.nfds++
		}
	}
}

// Bytes is what came, valid until the next Recv.
func (m *Message) Bytes() []byte { return m.data[:m.n:m.n] }

// IsBell tells whether it is nothing but the sound of [Conn.Ring].
func (m *Message) IsBell() bool { return m.n == 1 }

// Descriptors is how many descriptors came and were not taken.
func (m *Message) Descriptors() int { return m.nfds }

// Take hands over the descriptors if there are exactly n, in the order in which they were sent; they are then the
// caller's to close. Otherwise it closes them all and returns [ErrDescriptors].
func (m *Message) Take(n int) ([]int, error) {
	if m.nfds != n {
		err := fmt.Errorf("shmem: %w: %d, want %d", ErrDescriptors, m.nfds, n)
		m.Close()
		return nil, err
	}
	fds := append([]int(nil), m.fds[:n]...)
	m.nfds = 0
	return fds, nil
}

// Close closes the descriptors that nobody took. The message can be used again.
func (m *Message) Close() {
	for _, fd := range m.fds[:m.nfds] {
		unix.Close(fd)
	}
	m.nfds = 0
}
