package pmi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/envknob"
)

// Join makes this process a member of the job that its launcher started. What the launcher left in the environment says
// how: PMI_FD or PMI_PORT for a launcher that speaks PMI; the ranks of Slurm or Open MPI together with FI_PMI_RENDEZVOUS;
// without any of these the process is a job of one. A launcher that speaks PMIx only is an error that says what to use
// instead. When ctx ends before the launcher has answered, Join gives up.
//
// A process joins once: an inherited descriptor belongs to the first Join, and a second one fails.
func Join(ctx context.Context) (*Job, error) { return join(ctx, os.LookupEnv) }

func join(ctx context.Context, env envknob.Lookup) (*Job, error) {
	has := func(name string) bool { v, ok := env(name); return ok && v != "" }
	switch {
	case has("PMI_FD"):
		return joinFD(ctx, env)
	case has("PMI_PORT"):
		return joinPort(ctx, env)
	}
	return NewLocal(1)[0], nil
}

// taken is set once the inherited descriptor is in use. Its number may be another file's by then.
var taken atomic.Bool

// joinFD takes the socket that the launcher left open for this process.
func joinFD(ctx context.Context, env envknob.Lookup) (*Job, error) {
	fd, err := number(env, "PMI_FD", 0, 1<<30)
	if err != nil {
		return nil, err
	}
	size, err := number(env, "PMI_SIZE", 1, maxSize)
	if err != nil {
		return nil, err
	}
	rank, err := number(env, "PMI_RANK", 0, size-1)
	if err != nil {
		return nil, err
	}
	if !taken.CompareAndSwap(false, true) {
		return nil, fail("join", fi.ErrAlready, "this process has joined its job before: keep the Job of the first Join")
	}
	f := os.NewFile(uintptr(fd), "pmi")
	conn, err := net.FileConn(f)
	f.Close() // FileConn has a copy, which no child inherits
	if err != nil {
		return nil, fail("join", errors.Join(fi.ErrBadFD, err), fmt.Sprintf("PMI_FD=%d is no socket of a launcher: start the program itself with the launcher, not through something that closes descriptors", fd))
	}
	w := newWire(conn, rank, size)
	return w.join1(ctx)
}

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

// tokenKnob is set by a launcher whose processes dial a port.
var tokenKnob = envknob.String("FI_PMI_TOKEN", "pmi", "proof that a process belongs to the job, set by the launcher beside PMI_PORT", "")

// maxSize bounds what a launcher may say.
const maxSize = 1 << 20

// number reads a variable that has to be there.
func number(env envknob.Lookup, name string, low, high int) (int, error) {
	v, ok := env(name)
	n, err := strconv.Atoi(v)
	if !ok || err != nil || n < low || n > high {
		return 0, fail("join", fi.ErrInvalid, fmt.Sprintf("%s=%q in the environment: want a number from %d to %d, as launchers set it", name, v, low, high))
	}
	return n, nil
}
