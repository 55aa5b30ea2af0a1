package rdm

import (
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/lock"
	"github.com/gofabric/gofabric/internal/match"
)

// DefaultBudget is how many bytes of unexpected messages a receive context keeps before it asks senders to announce.
const DefaultBudget = 64 << 20

// defaultMinMulti is the FI_OPT_MIN_MULTI_RECV that C's providers start with.
const defaultMinMulti = 64

// Rx is a receive context: posted receives and unexpected messages, of one endpoint or shared by several. Its calls
// take the domain's lock.
type Rx struct {
	Msg, Tag match.Queue

	eng      *driver.Engine
	mu       *lock.Lock // the engine's
	ep       *Endpoint  // whose it is, perhaps with parts that have it too; nil when shared
	minMulti int
	budget   int
	iovLimit int
	held     []*Peer // senders told to announce
	closed   bool    // no more receives

	kept, holds driver.Tally // messages that came before their receives, and times that a sender was told to announce

	msgDirected, tagDirected, exact bool
	maxGroup                        uint32
	av                              *driver.AV
}

// NewRx makes a receive context for endpoints of info.
func NewRx(eng *driver.Engine, info *fi.Info) *Rx {
	caps := info.Caps
	return &Rx{
		eng: eng, mu: eng.Mutex(), minMulti: defaultMinMulti, budget: DefaultBudget, iovLimit: info.Rx.IovLimit,
		msgDirected: caps&(fi.CapDirectedRecv|fi.CapExactDirectedRecv) != 0,
		tagDirected: caps&(fi.CapDirectedRecv|fi.CapTaggedDirectedRecv|fi.CapExactDirectedRecv) != 0,
		exact:       caps&fi.CapExactDirectedRecv != 0,
		maxGroup:    info.Domain.MaxGroupID,
	}
}

// SetBudget sets how many bytes of unexpected messages are kept.
func (x *Rx) SetBudget(bytes int) { x.budget = bytes }

// SetMinMultiRecv sets how many bytes must be left of a multi-receive buffer for it to take another message.
func (x *Rx) SetMinMultiRecv(n int) error {
	if n < 0 {
		return fi.ErrInvalid
	}
	x.eng.Lock()
	x.minMulti = n
	x.eng.Unlock()
	return nil
}

// MinMultiRecv gives what SetMinMultiRecv set.
func (x *Rx) MinMultiRecv() int {
	x.eng.Lock()
	defer x.eng.Unlock()
	return x.minMulti
}

// source splits the source of a receive into sender and peer group.
//
//go:noinline
func (x *Rx) source(from fi.Addr, directed bool) (src fi.Addr, group uint32, err fi.Errno) {
	if from == fi.AddrUnspec {
		if x.exact {
			return 0, 0, fi.ErrInvalid
		}
		return from, 0, 0
	}
	if x.maxGroup > 0 {
		group = uint32(from >> 32)
		from = fi.Addr(uint32(from))
		if group > x.maxGroup {
			return 0, 0, fi.ErrInvalid
		}
		if uint32(from) == 1<<32-1 {
			return fi.AddrUnspec, group, 0
		}
	}
	if !directed { // as in C: the source of an undirected receive is not looked at
		return fi.AddrUnspec, group, 0
	}
	if x.ep != nil {
		if _, ok := x.ep.AV.Lookup(from); !ok {
			return 0, 0, fi.ErrInvalid
		}
		from = x.ep.AV.UserID(from)
	}
	return from, group, 0
}

// Recv posts a receive (fi_recv).
//
//fabric:fastpath
func (x *Rx) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	src, group := from, uint32(0)
	if from != fi.AddrUnspec || x.exact || fl&fi.OpMultiRecv != 0 {
		var err fi.Errno
		if src, group, err = x.source(from, x.msgDirected); err != 0 {
			return err
		}
		if fl&fi.OpMultiRecv != 0 {
			return x.postMulti(&x.Msg, buf, src, 0, 0, group, ctx, fl)
		}
	}
	if !x.mu.TryLock() {
		x.mu.Wait()
	}
	if x.closed {
		x.mu.Unlock()
		return fi.ErrBadFD
	}
	if r := x.Msg.Slot(); r != nil {
		r.Buf, r.Ctx, r.Flags = buf, ctx, fl
		x.Msg.Store(r, src, 0, 0, group)
	} else if m := x.Msg.Post(buf, src, 0, 0, group, ctx, fl); m != nil {
		x.take(&x.Msg, m, nil, buf, nil, ctx, fl)
	}
	x.mu.Unlock()
	return nil
}

// TRecv posts a tagged receive (fi_trecv).
//
//fabric:fastpath
func (x *Rx) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error {
	src, group := from, uint32(0)
	if from != fi.AddrUnspec || x.exact || fl&fi.OpMultiRecv != 0 {
		var err fi.Errno
		if src, group, err = x.source(from, x.tagDirected); err != 0 {
			return err
		}
		if fl&fi.OpMultiRecv != 0 {
			return x.postMulti(&x.Tag, buf, src, tag, ignore, group, ctx, fl)
		}
	}
	if !x.mu.TryLock() {
		x.mu.Wait()
	}
	if x.closed {
		x.mu.Unlock()
		return fi.ErrBadFD
	}
	if r := x.Tag.Slot(); r != nil {
		r.Buf, r.Ctx, r.Flags = buf, ctx, fl
		x.Tag.Store(r, src, tag, ignore, group)
	} else if m := x.Tag.Post(buf, src, tag, ignore, group, ctx, fl); m != nil {
		x.take(&x.Tag, m, nil, buf, nil, ctx, fl)
	}
	x.mu.Unlock()
	return nil
}

// RecvMsg posts a receive of the general form (fi_recvmsg); OpPeek, OpClaim and OpDiscard look at unexpected messages.
func (x *Rx) RecvMsg(m *fi.Msg, fl fi.OpFlags) error {
	if len(m.Iov) > x.iovLimit {
		return fi.ErrInvalid
	}
	if fl&(fi.OpPeek|fi.OpClaim|fi.OpDiscard) != 0 {
		return x.look(&x.Msg, m.Iov, m.Addr, 0, 0, m.Context, fl, false)
	}
	if len(m.Iov) <= 1 {
		return x.Recv(only(m.Iov), m.Addr, m.Context, fl)
	}
	return x.postVector(&x.Msg, m.Iov, m.Addr, 0, 0, m.Context, fl, false)
}

// TRecvMsg posts a tagged receive of the general form (fi_trecvmsg).
func (x *Rx) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	if len(m.Iov) > x.iovLimit {
		return fi.ErrInvalid
	}
	if fl&(fi.OpPeek|fi.OpClaim|fi.OpDiscard) != 0 {
		return x.look(&x.Tag, m.Iov, m.Addr, m.Tag, m.Ignore, m.Context, fl, true)
	}
	if len(m.Iov) <= 1 {
		return x.TRecv(only(m.Iov), m.Addr, m.Tag, m.Ignore, m.Context, fl)
	}
	return x.postVector(&x.Tag, m.Iov, m.Addr, m.Tag, m.Ignore, m.Context, fl, true)
}

func only(iov [][]byte) []byte {
	if len(iov) == 0 {
		return nil
	}
	return iov[0]
}

func (x *Rx) postVector(q *match.Queue, iov [][]byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags, tagged bool) error {
	src, group, err := x.source(from, tagged && x.tagDirected || !tagged && x.msgDirected)
	if err != 0 {
		return err
	}
	x.eng.Lock()
	defer x.eng.Unlock()
	return x.vectorLocked(q, iov, src, tag, ignore, group, ctx, fl)
}

func (x *Rx) vectorLocked(q *match.Queue, iov [][]byte, src fi.Addr, tag, ignore uint64, group uint32, ctx any, fl fi.OpFlags) error {
	switch {
	case fl&fi.OpMultiRecv != 0:
		return fi.ErrInvalid // a multi-receive buffer is one piece
	case x.closed:
		return fi.ErrBadFD
	}
	if m := q.PostV(iov, src, tag, ignore, group, ctx, fl); m != nil {
		x.take(q, m, nil, nil, iov, ctx, fl)
	}
	return nil
}

// postMulti posts a buffer that takes messages until fewer than minMulti bytes are left.
func (x *Rx) postMulti(q *match.Queue, buf []byte, src fi.Addr, tag, ignore uint64, group uint32, ctx any, fl fi.OpFlags) error {
	x.eng.Lock()
	defer x.eng.Unlock()
	return x.multiLocked(q, buf, src, tag, ignore, group, ctx, fl)
}

func (x *Rx) multiLocked(q *match.Queue, buf []byte, src fi.Addr, tag, ignore uint64, group uint32, ctx any, fl fi.OpFlags) error {
	switch {
	case len(buf) == 0:
		return fi.ErrInvalid
	case x.closed:
		return fi.ErrBadFD
	}
	r := q.PostMulti(buf, src, tag, ignore, group, ctx, fl)
	for m := q.Next(r); m != nil; m = q.Next(r) {
		x.take(q, m, r, nil, nil, nil, 0)
	}
	return nil
}

// look serves peeks, claims and discards.
func (x *Rx) look(q *match.Queue, iov [][]byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags, tagged bool) error {
	src, group, err := x.source(from, tagged && x.tagDirected || !tagged && x.msgDirected)
	if err != 0 {
		return err
	}
	if x.ep == nil {
		return fi.ErrOpNotSupp // a shared context has no queue to report to
	}
	if fl&fi.OpDiscard != 0 && fl&(fi.OpPeek|fi.OpClaim) == 0 {
		return fi.ErrInvalid
	}
	kind := KindRecv
	if tagged {
		kind = KindTRecv
	}
	x.eng.Lock()
	defer x.eng.Unlock()
	if x.closed {
		return fi.ErrBadFD
	}
	if x.eng.Ready() { // a message that has arrived must be found by the first look
		x.eng.Poll()
	}
	if fl&fi.OpPeek == 0 { // take, or drop, what was claimed
		m := q.Claimed(ctx)
		if m == nil {
			return fi.ErrNoMsg
		}
		if fl&fi.OpDiscard != 0 {
			x.report(m, ctx, fl, kind)
			x.drop(q, m)
			return nil
		}
		x.take(q, m, nil, only(iov), vector(iov), ctx, fl)
		return nil
	}
	m := q.Peek(src, tag, ignore, group)
	if m == nil {
		x.ep.peekMiss(ctx, kind, tag)
		return nil
	}
	x.report(m, ctx, fl, kind)
	switch {
	case fl&fi.OpDiscard != 0:
		q.Remove(m)
		x.drop(q, m)
	case fl&fi.OpClaim != 0:
		q.Claim(m, ctx)
	}
	return nil
}

func vector(iov [][]byte) [][]byte {
	if len(iov) > 1 {
		return iov
	}
	return nil
}

// report writes the completion of a peek that has found m, also when successes are silent: the report is all that a
// peek is for.
func (x *Rx) report(m *match.Msg, ctx any, fl fi.OpFlags, kind fi.CompFlags) {
	q := x.ep.RxCQ
	if q == nil || fl&(fi.OpCompletion|fi.OpPeek) == 0 {
		return
	}
	d := q.Add()
	*d = cq.Entry{Context: ctx, Flags: kind | m.Flags, Len: m.Len, Data: m.Data, Tag: m.Tag, Src: m.From.(*Peer).Addr}
	q.Publish()
}

func (e *Endpoint) peekMiss(ctx any, kind fi.CompFlags, tag uint64) {
	if e.RxCQ != nil {
		e.RxCQ.AddErr(cq.ErrEntry{Entry: cq.Entry{Context: ctx, Flags: kind, Tag: tag, Src: fi.AddrNotAvail},
			Err: fi.ErrNoMsg, Text: explain(fi.ErrNoMsg, kind, 0, 0)})
	}
}

// drop throws a message away that was removed from the queue.
func (x *Rx) drop(q *match.Queue, m *match.Msg) {
	p := m.From.(*Peer)
	if announced(m) {
		p.Wire.Discard([3]uint64(m.Token[:3]))
	} else if ack := ackOf(m); ack != 0 {
		p.Wire.Ack(ack)
	}
	q.Free(m)
	if len(x.held) > 0 {
		x.resume()
	}
}

// Cancel ends the oldest posted receive with that context (fi_cancel).
func (x *Rx) Cancel(ctx any) error {
	x.eng.Lock()
	defer x.eng.Unlock()
	return x.Revoke(ctx)
}

// Revoke is Cancel with the lock held.
func (x *Rx) Revoke(ctx any) error {
	for _, q := range [...]*match.Queue{&x.Tag, &x.Msg} {
		if r := q.Cancel(ctx); r != nil {
			x.canceled(q, r, "")
			return nil
		}
	}
	return fi.ErrNoEnt
}

// canceled completes a receive that was taken out of the queue. A multi-receive into which transfers run is given back
// by the last of these.
func (x *Rx) canceled(q *match.Queue, r *match.Recv, text string) {
	kind, ctx, fl, tag, multi := KindRecv, r.Ctx, r.Flags, r.Tag(), r.Multi()
	if q == &x.Tag {
		kind = KindTRecv
	}
	released := q.Done(r)
	if multi && !released {
		return
	}
	if multi {
		kind |= fi.CompMultiRecv
	}
	if x.ep != nil {
		x.ep.recvFail(ctx, fl, kind, 0, 0, nil, 0, tag, fi.AddrNotAvail, fi.ErrCanceled, text)
	}
}

func (x *Rx) each(f func(q *match.Queue)) {
	f(&x.Msg)
	f(&x.Tag)
}

// Drain completes every posted receive with fi.ErrCanceled and drops every message: the endpoint closes. Of a shared
// context only the messages go that came to this endpoint. With the lock.
func (e *Endpoint) Drain() {
	x := e.Rx
	own := x.ep == e
	x.closed = x.closed || own
	x.each(func(q *match.Queue) {
		if own {
			q.Drain(func(r *match.Recv) { x.canceled(q, r, "") })
		}
		q.EachMessage(func(m *match.Msg) bool {
			if m.From.(*Peer).EP == e {
				q.Free(m)
			}
			return true
		})
	})
}

// CancelReceives completes the receives that are posted at an endpoint whose connection has ended with fi.ErrCanceled.
// Messages that have arrived stay for receives to come, those of a shared context stay posted. A provider calls it when
// the connection ends, and again after each receive that is posted later: one that finds a message completes with it, one
// that finds none ends here. With the lock.
func (e *Endpoint) CancelReceives() {
	x := e.Rx
	if x.ep != e {
		return
	}
	x.each(func(q *match.Queue) {
		if q.Posted() > 0 {
			q.Drain(func(r *match.Recv) { x.canceled(q, r, "the connection has ended") })
		}
	})
}

// Close ends a shared context: posted receives are dropped.
func (x *Rx) Close() error {
	x.eng.Lock()
	defer x.eng.Unlock()
	x.closed = true
	x.each(func(q *match.Queue) { q.Drain(func(r *match.Recv) { q.Done(r) }) })
	return nil
}
