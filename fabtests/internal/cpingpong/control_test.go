package cpingpong

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/fabtests/internal/ctrl"
	"github.com/gofabric/gofabric/fi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// twoEnds gives our end of a control channel, and the other side's.
func twoEnds(t *testing.T) (control, net.Conn) {
	t.Helper()
	a, b := net.Pipe()
	c := control{ctrl.New(context.Background(), a, 30*time.Second)}
	t.Cleanup(c.Close)
	t.Cleanup(func() { b.Close() }) //nolint:errcheck // a pipe
	return c, b
}

// TestClientWords has a client say what C's client was seen to say.
func TestClientWords(t *testing.T) {
	c, peer := twoEnds(t)
	want := "00000010" + "02000000" + "0200aeedc00002020000000000000000" + "7100" + "33000000000000000000"
	heard := make(chan string, 1)
	go func() {
		b := make([]byte, len(want)/2)
		io.ReadFull(peer, b[:26])     //nolint:errcheck // compared below
		peer.Write([]byte("a\x00cn")) //nolint:errcheck // as above; in odd pieces
		io.ReadFull(peer, b[26:])     //nolint:errcheck // as above
		peer.Write([]byte("t ok\x00"))
		heard <- hex.EncodeToString(b)
	}()
	raw, _ := hex.DecodeString("0200aeedc00002020000000000000000")
	if err := errors.Join(c.sendName(raw, fi.AddrFormatSockaddrIn), c.sync(true), c.count(true, 3)); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != want {
		t.Errorf("said\n%s, want\n%s", got, want)
	}
}

// TestServerHears has a server hear an address, and counts that do and do not agree.
func TestServerHears(t *testing.T) {
	c, peer := twoEnds(t)
	go func() {
		b, _ := hex.DecodeString("00000010" + "02000000" + "0200aeedc00002020000000000000000" + "7100" + "33000000000000000000")
		peer.Write(b)                      //nolint:errcheck // the reader tells
		io.ReadFull(peer, make([]byte, 9)) //nolint:errcheck // as above
		peer.Write([]byte("2\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	}()
	raw, format, err := c.recvName()
	if err != nil || len(raw) != 16 || format != fi.AddrFormatSockaddrIn {
		t.Fatal(raw, format, err)
	}
	if err := errors.Join(c.sync(false), c.count(false, 3)); err != nil {
		t.Fatal(err)
	}
	if err := c.count(false, 3); !errors.Is(err, fi.ErrIO) {
		t.Errorf("another count: %v", err)
	}
}

// TestNonsense: what is no control channel ends in an error.
func TestNonsense(t *testing.T) {
	for _, text := range []string{"GET / HTTP/1.0\r\n\r\n", "\x00\x00\x00\x00\x00\x00\x00\x00", "\xff\xff\xff\xff\x02\x00\x00\x00"} {
		c, peer := twoEnds(t)
		go peer.Write([]byte(text)) //nolint:errcheck // the reader tells
		if _, _, err := c.recvName(); !errors.Is(err, fi.ErrProto) {
			t.Errorf("%q: %v", text, err)
		}
	}
	c, peer := twoEnds(t)
	peer.Close() //nolint:errcheck // a pipe
	if _, err := c.Recv(1, nil); !errors.Is(err, fi.ErrConnReset) {
		t.Errorf("closed: %v", err)
	}
	<-c.Ctx.Done() // whoever waits for the fabric hears of it, too
	if err := context.Cause(c.Ctx); !errors.Is(err, fi.ErrConnReset) {
		t.Errorf("closed: %v", err)
	}
}
