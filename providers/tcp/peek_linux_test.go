package tcp

import (
	"syscall"
	"testing"

	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// afterLong is a connection whose last payload was long, and the other end of its socket.
func afterLong(t *testing.T) (c *conn, peer int) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Close(fds[0])
		syscall.Close(fds[1])
	})
	ops := wire.ExtOps(wire.AllFeatures, wire.AllFeatures)
	return &conn{s: &source{}, fd: fds[0], state: connReady, ext: true, long: true, dec: wire.NewDecoder(wire.Little, ops)}, fds[1]
}

// TestDroppedPayloadIsReadFast drops a long payload, by whole buffers.
func TestDroppedPayloadIsReadFast(t *testing.T) {
	c, peer := afterLong(t)
	if _, err := syscall.Write(peer, make([]byte, 10000)); err != nil {
		t.Fatal(err)
	}
	c.in = incoming{sink: sinkDrop, left: 1 << 20}
	if n, _ := c.read(); n != 10000 || c.in.left != 1<<20-10000 {
		t.Errorf("one call has read %d bytes, %d are left", n, c.in.left)
	}
}

// TestHeadersAfterLongPayload reads little at first, and then as much as there is.
func TestHeadersAfterLongPayload(t *testing.T) {
	c, peer := afterLong(t)
	enc := wire.NewEncoder(wire.Little)
	pongs := make([]byte, 100*fillerSize)
	for i := 0; i < len(pongs); i += fillerSize {
		enc.PutExtPong(pongs[i:], 0)
	}
	if _, err := syscall.Write(peer, pongs); err != nil {
		t.Fatal(err)
	}
	if n, all := c.read(); n != peekBytes || !all {
		t.Errorf("the first call has read %d bytes, want %d", n, peekBytes)
	}
	if n, _ := c.read(); n != len(pongs)-peekBytes || c.long {
		t.Errorf("the second call has read %d bytes, want the other %d", n, len(pongs)-peekBytes)
	}
	if c.state != connReady || c.buf != nil {
		t.Errorf("state %v, %d bytes in the buffer", c.state, c.w-c.r)
	}
}
