package pmi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
)

// tokenKnob is set by a launcher whose processes dial a port.
var tokenKnob = envknob.String("FI_PMI_TOKEN", "pmi", "proof that a process belongs to the job, set by the launcher beside PMI_PORT", "")

// joinPort dials the launcher and says who it is.
func joinPort(ctx context.Context, env envknob.Lookup) (*Job, error) {
	addr, _ := env("PMI_PORT")
	id, err := number(env, "PMI_ID", 0, maxSize-1)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, fail("join", errors.Join(fi.ErrConnRefused, err), "PMI_PORT="+addr+" does not answer: the launcher is gone, or this host cannot reach it")
	}
	token, _ := tokenKnob.Get(env)
	w := newWire(conn, -1, -1)
	if err := w.introduce(ctx, id, token); err != nil {
		conn.Close()
		return nil, err
	}
	return w.join1(ctx)
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
