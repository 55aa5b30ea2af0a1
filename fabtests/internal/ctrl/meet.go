package ctrl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fi"
)

// retryEvery is how long a client waits before it looks for its server again.
const retryEvery = 20 * time.Millisecond

// limited is ctx with an end after wait, unless that is 0.
func limited(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc) {
	if wait > 0 {
		return context.WithTimeout(ctx, wait)
	}
	return context.WithCancel(ctx)
}

// Dial finds the server. One that is not there yet is waited for, as long as wait says; 0: for ever. From is our port; any when
// it is empty.
func Dial(ctx context.Context, host, port, from string, wait time.Duration) (net.Conn, error) {
	run := ctx
	ctx, stop := limited(ctx, wait)
	defer stop()
	var d net.Dialer
	if from != "" {
		n, err := portOf(from)
		if err != nil {
			return nil, err
		}
		d.LocalAddr = &net.TCPAddr{Port: n}
	}
	addr := net.JoinHostPort(host, port)
	conn, err := Reach(ctx, &d, addr)
	if err == nil {
		return conn, nil
	}
	if _, wrong := errors.AsType[*fail.Usage](err); wrong {
		return nil, err
	}
	if cause := context.Cause(run); cause != nil {
		return nil, cause
	}
	return nil, &fail.Hint{Err: fail.Call("ctrl_connect", fmt.Errorf("no server at %s within %v: %w (%v)", addr, wait, fi.ErrTimedOut, err)), //nolint:errorlint // the time is what counts
		Next: "start the server first: the same command without the server's name"}
}

// portOf is the number of a port, which may be the name of a service.
func portOf(port string) (int, error) {
	n, err := net.LookupPort("tcp", port)
	if err != nil || port == "" {
		return 0, &fail.Usage{Text: fmt.Sprintf("there is no port %q", port), Next: "a number from 1 to 65535, or the name of a service"}
	}
	return n, nil
}

// Reach connects to a server that need not be there yet: it tries again until ctx ends, and then gives the error of the last
// try. At a port that cannot be there will never be one: a *fail.Usage at once.
func Reach(ctx context.Context, d *net.Dialer, addr string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if n, err := portOf(port); err != nil {
		return nil, err
	} else if n == 0 {
		return nil, &fail.Usage{Text: "there is no server at port 0", Next: "the port that the server has"}
	}
	for {
		conn, err := d.DialContext(ctx, "tcp", addr)
		if err == nil {
			return conn, nil
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(retryEvery):
		}
	}
}

// Listen makes the server one that clients find. Busy is what to do when the port is another one's.
func Listen(ctx context.Context, host, port, busy string) (net.Listener, error) {
	if _, err := portOf(port); err != nil {
		return nil, err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, &fail.Hint{Err: fail.Call("ctrl_listen", err), Next: busy}
	}
	return l, nil
}

// Accept waits for the next client, as long as wait says; 0: for ever. The end of a wait closes the listener.
func Accept(ctx context.Context, l net.Listener, wait time.Duration) (net.Conn, error) {
	run := ctx
	ctx, stop := limited(ctx, wait)
	defer stop()
	defer context.AfterFunc(ctx, func() { l.Close() })() //nolint:errcheck // ends Accept
	conn, err := l.Accept()
	switch cause := context.Cause(run); {
	case err == nil:
		return conn, nil
	case cause != nil:
		return nil, cause
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, &fail.Hint{Err: fail.Call("ctrl_accept", fmt.Errorf("no client came to %v within %v: %w", l.Addr(), wait, fi.ErrTimedOut)),
			Next: "a longer --timeout, and meanwhile the client: the same command with this host's name behind"}
	}
	return nil, fail.Call("ctrl_accept", err)
}
