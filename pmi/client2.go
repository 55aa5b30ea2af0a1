package pmi

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
	"github.com/gofabric/gofabric/pmi/internal/wire"
)

// client2 speaks PMI-2.
type client2 struct {
	*client
	job string
}

// join2 asks for what a member has to know, in PMI-2. The first request is a line of PMI-1.
func (c *client) join2(ctx context.Context, env envknob.Lookup) (*Job, error) {
	j, err := c.init2(ctx, env)
	if err != nil {
		c.conn.Close()
		return nil, err
	}
	return j, nil
}

func (c *client) init2(ctx context.Context, env envknob.Lookup) (*Job, error) {
	m, err := c.one(ctx, "response_to_init", "init", "pmi_version", "2", "pmi_subversion", "0")
	if err != nil {
		return nil, err
	}
	if rc, v := m.Get("rc"), m.Get("pmi_version"); rc != "0" || v != "2" {
		return nil, fail("join", fi.ErrConnRefused, fmt.Sprintf("the launcher refused PMI-2 (rc=%s, it speaks version %s): set FI_PMI_VERSION=1", rc, v))
	}
	c.frames = true
	id, _ := env("PMI_JOBID")
	if m, err = c.two(ctx, "fullinit", "pmijobid", id, "pmirank", strconv.Itoa(c.rank), "threaded", "FALSE"); err != nil {
		return nil, err
	}
	j := newJob(c.rank, c.size, nil)
	j.appnum = -1
	if n, err := m.Int("appnum"); err == nil {
		j.appnum = n
	}
	if m, err = c.two(ctx, "job-getid"); err != nil {
		return nil, err
	}
	if j.id = m.Get("jobid"); j.id == "" {
		return nil, lost("join", errors.New("the job has no name"))
	}
	j.link = &client2{c, j.id}
	if m, err = c.two(ctx, "info-getjobattr", "key", "universeSize"); err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(m.Get("value"))); err == nil && n >= c.size {
			j.universe = n
		}
		m, err = c.two(ctx, "info-getjobattr", "key", "PMI_process_mapping")
	}
	if err != nil && c.broken != nil { // an attribute that it does not have is no reason to give up
		return nil, err
	}
	if err == nil && m.Get("found") == "TRUE" {
		j.nodes = parseMapping(m.Get("value"), c.size)
	}
	return j, nil
}

// two is a call of one request in PMI-2, whose answers are named after the requests.
func (c *client) two(ctx context.Context, cmd string, pairs ...string) (wire.Message, error) {
	m, err := c.one(ctx, cmd+"-response", cmd, pairs...)
	if rc := m.Get("rc"); err == nil && rc != "0" && rc != "" {
		err = fail(cmd, fi.ErrRemoteIO, fmt.Sprintf("the launcher's answer is rc=%s %s", rc, m.Get("errmsg")))
	}
	return m, err
}

func (c *client2) put(ctx context.Context, kvs []pair) error {
	for _, kv := range kvs {
		if _, err := c.two(ctx, "kvs-put", "key", kv.key, "value", kv.value); err != nil {
			return err
		}
	}
	return nil
}

func (c *client2) fence(ctx context.Context) error {
	return c.enter(ctx, "kvs-fence", "kvs-fence-response")
}

func (c *client2) get(ctx context.Context, keys []string) ([]string, error) {
	values := make([]string, len(keys))
	for i, key := range keys {
		m, err := c.two(ctx, "kvs-get", "jobid", c.job, "srcid", "-1", "key", key)
		if err != nil && (c.broken != nil || ctx.Err() != nil) {
			return nil, err
		}
		v, ok := m.Lookup("value")
		if m.Get("found") != "TRUE" || !ok {
			return nil, notThere(key)
		}
		values[i] = v
	}
	return values, nil
}

// abort writes beside whatever call is under way: a frame is one write.
func (c *client2) abort(code int, msg string) error {
	msg = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == ';' || r == '=' {
			return '_'
		}
		return r
	}, msg)
	b := wire.AppendFrame(nil, wire.New("abort", "isworld", "TRUE", "exitcode", strconv.Itoa(code), "msg", msg[:min(len(msg), maxValue)]))
	if _, err := c.conn.Write(b); err != nil {
		return lost("abort", err)
	}
	return nil
}

func (c *client2) close() error {
	defer c.conn.Close()
	_, err := c.two(context.Background(), "finalize")
	return err
}
