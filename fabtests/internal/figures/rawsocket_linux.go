package figures

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
)

// rawSocket is a connection that is read and written by raw system calls again and again until they move something; the
// runtime does not know it.
type rawSocket struct {
	env   *scenario.Env
	fd    int
	since time.Time // the first look at the clock of this wait
}

func newRawSocket(env *scenario.Env, c *net.TCPConn) (*rawSocket, error) {
	r, err := c.SyscallConn()
	if err != nil {
		return nil, fail.Call("socket", err)
	}
	fd, dup := -1, error(nil)
	if err = errors.Join(r.Control(func(s uintptr) { fd, dup = syscall.Dup(int(s)) }), dup); err != nil {
		return nil, fail.Call("dup", err)
	}
	c.Close() //nolint:errcheck // takes it out of the runtime's set; the connection lives on by the other descriptor
	return &rawSocket{env: env, fd: fd}, nil
}

func (s *rawSocket) close() { syscall.Close(s.fd) }

// Write writes all of p.
func (s *rawSocket) Write(p []byte) (int, error) {
	done := 0
	for tries := 1; done < len(p); tries++ {
		n, e := rawWrite(s.fd, p[done:])
		if done += n; e != 0 && e != syscall.EAGAIN {
			return done, e
		}
		if err := s.tired(tries); err != nil {
			return done, err
		}
	}
	return done, nil
}

// Read waits until something has come.
func (s *rawSocket) Read(p []byte) (int, error) {
	for tries := 1; ; tries++ {
		switch n, e := rawRead(s.fd, p); {
		case e == 0 && n == 0:
			return 0, io.EOF
		case e == 0:
			return n, nil
		case e != syscall.EAGAIN:
			return 0, e
		}
		if err := s.tired(tries); err != nil {
			return 0, err
		}
	}
}

// tired looks at the time now and then.
func (s *rawSocket) tired(tries int) error {
	if tries%spins != 0 {
		return nil
	}
	if err := context.Cause(s.env.Ctx); err != nil {
		return err
	}
	if tries == spins {
		s.since = time.Now()
	}
	if t := s.env.Opt.Timeout; t > 0 && time.Since(s.since) > t {
		return errors.Join(fi.ErrTimedOut, errors.New("the other process does not answer"))
	}
	return nil
}
