package cpingpong

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// What is said on the control channel.
const (
	sayReady = "q\x00"
	sayGo    = "a\x00"
	sayCount = "cnt ok\x00"
	countLen = 10
	mostAddr = 1 << 10 // no address is longer
)

// control is the control channel.
type control struct {
	conn net.Conn
	in   chan []byte
	rest []byte
	ctx  context.Context // ends with the run, or soon after the other side has gone
	end  context.CancelCauseFunc
	stop func() bool
	wait time.Duration
}

// grace is how long after the end of the control channel a run may still end by itself.
const grace = 200 * time.Millisecond

func newControl(ctx context.Context, conn net.Conn, wait time.Duration) *control {
	c := &control{conn: conn, in: make(chan []byte, 16), wait: wait}
	c.ctx, c.end = context.WithCancelCause(ctx)
	c.stop = context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) }) //nolint:errcheck // ends reads
	go c.read()
	return c
}

// read hands on what comes, until the connection ends.
func (c *control) read() {
	for {
		b := make([]byte, 1<<10)
		n, err := c.conn.Read(b)
		if n > 0 {
			select {
			case c.in <- b[:n]:
			case <-c.ctx.Done():
				return
			}
		}
		if err != nil {
			close(c.in)
			time.AfterFunc(grace, func() {
				c.end(fail.Call("ctrl_recv", fmt.Errorf("the other side has ended: %w", fi.ErrConnReset)))
			})
			return
		}
	}
}

func (c *control) close() {
	c.stop()
	c.end(nil)
	c.conn.Close() //nolint:errcheck // nothing is in flight
}

// connectControl finds the other side.
func connectControl(ctx context.Context, host, port, from string, wait time.Duration) (net.Conn, error) {
	if wait > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, wait)
		defer stop()
	}
	var d net.Dialer
	if from != "" {
		n, err := strconv.Atoi(from)
		if err != nil {
			return nil, &fail.Usage{Text: fmt.Sprintf("pingpong: %q is no port", from), Next: "fabtests pingpong --help"}
		}
		d.LocalAddr = &net.TCPAddr{Port: n}
	}
	addr := net.JoinHostPort(host, port)
	for {
		conn, err := d.DialContext(ctx, "tcp", addr)
		if err == nil {
			return conn, nil
		}
		select {
		case <-ctx.Done():
			return nil, &fail.Hint{Err: fail.Call("ctrl_connect", fmt.Errorf("%s: %w", addr, err)),
				Next: "start the server first: the same command without the server's name"}
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// acceptControl waits for the other side.
func acceptControl(ctx context.Context, host, port string, ready func()) (net.Conn, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, &fail.Hint{Err: fail.Call("ctrl_listen", err), Next: "another port with -B, and the same with -P at the client"}
	}
	defer context.AfterFunc(ctx, func() { l.Close() })() //nolint:errcheck // ends Accept
	defer l.Close()                                      //nolint:errcheck // one connection is all
	ready()
	conn, err := l.Accept()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	return conn, fail.Call("ctrl_accept", err)
}

// send writes a message.
func (c *control) send(b []byte) error {
	if c.wait > 0 {
		c.conn.SetWriteDeadline(time.Now().Add(c.wait)) //nolint:errcheck // the write will tell
	}
	_, err := c.conn.Write(b)
	return fail.Call("ctrl_send", err)
}

// recv reads n bytes.
func (c *control) recv(n int) ([]byte, error) {
	late, stop := timer(c.wait)
	defer stop()
	out := make([]byte, 0, n)
	for {
		k := min(n-len(out), len(c.rest))
		out, c.rest = append(out, c.rest[:k]...), c.rest[k:]
		if len(out) == n {
			return out, nil
		}
		select {
		case b, ok := <-c.in:
			if !ok {
				return nil, fail.Call("ctrl_recv", fmt.Errorf("the other side has ended: %w", errors.Join(fi.ErrConnReset, io.ErrUnexpectedEOF)))
			}
			c.rest = b
		case <-late:
			return nil, fail.Call("ctrl_recv", fi.ErrTimedOut)
		case <-c.ctx.Done():
			return nil, context.Cause(c.ctx)
		}
	}
}

// timer is one that never fires for 0.
func timer(d time.Duration) (<-chan time.Time, func()) {
	if d == 0 {
		return nil, func() {}
	}
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// expect reads a fixed text.
func (c *control) expect(text string) error {
	b, err := c.recv(len(text))
	if err == nil && string(b) != text {
		err = fail.Call("ctrl_recv", fmt.Errorf("the other side says %q, not %q: %w", b, text, fi.ErrProto))
	}
	return err
}

// sendName tells an address.
func (c *control) sendName(raw []byte, format fi.AddrFormat) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(raw)))
	b = binary.NativeEndian.AppendUint32(b, uint32(format))
	return c.send(append(b, raw...))
}

// recvName hears one.
func (c *control) recvName() ([]byte, fi.AddrFormat, error) {
	b, err := c.recv(8)
	if err != nil {
		return nil, 0, err
	}
	n := binary.BigEndian.Uint32(b)
	if n == 0 || n > mostAddr {
		return nil, 0, fail.Call("ctrl_recv", fmt.Errorf("an address of %d bytes: %w", n, fi.ErrProto))
	}
	raw, err := c.recv(int(n))
	return raw, fi.AddrFormat(binary.NativeEndian.Uint32(b[4:])), err
}

// sync is the barrier before each size.
func (c *control) sync(client bool) error {
	if client {
		if err := c.send([]byte(sayReady)); err != nil {
			return err
		}
		return c.expect(sayGo)
	}
	if err := c.expect(sayReady); err != nil {
		return err
	}
	return c.send([]byte(sayGo))
}

// count compares how many messages the sides have seen.
func (c *control) count(client bool, n int) error {
	if client {
		b := make([]byte, countLen)
		copy(b, strconv.Itoa(n))
		if err := c.send(b); err != nil {
			return err
		}
		return c.expect(sayCount)
	}
	b, err := c.recv(countLen)
	if err != nil {
		return err
	}
	text, _, _ := strings.Cut(string(b), "\x00")
	if got, err := strconv.Atoi(text); err != nil || got != n {
		return fail.Call("ctrl_recv", fmt.Errorf("the client counts %q messages, we %d: %w", text, n, fi.ErrIO))
	}
	return c.send([]byte(sayCount))
}
