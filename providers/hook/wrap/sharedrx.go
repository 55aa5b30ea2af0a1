package wrap

import (
	"fmt"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// sharedRx wraps a shared receive context. What is posted on it completes in the relays of the endpoints.
type sharedRx struct {
	driver.SharedRx
	d       *domain
	p       *Provider
	name    string
	pending pending
}

func (s *sharedRx) Inner() any { return s.SharedRx }

func (s *sharedRx) call(a API, args []Arg, f func() (string, error)) error {
	return s.p.call(&Call{API: a, Object: s.name, Args: args}, f)
}

func (s *sharedRx) SetMinMultiRecv(n int) error {
	return s.call(SetOpt, []Arg{{"min_multi_recv", n}}, func() (string, error) { return "", s.SharedRx.SetMinMultiRecv(n) })
}

// MinMultiRecv hands on, where the inner context can.
func (s *sharedRx) MinMultiRecv() (n int) {
	s.call(GetOpt, []Arg{{"option", "min_multi_recv"}}, func() (string, error) { //nolint:errcheck // it has none
		if m, ok := driver.Ability[interface{ MinMultiRecv() int }](s.SharedRx); ok {
			n = m.MinMultiRecv()
		}
		return fmt.Sprint(n), nil
	})
	return n
}

// Cancel drops a receive, which completes nowhere.
func (s *sharedRx) Cancel(ctx any) error {
	return s.call(Cancel, []Arg{{"context", ctx}}, func() (string, error) {
		return "", s.pending.cancel(ctx, func(c any) error {
			err := s.SharedRx.Cancel(c)
			if o, ours := c.(*Op); ours && err == nil {
				s.pending.ended(o)
			}
			return err
		})
	})
}

func (s *sharedRx) Close() error {
	err := s.call(Close, nil, func() (string, error) { return "", s.SharedRx.Close() })
	if err == nil {
		s.pending.drop()
	}
	return err
}

func (s *sharedRx) start(a API, ctx any, fl fi.OpFlags) *Op {
	return s.p.receive(&s.pending, s.name, a, ctx, fl)
}

func (s *sharedRx) posted(o *Op, err error) error { return o.posted(s.p, nil, nil, err) }

func (s *sharedRx) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	o := s.start(Recv, ctx, fl)
	o.recv(buf, from, 0, 0)
	o.posting(s.p)
	return s.posted(o, s.SharedRx.Recv(buf, from, o.passed(), o.flags()))
}

func (s *sharedRx) RecvMsg(m *fi.Msg, fl fi.OpFlags) error {
	o := s.start(RecvMsg, m.Context, fl)
	o.ofMsg(m)
	o.posting(s.p)
	return s.posted(o, s.SharedRx.RecvMsg(&o.msg, o.flags()))
}

func (s *sharedRx) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error {
	o := s.start(TRecv, ctx, fl)
	o.recv(buf, from, tag, ignore)
	o.posting(s.p)
	return s.posted(o, s.SharedRx.TRecv(buf, from, tag, ignore, o.passed(), o.flags()))
}

func (s *sharedRx) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	o := s.start(TRecvMsg, m.Context, fl)
	o.ofTagged(m)
	o.posting(s.p)
	return s.posted(o, s.SharedRx.TRecvMsg(&o.tagged, o.flags()))
}
