package figures

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/local"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/shmem"
)

func floorOptions(o *options.Options) []cli.Option {
	o.Over = "line"
	return []cli.Option{
		{Long: "over", Arg: "WHAT", Help: "line (a cache line), socket (a TCP connection by raw calls that never block) or net (one of package net)",
			Values: []string{"line", "socket", "net"}, Set: func(v string) error {
				switch v {
				case "line", "socket", "net":
					o.Over = v
					return nil
				}
				return options.Bad(v, "line, socket or net")
			}},
		{Long: "stream", Help: "a socket: one way, each window (-W) answered by one byte", Set: options.On(&o.OneWay)},
	}
}

// runFloor measures what no provider can beat.
func runFloor(env *scenario.Env) error {
	if env.Opt.Over == "line" {
		return runLine(env)
	}
	c, err := connected(env)
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // the process ends
	var end io.ReadWriter = c
	if env.Opt.Over == "socket" {
		raw, err := newRawSocket(env, c)
		if err != nil {
			return err
		}
		defer raw.close()
		end = raw
	}
	for _, size := range env.Opt.SizeList(1 << 30) {
		f := &socketFloor{env: env, end: end, out: make([]byte, size), in: make([]byte, size)}
		row := perf.Row{Size: size, Iterations: env.Opt.Count(size), PerIter: 2}
		run := f.pingPong
		if env.Opt.OneWay {
			row.Iterations, row.PerIter, run = env.Opt.StreamCount(size), 1, f.stream
		}
		if row.Elapsed, err = run(row.Iterations); err != nil {
			return fail.Call("floor", err)
		}
		env.Report.Row(row)
	}
	return nil
}

// connected is a connection of the two processes over loopback; the client finds the port in the memory that they share.
func connected(env *scenario.Env) (*net.TCPConn, error) {
	size := scenarioSize()
	m, err := shmem.MapPeer(local.SharedFD, size, shmem.ReadWrite, shmem.Populate)
	if err != nil {
		return nil, &fail.Hint{Err: fail.Call("mmap", err), Next: "fabtests floor, which starts both sides itself"}
	}
	defer m.Unmap() //nolint:errcheck // nobody looks at it any more
	port := m.Bytes()[:8]
	ctx, cancel := context.WithTimeout(env.Ctx, env.Opt.Timeout)
	defer cancel()
	if env.Client {
		for binary.NativeEndian.Uint64(port) == 0 {
			if err := ctx.Err(); err != nil {
				return nil, fail.Call("floor", errors.Join(fi.ErrTimedOut, err))
			}
			osx.SchedYield()
		}
		to := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: int(binary.NativeEndian.Uint64(port))}
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", to.String())
		if err != nil {
			return nil, fail.Call("connect", err)
		}
		return c.(*net.TCPConn), nil
	}
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fail.Call("listen", err)
	}
	defer l.Close() //nolint:errcheck // it has done its work
	end, _ := ctx.Deadline()
	l.SetDeadline(end) //nolint:errcheck // Accept tells
	binary.NativeEndian.PutUint64(port, uint64(l.Addr().(*net.TCPAddr).Port))
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, fail.Call("accept", err)
	}
	return c, nil
}

// socketFloor sends bytes over a connection without any framing.
type socketFloor struct {
	env     *scenario.Env
	end     io.ReadWriter
	out, in []byte
}

func (f *socketFloor) send() error {
	_, err := f.end.Write(f.out)
	return err
}

func (f *socketFloor) receive() error {
	_, err := io.ReadFull(f.end, f.in)
	return err
}

func (f *socketFloor) pingPong(n int) (time.Duration, error) {
	o := f.env.Opt
	var began time.Time
	for i := range n + o.Warmup {
		if i == o.Warmup {
			began = time.Now()
		}
		if f.env.Client {
			if err := f.send(); err != nil {
				return 0, err
			}
		}
		if err := f.receive(); err != nil {
			return 0, err
		}
		if o.Pause > 0 {
			time.Sleep(o.Pause)
		}
		if !f.env.Client {
			if err := f.send(); err != nil {
				return 0, err
			}
		}
	}
	return time.Since(began), nil
}

func (f *socketFloor) stream(n int) (time.Duration, error) {
	o := f.env.Opt
	step, answer := f.send, func() error { _, err := io.ReadFull(f.end, f.in[:1]); return err }
	if !f.env.Client {
		step, answer = f.receive, func() error { _, err := f.end.Write(f.out[:1]); return err }
	}
	var began time.Time
	for i := range n + o.Warmup {
		if i == o.Warmup {
			began = time.Now()
		}
		if err := step(); err != nil {
			return 0, err
		}
		if i%o.Window == o.Window-1 || i == n+o.Warmup-1 {
			if err := answer(); err != nil {
				return 0, err
			}
		}
	}
	return time.Since(began), nil
}
