package tcp

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestUnreadAnswers has a peer ask on and on and take no answer: it is not read, and its socket does not ring for it, which
// would keep a processor busy for nothing.
func TestUnreadAnswers(t *testing.T) {
	set, err := newPollSet(rawSockets)
	if err != nil {
		t.Fatal(err)
	}
	defer set.close()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	c := &conn{s: &source{set: set, door: set}, state: connReady, fd: fds[0]}
	c.enter()
	for range 5 {
		c.full = append(c.full, new(chunk))
	}
	if _, err := unix.Write(fds[1], []byte("more")); err != nil {
		t.Fatal(err)
	}
	if c.receive() || set.peek() {
		t.Error("it rings, and is not read")
	}
	if c.drained(); !set.peek() {
		t.Error("the peer has taken its answers, and the socket does not ring")
	}
}
