package shmem

import (
	"errors"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestAddr(t *testing.T) {
	for _, c := range []struct {
		a    Addr
		text string
		err  error
	}{
		{Abstract("gofabric/shm/0/x"), "@gofabric/shm/0/x", nil},
		{Path("/run/x.sock"), "/run/x.sock", nil},
		{Path("@x"), "./@x", nil}, // a file all the same
		{Abstract(""), "@", syscall.EINVAL},
		{Path(""), "", syscall.EINVAL},
		{Addr{}, "", syscall.EINVAL},
		{Abstract("a\x00b"), "@a\x00b", syscall.EINVAL},
		{Abstract(strings.Repeat("n", 106)), "@" + strings.Repeat("n", 106), nil},
		{Abstract(strings.Repeat("n", 107)), "@" + strings.Repeat("n", 107), syscall.ENAMETOOLONG},
		{Path(strings.Repeat("n", 108)), strings.Repeat("n", 108), syscall.ENAMETOOLONG},
	} {
		if c.a.String() != c.text || c.a.check() != c.err {
			t.Errorf("%q: %q, %v", c.text, c.a.String(), c.a.check())
		}
		if want := strings.HasPrefix(c.text, "@"); c.a.abstract() != want {
			t.Errorf("%q: abstract %v", c.text, !want)
		}
	}
}

// Systems without all this say so and do nothing else.
func TestUnsupported(t *testing.T) {
	if runtime.GOOS == "linux" {
		t.Skip("known: this system has all of it")
	}
	var c Conn
	var e Epoll
	var m Message
	_, err1 := Create("x", 4096, 0)
	_, err2 := MapPeer(0, 4096, ReadOnly, 0)
	_, err3 := ReadProcess(1, make([]byte, 8), 4096)
	_, err3v := ReadVouched(1, make([]byte, 8), 4096, &Voucher{})
	_, err4 := Listen(Abstract("x"))
	_, err5 := Connect(Abstract("x"))
	_, err6 := NewEpoll()
	_, err7 := NewEventFD()
	_, err8 := m.Take(0)
	_, err9 := c.PidFD()
	_, _, err10 := SocketPair()
	for i, err := range []error{err1, err2, err3, err3v, err4, err5, err6, err7, err8, err9, err10, c.Ring(), c.Drain(), c.Recv(&m),
		c.Send([]byte("xx")), e.Park(), AllowReaders()} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if RegisterBarriers() != 0 || GlobalBarrier() || Dead(0) || e.Wait(make([]Event, 4)) != 0 || m.IsBell() {
		t.Error("something works")
	}
}
