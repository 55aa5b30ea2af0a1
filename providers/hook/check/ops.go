package check

import (
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/hook/wrap"
)

// Posting looks at an operation before it is handed on, and takes it into the air: it may complete at once.
func (c *checker) Posting(o *wrap.Op) {
	o.Note = nil
	if !o.Completes() {
		return
	}
	f := &flight{n: o.N, api: o.API, place: wrap.Here()}
	reads, writes := buffers(o)
	if !o.API.Receives() && o.Flags&fi.OpInject == 0 {
		if len(writes) == 0 { // a result may go where the operand was
			f.sent, f.sum = reads, sum(reads)
		}
		f.descs = slices.Clone(o.Desc)
	}
	if o.API >= wrap.Write {
		f.peer, f.keys = o.Addr, []uint64{o.Remote.Key}
		for _, v := range o.RMAIov {
			f.keys = append(f.keys, v.Key)
		}
	}
	var found []finding
	c.mu.Lock()
	if f.ep = c.eps[o.EP]; f.ep == nil { // of an endpoint that is closing
		c.mu.Unlock()
		return
	}
	if text := f.ep.unheard(o); text != "" {
		found = append(found, finding{kind: Bind, place: f.place, text: text})
	}
	if comparableContext(o.Context) {
		if old := c.contexts[o.Context]; old != nil {
			found = append(found, finding{Context, f.place, "context reused while OPERATION: give each operation a context of its own until its completion is there", old})
		} else {
			f.context = o.Context
			c.contexts[f.context] = f
		}
	}
	if o.Flags&fi.OpInject == 0 {
		for _, b := range writes {
			if old := c.spans.conflict(b, true); old != nil {
				found = append(found, finding{Overlap, f.place, fmt.Sprintf("%v is given a buffer to fill while OPERATION with a part of it: give each operation a buffer of its own until its completion is there", o.API), old})
				break
			}
		}
		for _, b := range reads {
			if old := c.spans.conflict(b, false); old != nil {
				found = append(found, finding{Overlap, f.place, fmt.Sprintf("%v is given a buffer to send while OPERATION and fills a part of it: wait for its completion first", o.API), old})
				break
			}
		}
		for _, b := range writes {
			f.spans = c.spans.add(f.spans, b, f, true)
		}
		for _, b := range reads {
			f.spans = c.spans.add(f.spans, b, f, false)
		}
	}
	f.ep.flights.add(f)
	o.Note = f
	c.mu.Unlock()
	c.tell(found)
}

// buffers are what the operation reads and what it writes.
func buffers(o *wrap.Op) (reads, writes [][]byte) {
	buf := slices.Clone(o.Iov)
	if o.Buf != nil {
		buf = [][]byte{o.Buf}
	}
	if o.API.Receives() || o.API == wrap.Read || o.API == wrap.ReadMsg {
		return nil, buf
	}
	reads, writes = append(buf, o.CompareIov...), slices.Clone(o.ResultIov)
	if o.Compare != nil {
		reads = append(reads, o.Compare)
	}
	if o.Result != nil {
		writes = append(writes, o.Result)
	}
	return reads, writes
}

// unheard says that nothing would tell of an operation's end; empty when something does.
func (e *endpoint) unheard(o *wrap.Op) string {
	b := e.b
	if b == nil {
		return ""
	}
	queue, counter, bind, count := b.TxCQ, b.CntSend, "fi.BindTransmit", "fi.CountSend"
	switch {
	case o.API.Receives():
		queue, counter, bind, count = b.RxCQ, b.CntRecv, "fi.BindRecv", "fi.CountRecv"
	case o.API == wrap.Read || o.API == wrap.ReadMsg || o.API >= wrap.FetchAtomic:
		counter, count = b.CntRead, "fi.CountRead"
	case o.API >= wrap.Write:
		counter, count = b.CntWrite, "fi.CountWrite"
	}
	if queue != nil || counter != nil {
		return ""
	}
	return fmt.Sprintf("nothing would tell when this %v is done: call BindCQ with %s, or BindCounter with %s, before Enable", o.API, bind, count)
}

// Posted forgets an operation that was refused.
func (c *checker) Posted(o *wrap.Op, err error) {
	if f, ok := o.Note.(*flight); ok && err != nil {
		c.mu.Lock()
		c.forget(f)
		c.mu.Unlock()
	}
}

// forget takes an operation out of the air; c.mu is held.
func (c *checker) forget(f *flight) {
	if f.context != nil {
		delete(c.contexts, f.context)
		f.context = nil
	}
	for _, s := range f.spans {
		c.spans.remove(s)
	}
	f.spans = nil
	f.ep.flights.remove(f)
}

// Completed compares what was sent, and looks how much waits to be read. With the domain's lock.
func (c *checker) Completed(o *wrap.Op, done *wrap.Completion) {
	var f *flight
	if o != nil {
		f, _ = o.Note.(*flight)
	}
	c.mu.Lock()
	e := c.eps[done.EP]
	full := false
	if q := done.Queue; e != nil && q != nil && !e.quiet {
		unread := q.Len() + 1
		if q.Size() >= 64 {
			full = unread >= q.Size()-q.Size()/8
		} else {
			full = unread > q.Size()
		}
		e.quiet = full
	}
	ended := f != nil && (!o.Multi() || done.Entry.Flags&fi.CompMultiRecv != 0)
	changed := ended && !done.IsErr && f.sent != nil && sum(f.sent) != f.sum
	if ended {
		c.forget(f)
	}
	c.mu.Unlock()
	var place wrap.Place
	if f != nil {
		place = f.place
	}
	if changed {
		c.tellLater(finding{kind: Changed, place: place, text: fmt.Sprintf("the buffer of this %v (operation %d) was changed before its completion: what the peer got is not certain; leave it alone until then", f.api, f.n)})
	}
	if full {
		c.tellLater(finding{kind: Undrained, place: place, text: fmt.Sprintf("%d completions wait in a queue for %d, and nobody reads them: read the queue, or open a larger one (CQAttr.Size)",
			done.Queue.Len()+1, done.Queue.Size())})
	}
}
