package fabric

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// workItem is an operation that waits for a counter, or that has begun because of one. The domain's lock guards it.
type workItem struct {
	threshold, seq uint64
	list           *waitlist // it is queued there, at place at
	at             int

	core *epCore // nil for operations on counters
	work driver.Work
	user any // the context that was given

	target *Counter // of operations on counters
	value  uint64
	set    bool

	on, done *Counter      // the triggering counter, and the one that counts the end; nil for none
	of       *DeferredWork // nil for triggered operations

	count    bool // the endpoint's counters count it
	entry    bool // a success is written to the endpoint's queue
	reserved bool // and has a place there
	direct   bool // it is a receive like others when it has begun: the provider completes it
}

// counters calls f for the counters that must stay open as long as the item is there.
func (w *workItem) counters(f func(c *Counter)) {
	for _, c := range [...]*Counter{w.on, w.done, w.target} {
		if c != nil {
			f(c)
		}
	}
}

// inOrder are the items of an endpoint, as they were queued. With the lock.
func (c *epCore) inOrder() []*workItem {
	return slices.SortedFunc(maps.Keys(c.works), func(a, b *workItem) int { return cmp.Compare(a.seq, b.seq) })
}

// leave takes the item out of the books.
func (w *workItem) leave() {
	w.counters(func(c *Counter) { c.works-- })
	if w.core != nil {
		delete(w.core.works, w)
	}
}

// begin does what the item stands for. Nothing of the provider is under way.
func (w *workItem) begin() {
	switch {
	case w.core == nil:
		w.leave()
		if w.set {
			w.target.c.Set(w.value)
		} else {
			w.target.c.Add(w.value)
		}
	case w.direct && w.core.issuer.Issue(&w.work) == nil:
		w.leave()
	default: // errors come back as calls of Done
		w.work.Context = w
		w.work.Flags = w.work.Flags&^fi.OpCompletion | driver.OpNotify
		w.core.domain.eng.Issue(w.core.issuer, &w.work)
	}
}

// drop ends a queued item as if it had never been.
func (w *workItem) drop() {
	w.list.remove(w)
	w.leave()
	if w.reserved {
		w.core.b.TxCQ.Release()
	}
}

// cancel ends a queued item with an error.
func (w *workItem) cancel(text string) {
	w.list.remove(w)
	w.core.unbegun.Fail(w.work.Kind.OpKind())
	w.Done(cq.ErrEntry{Entry: cq.Entry{Flags: w.work.Kind.Completion(), Tag: w.work.Tag, Src: fi.AddrNotAvail},
		Err: fi.ErrCanceled, Text: text})
}

// withdraw is cancel for an item that has begun and waits for room; false when it does not.
func (w *workItem) withdraw(text string) bool {
	if !w.core.domain.eng.Withdraw(w, text) {
		return false
	}
	w.core.unbegun.Fail(w.work.Kind.OpKind())
	return true
}

// Done reports the end of an operation: to the counter that counts it, and to its endpoint if that was asked for, or if it
// is an error.
func (w *workItem) Done(c cq.ErrEntry) {
	w.leave()
	c.Context = w.user
	if c.Err != 0 && c.Text == driver.RefusedLater {
		w.core.unbegun.Fail(w.work.Kind.OpKind())
		c.Text += ": " + w.core.meaning(c.Err)
	}
	if w.done != nil {
		tally(w.done.c, c.Err, c.Len)
	}
	b := &w.core.b
	own := epCounter(b, c.Flags)
	if w.count && own != nil && (w.done == nil || own != w.done.c) {
		tally(own, c.Err, c.Len)
	}
	if w.work.Kind.Receives() {
		w.report(b.RxCQ, &c)
	} else {
		w.report(b.TxCQ, &c)
	}
}

// report writes the entry of an operation that has ended.
func (w *workItem) report(q *cq.Queue, c *cq.ErrEntry) {
	if q == nil || c.Err == 0 && !w.entry {
		return
	}
	if c.Err == 0 && c.ErrData != nil {
		c.Err, c.Text = fi.ErrAddrNotAvail, driver.UnknownSender
	}
	switch {
	case c.Err != 0 && w.reserved:
		q.PutErr(*c)
	case c.Err != 0:
		q.AddErr(*c)
	case w.reserved:
		q.Put(c.Context, c.Flags, c.Len, c.Tag)
	default:
		*q.Add() = c.Entry
		q.Publish()
	}
}

func tally(c *cq.Counter, err fi.Errno, n int) {
	if err != 0 {
		c.Fail()
	} else {
		c.Done(n)
	}
}

// epCounter is the counter of an endpoint for an operation of ours.
func epCounter(b *driver.Bindings, kind fi.CompFlags) *cq.Counter {
	switch {
	case kind&fi.CompSend != 0:
		return b.CntSend
	case kind&fi.CompRecv != 0:
		return b.CntRecv
	case kind&fi.CompWrite != 0:
		return b.CntWrite
	}
	return b.CntRead
}

var _ driver.Notified = (*workItem)(nil)
