package tcp

import (
	"syscall"
	"testing"
)

// TestUnreadAnswers has a peer ask on and on and take no answer: it is not read, and its socket does not ring for it, which
// would keep a processor busy for nothing.
func TestUnreadAnswers(t *testing.T) {
	set, err := newPollSet(rawSockets)
	if err != nil {
		t.Fatal(err)
	}
	defer set.close()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fds[0])
	defer syscall.Close(fds[1])
	c := &conn{s: &source{set: set, door: set}, state: connReady, fd: fds[0]}
	c.enter()
	for range 5 {
		c.full = append(c.full, new(chunk))
	}
	if _, err := syscall.Write(fds[1], []byte("more")); err != nil {
		t.Fatal(err)
	}
	if c.receive() || set.peek() {
		t.Error("it rings, and is not read")
	}
	if c.drained(); !set.peek() {
		t.Error("the peer has taken its answers, and the socket does not ring")
	}
}
