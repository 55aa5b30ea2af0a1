package shmem

import (
	"bytes"
	"errors"
	"io"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestMessages(t *testing.T) {
	noLeak(t)
	a, b := pair(t)
	var m Message
	defer m.Close()
	if err := b.Recv(&m); err != ErrAgain || len(m.Bytes()) != 0 {
		t.Error(err)
	}
	f, err := Create("test", 4096, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Bytes()[7] = 99
	for n := 2; n <= MaxMessage; n = min(MaxMessage+1, n*3) {
		for k := range MaxDescriptors + 1 {
			sent := bytes.Repeat([]byte{byte(n + k)}, n)
			fds := make([]int, k)
			for i := range fds {
				fds[i] = f.FD()
			}
			if err := a.Send(sent, fds...); err != nil {
				t.Fatal(n, k, err)
			}
			if err := b.Recv(&m); err != nil || !bytes.Equal(m.Bytes(), sent) || m.IsBell() {
				t.Fatal(n, k, err, len(m.Bytes()))
			}
			got, err := m.Take(k)
			if err != nil || len(got) != k {
				t.Fatal(n, k, err)
			}
			for _, fd := range got {
				if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
					t.Error("not close-on-exec", err)
				}
				p, err := MapPeer(fd, 4096, ReadOnly, 0)
				if err != nil || p.Bytes()[7] != 99 {
					t.Fatal(err)
				}
				p.Unmap()
				CloseFD(fd)
			}
		}
	}
	for _, c := range []struct{ n, k int }{{0, 0}, {1, 0}, {MaxMessage + 1, 0}, {8, MaxDescriptors + 1}} {
		if err := a.Send(make([]byte, c.n), make([]int, c.k)...); !errors.Is(err, syscall.EMSGSIZE) {
			t.Errorf("%d bytes, %d descriptors: %v", c.n, c.k, err)
		}
	}
	if err := a.Send([]byte("xx"), -1); !errors.Is(err, syscall.EBADF) {
		t.Error(err)
	}
	if err := b.Recv(&m); err != ErrAgain {
		t.Error("something came:", err)
	}
}

// Descriptors that nobody asked for, or too few, or that nobody takes, are closed.
func TestDescriptorsClosed(t *testing.T) {
	noLeak(t)
	a, b := pair(t)
	var m Message
	before := openFDs(t)
	for _, c := range []struct{ sent, want int }{{3, 1}, {1, 3}, {1, 0}, {0, 1}, {MaxDescriptors, 2}, {2, -1}, {2, 1000}} {
		fds := make([]int, c.sent)
		for i := range fds {
			fds[i] = a.FD()
		}
		a.Send([]byte("hello"), fds...)
		if err := b.Recv(&m); err != nil {
			t.Fatal(err)
		}
		if got, err := m.Take(c.want); got != nil || !errors.Is(err, ErrDescriptors) {
			t.Errorf("%d sent, %d wanted: %v, %v", c.sent, c.want, got, err)
		}
		if n := openFDs(t); n != before {
			t.Errorf("%d sent, %d wanted: %d left", c.sent, c.want, n-before)
		}
	}
	for range 3 { // not taken: closed by the next Recv
		a.Send([]byte("hello"), a.FD(), a.FD())
		b.Recv(&m)
		if n := openFDs(t); n != before+2 {
			t.Errorf("%d came", n-before)
		}
	}
	if err := b.Recv(&m); err != ErrAgain || openFDs(t) != before {
		t.Error(err, openFDs(t)-before)
	}
	a.Send([]byte("hello"), a.FD())
	b.Recv(&m)
	m.Close()
	m.Close()
	if openFDs(t) != before {
		t.Error("Close left some")
	}
}

// A peer that does not keep to what Send would send.
func TestHostileMessages(t *testing.T) {
	noLeak(t)
	a, b := pair(t)
	var m Message
	before := openFDs(t)
	rights := func(n int) []byte {
		fds := make([]int, n)
		for i := range fds {
			fds[i] = a.FD()
		}
		return unix.UnixRights(fds...)
	}
	for _, c := range []struct {
		name string
		data []byte
		oob  []byte
		want error
	}{
		{"17 descriptors", []byte("hello"), rights(MaxDescriptors + 1), ErrTruncated},
		{"253 descriptors", []byte("hello"), rights(253), ErrTruncated},
		{"too long", make([]byte, MaxMessage+1), rights(2), ErrTruncated},
		{"very long", make([]byte, 60<<10), nil, ErrTruncated},
		{"two lists", []byte("hello"), append(rights(2), rights(1)...), nil},
		{"descriptors on a bell", []byte{0}, rights(5), nil},
	} {
		if err := unix.Sendmsg(a.FD(), c.data, c.oob, nil, unix.MSG_NOSIGNAL); err != nil {
			t.Fatal(c.name, err)
		}
		if err := b.Recv(&m); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		left := c.data // without its descriptors
		if len(left) > MaxMessage {
			left = nil
		}
		if c.want != nil && (string(m.Bytes()) != string(left) || m.nfds != 0) {
			t.Errorf("%s: %d bytes and %d descriptors are left of it", c.name, len(m.Bytes()), m.nfds)
		}
		m.Close()
		if n := openFDs(t); n != before {
			t.Errorf("%s: %d descriptors left", c.name, n-before)
		}
	}
	oob := rights(2) // an empty message, which passes for the end
	hdr := unix.Msghdr{Control: &oob[0]}
	hdr.SetControllen(len(oob))
	if _, _, e := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(a.FD()), uintptr(unsafe.Pointer(&hdr)), unix.MSG_NOSIGNAL); e != 0 {
		t.Fatal(e)
	}
	if err := b.Recv(&m); err != io.EOF || openFDs(t) != before {
		t.Error(err, openFDs(t)-before)
	}
}

// When no descriptors are left the message is refused and nothing leaks.
func TestNoDescriptorsLeft(t *testing.T) {
	noLeak(t)
	a, b := pair(t)
	a.Send([]byte("hello"), a.FD(), a.FD(), a.FD())
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	probe, err := unix.Dup(a.FD()) // descriptors are given out from below: one more than the next is the limit
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(probe)
	before := openFDs(t)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(probe + 1), Max: old.Max}); err != nil {
		t.Skip(err)
	}
	var m Message
	err = b.Recv(&m)
	unix.Setrlimit(unix.RLIMIT_NOFILE, &old)
	if err != ErrTruncated || openFDs(t) != before {
		t.Error(err, openFDs(t)-before)
	}
}

func TestSendFull(t *testing.T) {
	noLeak(t)
	a, b := pair(t)
	n := 0
	for ; n < 100000; n++ {
		if err := a.Send(make([]byte, 500)); err == ErrAgain {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	var m Message
	for range n {
		if err := b.Recv(&m); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Recv(&m); err != ErrAgain {
		t.Error(err)
	}
	b.Close()
	if err := a.Send([]byte("xx")); !errors.Is(err, syscall.EPIPE) {
		t.Error(err)
	}
}
