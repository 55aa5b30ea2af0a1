package device

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fi"
)

type lateKind uint8

const (
	lateSend lateKind = iota
	lateMatched
	lateDelivered
	lateRecv
	latePeek
	lateClaim
	lateClaimed
)

// late is an operation that the endpoint had no room for.
type late struct {
	kind              lateKind
	op                *Op
	buf               []byte
	peer              int
	tag, ignore, data uint64
}

// receives tells on which side of the endpoint it is.
func (l *late) receives() bool { return l.kind >= lateRecv }

// post hands it to the endpoint. It leaves the operation's state alone: somebody may sleep on it.
func (l *late) post(d *Device) error {
	op := l.op
	if l.kind == lateSend {
		return d.send(op, l.buf, d.addrs[l.peer], l.tag, l.data)
	}
	g := generals.Get().(*general)
	defer g.release()
	g.iov[0] = l.buf
	g.msg = fi.TaggedMsg{Iov: g.iov[:], Tag: l.tag, Ignore: l.ignore, Context: op, Data: l.data}
	var err error
	if l.receives() {
		g.msg.Addr = d.from(l.peer)
		var flags fi.OpFlags
		switch l.kind {
		case latePeek:
			g.msg.Iov, flags = nil, fi.OpPeek
		case lateClaim:
			g.msg.Iov, flags = nil, fi.OpPeek|fi.OpClaim
		case lateClaimed:
			flags = fi.OpClaim
		}
		err = d.ep.TRecvMsg(&g.msg, flags|fi.OpCompletion)
	} else {
		g.msg.Addr = d.addrs[l.peer]
		flags := fi.OpMatchComplete | fi.OpCompletion
		if l.kind == lateDelivered {
			flags = fi.OpDeliveryComplete | fi.OpCompletion
		}
		if l.data != 0 {
			flags |= fi.OpRemoteCQData
		}
		d.sends.Add(1)
		if err = d.ep.TSendMsg(&g.msg, flags); err != nil {
			d.sends.Add(-1)
		}
	}
	return err
}

// general is a message of the general form, which the endpoint has read when the call returns.
type general struct {
	msg fi.TaggedMsg
	iov [1][]byte
}

var generals = sync.Pool{New: func() any { return new(general) }}

func (g *general) release() {
	*g = general{}
	generals.Put(g)
}

// backlog holds what the endpoint had no room for, in order. While it holds anything everything goes through it, so that
// nothing overtakes. Sends to a peer that takes nothing do not hold up those to others.
type backlog struct {
	n       atomic.Int32
	pushing atomic.Bool
	mu      sync.Mutex
	lines   []late
}

//fabric:fastpath
func (b *backlog) empty() bool { return b.n.Load() == 0 }

func (b *backlog) add(d *Device, l late) error {
	if l.op == nil {
		l.buf = slices.Clone(l.buf)
	}
	b.mu.Lock()
	b.lines = append(b.lines, l)
	b.n.Store(int32(len(b.lines)))
	b.mu.Unlock()
	b.push(d)
	return nil
}

// push makes sure that somebody flushes: whoever waits does, but nobody may wait, and who sleeps until something completes
// does not notice.
func (b *backlog) push(d *Device) {
	if b.pushing.Swap(true) {
		return
	}
	d.back.left.Go(func() {
		for wait := 20 * time.Microsecond; d.back.ctx.Err() == nil; wait = min(2*wait, time.Millisecond) {
			d.Poll()
			if b.empty() {
				b.pushing.Store(false)
				if b.empty() || b.pushing.Swap(true) {
					return
				}
			}
			pause(d.back.ctx, wait)
		}
	})
}

// flush posts what there is room for now. It is called with the token.
func (b *backlog) flush(d *Device) {
	b.mu.Lock()
	var over []*Op
	full := map[int]bool{} // peers that take nothing more; AnyPeer stands for the receives, which keep one order
	kept := b.lines[:0]
	for _, l := range b.lines {
		line := l.peer
		if l.receives() {
			line = AnyPeer
		}
		if full[line] {
			kept = append(kept, l)
			continue
		}
		switch err := l.post(d); {
		case err == fi.ErrAgain: //nolint:errorlint // documented: a bare value
			full[line] = true
			kept = append(kept, l)
		case err != nil && l.op != nil:
			l.op.Err = err
			over = append(over, l.op)
		}
	}
	clear(b.lines[len(kept):])
	b.lines = kept
	b.n.Store(int32(len(kept)))
	b.mu.Unlock()
	for _, op := range over {
		op.complete()
	}
}

// cancel takes an operation out.
func (b *backlog) cancel(op *Op) bool {
	if b.empty() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.lines, func(l late) bool { return l.op == op })
	if i < 0 {
		return false
	}
	b.lines = slices.Delete(b.lines, i, i+1)
	b.n.Store(int32(len(b.lines)))
	return true
}
