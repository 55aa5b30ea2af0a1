package fabnet_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabnet"
	"github.com/gofabric/gofabric/fi"
)

// connected gives the two ends of a connection; both are closed at the end.
func connected(t testing.TB, network, address string) (c1, c2 *fabnet.Stream) {
	t.Helper()
	a, b, stop, err := pipe(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return a.(*fabnet.Stream), b.(*fabnet.Stream)
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

func write(t testing.TB, c net.Conn, b []byte) {
	t.Helper()
	if n, err := c.Write(b); n != len(b) || err != nil {
		t.Fatalf("wrote %d of %d bytes: %v", n, len(b), err)
	}
}

func read(t testing.TB, c net.Conn, want []byte) {
	t.Helper()
	b := make([]byte, len(want))
	if n, err := io.ReadFull(c, b); err != nil || !bytes.Equal(b, want) {
		t.Fatalf("read %d of %d bytes: %v", n, len(b), err)
	}
}

// TestHalfClose ends one direction; the other goes on.
func TestHalfClose(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		t.Run("", func(t *testing.T) {
			a, b := connected(t, network, address)
			write(t, a, pattern(50000))
			if err := errors.Join(a.CloseWrite(), a.CloseWrite()); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
				t.Errorf("a write afterwards: %v, want EPIPE", err)
			}
			got, err := io.ReadAll(b)
			if err != nil || !bytes.Equal(got, pattern(50000)) {
				t.Fatalf("read %d bytes: %v", len(got), err)
			}
			write(t, b, pattern(300))
			read(t, a, pattern(300))
			if err := b.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if n, err := a.Read(make([]byte, 1)); n != 0 || err != io.EOF { //nolint:errorlint // io.EOF is bare
				t.Errorf("a read at the end: %d, %v", n, err)
			}
		})
	})
}

// TestCloseRead throws away what the peer sends, which is not held up by that.
func TestCloseRead(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		t.Run("", func(t *testing.T) {
			a, b := connected(t, network, address)
			if err := b.CloseRead(); err != nil {
				t.Fatal(err)
			}
			write(t, a, pattern(2<<20))
			if n, err := b.Read(make([]byte, 1)); n != 0 || err != io.EOF { //nolint:errorlint // io.EOF is bare
				t.Errorf("a read: %d, %v", n, err)
			}
			write(t, b, []byte("back"))
			read(t, a, []byte("back"))
		})
	})
}

// TestCloseKeepsWhatWasWritten closes right after a write, with a peer that reads late: everything arrives, then io.EOF.
func TestCloseKeepsWhatWasWritten(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		for _, n := range []int{1, 100, 5000, 100000} {
			t.Run("", func(t *testing.T) {
				a, b := connected(t, network, address)
				write(t, a, pattern(n))
				if err := a.Close(); err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(b)
				if err != nil || !bytes.Equal(got, pattern(n)) {
					t.Fatalf("read %d of %d bytes: %v", len(got), n, err)
				}
				for end := time.Now().Add(time.Minute); ; runtime.Gosched() {
					if _, err = b.Write([]byte("x")); err != nil {
						break
					}
					if time.Now().After(end) {
						t.Fatal("writes to a closed peer go on")
					}
				}
				if !errors.Is(err, syscall.EPIPE) {
					t.Errorf("a write to a closed peer: %v, want EPIPE", err)
				}
				if err := a.Close(); !errors.Is(err, net.ErrClosed) {
					t.Errorf("a second Close: %v, want net.ErrClosed", err)
				}
				if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
					t.Errorf("a read after Close: %v, want net.ErrClosed", err)
				}
			})
		}
	})
}

// TestSlowReaderBoundsMemory writes to a peer that does not read: writes stop soon, with messages of every size, and go
// on when it reads. Nothing is lost.
func TestSlowReaderBoundsMemory(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		for _, size := range []int{50, 1000, 8192, 1 << 20} {
			t.Run("", func(t *testing.T) {
				a, b := connected(t, network, address)
				total, buf := 0, pattern(size)
				for {
					a.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
					n, err := a.Write(buf)
					total += n
					if errors.Is(err, os.ErrDeadlineExceeded) {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					if total > 1<<20 {
						t.Fatalf("%d bytes were written to a peer that does not read", total)
					}
				}
				if most := 300 << 10; total > most {
					t.Errorf("%d bytes wait at the peer, more than %d", total, most)
				}
				a.SetWriteDeadline(time.Time{})
				var wg sync.WaitGroup
				wg.Go(func() {
					write(t, a, pattern(500000))
					a.CloseWrite()
				})
				got, err := io.ReadAll(b)
				wg.Wait()
				if err != nil || len(got) != total+500000 || !bytes.Equal(got[total:], pattern(500000)) {
					t.Errorf("read %d bytes, want %d: %v", len(got), total+500000, err)
				}
			})
		}
	})
}

// TestManySmallWrites writes many short pieces while nobody reads: they are put together.
func TestManySmallWrites(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		t.Run("", func(t *testing.T) {
			a, b := connected(t, network, address)
			want := pattern(3000)
			a.SetWriteDeadline(time.Now().Add(time.Minute))
			for i := range want {
				write(t, a, want[i:i+1])
			}
			read(t, b, want)
		})
	})
}

// TestConcurrentWritesDoNotMix writes from several goroutines at once: the bytes of one Write stay together.
func TestConcurrentWritesDoNotMix(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		t.Run("", func(t *testing.T) {
			a, b := connected(t, network, address)
			const writers, times, size = 4, 20, 30000
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					for range times {
						write(t, a, bytes.Repeat([]byte{byte(w)}, size))
					}
				})
			}
			buf := make([]byte, size)
			for range writers * times {
				if _, err := io.ReadFull(b, buf); err != nil {
					t.Fatal(err)
				}
				if bytes.Count(buf, buf[:1]) != size {
					t.Fatal("two Writes were mixed")
				}
			}
			wg.Wait()
		})
	})
}

// TestAddresses dials what a listener says of itself; both ends agree on who they are.
func TestAddresses(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		t.Run("", func(t *testing.T) {
			l := listen(t, network, address)
			defer l.Close()
			if l.Addr().Network() != network || l.Addr().String() == "" {
				t.Errorf("the listener's address is %v %q", l.Addr().Network(), l.Addr())
			}
			a, err := fabnet.Dial(network, l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			b, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if a.RemoteAddr() != l.Addr() || b.LocalAddr().String() != l.Addr().String() {
				t.Errorf("dialed %v, connected to %v, which calls itself %v", l.Addr(), a.RemoteAddr(), b.LocalAddr())
			}
			if a.LocalAddr() != b.RemoteAddr() {
				t.Errorf("%v is known as %v", a.LocalAddr(), b.RemoteAddr())
			}
		})
	})
}

// TestDialBeforeAccept connects and writes before anybody calls Accept.
func TestDialBeforeAccept(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		t.Run("", func(t *testing.T) {
			l := listen(t, network, address)
			for range 10 {
				c, err := fabnet.Dial(network, l.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				write(t, c, []byte("hello"))
			}
			for range 3 {
				c, err := l.Accept()
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				read(t, c, []byte("hello"))
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("Accept after Close: %v, want net.ErrClosed", err)
			}
			if err := l.Close(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("a second Close: %v, want net.ErrClosed", err)
			}
		})
	})
}

// TestAcceptEndsWithClose closes a listener under Accept.
func TestAcceptEndsWithClose(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		t.Run("", func(t *testing.T) {
			l := listen(t, network, address)
			got := make(chan error, 1)
			go func() {
				_, err := l.Accept()
				got <- err
			}()
			runtime.Gosched()
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if err := <-got; !errors.Is(err, net.ErrClosed) {
				t.Errorf("Accept: %v, want net.ErrClosed", err)
			}
		})
	})
}

// TestDialErrors dials where nobody listens, with a context that has ended, and with what is no address.
func TestDialErrors(t *testing.T) {
	each(t, func(t *testing.T, network, address string) {
		t.Run("", func(t *testing.T) {
			l := listen(t, network, address)
			at := l.Addr().String()
			l.Close()
			_, err := fabnet.Dial(network, at)
			var op *net.OpError
			if !errors.As(err, &op) || op.Op != "dial" || op.Net != network || !errors.Is(err, fi.ErrConnRefused) || !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("nobody listens: %v", err)
			}
			if !strings.Contains(err.Error(), at) {
				t.Errorf("%v does not name %s", err, at)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := fabnet.DialContext(ctx, network, at); err == nil {
				t.Error("dialed with a context that has ended")
			}
			l = listen(t, network, address)
			defer l.Close()
			if _, err := fabnet.Listen(network, l.Addr().String()); !errors.Is(err, fi.ErrAddrInUse) && !errors.Is(err, syscall.EADDRINUSE) {
				t.Errorf("the same address again: %v, want FI_EADDRINUSE", err)
			}
		})
	})
	if _, err := fabnet.Dial("nosuch", "localhost:1"); !errors.Is(err, fi.ErrNoData) {
		t.Errorf("a network that there is not: %v", err)
	}
}

// TestAnyNetwork lets the library choose.
func TestAnyNetwork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("known: no provider that leads to other processes on this system")
	}
	l := listen(t, "", "localhost:0")
	defer l.Close()
	if l.Addr().Network() != "shm" {
		t.Errorf("on one host the library picks %v", l.Addr().Network())
	}
	c, err := fabnet.Dial("", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	other := listen(t, "tcp", "127.0.0.1:0") // shm does not know it, and tcp does
	defer other.Close()
	if c, err = fabnet.Dial("", other.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if c.RemoteAddr().Network() != "tcp" {
		t.Errorf("connected by %v", c.RemoteAddr().Network())
	}
	c.Close()
}

// TestAnyInterface listens at no host: whatever leads here does.
func TestAnyInterface(t *testing.T) {
	linuxOnly(t)
	l := listen(t, "tcp", ":0")
	defer l.Close()
	_, port, err := fabnet.SplitHostPort(l.Addr().String())
	if err != nil || port == "0" {
		t.Fatalf("the listener's address is %v: %v", l.Addr(), err)
	}
	for _, at := range []string{"127.0.0.1:" + port, "localhost:" + port, l.Addr().String()} {
		c, err := fabnet.Dial("tcp", at)
		if err != nil {
			t.Errorf("%s: %v", at, err)
			continue
		}
		write(t, c, []byte("hello"))
		other, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		read(t, other, []byte("hello"))
		c.Close()
		other.Close()
	}
}
