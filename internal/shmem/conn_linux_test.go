package shmem

import (
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
)

func init() {
	// Connects, says so, and waits to be killed.
	children["connect"] = func() {
		if _, err := Connect(Addr{os.Getenv("SHMEM_ARG")}); err != nil {
			said("%v", err)
			return
		}
		said("connected")
	}
}

func TestCred(t *testing.T) {
	noLeak(t)
	a, b := pair(t)
	x, y, err := SocketPair()
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	defer y.Close()
	for _, c := range []*Conn{a, b, x, y} {
		cred, err := c.Cred()
		if err != nil || cred != (Cred{os.Getpid(), os.Getuid(), os.Getgid()}) {
			t.Errorf("%+v, %v", cred, err)
		}
		fd, err := c.PidFD()
		if err != nil {
			t.Fatal(err)
		}
		if Dead(fd) {
			t.Error("we are dead")
		}
		CloseFD(fd)
	}
}

func TestBell(t *testing.T) {
	noLeak(t)
	a, b := pair(t)
	for range 10000 { // more than a socket holds
		if err := a.Ring(); err != nil {
			t.Fatal(err)
		}
	}
	var m Message
	if err := b.Recv(&m); err != nil || !m.IsBell() {
		t.Fatal(err)
	}
	for b.Recv(&m) != ErrAgain { // each Drain is bounded
		if err := b.Drain(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Drain(); err != nil {
		t.Fatal(err)
	}
	// what has descriptors is thrown away with them
	f, err := Create("test", 4096, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before := openFDs(t)
	a.Send([]byte("hello"), f.FD(), f.FD())
	if err := b.Drain(); err != nil || openFDs(t) != before {
		t.Error(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		a.Ring()
		b.Drain()
		a.Ring()
		b.Recv(&m)
		b.Recv(&m)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	a.Ring()
	a.Close()
	if err := b.Drain(); err != io.EOF { // the last bell, then the end
		t.Error(err)
	}
	if err := b.Ring(); !errors.Is(err, syscall.EPIPE) {
		t.Error(err)
	}
	if n := testing.AllocsPerRun(100, func() { b.Ring() }); n != 0 {
		t.Errorf("%v allocations in a dead bell", n)
	}
	for range 2 {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A killed peer is dead by its pidfd and gone by its socket, and cannot be asked for any more.
func TestPeerKilled(t *testing.T) {
	noLeak(t)
	addr := name()
	l := listen(t, addr)
	cmd, line := child(t, "connect", addr.name)
	if line != "connected" {
		t.Fatal(line)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cred, err := c.Cred()
	if err != nil || cred.PID != cmd.Process.Pid {
		t.Fatalf("%+v, %v; the child is %d", cred, err, cmd.Process.Pid)
	}
	pidfd, err := c.PidFD()
	if err != nil {
		t.Fatal(err)
	}
	defer CloseFD(pidfd)
	if Dead(pidfd) {
		t.Fatal("dead before")
	}
	e, err := NewEpoll()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.Add(pidfd, In, 1)
	e.Add(c.FD(), In, 2)
	cmd.Process.Kill()
	seen := map[uint64]Events{}
	for len(seen) < 2 {
		if err := e.Park(); err != nil {
			t.Fatal(err)
		}
		var ev [4]Event
		for _, x := range ev[:e.Wait(ev[:])] {
			seen[x.Token()] |= x.Events()
		}
	}
	if seen[1]&In == 0 || seen[2]&Hangup == 0 || !Dead(pidfd) {
		t.Errorf("events %#x, dead %v", seen, Dead(pidfd))
	}
	var m Message
	if err := c.Recv(&m); err != io.EOF {
		t.Error(err)
	}
	cmd.Wait()
	if fd, err := c.PidFD(); err == nil { // from 6.16 on, or -1
		if !Dead(fd) {
			t.Error("a descriptor of somebody else")
		}
		CloseFD(fd)
	} else if !errors.Is(err, syscall.ESRCH) {
		t.Error(err)
	}
}

func TestOpenPid(t *testing.T) {
	noLeak(t)
	fd, err := OpenPid(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	CloseFD(fd)
	for _, pid := range []int{0, -1, 1 << 30} {
		if fd, err := OpenPid(pid); err == nil {
			t.Errorf("process %d: %d", pid, fd)
		}
	}
	if Dead(-1) {
		t.Error("no descriptor is dead")
	}
}
