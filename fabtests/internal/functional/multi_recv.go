package functional

import (
	"fmt"

	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/options"
	"github.com/gofabric/gofabric/fabtests/internal/pattern"
	"github.com/gofabric/gofabric/fabtests/internal/perf"
	"github.com/gofabric/gofabric/fabtests/internal/scenario"
	"github.com/gofabric/gofabric/fabtests/internal/session"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/cli"
)

func multiRecvOptions(o *options.Options) []cli.Option {
	return []cli.Option{{Short: 'M', Long: "recvmsg", Help: "give the flag to fi_recvmsg instead of making it the default", Set: options.On(&o.NoPrepost)}}
}

// most is the longest message here.
const most = 1 << 20

// runMultiRecv streams messages into two buffers that take many each.
func runMultiRecv(env *scenario.Env) error {
	size := session.CtrlSize
	if len(env.Opt.Sizes) == 1 {
		size = max(env.Opt.Sizes[0], 1)
	}
	if size > most {
		return &fail.Usage{Text: fmt.Sprintf("multi_recv: use a smaller transfer size (max %d)", most), Next: "fabtests multi_recv -S 1024"}
	}
	need := session.Need{Caps: fi.CapMsg | fi.CapMultiRecv, Size: size, OOB: true, NoRecv: true, Connects: true}
	if !env.Opt.NoPrepost {
		need.RxFlags = fi.OpMultiRecv
	}
	s, err := session.Open(env, need)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // Leave has closed it when all went well
	if err := s.EP.SetMinMultiRecv(size); err != nil {
		return fail.Call("fi_setopt", err)
	}
	m := &multiRecv{s: s, size: size, half: min(size*128, most*4) / 2}
	m.room = make([]byte, 2*m.half)
	for i := range m.buffers {
		m.buffers[i].memory = m.room[i*m.half:][:m.half:m.half]
		if err := m.post(&m.buffers[i]); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	n := s.Opt.Iterations
	if n == 0 {
		n = 1000
	}
	s.Start()
	if s.Client {
		for range n {
			if err := s.Send(size); err != nil {
				return err
			}
		}
	} else if err := m.receive(n); err != nil {
		return err
	}
	s.Stop()
	env.Report.Row(perf.Row{Size: size, Iterations: n, PerIter: 1, Elapsed: s.Elapsed})
	if err := s.Sync(); err != nil {
		return err
	}
	if err := s.Shutdown(); err != nil {
		return err
	}
	return s.Leave()
}

type multiRecv struct {
	s          *session.Session
	size, half int
	room       []byte
	buffers    [2]manyBuffer
}

// manyBuffer is one multi-receive buffer; it is its own context.
type manyBuffer struct {
	memory []byte
	got    int
}

func (m *multiRecv) post(b *manyBuffer) error {
	b.got = 0
	if m.s.Opt.NoPrepost {
		return fail.Call("fi_recvmsg", m.s.EP.RecvMsg(&fi.Msg{Iov: [][]byte{b.memory}, Addr: fi.AddrUnspec, Context: b}, fi.OpMultiRecv))
	}
	return fail.Call("fi_recv", m.s.EP.Recv(b.memory, fi.AddrUnspec, b))
}

// receive takes n messages and posts each buffer again when it is given back.
func (m *multiRecv) receive(n int) error {
	bad := func(format string, args ...any) error {
		return fail.Call("wait_for_recv_completion", fmt.Errorf(format+": %w", append(args, fi.ErrIO)...))
	}
	for n > 0 {
		e, err := m.s.Next(m.s.RxCQ)
		if err != nil {
			return err
		}
		b, ok := e.Context.(*manyBuffer)
		if !ok {
			return bad("a completion without the context of a buffer")
		}
		if e.Flags&fi.CompRecv != 0 {
			at, inside := place(b.memory, e.Buf)
			switch {
			case e.Len != m.size:
				return bad("completion length %d, expected %d", e.Len, m.size)
			case !inside || at < b.got*m.size:
				return bad("returned completion buffer at %d out of range", at)
			}
			if m.s.Opt.Verify {
				if err := pattern.Check(e.Buf); err != nil {
					return fail.Call("ft_check_buf", err)
				}
			}
			b.got++
			n--
		}
		if e.Flags&fi.CompMultiRecv != 0 {
			if want := m.half / m.size; b.got != want {
				return bad("Received %d completions per buffer, expected %d", b.got, want)
			}
			if err := m.post(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// place tells where in whole the slice part begins.
func place(whole, part []byte) (at int, inside bool) {
	if len(part) == 0 || cap(part) == 0 {
		return 0, false
	}
	for i := 0; i+len(part) <= len(whole); i += len(part) {
		if &whole[i] == &part[0] {
			return i, true
		}
	}
	for i := range whole {
		if &whole[i] == &part[0] {
			return i, i+len(part) <= len(whole)
		}
	}
	return 0, false
}
