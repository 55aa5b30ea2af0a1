package freeport

import (
	"net"
	"strconv"
	"testing"
)

// TestFind: a port of its own, which both kinds of sockets take, and which no connection is given meanwhile.
func TestFind(t *testing.T) {
	seen := map[string]bool{}
	for range 20 {
		p := Find()
		n, err := strconv.Atoi(p)
		if err != nil || n < lowest || n >= end() {
			t.Fatalf("port %q, want one from %d to %d", p, lowest, end()-1)
		}
		seen[p] = true
	}
	if len(seen) < 10 {
		t.Errorf("the same ports again and again: %v", seen)
	}
}

// TestTaken: one that somebody uses is none.
func TestTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if n := l.Addr().(*net.TCPAddr).Port; free(n) {
		t.Errorf("port %d is free, and somebody listens there", n)
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if n := u.LocalAddr().(*net.UDPAddr).Port; free(n) {
		t.Errorf("port %d is free, and somebody receives there", n)
	}
}
