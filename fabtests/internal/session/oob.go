package session

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/ctrl"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// channel is the connection beside the fabric (-b, -E).
type channel struct {
	conn    net.Conn
	client  bool // who speaks first
	owned   bool // ours to close
	timeout time.Duration
	ctx     context.Context
	stop    func() bool
}

func (c *channel) close() {
	if c != nil {
		c.stop()
		if c.owned {
			c.conn.Close() //nolint:errcheck // nothing is in flight
		}
	}
}

// HandOver leaves the connection beside the fabric open when the session closes: for the next session of the same run, whose
// Env has it as its Link. C's programs of several steps have one such connection, too. It is nil when there is none.
func (s *Session) HandOver() net.Conn {
	if s.oob == nil {
		return nil
	}
	s.oob.owned = false
	return s.oob.conn
}

// openOOB connects the two sides if the options or the scenario want that.
func (s *Session) openOOB() error {
	if s.need.LateOOB || !s.exchangesOOB() && !s.syncsOOB() {
		return nil
	}
	return s.OpenOOB()
}

// OpenOOB connects them.
func (s *Session) OpenOOB() error {
	conn, err := s.connectOOB()
	if err != nil {
		return err
	}
	c := &channel{conn: conn, client: s.Client, owned: conn != s.env.Link, timeout: s.Opt.Timeout, ctx: s.env.Ctx}
	c.stop = context.AfterFunc(s.env.Ctx, func() { conn.SetDeadline(time.Unix(1, 0)) }) //nolint:errcheck // ends reads
	s.oob = c
	return nil
}

func (s *Session) connectOOB() (net.Conn, error) {
	if s.env.Link != nil {
		return s.env.Link, nil
	}
	host := s.Opt.OOBHost
	if !s.Client {
		if host == "" {
			host = s.Opt.SrcAddr
		}
		return s.acceptOOB(net.JoinHostPort(host, s.Opt.OOBPort))
	}
	if host == "" {
		host = s.Opt.Server
	}
	addr := net.JoinHostPort(host, s.Opt.OOBPort)
	ctx, cancel := s.limited()
	defer cancel()
	conn, err := ctrl.Reach(ctx, &net.Dialer{}, addr)
	if _, wrong := errors.AsType[*fail.Usage](err); wrong {
		return nil, err
	}
	if err != nil {
		return nil, s.oobError("connect", addr, fmt.Errorf("%w: %v", fi.ErrTimedOut, err)) //nolint:errorlint // the time is what counts
	}
	return conn, nil
}

func (s *Session) acceptOOB(addr string) (net.Conn, error) {
	ctx, cancel := s.limited()
	defer cancel()
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, s.oobError("listen", addr, err)
	}
	defer context.AfterFunc(ctx, func() { l.Close() })() //nolint:errcheck // ends Accept
	defer l.Close()                                      //nolint:errcheck // one connection is all
	if s.env.Ready != nil {
		s.env.Ready()
	}
	conn, err := l.Accept()
	if err != nil {
		return nil, s.oobError("accept", addr, err)
	}
	return conn, nil
}

func (s *Session) limited() (context.Context, context.CancelFunc) {
	if s.Opt.Timeout == 0 {
		return context.WithCancel(s.env.Ctx)
	}
	return context.WithTimeout(s.env.Ctx, s.Opt.Timeout)
}

func (s *Session) oobError(op, addr string, err error) error {
	if cause := context.Cause(s.env.Ctx); cause != nil {
		return cause
	}
	next := "another port with -b=PORT on both sides"
	if s.Client {
		next = "start the server first: the same command without the server's name"
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, net.ErrClosed) {
		err = fi.ErrTimedOut
	}
	return &fail.Hint{Err: fail.Call(op, fmt.Errorf("out-of-band connection, %s: %w", addr, err)), Next: next}
}

// run does one step on the connection within the timeout.
func (c *channel) run(call string, step func(net.Conn) error) error {
	if c.timeout > 0 {
		c.conn.SetDeadline(time.Now().Add(c.timeout)) //nolint:errcheck // the step will tell
	}
	err := step(c.conn)
	if err == nil {
		return nil
	}
	if cause := context.Cause(c.ctx); cause != nil {
		return cause
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) {
		err = fmt.Errorf("the other side has ended: %w", fi.ErrConnReset)
	}
	return fail.Call(call, err)
}

// both sends a message and receives one of the same length; the client speaks first, so that a connection without any
// room of its own will do.
func (c *channel) both(call string, out []byte) ([]byte, error) {
	in := make([]byte, len(out))
	err := c.run(call, func(conn net.Conn) error {
		if c.client {
			if _, err := conn.Write(out); err != nil {
				return err
			}
		}
		if _, err := io.ReadFull(conn, in); err != nil {
			return err
		}
		if !c.client {
			_, err := conn.Write(out)
			return err
		}
		return nil
	})
	return in, err
}

// syncByte is a barrier.
func (c *channel) syncByte() error {
	_, err := c.both("ft_sync", []byte{'a'})
	return err
}

// syncStatus is a barrier that tells the other side's status, 0 for good.
func (c *channel) syncStatus() error {
	in, err := c.both("ft_sock_sync", make([]byte, 4))
	if err != nil {
		return err
	}
	if n := int32(binary.NativeEndian.Uint32(in)); n != 0 {
		return fail.Call("ft_sock_sync", fi.Errno(max(n, -n)))
	}
	return nil
}

// GreetOOB waits until the endpoints of both sides are enabled, which peers of older versions do not tell.
func (s *Session) GreetOOB() error {
	if !s.Since(oobGreets) {
		return nil
	}
	return s.oob.syncStatus()
}

// SyncStatus is a barrier over the connection beside the fabric.
func (s *Session) SyncStatus() error { return s.oob.syncStatus() }

// AwaitStatus is SyncStatus that waits as long as the run lasts, if there is such a connection: nothing otherwise.
func (s *Session) AwaitStatus() error {
	if s.oob == nil {
		return nil
	}
	limit := s.oob.timeout
	s.oob.timeout = 0
	defer func() { s.oob.timeout = limit }()
	s.oob.conn.SetDeadline(time.Time{}) //nolint:errcheck // the step will tell
	if err := s.Ended(); err != nil {   // else the deadline that ended it would be lost
		return err
	}
	return s.oob.syncStatus()
}

func (s *Session) exchangesOOB() bool { return s.Opt.OOBAddr || s.need.OOB || s.need.OOBAddr }

// Reacquaint finds the peer by the connection beside the fabric: in the beginning, and again after its name was removed from
// the address vector.
func (s *Session) Reacquaint() error {
	raw, err := s.SwapNames(s.EP)
	if err != nil {
		return err
	}
	return s.Insert(raw)
}

// SwapNames tells each side the address of the other's endpoint, which is not inserted yet.
func (s *Session) SwapNames(ep *fabric.Endpoint) ([]byte, error) {
	name, err := ep.Name()
	if err != nil {
		return nil, fail.Call("fi_getname", err)
	}
	out := make([]byte, CtrlSize)
	copy(out, name)
	return s.oob.both("ft_exchange_addresses", out)
}
