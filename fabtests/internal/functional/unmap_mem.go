package functional

import (
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/remap"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
	"github.com/gofabric/gofabric/mr"
)

func unmapOptions(o *options.Options) []cli.Option {
	o.NoMRLocal, o.Verify = true, true
	return nil
}

// runUnmap is a ping-pong in which each message is sent from memory that was mapped for it, at the address of the last
// one, and is given back afterwards; with --alloc from memory of mr.Alloc.
func runUnmap(env *scenario.Env) error {
	s, err := session.Open(env, session.Need{Caps: fi.CapMsg, OOBSync: true, Connects: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Finish has closed it when all went well
	for _, size := range s.Sizes() {
		if err := s.Sync(); err != nil {
			return err
		}
		n := s.Opt.Count(size)
		u := &unmapper{s: s}
		if err := s.PingPong(size, n, 0, u.send, s.Receive); err != nil {
			return err
		}
		env.Report.Row(perf.Row{Size: size, Iterations: n, PerIter: 2, Elapsed: s.Elapsed})
	}
	return s.Finish()
}

// unmapper sends from memory that is there for one message.
type unmapper struct {
	s    *session.Session
	last remap.Place
}

func (u *unmapper) send(n int) error {
	buf, free, err := u.memory(n)
	if err != nil {
		return fail.Call("mmap", err)
	}
	u.s.Prepare(buf[:n])
	if err = u.s.PostTx(buf[:n], u.s.Context(0)); err == nil {
		err = u.s.WaitTx(u.s.TxSeq)
	}
	for i := range buf { // who still looks here sees this
		buf[i] = 0xff
	}
	if closed := fail.Call("munmap", free()); err == nil {
		err = closed
	}
	return err
}

// memory is n bytes and the function that gives them back.
func (u *unmapper) memory(n int) ([]byte, func() error, error) {
	if u.s.Opt.Alloc {
		m, err := mr.Alloc(max(n, 1))
		if err != nil {
			return nil, nil, err
		}
		return m.Bytes(), m.Free, nil
	}
	m, err := remap.New(n, u.last)
	if err != nil {
		return nil, nil, err
	}
	return m.Bytes(), func() (err error) {
		u.last, err = m.Free()
		return err
	}, nil
}
