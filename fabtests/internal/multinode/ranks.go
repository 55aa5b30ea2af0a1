package multinode

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/ctrl"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// job is what a rank knows of the others: connections to them, at the rank server, or one to that.
type job struct {
	ctx     context.Context
	timeout time.Duration
	rank, n int
	peers   []net.Conn // the rank server's, of ranks 1 and up
	server  net.Conn   // of the others
	stop    func() bool
}

// join makes this process a rank. The first one that can listen at the address is rank 0; with a launcher (-u, or --local)
// it is the one that is told so.
func join(env *scenario.Env, own *choice) (*job, error) {
	o := env.Opt
	j := &job{ctx: env.Ctx, timeout: o.Timeout, rank: -1, n: o.Procs}
	switch {
	case o.Child.On:
		j.rank = o.Child.Rank
	case own.launcher != "":
		v := os.Getenv(own.launcher)
		rank, err := strconv.Atoi(v)
		if err != nil || rank < 0 || rank >= j.n {
			return nil, &fail.Usage{Text: fmt.Sprintf("%s: %s=%q is no rank of %d: is the process started by the launcher?", own.program, own.launcher, v, j.n),
				Next: "fabtests " + own.program + " --local"}
		}
		j.rank = rank
	}
	host := o.OOBHost
	if host == "" {
		host = o.SrcAddr
	}
	if host == "" {
		host = "127.0.0.1"
	}
	addr := net.JoinHostPort(host, o.OOBPort)
	ctx, cancel := context.WithCancel(env.Ctx)
	if o.Timeout > 0 {
		ctx, cancel = context.WithTimeout(env.Ctx, o.Timeout)
	}
	defer cancel()
	var err error
	if j.rank <= 0 {
		err = j.listen(ctx, addr)
	}
	if j.rank > 0 || j.rank < 0 && err != nil { // somebody else listens there
		var bound error = err
		if err = j.dial(ctx, addr); err != nil && bound != nil {
			err = fmt.Errorf("%w; listening there: %v", err, bound) //nolint:errorlint // the former counts
		}
	}
	if err != nil {
		if cause := context.Cause(env.Ctx); cause != nil {
			err = cause
		} else if _, wrong := errors.AsType[*fail.Usage](err); !wrong {
			next := "the same command " + strconv.Itoa(j.n) + " times"
			if o.SrcAddr != "" {
				next += ", with the same -s"
			}
			err = &fail.Hint{Err: fail.Call("connect", fmt.Errorf("rank server at %s: %w", addr, err)), Next: next + "; another port with -b=PORT"}
		}
		j.close()
		return nil, err
	}
	j.stop = context.AfterFunc(env.Ctx, func() {
		for _, c := range j.conns() {
			c.SetDeadline(time.Unix(1, 0)) //nolint:errcheck // ends reads
		}
	})
	return j, nil
}

// listen is the rank server: it waits for all others and gives each its number, or learns it from the launcher's.
func (j *job) listen(ctx context.Context, addr string) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	launched := j.rank == 0
	j.rank, j.peers = 0, make([]net.Conn, j.n-1)
	defer context.AfterFunc(ctx, func() { l.Close() })() //nolint:errcheck // ends Accept
	defer l.Close()                                      //nolint:errcheck // all are there
	for i := range j.peers {
		c, err := l.Accept()
		if err != nil {
			come := fmt.Sprintf("%d of %d others have come", i, len(j.peers))
			if errors.Is(ctx.Err(), context.DeadlineExceeded) { // the end of the time closed the listener
				return fmt.Errorf("%w: %s within %v", fi.ErrTimedOut, come, j.timeout)
			}
			return fmt.Errorf("%s: %w", come, err)
		}
		if d, ok := ctx.Deadline(); ok {
			c.SetDeadline(d) //nolint:errcheck // the step will tell
		}
		var b [8]byte
		if !launched {
			j.peers[i] = c
			binary.NativeEndian.PutUint64(b[:], uint64(i+1))
			if _, err := c.Write(b[:]); err != nil {
				return err
			}
			continue
		}
		if _, err := io.ReadFull(c, b[:]); err != nil {
			c.Close() //nolint:errcheck // nothing is in flight
			return err
		}
		rank := binary.NativeEndian.Uint64(b[:])
		if rank == 0 || rank >= uint64(j.n) || j.peers[rank-1] != nil {
			c.Close() //nolint:errcheck // as above
			return fmt.Errorf("a process says that it is rank %d of %d: %w", rank, j.n, fi.ErrInvalid)
		}
		j.peers[rank-1] = c
	}
	return nil
}

// late says that the time was up, when it was.
func late(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%w: %v", fi.ErrTimedOut, err) //nolint:errorlint // the time is what counts
	}
	return err
}

// dial is any other rank.
func (j *job) dial(ctx context.Context, addr string) error {
	c, err := ctrl.Reach(ctx, &net.Dialer{}, addr)
	if err != nil {
		return late(ctx, err)
	}
	j.server = c
	if d, ok := ctx.Deadline(); ok {
		j.server.SetDeadline(d) //nolint:errcheck // the step will tell
	}
	var b [8]byte
	if j.rank > 0 {
		binary.NativeEndian.PutUint64(b[:], uint64(j.rank))
		_, err := j.server.Write(b[:])
		return err
	}
	if _, err := io.ReadFull(j.server, b[:]); err != nil {
		return late(ctx, err)
	}
	j.rank = int(binary.NativeEndian.Uint64(b[:]))
	return nil
}

func (j *job) conns() []net.Conn {
	var out []net.Conn
	for _, c := range append(j.peers, j.server) {
		if c != nil {
			out = append(out, c)
		}
	}
	return out
}

func (j *job) close() {
	if j.stop != nil {
		j.stop()
	}
	for _, c := range j.conns() {
		c.Close() //nolint:errcheck // nothing is in flight
	}
}

// allGather gives everybody's items, one of the same length from each rank, in their order.
func (j *job) allGather(item []byte) ([]byte, error) {
	all := make([]byte, len(item)*j.n)
	var deadline time.Time
	if j.timeout > 0 {
		deadline = time.Now().Add(j.timeout)
	}
	for _, c := range j.conns() {
		c.SetDeadline(deadline) //nolint:errcheck // the step will tell
	}
	if cause := context.Cause(j.ctx); cause != nil { // its deadline has just been lost
		return nil, cause
	}
	err := j.exchange(item, all)
	if cause := context.Cause(j.ctx); err != nil && cause != nil {
		return nil, cause
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("a rank has ended: %w", fi.ErrConnReset)
	}
	return all, fail.Call("pm_allgather", err)
}

func (j *job) exchange(item, all []byte) error {
	if j.rank > 0 {
		if _, err := j.server.Write(item); err != nil {
			return err
		}
		_, err := io.ReadFull(j.server, all)
		return err
	}
	copy(all, item)
	for i, c := range j.peers {
		if _, err := io.ReadFull(c, all[len(item)*(i+1):][:len(item)]); err != nil {
			return err
		}
	}
	for _, c := range j.peers {
		if _, err := c.Write(all); err != nil {
			return err
		}
	}
	return nil
}

// barrier waits until all ranks are here.
func (j *job) barrier() error {
	_, err := j.allGather([]byte{'a'})
	return err
}
