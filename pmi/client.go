package pmi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
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
	batch      int    // requests that may be under way together
	owed       int    // answers of calls that their context ended; they are skipped
	fenced     bool   // barrier_in is sent, its answer is not read
	broken     error  // the wire is useless since
}

func newWire(conn net.Conn, rank, size int) *client {
	return &client{conn: conn, r: wire.NewReader(conn), rank: rank, size: size, batch: 1}
}

// maxBatch keeps the answers of a batch below what sockets buffer, so that neither side waits for the other to read.
const maxBatch = 16

// send writes requests in one piece.
func (c *client) send(ctx context.Context, ms ...wire.Message) error {
	var b []byte
	for _, m := range ms {
		b = wire.AppendLine(b, m)
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

// answer reads the next answer that is not of a forgotten request. A context that ends leaves it owed if the caller says
// so.
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
		line, err := c.r.Line()
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
		m, err := wire.ParseLine(line)
		if err == nil && c.fenced && m.Cmd == "barrier_out" && want != m.Cmd { // of a fence that nobody waits for any more
			c.fenced = false
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

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

// call sends requests, batch by batch, and gives each answer to got.
func (c *client) call(ctx context.Context, want string, ms []wire.Message, got func(i int, m wire.Message) error) error {
	var first error
	for at := 0; at < len(ms) && first == nil; at += c.batch {
		part := ms[at:min(at+c.batch, len(ms))]
		if err := c.send(ctx, part...); err != nil {
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

// introduce is the handshake of a port: the server answers with rank and size.
func (c *client) introduce(ctx context.Context, id int, token string) error {
	pairs := []string{"pmiid", strconv.Itoa(id)}
	if token != "" {
		pairs = append(pairs, "token", token)
	}
	if _, err := c.one(ctx, "initack", "initack", pairs...); err != nil {
		return err
	}
	for range 3 {
		m, err := c.answer(ctx, "set")
		if err != nil {
			return err
		}
		for key, to := range map[string]*int{"size": &c.size, "rank": &c.rank} {
			if _, ok := m.Lookup(key); ok {
				if *to, err = m.Int(key); err != nil {
					return lost("join", err)
				}
			}
		}
	}
	if c.size < 1 || c.size > maxSize || c.rank < 0 || c.rank >= c.size {
		return lost("join", fmt.Errorf("rank %d of %d", c.rank, c.size))
	}
	return nil
}

// join1 asks for what a member has to know, in PMI-1.
func (c *client) join1(ctx context.Context) (*Job, error) {
	j, err := c.init1(ctx)
	if err != nil {
		c.conn.Close()
		return nil, err
	}
	return j, nil
}

func (c *client) init1(ctx context.Context) (*Job, error) {
	m, err := c.one(ctx, "response_to_init", "init", "pmi_version", "1", "pmi_subversion", "1", "batch", "1")
	if err != nil {
		return nil, err
	}
	if rc, ok := m.Lookup("rc"); ok && rc != "0" {
		return nil, fail("join", fi.ErrConnRefused, "the launcher refused PMI-1: rc="+rc)
	}
	if m.Get("batch") == "1" { // a server of package pmi/server
		c.batch = maxBatch
	}
	j := newJob(c.rank, c.size, c)
	j.appnum = -1
	if m, err = c.one(ctx, "my_kvsname", "get_my_kvsname"); err != nil {
		return nil, err
	}
	if c.space = m.Get("kvsname"); c.space == "" {
		return nil, lost("join", errors.New("the key space has no name"))
	}
	j.id = c.space
	if m, err = c.one(ctx, "appnum", "get_appnum"); err != nil {
		return nil, err
	}
	if n, err := m.Int("appnum"); err == nil {
		j.appnum = n
	}
	if m, err = c.one(ctx, "universe_size", "get_universe_size"); err != nil {
		return nil, err
	}
	if n, err := m.Int("size"); err == nil && n >= c.size {
		j.universe = n
	}
	m, err = c.one(ctx, "get_result", "get", "kvsname", c.space, "key", "PMI_process_mapping")
	if err != nil {
		return nil, err
	}
	if m.Get("rc") == "0" {
		j.nodes = parseMapping(m.Get("value"), c.size)
	}
	return j, nil
}

func (c *client) put(ctx context.Context, kvs []pair) error {
	ms := make([]wire.Message, len(kvs))
	for i, kv := range kvs {
		ms[i] = wire.New("put", "kvsname", c.space, "key", kv.key, "value", kv.value)
	}
	return c.call(ctx, "put_result", ms, func(i int, m wire.Message) error {
		if rc := m.Get("rc"); rc != "0" {
			return fail("put", fi.ErrRemoteIO, fmt.Sprintf("the launcher did not take %q: rc=%s %s", kvs[i].key, rc, m.Get("msg")))
		}
		return nil
	})
}

func (c *client) get(ctx context.Context, keys []string) ([]string, error) {
	ms := make([]wire.Message, len(keys))
	for i, key := range keys {
		ms[i] = wire.New("get", "kvsname", c.space, "key", key)
	}
	values := make([]string, len(keys))
	err := c.call(ctx, "get_result", ms, func(i int, m wire.Message) error {
		v, ok := m.Lookup("value")
		if m.Get("rc") != "0" || !ok {
			return notThere(keys[i])
		}
		values[i] = v
		return nil
	})
	return values, err
}

func (c *client) fence(ctx context.Context) error {
	if !c.fenced {
		if err := c.send(ctx, wire.New("barrier_in")); err != nil {
			return err
		}
		c.fenced = true
	}
	m, err := c.answer(ctx, "barrier_out")
	if err != nil {
		return err
	}
	c.fenced = false
	if rc, ok := m.Lookup("rc"); ok && rc != "0" {
		return fail("fence", fi.ErrRemoteIO, "the launcher's barrier failed: rc="+rc+" "+m.Get("msg"))
	}
	return nil
}

// abort writes beside whatever call is under way: a line is one write.
func (c *client) abort(code int, msg string) error {
	b := wire.AppendLine(nil, wire.New("abort", "exitcode", strconv.Itoa(code)))
	if _, err := c.conn.Write(b); err != nil {
		return lost("abort", err)
	}
	return nil
}

func (c *client) close() error {
	defer c.conn.Close()
	_, err := c.one(context.Background(), "finalize_ack", "finalize")
	return err
}
