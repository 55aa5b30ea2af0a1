package ctrl

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ends gives our end of a channel, and the other side's.
func ends(t *testing.T, wait time.Duration) (*Conn, net.Conn) {
	t.Helper()
	a, b := net.Pipe()
	c := New(context.Background(), a, wait)
	t.Cleanup(c.Close)
	t.Cleanup(func() { b.Close() }) //nolint:errcheck // a pipe
	return c, b
}

// TestRecv takes messages apart that come in odd pieces, with and without something to do meanwhile.
func TestRecv(t *testing.T) {
	c, peer := ends(t, time.Minute)
	go func() {
		for _, part := range []string{"a", "bcd", "efgh", "ij"} {
			peer.Write([]byte(part)) //nolint:errcheck // the reader tells
		}
	}()
	idle := 0
	for _, want := range []string{"abc", "de", "fghi"} {
		b, err := c.Recv(len(want), func() error { idle++; return nil })
		if err != nil || string(b) != want {
			t.Fatalf("%q, want %q: %v", b, want, err)
		}
	}
	if b, err := c.Await(1); err != nil || string(b) != "j" {
		t.Fatalf("%q: %v", b, err)
	}
	enough := errors.New("enough")
	if _, err := c.Recv(1, func() error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	t.Logf("%d times idle", idle)
}

// TestSilence ends a wait after its time.
func TestSilence(t *testing.T) {
	c, _ := ends(t, 20*time.Millisecond)
	if _, err := c.Recv(1, nil); !errors.Is(err, fi.ErrTimedOut) || !strings.Contains(err.Error(), "nothing came from the other side for 20ms") {
		t.Error(err)
	}
	if err := c.Send([]byte("x")); !errors.Is(err, fi.ErrTimedOut) {
		t.Errorf("nobody reads: %v", err)
	}
}

// TestLastWords are heard, and then the end, by all who wait.
func TestLastWords(t *testing.T) {
	c, peer := ends(t, time.Minute)
	go func() {
		peer.Write([]byte("bye")) //nolint:errcheck // the reader tells
		peer.Close()              //nolint:errcheck // a pipe
	}()
	<-c.Ctx.Done()
	if err := context.Cause(c.Ctx); !errors.Is(err, fi.ErrConnReset) {
		t.Errorf("whoever waits for the fabric hears %v", err)
	}
	if b, err := c.Recv(3, nil); err != nil || string(b) != "bye" {
		t.Errorf("%q: %v", b, err)
	}
	if _, err := c.Recv(1, nil); !errors.Is(err, fi.ErrConnReset) {
		t.Error(err)
	}
}

// TestWatch sees what comes before anybody asks for it.
func TestWatch(t *testing.T) {
	c, peer := ends(t, time.Minute)
	seen := make(chan string, 10)
	go peer.Write([]byte("early")) //nolint:errcheck // the reader tells
	c.Watch(func(ahead []byte) { seen <- string(ahead) })
	for s := range seen {
		if s == "early" {
			break
		}
	}
	c.Watch(nil)
	if b, err := c.Recv(5, nil); err != nil || string(b) != "early" {
		t.Errorf("%q: %v", b, err)
	}
}

// TestFlood: of a side that says more than anybody asks for a bounded part is kept; the rest is there when it is asked for.
func TestFlood(t *testing.T) {
	c, peer := ends(t, time.Minute)
	flood := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	wrote := make(chan int, 1)
	go func() {
		n, _ := peer.Write(flood) //nolint:errcheck // how much tells
		wrote <- n
	}()
	for got := 0; got < len(flood); got += 1024 {
		b, err := c.Recv(1024, nil)
		if err != nil || !bytes.Equal(b, flood[:1024]) {
			t.Fatalf("at %d: %v", got, err)
		}
		c.mu.Lock()
		if n := len(c.in); n > mostAhead+4<<10 {
			t.Errorf("%d bytes are kept", n)
		}
		c.mu.Unlock()
	}
	if n := <-wrote; n != len(flood) {
		t.Errorf("%d bytes", n)
	}
}

// TestMeet: who comes first waits, for a while or as long as the run lasts.
func TestMeet(t *testing.T) {
	ctx, end := context.WithCancelCause(context.Background())
	l, err := Listen(ctx, "127.0.0.1", "0", "another port")
	if err != nil {
		t.Skip("known: no network: ", err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String()) //nolint:errcheck // an address of the system's
	if _, err := Listen(ctx, "127.0.0.1", port, "another port"); fail.Next(err) != "another port" {
		t.Errorf("a port that is taken: %v", err)
	}
	go func() {
		if c, err := Dial(ctx, "127.0.0.1", port, "", time.Minute); err == nil {
			c.Close() //nolint:errcheck // it came
		}
	}()
	conn, err := Accept(ctx, l, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close() //nolint:errcheck // it came
	if _, err := Accept(ctx, l, 20*time.Millisecond); !errors.Is(err, fi.ErrTimedOut) || !strings.Contains(err.Error(), "no client came") {
		t.Error(err)
	}
	if _, err := Dial(ctx, "127.0.0.1", port, "", 20*time.Millisecond); !errors.Is(err, fi.ErrTimedOut) || !strings.Contains(err.Error(), "no server at 127.0.0.1:") {
		t.Error(err)
	}
	if _, err := Dial(ctx, "127.0.0.1", port, "many", 0); fail.ExitCode(err) != 1 {
		t.Errorf("a port of no digits: %v", err)
	}
	enough := errors.New("enough")
	end(enough)
	if _, err := Dial(ctx, "127.0.0.1", port, "", 0); !errors.Is(err, enough) {
		t.Error(err)
	}
}

// TestPorts: a port that cannot be is refused at once by both sides, and not waited for.
func TestPorts(t *testing.T) {
	for _, port := range []string{"", "0", "-1", "65536", "99999", "no such service"} {
		for what, meet := range map[string]func() error{
			"server": func() error {
				l, err := Listen(t.Context(), "127.0.0.1", port, "another port")
				if err == nil {
					l.Close() //nolint:errcheck // nothing is in flight
				}
				return err
			},
			"client":              func() error { _, err := Dial(t.Context(), "127.0.0.1", port, "", 0); return err },
			"client from a port":  func() error { _, err := Dial(t.Context(), "127.0.0.1", "1", port, time.Nanosecond); return err },
			"out of band, client": func() error { _, err := Reach(t.Context(), &net.Dialer{}, net.JoinHostPort("::1", port)); return err },
		} {
			if port == "0" && what == "server" || (port == "" || port == "0") && what == "client from a port" {
				continue // any
			}
			err := meet()
			if _, usage := errors.AsType[*fail.Usage](err); !usage || fail.Next(err) == "" {
				t.Errorf("%s, port %q: %v, and try: %q", what, port, err, fail.Next(err))
			}
		}
	}
}
