package chaos

import (
	"github.com/gofabric/gofabric/fi"
)

// wrapped are the operations of a mutant.
type wrapped struct{ e *endpoint }

// flags are what the mutant makes of an operation's flags.
func (e *endpoint) flags(fl fi.OpFlags, recv bool) fi.OpFlags {
	switch e.m {
	case EarlyMatch:
		fl &^= fi.OpMatchComplete
	case IgnoreFence:
		fl &^= fi.OpFence
	case SelectiveIgnored:
		if recv && e.rx != nil || !recv && e.tx != nil && fl&fi.OpInject == 0 {
			fl |= fi.OpCompletion
		}
	}
	return fl
}

func (e *endpoint) group(to fi.Addr) fi.Addr {
	if e.m == IgnoreGroup && to != fi.AddrUnspec {
		if uint32(to) == 1<<32-1 {
			return fi.AddrUnspec
		}
		return to & (1<<32 - 1)
	}
	return to
}

func (e *endpoint) tag(tag uint64) uint64 {
	if e.m == ShortTag {
		tag &= 1<<48 - 1
	}
	return tag
}

// send makes a send by f, sooner or later, as the mutant wants.
func (e *endpoint) send(buf []byte, to fi.Addr, tagged bool, ctx any, fl fi.OpFlags, tag uint64, f func(buf []byte) error) error {
	kind := fi.CompSend | fi.CompMsg
	if tagged {
		kind = fi.CompSend | fi.CompTagged
	}
	n := len(buf)
	e.mu.Lock()
	e.sends++
	count, waiting := e.sends, len(e.delayed)
	e.mu.Unlock()
	if e.peer(to) == nil {
		return e.post(fl, func() error { return f(buf) })
	}
	return e.post(fl, func() error {
		switch e.m {
		case DropInBurst:
			if count%1000 == 999 {
				e.forge(ctx, fl, kind, n, tag)
				return nil
			}
		case ChangeSource:
			if n > 100 {
				buf[n/2] ^= 1
			}
		case InjectKeepsBuffer:
			if fl&fi.OpInject != 0 && fl&fi.OpCompletion == 0 && n <= 32 {
				e.later(func() { f(buf) })
				return nil
			}
		case SwapTagged:
			if !tagged || fl&fi.OpFence != 0 {
				break
			}
			if waiting > 0 {
				err := f(buf)
				e.flush()
				return err
			}
			if fl&fi.OpInject == 0 && n <= 1000 {
				e.later(func() { f(buf) })
				return nil
			}
		case Reorder:
			if n > 8192 {
				e.later(func() { f(buf) })
				return nil
			}
		}
		return f(buf)
	})
}

func (w wrapped) Send(buf []byte, to fi.Addr, data uint64, ctx any, fl fi.OpFlags) error {
	e := w.e
	fl, to = e.flags(fl, false), e.group(to)
	return e.send(buf, to, false, ctx, fl, 0, func(b []byte) error { return e.ops.Msg.Send(b, to, data, ctx, fl) })
}

func (w wrapped) TSend(buf []byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags) error {
	e := w.e
	fl, to, tag = e.flags(fl, false), e.group(to), e.tag(tag)
	return e.send(buf, to, true, ctx, fl, tag, func(b []byte) error { return e.ops.Tagged.TSend(b, to, tag, data, ctx, fl) })
}

// vector is what the mutant makes of a vector.
func (e *endpoint) vector(iov [][]byte) [][]byte {
	if e.m != LosePart || len(iov) < 3 {
		return iov
	}
	iov = append([][]byte{}, iov...)
	iov[len(iov)-1] = make([]byte, len(iov[len(iov)-1]))
	return iov
}

func (w wrapped) SendMsg(m *fi.Msg, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, false)
	c := *m
	c.Iov, c.Addr = e.vector(m.Iov), e.group(m.Addr)
	return e.post(fl, func() error { return e.ops.Msg.SendMsg(&c, fl) })
}

func (w wrapped) TSendMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, false)
	c := *m
	c.Iov, c.Addr, c.Tag = e.vector(m.Iov), e.group(m.Addr), e.tag(m.Tag)
	return e.post(fl, func() error { return e.ops.Tagged.TSendMsg(&c, fl) })
}

// recv prepares a receive: its source, and the buffer that the inner provider gets.
func (e *endpoint) recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) ([]byte, fi.Addr) {
	from = e.group(from)
	if e.m == IgnoreSender {
		from = fi.AddrUnspec
	}
	p := posted{user: buf, multi: fl&fi.OpMultiRecv != 0}
	if e.m == DataLate && !p.multi && ctx != nil {
		p.given = append([]byte{}, buf...)
		buf = p.given
	}
	if fl&(fi.OpPeek|fi.OpClaim|fi.OpDiscard) == 0 {
		e.remember(ctx, p)
	}
	return buf, from
}

// refused forgets a receive that was not accepted.
func (e *endpoint) refused(ctx any, err error) error {
	if err != nil {
		e.forget(ctx, false)
	}
	return err
}

func (w wrapped) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, true)
	buf, from = e.recv(buf, from, ctx, fl)
	return e.refused(ctx, e.ops.Msg.Recv(buf, from, ctx, fl))
}

func (w wrapped) RecvMsg(m *fi.Msg, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, true)
	c := *m
	if len(m.Iov) == 1 {
		var b []byte
		b, c.Addr = e.recv(m.Iov[0], m.Addr, m.Context, fl)
		c.Iov = [][]byte{b}
		return e.refused(m.Context, e.ops.Msg.RecvMsg(&c, fl))
	}
	_, c.Addr = e.recv(nil, m.Addr, nil, fl)
	return e.ops.Msg.RecvMsg(&c, fl)
}

func (e *endpoint) mask(ignore uint64) uint64 {
	if e.m == IgnoreMask {
		ignore &^= 1 << 63
	}
	return ignore
}

func (w wrapped) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, true)
	buf, from = e.recv(buf, from, ctx, fl)
	return e.early(e.refused(ctx, e.ops.Tagged.TRecv(buf, from, e.tag(tag), e.mask(ignore), ctx, fl)))
}

func (w wrapped) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	e := w.e
	fl = e.flags(fl, true)
	switch e.m {
	case PeekTakes:
		if fl&(fi.OpPeek|fi.OpClaim) == fi.OpPeek {
			fl |= fi.OpDiscard
		}
	case ClaimForgets:
		if fl&fi.OpPeek != 0 {
			fl &^= fi.OpClaim
		}
	case DiscardKeeps:
		if fl&fi.OpPeek != 0 {
			fl &^= fi.OpDiscard
		}
	}
	c := *m
	c.Tag, c.Ignore = e.tag(m.Tag), e.mask(m.Ignore)
	if len(m.Iov) == 1 && fl&(fi.OpPeek|fi.OpClaim|fi.OpDiscard) == 0 {
		var b []byte
		b, c.Addr = e.recv(m.Iov[0], m.Addr, m.Context, fl)
		c.Iov = [][]byte{b}
		return e.refused(m.Context, e.ops.Tagged.TRecvMsg(&c, fl))
	}
	_, c.Addr = e.recv(nil, m.Addr, nil, fl)
	return e.ops.Tagged.TRecvMsg(&c, fl)
}
