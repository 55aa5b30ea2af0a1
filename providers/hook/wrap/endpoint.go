package wrap

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// endpoint wraps an endpoint. It has every ability; [driver.Ability] sees those of the inner one.
type endpoint struct {
	driver.Endpoint
	d    *domain
	p    *Provider
	eng  *driver.Engine
	name string
	ops  driver.Ops // the inner one's

	tx, rx      *cq.Queue // the application's; nil for none
	rxSelective bool
	pending     pending
	again       atomic.Uint64 // operations for whose completion there was no place
	told        Completion    // what the observer is told of; guarded by the domain's lock
}

func (e *endpoint) Inner() any { return e.Endpoint }

func (e *endpoint) call(a API, args []Arg, f func() (string, error)) error {
	return e.p.call(&Call{API: a, Object: e.name, Args: args}, f)
}

func (e *endpoint) Enable(b *driver.Bindings) (ops driver.Ops, err error) {
	c := &Call{API: Enable, Object: e.name, Target: b, Args: bound(b)}
	err = e.p.call(c, func() (string, error) {
		ops, err = e.enable(b)
		c.Name, _ = e.Endpoint.Name()
		if err != nil || c.Name == nil {
			return "", err
		}
		return e.d.FormatAddr(c.Name), nil
	})
	return ops, err
}

// Refused tells of an Enable that package fabric has refused: something is not bound.
func (e *endpoint) Refused(err error) {
	e.call(Enable, nil, func() (string, error) { return "", err }) //nolint:errcheck // it is the one that is told
	if r, ok := e.Endpoint.(driver.Refuser); ok {
		r.Refused(err)
	}
}

// bound tells what is bound.
func bound(b *driver.Bindings) []Arg {
	var args []Arg
	for _, q := range []struct {
		name string
		q    *cq.Queue
	}{{"tx_cq", b.TxCQ}, {"rx_cq", b.RxCQ}} {
		if q.q != nil {
			args = append(args, Arg{q.name, q.q.Size()})
		} else {
			args = append(args, Arg{q.name, "none"})
		}
	}
	for _, c := range []struct {
		name string
		c    *cq.Counter
	}{{"send", b.CntSend}, {"recv", b.CntRecv}, {"read", b.CntRead}, {"write", b.CntWrite},
		{"remote_read", b.CntRemoteRead}, {"remote_write", b.CntRemoteWrite}} {
		if c.c != nil {
			args = append(args, Arg{"cntr", c.name})
		}
	}
	if s, ok := b.SharedRx.(*sharedRx); ok {
		args = append(args, Arg{"srx", s.name})
	}
	return args
}

func (e *endpoint) enable(b *driver.Bindings) (driver.Ops, error) {
	mine := e.relayed(b)
	inner, err := e.Endpoint.Enable(&mine)
	if err != nil {
		return inner, err
	}
	e.ops = inner
	w, out := operations{e}, driver.Ops{}
	if inner.Msg != nil {
		out.Msg = w
	}
	if inner.Tagged != nil {
		out.Tagged = w
	}
	if inner.RMA != nil {
		out.RMA = w
	}
	if inner.Atomic != nil {
		out.Atomic = w
	}
	out.Coll = inner.Coll // what they are made of is the endpoint's own, and passes nowhere; their ends do
	return out, nil
}

// relayed gives the bindings that the inner endpoint gets, with relays to the application's queues.
func (e *endpoint) relayed(b *driver.Bindings) driver.Bindings {
	mine := *b
	e.eng.Lock()
	if e.tx != b.TxCQ { // what is bound already may be in use
		e.tx = b.TxCQ
	}
	if e.rx != b.RxCQ {
		e.rx = b.RxCQ
	}
	e.rxSelective = b.RxSelective
	e.eng.Unlock()
	mine.TxCQ = cq.NewRelay(e.tx, func(c *cq.ErrEntry, isErr bool) { e.forward(e.tx, c, isErr) })
	if mine.RxCQ = mine.TxCQ; e.rx != e.tx {
		mine.RxCQ = cq.NewRelay(e.rx, func(c *cq.ErrEntry, isErr bool) { e.forward(e.rx, c, isErr) })
	}
	if s, ok := b.SharedRx.(*sharedRx); ok {
		mine.SharedRx, mine.RxSelective = s.SharedRx, false
	}
	return mine
}

func (e *endpoint) Name() (raw []byte, err error) {
	err = e.call(GetName, nil, func() (string, error) {
		if raw, err = e.Endpoint.Name(); err != nil {
			return "", err
		}
		return e.d.FormatAddr(raw), nil
	})
	return raw, err
}

func (e *endpoint) Cancel(ctx any) error {
	return e.call(Cancel, []Arg{{"context", ctx}}, func() (string, error) { return "", e.pending.cancel(ctx, e.Endpoint.Cancel) })
}

func (e *endpoint) Close() error {
	err := e.call(Close, nil, func() (string, error) { return "", e.Endpoint.Close() })
	e.pending.drop()
	return err
}

func (e *endpoint) SetName(raw []byte) error {
	return e.call(SetName, []Arg{{"address", e.d.FormatAddr(raw)}}, func() (string, error) {
		n, ok := driver.Ability[driver.Namer](e.Endpoint)
		if !ok {
			return "", fi.ErrNoSys
		}
		return "", n.SetName(raw)
	})
}

func (e *endpoint) SetMinMultiRecv(n int) error {
	return e.call(SetOpt, []Arg{{"min_multi_recv", n}}, func() (string, error) {
		m, ok := driver.Ability[driver.MultiRecver](e.Endpoint)
		if !ok {
			return "", fi.ErrNoProtoOpt
		}
		return "", m.SetMinMultiRecv(n)
	})
}

func (e *endpoint) MinMultiRecv() (n int) {
	e.call(GetOpt, []Arg{{"option", "min_multi_recv"}}, func() (string, error) { //nolint:errcheck // it has none
		if m, ok := driver.Ability[interface{ MinMultiRecv() int }](e.Endpoint); ok {
			n = m.MinMultiRecv()
		}
		return fmt.Sprint(n), nil
	})
	return n
}

func (e *endpoint) Map(ctx context.Context, to fi.Addr, at mr.Remote, n int) (mem []byte, unmap func() error, err error) {
	err = e.call(MRMap, []Arg{{"peer", addr(to)}, {"at", remote(at)}, {"bytes", n}}, func() (string, error) {
		m, ok := driver.Ability[driver.Mapper](e.Endpoint)
		if !ok {
			return "", fi.ErrOpNotSupp
		}
		mem, unmap, err = m.Map(ctx, to, at, n)
		return "", err
	})
	return mem, unmap, err
}

// addr is an index of an address vector as text.
func addr(a fi.Addr) string {
	if a == fi.AddrUnspec {
		return "any"
	}
	return fmt.Sprint(uint64(a))
}

func remote(at mr.Remote) string { return fmt.Sprintf("%#x, key %#x", at.Addr, at.Key) }

// start makes an operation that sends or accesses memory. Where the application wants to hear of it, it takes a place in
// the application's queue.
func (e *endpoint) start(a API, ctx any, fl fi.OpFlags) *Op {
	o := e.pending.new(ctx, fl&(fi.OpInject|fi.OpCompletion) != fi.OpInject)
	o.N, o.API, o.EP, o.Flags, o.Start = e.p.ops.Add(1), a, e.name, fl, time.Now()
	if o.completes && fl&fi.OpCompletion != 0 && e.tx != nil {
		e.eng.Lock()
		o.reserved = e.tx.Reserve()
		o.full = !o.reserved
		e.eng.Unlock()
	}
	return o
}

// receive makes an operation that receives.
func (p *Provider) receive(l *pending, name string, a API, ctx any, fl fi.OpFlags) *Op {
	o := l.new(ctx, fl&(fi.OpPeek|fi.OpClaim|fi.OpDiscard) == 0)
	o.N, o.API, o.EP, o.Flags, o.Start = p.ops.Add(1), a, name, fl, time.Now()
	return o
}

// posting tells that the operation is handed on now; false when there is no place for its completion.
func (o *Op) posting(p *Provider) bool {
	p.obs.Posting(o)
	return !o.full
}

// passed is the context that the inner provider gets.
func (o *Op) passed() any {
	if o.completes {
		return o
	}
	return o.given
}

// flags are those that the inner provider gets: all that completes says so.
func (o *Op) flags() fi.OpFlags {
	if o.completes {
		return o.Flags | fi.OpCompletion
	}
	return o.Flags
}

// posted ends the call of an operation.
func (o *Op) posted(p *Provider, eng *driver.Engine, tx *cq.Queue, err error) error {
	p.obs.Posted(o, err)
	l := o.home
	o.returned()
	if err != nil {
		if o.reserved {
			eng.Lock()
			tx.Release()
			eng.Unlock()
		}
		l.ended(o)
	}
	l.release(o)
	return err
}
