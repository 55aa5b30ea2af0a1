package ctrl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// Grace is how long after the end of the channel a run may still end by itself.
const Grace = 200 * time.Millisecond

// mostAhead bounds what is kept of a side that says more than anybody asks for.
const mostAhead = 64 << 10

// Conn is one side of a control channel.
type Conn struct {
	Ctx context.Context // ends with the run, or soon after the other side has gone

	conn net.Conn
	wait time.Duration // for each message; 0: for ever
	end  context.CancelCauseFunc
	stop func() bool

	mu    sync.Mutex // order: alone; never held while calling out but to alarm
	in    []byte     // +checklocks:mu
	over  bool       // +checklocks:mu
	alarm func(ahead []byte)
	news  chan struct{} // in or over has changed
	room  chan struct{} // something was taken out of in
}

// New begins to read from conn, which Close closes. A wait for a message takes at most wait, for ever when that is 0.
func New(ctx context.Context, conn net.Conn, wait time.Duration) *Conn {
	c := &Conn{conn: conn, wait: wait, news: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	c.Ctx, c.end = context.WithCancelCause(ctx)
	c.stop = context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) }) //nolint:errcheck // ends reads
	go c.read()
	return c
}

// LocalAddr is our end of the connection.
func (c *Conn) LocalAddr() net.Addr { return c.conn.LocalAddr() }

// Close ends the channel.
func (c *Conn) Close() {
	c.stop()
	c.end(nil)
	c.conn.Close() //nolint:errcheck // nothing is in flight
}

// read keeps what comes, until the connection ends.
func (c *Conn) read() {
	b := make([]byte, 4<<10)
	for {
		n, err := c.conn.Read(b)
		c.mu.Lock()
		c.in = append(c.in, b[:n]...)
		c.over = err != nil
		full := len(c.in) > mostAhead
		if c.alarm != nil {
			c.alarm(c.in)
		}
		c.mu.Unlock()
		signal(c.news)
		if err != nil {
			time.AfterFunc(Grace, func() { c.end(Ended()) })
			return
		}
		for full {
			select {
			case <-c.room:
			case <-c.Ctx.Done():
				return
			}
			c.mu.Lock()
			full = len(c.in) > mostAhead
			c.mu.Unlock()
		}
	}
}

// signal wakes who waits, now or later.
func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Ended is the error of a channel whose other side has gone.
func Ended() error {
	return fail.Call("ctrl_recv", fmt.Errorf("the other side has ended: %w", errors.Join(fi.ErrConnReset, io.ErrUnexpectedEOF)))
}

// Send writes a message.
func (c *Conn) Send(b []byte) error {
	if c.wait > 0 {
		c.conn.SetWriteDeadline(time.Now().Add(c.wait)) //nolint:errcheck // the write will tell
	}
	_, err := c.conn.Write(b)
	switch cause := context.Cause(c.Ctx); {
	case err == nil:
		return nil
	case cause != nil:
		return cause
	case errors.Is(err, io.ErrClosedPipe):
		return Ended()
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("the other side has taken nothing for %v: %w", c.wait, fi.ErrTimedOut)
	}
	return fail.Call("ctrl_send", err)
}

// Recv reads n bytes. While they have not come it calls idle again and again, unless that is nil.
func (c *Conn) Recv(n int, idle func() error) ([]byte, error) { return c.recv(n, c.wait, idle) }

// Await is Recv without a limit of time.
func (c *Conn) Await(n int) ([]byte, error) { return c.recv(n, 0, nil) }

func (c *Conn) recv(n int, wait time.Duration, idle func() error) ([]byte, error) {
	late := make(chan struct{})
	defer After(wait, func() { close(late) })()
	busy := make(chan struct{})
	if idle != nil {
		close(busy)
	} else {
		busy = nil
	}
	for {
		b, over := c.take(n)
		switch {
		case b != nil:
			return b, nil
		case over:
			return nil, Ended()
		}
		select {
		case <-c.news:
			continue
		case <-late:
			return nil, fail.Call("ctrl_recv", fmt.Errorf("nothing came from the other side for %v: %w", wait, fi.ErrTimedOut))
		case <-c.Ctx.Done():
			if b, _ := c.take(n); b != nil { // its last words
				return b, nil
			}
			return nil, context.Cause(c.Ctx)
		case <-busy:
			if err := idle(); err != nil {
				return nil, err
			}
			runtime.Gosched()
		}
	}
}

// take takes n bytes; nil when they are not there.
func (c *Conn) take(n int) (b []byte, over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.in) < n {
		return nil, c.over
	}
	b = append(make([]byte, 0, n), c.in[:n]...)
	c.in = append(c.in[:0], c.in[n:]...)
	signal(c.room)
	return b, false
}

// Watch calls f with what has come and was not asked for yet, now and whenever more comes, until Watch is called again.
// It must not wait, nor use the channel. Nil ends it.
func (c *Conn) Watch(f func(ahead []byte)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alarm = f; f != nil {
		f(c.in)
	}
}
