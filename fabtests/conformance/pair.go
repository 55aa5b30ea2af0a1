package conformance

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// pair is two sides that know each other.
type pair struct {
	t    *test
	a, b *side
}

// opts are a side's options with the cell's settings.
func (t *test) opts(caps fi.Caps, change ...func(*openOpts)) openOpts {
	o := openOpts{Set: t.cell.set, Caps: caps}
	if t.cell.untags(t.tc) {
		o.Caps = caps&^tagged | msg
	}
	for _, f := range change {
		f(&o)
	}
	return o
}

// pair opens two sides with the capabilities of the case.
func (t *test) pair(change ...func(*openOpts)) *pair {
	s := t.open(2, change...)
	return &pair{t, s[0], s[1]}
}

// open opens n sides that all know each other and themselves.
func (t *test) open(n int, change ...func(*openOpts)) []*side {
	var out []*side
	for range n {
		out = append(out, t.newSide(t.opts(t.tc.need, change...)))
	}
	for _, s := range out {
		for _, p := range out {
			s.insert(p)
		}
	}
	return out
}

// pump takes what has completed on every side; with automatic progress, whose sides need no pumping for each other, it
// is used where everybody is waited for.
func (t *test) pump() {
	for _, s := range t.sides {
		s.poll()
	}
	runtime.Gosched()
}

// until pumps the sides that matter until f is true. With automatic progress only these are polled: the others must be
// driven by the library.
func (t *test) until(what string, f func() bool, sides ...*side) {
	if !t.cell.automatic() || len(sides) == 0 {
		sides = t.sides
	}
	end := time.Now().Add(t.patience)
	for !f() {
		for _, s := range sides {
			s.poll()
		}
		if f() {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("did not happen within %v: %s", t.patience, what)
		}
		runtime.Gosched()
	}
}

// wait waits until all operations have completed, and checks that they succeeded.
func (t *test) wait(ops ...*op) {
	t.settle(ops...)
	for _, o := range ops {
		for i := range o.comps {
			if c := &o.comps[i]; c.Err != 0 {
				o.claimed = true
				t.Fatalf("side %d: %s failed: %v", o.s.index, o.call.Form, c)
			}
		}
	}
}

// settle waits until all operations have completed in whatever way.
func (t *test) settle(ops ...*op) {
	sides := map[*side]bool{}
	for _, o := range ops {
		sides[o.s] = true
	}
	var list []*side
	for _, s := range t.sides {
		if sides[s] {
			list = append(list, s)
		}
	}
	all := func() bool {
		for _, o := range ops {
			if !o.done() {
				return false
			}
		}
		return true
	}
	end := time.Now().Add(t.patience)
	if !t.cell.automatic() {
		list = t.sides
	}
	for !all() {
		for _, s := range list {
			s.poll()
		}
		if time.Now().After(end) && !all() {
			missing, count := "", 0
			for _, o := range ops {
				if o.done() {
					continue
				}
				if count++; count <= 3 {
					missing += fmt.Sprintf(" %s of side %d (%d bytes)", o.call.Form, o.s.index, o.call.N)
				}
			}
			t.Fatalf("not completed within %v: %d of %d operations:%s", t.patience, count, len(ops), missing)
		}
		runtime.Gosched()
	}
}

// fails waits until an operation has completed, with the given error.
func (t *test) fails(o *op, want ...fi.Errno) *comp {
	o.claimed = true
	if o.expect == 0 { // a silent one: only its error comes
		o.expect, o.maybe = 1, 0
	}
	t.settle(o)
	c := o.last()
	if slices.Contains(want, c.Err) {
		return c
	}
	t.Errorf("%s completed with %v, want error %v", o.call.Form, c, want)
	return c
}

// got checks a receive that has completed against the send that it must have matched.
func (t *test) got(r, s *op) {
	if len(r.comps) == 0 {
		t.Fatalf("%s has not completed", r.call.Form)
	}
	t.message(r, r.last(), &s.call)
}

// described checks what a completed receive says beside its length, and returns it: it is the same for an error.
func (t *test) described(r *op, c *comp, sent *call) (tag, data uint64) {
	want := fi.CompRecv | fi.CompMsg
	if r.call.Form[0] == 't' {
		want, tag = fi.CompRecv|fi.CompTagged, sent.Tag
	}
	if sent.withData() {
		want |= fi.CompRemoteCQData
		data = sent.Data
	}
	if got := c.Flags &^ fi.CompMultiRecv; got != want {
		t.Errorf("%s: flags %v, want %v", r.call.Form, got, want)
	}
	if c.Tag != tag || c.Data != data {
		t.Errorf("%s: tag %#x data %#x, want %#x, %#x", r.call.Form, c.Tag, c.Data, tag, data)
	}
	return tag, data
}

// message checks a completed receive against a sending call.
func (t *test) message(r *op, c *comp, sent *call) {
	tag, data := t.described(r, c, sent)
	if c.Len != sent.N {
		t.Errorf("%s: len %d, want %d", r.call.Form, c.Len, sent.N)
	}
	if c.Len != sent.N || c.Tag != tag || c.Data != data {
		return
	}
	if c.Bytes == nil && sent.N > 0 {
		off := max(c.Off, 0)
		c.Bytes = r.s.do(&request{Verb: vBytes, ID: r.id, Off: off, N: c.Len}).Bytes
	}
	diff := ""
	if sent.Bytes != nil {
		diff = firstDiff(c.Bytes, sent.Bytes)
	} else {
		diff = differs(c.Bytes, sent.Seed, 0)
	}
	if diff != "" {
		t.Errorf("%s of %d bytes (sent by %s): %s", r.call.Form, sent.N, sent.Form, diff)
	}
}

// withData tells whether the call carries data for the peer's completion.
func (c *call) withData() bool {
	switch c.Form {
	case "senddata", "injectdata", "tsenddata", "tinjectdata", "writedata", "inject_writedata":
		return true
	}
	return c.Flags&fi.OpRemoteCQData != 0
}

// exchange sends one message whose receive is posted before, and checks everything.
func (p *pair) exchange(send, recv call) {
	r := p.b.recv(recv)
	s := p.a.to(p.b, send)
	p.t.wait(s, r)
	p.t.got(r, s)
}

// event waits for a completion at s that a peer caused, and takes it.
func (t *test) event(s *side) comp {
	t.until("a completion of what a peer did", func() bool { return len(s.events) > 0 }, s)
	c := s.events[0]
	s.events = s.events[1:]
	return c
}

// cancel asks to cancel an operation.
func (o *op) cancel() error {
	r := o.s.do(&request{Verb: vCancel, ID: o.id, EP: o.call.EP})
	return r.err()
}

// flush waits until everything that a has sent to b so far has arrived at b: a message arrives behind it.
func (p *pair) flush() { p.t.flush(p.a, p.b) }

func (t *test) flush(a, b *side) {
	form := "tsend"
	if a.opts.Caps&fi.CapTagged == 0 {
		form = "send"
	}
	r := b.recv(call{Form: map[string]string{"send": "recv", "tsend": "trecv"}[form], N: 8, Tag: flushTag})
	s := a.to(b, call{Form: form, N: 8, Tag: flushTag, Seed: flushTag})
	t.wait(r, s)
	t.got(r, s)
}

const flushTag = 0xF1F1F1F1F1F1F1F1

// isErr tells whether err is want, for tables.
func isErr(err error, want fi.Errno) bool {
	if want == 0 {
		return err == nil
	}
	return errors.Is(err, want)
}
