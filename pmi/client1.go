package pmi

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/pmi/internal/wire"
)

// client1 speaks PMI-1.
type client1 struct{ *client }

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
	j := newJob(c.rank, c.size, &client1{c})
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

func (c *client1) put(ctx context.Context, kvs []pair) error {
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

func (c *client1) get(ctx context.Context, keys []string) ([]string, error) {
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

func (c *client1) fence(ctx context.Context) error { return c.enter(ctx, "barrier_in", "barrier_out") }

// abort writes beside whatever call is under way: a line is one write.
func (c *client1) abort(code int, msg string) error {
	b := wire.AppendLine(nil, wire.New("abort", "exitcode", strconv.Itoa(code)))
	if _, err := c.conn.Write(b); err != nil {
		return lost("abort", err)
	}
	return nil
}

func (c *client1) close() error {
	defer c.conn.Close()
	_, err := c.one(context.Background(), "finalize_ack", "finalize")
	return err
}
