package pmi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/pmi/internal/wire"
)

// client is a wire to a launcher. One request is under way at a time, but for batches of a server that takes them.
type client struct {
	conn       net.Conn
	r          *wire.Reader
	rank, size int
	space      string // name of the key space
	frames     bool   // PMI-2: messages are frames
	batch      int    // requests that may be under way together
	owed       int    // answers of calls that their context ended; they are skipped
	fenced     string // the answer of a fence that is entered and whose end was not read
	broken     error  // the wire is useless since
}

func newWire(conn net.Conn, rank, size int) *client {
	return &client{conn: conn, r: wire.NewReader(conn), rank: rank, size: size, batch: 1}
}

// maxBatch keeps the answers of a batch below what sockets buffer, so that neither side waits for the other to read.
const maxBatch = 16

// send writes requests in one piece.
func (c *client) send(ms ...wire.Message) error {
	var b []byte
	for _, m := range ms {
		if c.frames {
			b = wire.AppendFrame(b, m)
		} else {
			b = wire.AppendLine(b, m)
		}
	}
	if c.broken != nil {
		return c.broken
	}
	_, err := c.conn.Write(b)
	if err != nil {
		c.broken = lost(ms[0].Cmd, err)
	}
	return c.broken
}

// answer reads the next answer that is not of a forgotten request. When the context ends the answer is still to come.
func (c *client) answer(ctx context.Context, want string) (wire.Message, error) {
	if c.broken != nil {
		return wire.Message{}, c.broken
	}
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		c.conn.SetReadDeadline(time.Unix(1, 0))
		close(woken)
	})
	defer func() {
		if !stop() {
			<-woken
			c.conn.SetReadDeadline(time.Time{})
		}
	}()
	for {
		text, err := c.read()
		switch {
		case err == nil:
		case ctx.Err() != nil && isTimeout(err):
			return wire.Message{}, context.Cause(ctx)
		default:
			if errors.Is(err, io.EOF) {
				err = errors.New("the connection was closed")
			}
			c.broken = lost(want, err)
			return wire.Message{}, c.broken
		}
		if c.owed > 0 {
			c.owed--
			continue
		}
		m, err := c.parse(text)
		if err == nil && m.Cmd == c.fenced && want != m.Cmd { // of a fence that nobody waits for any more
			c.fenced = ""
			continue
		}
		if err == nil && m.Cmd != want {
			err = fmt.Errorf("answer is %q, want %q", m.Cmd, want)
		}
		if err != nil {
			c.broken = lost(want, err)
			return m, c.broken
		}
		return m, nil
	}
}

func (c *client) read() (string, error) {
	if c.frames {
		return c.r.Frame()
	}
	return c.r.Line()
}

func (c *client) parse(text string) (wire.Message, error) {
	if c.frames {
		return wire.ParseFrame(text)
	}
	return wire.ParseLine(text)
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

// call sends requests, batch by batch, and gives each answer to got.
func (c *client) call(ctx context.Context, want string, ms []wire.Message, got func(i int, m wire.Message) error) error {
	var first error
	for at := 0; at < len(ms) && first == nil; at += c.batch {
		part := ms[at:min(at+c.batch, len(ms))]
		if err := c.send(part...); err != nil {
			return err
		}
		for i := range part {
			m, err := c.answer(ctx, want)
			if err != nil {
				c.owed += len(part) - i
				return err
			}
			if err := got(at+i, m); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

// one is a call of one request.
func (c *client) one(ctx context.Context, want, cmd string, pairs ...string) (wire.Message, error) {
	var out wire.Message
	err := c.call(ctx, want, []wire.Message{wire.New(cmd, pairs...)}, func(_ int, m wire.Message) error {
		out = m
		return nil
	})
	return out, err
}

// enter sends a fence once, and reads its answer.
func (c *client) enter(ctx context.Context, request, answer string) error {
	if c.fenced == "" {
		if err := c.send(wire.New(request)); err != nil {
			return err
		}
		c.fenced = answer
	}
	m, err := c.answer(ctx, answer)
	if err != nil {
		return err
	}
	c.fenced = ""
	if rc, ok := m.Lookup("rc"); ok && rc != "0" {
		return fail("fence", fi.ErrRemoteIO, "the launcher's barrier failed: rc="+rc+" "+m.Get("msg")+m.Get("errmsg"))
	}
	return nil
}
