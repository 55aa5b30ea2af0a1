package server

import (
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/gofabric/gofabric/pmi/internal/wire"
)

// session is a member's connection. What it answers is gathered while more requests of a batch wait, and written in one
// piece.
type session struct {
	space  *Space
	member *member
	conn   net.Conn
	r      *wire.Reader

	mu  sync.Mutex
	out []byte // guarded by mu
}

// Serve answers a member's requests until its connection ends or it says something that is not PMI-1, which is noted. It
// closes the connection. A member whose connection ends before finalize is gone.
func (s *Space) Serve(rank int, conn net.Conn) {
	m := s.members[rank] // the map is not written after NewSpace
	if m == nil {
		s.note(rank, fmt.Sprintf("rank %d does not belong here", rank))
		conn.Close()
		return
	}
	s.serve(m, conn, wire.NewReader(conn))
}

func (s *Space) serve(m *member, conn net.Conn, r *wire.Reader) {
	defer conn.Close()
	c := &session{space: s, member: m, conn: conn, r: r}
	if err := c.loop(); err != nil {
		s.note(m.rank, fmt.Sprintf("rank %d: %v", m.rank, err))
	}
	if s.State(m.rank) == StateJoined {
		s.leave(m.rank, StateGone)
	}
}

// loop gives an error when the member does not keep to the protocol, nil when the connection ends.
func (c *session) loop() error {
	for {
		line, err := c.r.Line()
		if err != nil {
			return c.ended(err)
		}
		m, err := wire.ParseLine(line)
		if err != nil {
			return err
		}
		if m.Cmd == "spawn" { // the one request of several lines
			if err := c.skip(); err != nil {
				return err
			}
		}
		answer, err := c.handle(&m)
		if err != nil {
			return err
		}
		if err := c.write(answer); err != nil {
			return nil
		}
		if m.Cmd == "abort" {
			return nil
		}
	}
}

// ended tells a connection's end, which is no mistake, from lines that are too long.
func (c *session) ended(err error) error {
	if _, ok := err.(*wire.TooLongError); ok {
		return err
	}
	return nil
}

func (c *session) skip() error {
	for range 10_000 {
		line, err := c.r.Line()
		if err != nil {
			return c.ended(err)
		}
		if line == "endcmd" {
			return nil
		}
	}
	return fmt.Errorf("spawn without endcmd")
}

// write queues an answer, and sends what is queued unless the next request is there already.
func (c *session) write(m wire.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Cmd != "" {
		c.out = wire.AppendLine(c.out, m)
	}
	if len(c.out) == 0 || c.r.Pending() && len(c.out) < wire.MaxMessage/2 {
		return nil
	}
	_, err := c.conn.Write(c.out)
	c.out = c.out[:0]
	return err
}

// release ends a fence. The member's own goroutine reads meanwhile, so what is queued goes out with it.
func (c *session) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = wire.AppendLine(c.out, wire.New("barrier_out", "rc", "0"))
	c.conn.Write(c.out) //nolint:errcheck // the reading side sees a lost connection
	c.out = c.out[:0]
}

// handle makes the answer; an empty message is none.
func (c *session) handle(m *wire.Message) (wire.Message, error) {
	s := c.space
	state := s.State(c.member.rank)
	if m.Cmd != "init" && m.Cmd != "abort" && state != StateJoined {
		return wire.Message{}, fmt.Errorf("%s of a member that %s", m.Cmd, state.in(false))
	}
	switch m.Cmd {
	case "init":
		return c.init(m)
	case "get_maxes":
		return wire.New("maxes", "kvsname_max", "256", "keylen_max", "64", "vallen_max", "1024"), nil
	case "get_appnum":
		return wire.New("appnum", "appnum", strconv.Itoa(s.c.AppNums[c.member.rank])), nil
	case "get_my_kvsname":
		return wire.New("my_kvsname", "kvsname", s.c.ID), nil
	case "get_universe_size":
		return wire.New("universe_size", "size", strconv.Itoa(s.c.Universe)), nil
	case "put":
		if err := s.put(m.Get("key"), m.Get("value")); err != nil {
			return wire.New("put_result", "rc", "-1", "msg", err.Error()), nil
		}
		return wire.New("put_result", "rc", "0", "msg", "success"), nil
	case "get":
		if v, ok := s.get(m.Get("key")); ok {
			return wire.New("get_result", "rc", "0", "msg", "success", "value", v), nil
		}
		return wire.New("get_result", "rc", "-1", "msg", "key_not_found", "value", "unknown"), nil
	case "barrier_in":
		return wire.Message{}, s.enter(c.member, c)
	case "finalize":
		s.leave(c.member.rank, StateLeft)
		return wire.New("finalize_ack"), nil
	case "abort":
		c.abort(m)
		return wire.Message{}, nil
	case "publish_name", "unpublish_name", "lookup_name", "spawn":
		return c.absent(m.Cmd), nil
	}
	return wire.Message{}, fmt.Errorf("unknown command %q: this launcher speaks PMI-1", m.Cmd)
}

// init answers the first request. "batch" is of this module: who says it sends several requests before it reads.
func (c *session) init(m *wire.Message) (wire.Message, error) {
	s := c.space
	if v := m.Get("pmi_version"); v != "1" {
		return wire.New("response_to_init", "pmi_version", "1", "pmi_subversion", "1", "rc", "-1"), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.member.state != StateStarted {
		return wire.Message{}, fmt.Errorf("init of a member that %s", c.member.state.in(false))
	}
	c.member.state, c.member.joined = StateJoined, true
	answer := wire.New("response_to_init", "pmi_version", "1", "pmi_subversion", "1", "rc", "0")
	if m.Get("batch") == "1" {
		answer.Args = append(answer.Args, wire.Arg{Key: "batch", Value: "1"})
	}
	return answer, nil
}

func (c *session) abort(m *wire.Message) {
	code, err := m.Int("exitcode")
	if err != nil || code < 1 || code > 255 {
		code = 1
	}
	if c.space.c.Abort != nil {
		c.space.c.Abort(c.member.rank, code)
	}
}

// absent answers what is not offered: processes cannot be added, and names are not published.
func (c *session) absent(cmd string) wire.Message {
	answer := map[string]string{"publish_name": "publish_result", "unpublish_name": "unpublish_result",
		"lookup_name": "lookup_result", "spawn": "spawn_result"}[cmd]
	return wire.New(answer, "rc", "-1", "msg", "not_offered_by_this_launcher", "info", "not_offered", "errcodes", "-1")
}
