package conformance

import (
	"time"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("peek",
	testCase{name: "peek", need: tagged, kind: core, run: peekOnly},
	testCase{name: "source", need: tagged | fi.CapSource, run: peekSource},
	testCase{name: "claim", need: tagged, run: claim},
	testCase{name: "discard", need: tagged, run: discard},
	testCase{name: "posted-first", need: tagged, run: peekPosted},
	testCase{name: "large", need: tagged, run: peekLarge},
	testCase{name: "selective", need: tagged, run: peekSelective},
	testCase{name: "refused", need: tagged, run: peekRefused},
)

// peek looks and gives the completion, which the caller checks; want 0 is a hit.
func (s *side) peek(c call, want fi.Errno) (*op, *comp) {
	c.Form, c.Flags = "trecvmsg", c.Flags|fi.OpPeek
	o := s.recv(c)
	if want == 0 {
		s.t.wait(o)
	} else {
		s.t.fails(o, want)
	}
	return o, o.last()
}

// hit peeks until the message is there: nothing tells when it has arrived.
func (s *side) hit(c call) (*op, *comp) {
	for end := time.Now().Add(s.t.patience); ; {
		if time.Now().After(end) {
			s.t.Fatalf("a peek has not found the message within %v", s.t.patience)
		}
		o, err := s.try(call{Form: "trecvmsg", N: c.N, Tag: c.Tag, Ignore: c.Ignore, Flags: c.Flags | fi.OpPeek, To: anyone})
		s.t.check(err)
		o.claimed = true
		s.t.settle(o)
		if o.last().Err == 0 {
			return o, o.last()
		}
		if o.last().Err != fi.ErrNoMsg {
			s.t.Fatalf("peek: %v", o.last())
		}
		s.t.pump()
	}
}

func (t *test) metadata(c *comp, sent *call, src fi.Addr) {
	if c.Len != sent.N || c.Tag != sent.Tag || c.Data != sent.Data || c.Flags&fi.CompTagged == 0 || c.Flags&fi.CompRecv == 0 {
		t.Errorf("peek: %v tag %#x data %#x, want len %d tag %#x data %#x", c, c.Tag, c.Data, sent.N, sent.Tag, sent.Data)
	}
	if t.tc.need&fi.CapSource != 0 && c.Src != src {
		t.Errorf("peek: source %d, want %d", c.Src, src)
	}
}

// peekOnly looks at messages without taking them.
func peekOnly(t *test) {
	p := t.pair()
	if _, c := p.b.peek(call{Tag: 1}, fi.ErrNoMsg); c.Flags&fi.CompTagged == 0 {
		t.Errorf("a miss: %v", c)
	}
	s := p.a.to(p.b, call{Form: "tsenddata", N: 33, Tag: 0x77, Data: 12345, Seed: 4})
	_, c := p.b.hit(call{Tag: 0x70, Ignore: 0xf})
	t.metadata(c, &s.call, p.b.addr(p.a))
	p.b.peek(call{Tag: 0x70, Ignore: 0x3}, fi.ErrNoMsg)
	for range 3 { // it stays
		_, c = p.b.peek(call{Tag: 0x77}, 0)
		t.metadata(c, &s.call, p.b.addr(p.a))
	}
	r := p.b.recv(call{Form: "trecv", N: 33, Tag: 0x77})
	t.wait(s, r)
	t.got(r, s)
	p.b.peek(call{Tag: 0x77}, fi.ErrNoMsg)
}

// peekSource sees that a peek names the sender, as the receive does.
func peekSource(t *test) {
	s := t.open(3)
	for i, n := range []int{8, 9000, 100000} {
		for k, a := range s[1:] {
			o := a.to(s[0], call{Form: "tsend", N: n, Tag: uint64(10*i + k), Seed: 1})
			for _, flags := range []fi.OpFlags{0, fi.OpDiscard} {
				_, c := s[0].hit(call{Tag: o.call.Tag, Flags: flags})
				t.metadata(c, &o.call, s[0].addr(a))
			}
			t.wait(o)
		}
	}
}

// claim reserves a message: nobody else gets it, and the claimer does.
func claim(t *test) {
	p := t.pair()
	for _, n := range []int{0, 20, 5000, 100000} {
		s1 := p.a.to(p.b, call{Form: "tsend", N: n, Tag: 5, Seed: 1})
		s2 := p.a.to(p.b, call{Form: "tsend", N: n, Tag: 5, Seed: 2})
		first, c := p.b.hit(call{N: n, Tag: 5, Flags: fi.OpClaim})
		t.metadata(c, &s1.call, p.b.addr(p.a))
		r2 := p.b.recv(call{Form: "trecv", N: n, Tag: 5}) // the second message
		t.wait(r2, s2)
		t.got(r2, s2)
		p.b.peek(call{Tag: 5}, fi.ErrNoMsg)
		again, err := p.b.try(call{Form: "trecvmsg", N: n, Tag: 5, Flags: fi.OpClaim, To: anyone, CtxOf: first.id})
		t.check(err)
		t.wait(again, s1)
		t.got(again, s1)
	}
	// Two claims with one context are taken in their order.
	s1 := p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 1, Seed: 1})
	s2 := p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 2, Seed: 2})
	first, _ := p.b.hit(call{N: 8, Tag: 1, Flags: fi.OpClaim})
	t.until("the second message", func() bool {
		o, err := p.b.try(call{Form: "trecvmsg", N: 8, Tag: 2, Flags: fi.OpPeek | fi.OpClaim, To: anyone, CtxOf: first.id})
		t.check(err)
		t.settle(o)
		o.claimed = true
		return o.last().Err == 0
	}, p.b)
	for _, s := range []*op{s1, s2} {
		o, err := p.b.try(call{Form: "trecvmsg", N: 8, Flags: fi.OpClaim, To: anyone, CtxOf: first.id})
		t.check(err)
		t.wait2(o, s)
		t.got(o, s)
	}
}

// wait2 waits for operations of which some failed before, as the case knows.
func (t *test) wait2(ops ...*op) {
	t.settle(ops...)
	for _, o := range ops {
		if c := o.last(); c.Err != 0 {
			t.Fatalf("side %d: %s failed: %v", o.s.index, o.call.Form, c)
		}
	}
}

// discard drops messages, at a peek and after a claim; their senders complete all the same.
func discard(t *test) {
	p := t.pair()
	for _, n := range []int{8, 3000, 200000} {
		gone := p.a.to(p.b, call{Form: "tsend", N: n, Tag: 9, Seed: 1})
		stays := p.a.to(p.b, call{Form: "tsend", N: n, Tag: 9, Seed: 2})
		_, c := p.b.hit(call{Tag: 9, Flags: fi.OpDiscard})
		t.metadata(c, &gone.call, p.b.addr(p.a))
		r := p.b.recv(call{Form: "trecv", N: n, Tag: 9})
		t.wait(gone, stays, r)
		t.got(r, stays)

		gone = p.a.to(p.b, call{Form: "tsendmsg", N: n, Tag: 9, Seed: 3, Flags: fi.OpMatchComplete})
		first, _ := p.b.hit(call{Tag: 9, Flags: fi.OpClaim})
		o, err := p.b.try(call{Form: "trecvmsg", Tag: 9, Flags: fi.OpClaim | fi.OpDiscard, To: anyone, CtxOf: first.id})
		t.check(err)
		t.wait2(o, gone)
		p.b.peek(call{Tag: 9}, fi.ErrNoMsg)
	}
}

// peekPosted sees that a posted receive goes before a later peek.
func peekPosted(t *test) {
	p := t.pair()
	r := p.b.recv(call{Form: "trecv", N: 8, Tag: 3})
	s := p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 3, Seed: 1})
	t.wait(r, s)
	t.got(r, s)
	p.b.peek(call{Tag: 3}, fi.ErrNoMsg)
}

// peekLarge sees the whole length of a message whose data is still at the sender.
func peekLarge(t *test) {
	p := t.pair()
	s := p.a.to(p.b, call{Form: "tsend", N: 1 << 20, Tag: 3, Seed: 8})
	_, c := p.b.hit(call{Tag: 3})
	if c.Len != 1<<20 {
		t.Errorf("peek at 1 MiB: len %d", c.Len)
	}
	r := p.b.recv(call{Form: "trecv", N: 1 << 20, Tag: 3})
	t.wait(r, s)
	t.got(r, s)
}

// peekSelective sees that a peek reports its hit though successes are silent: the report is all that it is for.
func peekSelective(t *test) {
	p := t.pair(func(o *openOpts) { o.SelRx = true })
	s := p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 3, Seed: 1})
	_, c := p.b.hit(call{Tag: 3})
	t.metadata(c, &s.call, p.b.addr(p.a))
	r := p.b.recv(call{Form: "trecvmsg", N: 8, Tag: 3, Flags: fi.OpCompletion})
	t.wait(r, s)
	t.got(r, s)
}

// peekRefused asks for what makes no sense.
func peekRefused(t *test) {
	p := t.pair()
	p.b.refuse(call{Form: "trecvmsg", Flags: fi.OpDiscard, To: anyone}, fi.ErrInvalid)
	p.b.refuse(call{Form: "trecvmsg", N: 8, Flags: fi.OpClaim, To: anyone}, fi.ErrNoMsg)
	p.b.refuse(call{Form: "trecvmsg", Flags: fi.OpClaim | fi.OpDiscard, To: anyone}, fi.ErrNoMsg)
}
