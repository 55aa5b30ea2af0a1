package stress

import (
	"context"
	"errors"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// drain reads a queue until it is empty, and tells whether there was anything. wait is how long it may sleep for it.
func (n *node) drain(q *fabric.CQ, wait time.Duration) (busy bool) {
	var entries [16]cq.Entry
	for !n.stop.Load() {
		var got int
		var err error
		if wait > 0 {
			ctx, cancel := context.WithTimeout(context.Background(), wait)
			got, err = q.SRead(ctx, entries[:])
			cancel()
			wait = 0
		} else {
			got, err = q.Read(entries[:])
		}
		for i := range entries[:max(0, got)] {
			n.moved.Add(1)
			n.entry(&entries[i], nil)
			busy = true
		}
		switch {
		case err == nil:
		case errors.Is(err, fi.ErrAgain):
			return busy
		case errors.Is(err, fi.ErrAvail):
			var e cq.ErrEntry
			switch err := q.ReadErr(&e); {
			case err == nil:
				n.moved.Add(1)
				n.entry(&e.Entry, &e)
				busy = true
			case !errors.Is(err, fi.ErrAgain): // another thread was faster
				n.fail(nil, "", "reading an error completion: %v", err)
			}
		default:
			n.fail(nil, "", "reading a queue: %v", err)
		}
	}
	return busy
}

// drainAll reads all queues.
func (n *node) drainAll() {
	for _, q := range n.queues {
		n.drain(q, 0)
	}
}

// idle drives the domain while other ranks are waited for.
func (n *node) idle() {
	n.drainAll()
	time.Sleep(20 * time.Microsecond) // they may need the processor
}

// entry takes one completion; bad is not nil for one in error.
func (n *node) entry(e *cq.Entry, bad *cq.ErrEntry) {
	if e.Context == nil && bad == nil {
		n.remoteEntry(e)
		return
	}
	o, ok := e.Context.(*op)
	if !ok {
		n.fail(nil, "", "a completion with a context that nobody gave: %v %v (error: %v)", e.Context, e.Flags, bad)
		return
	}
	if o.what == opSend {
		t := o.p.tx
		t.mu.Lock()
		twice := o.done || !o.posted
		o.done = true
		t.mu.Unlock()
		switch want := txFlags(n, o.s); {
		case twice:
			n.fail(o.s, "", "it completed more often than it was posted (%v, error %v)", e.Flags, bad)
		case bad != nil:
			n.fail(o.s, "", "it failed: %v", bad)
		case e.Flags&want != want:
			n.fail(o.s, "", "its completion has the flags %v, not %v", e.Flags, want)
		default:
			t.complete(o)
		}
		return
	}
	o.p.rx.complete(o, e, bad)
}

// txFlags are what the completion of a transmit must say.
func txFlags(n *node, s *step) fi.CompFlags {
	switch s.Kind {
	case sendMsg:
		return fi.CompMsg | fi.CompSend
	case sendTagged:
		return fi.CompTagged | fi.CompSend
	case write:
		return fi.CompRMA | fi.CompWrite
	case read:
		return fi.CompRMA | fi.CompRead
	}
	if n.kindOf(s).fetches {
		return fi.CompAtomic | fi.CompRead
	}
	return fi.CompAtomic | fi.CompWrite
}

// remoteEntry takes the completion of a peer's write with data.
func (n *node) remoteEntry(e *cq.Entry) {
	n.mu.Lock()
	s := n.data[e.Data]
	delete(n.data, e.Data)
	n.mu.Unlock()
	const want = fi.CompRMA | fi.CompRemoteWrite | fi.CompRemoteCQData
	switch {
	case s == nil:
		n.fail(nil, "", "a completion that no operation here explains: %v, %d bytes, data %#x", e.Flags, e.Len, e.Data)
	case e.Flags&want != want || e.Len != s.Size:
		n.fail(s, "", "the data of a write came with %v and %d bytes, not %v and %d", e.Flags, e.Len, want, s.Size)
	default:
		n.finished(s)
	}
}

// finished notes that this rank is done with a step.
func (n *node) finished(*step) {
	n.left.Add(-1)
	n.moved.Add(1)
}
