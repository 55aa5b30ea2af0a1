package conformance

import (
	"math/rand/v2"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("multi-recv",
	testCase{name: "msg", need: msg | fi.CapMultiRecv, kind: core, run: func(t *test) { multiModel(t, "", 1) }},
	testCase{name: "tagged", need: tagged | fi.CapTaggedMultiRecv, kind: core, run: func(t *test) { multiModel(t, "t", 2) }},
	testCase{name: "unexpected", need: msg | fi.CapMultiRecv, run: func(t *test) { multiUnexpected(t, "") }},
	testCase{name: "tagged-unexpected", need: tagged | fi.CapTaggedMultiRecv, run: func(t *test) { multiUnexpected(t, "t") }},
	testCase{name: "source", need: msg | fi.CapMultiRecv | fi.CapSource, run: multiSource},
	testCase{name: "truncation", need: msg | fi.CapMultiRecv, run: multiTruncation},
	testCase{name: "cancel", need: msg | fi.CapMultiRecv, run: func(t *test) { multiCancel(t, "") }},
	testCase{name: "tagged-cancel", need: tagged | fi.CapTaggedMultiRecv, run: func(t *test) { multiCancel(t, "t") }},
	testCase{name: "cancel-race", need: msg | fi.CapMultiRecv, run: multiCancelRace},
	testCase{name: "min", need: msg | fi.CapMultiRecv, run: multiMin},
	testCase{name: "default-flag", need: msg | fi.CapMultiRecv, run: multiDefault},
	testCase{name: "refused", need: msg | fi.CapMultiRecv, run: multiRefused},
)

// placed checks that the messages in a multi-receive buffer lie one behind the other, in the order of sending, and that
// only the last completion gives the buffer back.
func placed(t *test, r *op, sends []*op) {
	off := 0
	if len(r.comps) != len(sends) {
		t.Errorf("%d completions of a multi-receive, want %d", len(r.comps), len(sends))
		return
	}
	for i := range r.comps {
		c := &r.comps[i]
		if c.Len > 0 && c.Off != off { // each begins right behind the one before, at whatever alignment
			t.Errorf("message %d lies at %d, the one before ends at %d", i, c.Off, off)
		}
		t.message(r, c, &sends[i].call)
		if last := i == len(r.comps)-1; last != (c.Flags&fi.CompMultiRecv != 0) {
			t.Errorf("message %d of %d: flags %v", i, len(r.comps), c.Flags)
		}
		off = max(off, c.Off+c.Len)
	}
	// The messages must still be there, all of them.
	for i := range r.comps {
		c := &r.comps[i]
		if c.Len == 0 {
			continue
		}
		got := r.s.do(&request{Verb: vBytes, ID: r.id, Off: c.Off, N: c.Len}).Bytes
		if d := differs(got, sends[i].call.Seed, 0); d != "" {
			t.Errorf("message %d was overwritten: %s", i, d)
		}
	}
}

// multiModel sends messages of random sizes into multi-receive buffers that are posted ahead; a model says when each
// buffer comes back.
func multiModel(t *test, x string, seed uint64) {
	p := t.pair()
	rnd := rand.New(rand.NewPCG(seed, 42))
	const low = 64
	t.minMulti(p.b, low)
	forms := []string{x + "send", x + "senddata"}
	if p.a.noData() {
		forms = forms[:1]
	}
	const tag = 0x500 // and anything in the lowest byte
	rounds := 6
	if t.thorough() {
		rounds = 60
	}
	for range rounds {
		size := 200 + rnd.IntN(6000)
		most := 1 + rnd.IntN(size)
		r := p.b.recv(call{Form: x + "recvmsg", N: size, Tag: tag, Ignore: 0xff, Flags: fi.OpMultiRecv})
		next := p.b.recv(call{Form: x + "recvmsg", N: 8192, Tag: tag, Ignore: 0xff, Flags: fi.OpMultiRecv})
		var sends []*op
		for left := size; left > 0 && left >= low; {
			n := min(rnd.IntN(most+1), left)
			left -= n
			i := len(sends)
			sends = append(sends, p.a.to(p.b, call{Form: forms[i%len(forms)], N: n, Seed: rnd.Uint64(), Tag: tag | uint64(i)&0xff, Data: uint64(i)}))
		}
		t.wait(append(sends, r)...)
		placed(t, r, sends)
		// The other buffer is next.
		s := p.a.to(p.b, call{Form: x + "send", N: 8190, Seed: 1, Tag: tag})
		t.wait(s, next)
		placed(t, next, []*op{s})
	}
}

func (t *test) minMulti(s *side, n int) {
	if r := s.do(&request{Verb: vMinMulti, N: n}); r.Err != nil {
		t.Fatalf("FI_OPT_MIN_MULTI_RECV %d: %v", n, r.Err)
	}
}

// multiUnexpected posts the buffer when messages wait already, short and long ones.
func multiUnexpected(t *test, x string) {
	p := t.pair()
	t.minMulti(p.b, 100)
	var sends []*op
	total := 0
	for i, n := range t.fit(10, 0, 5000, 20000, 64, 70000, 1, 300) {
		sends = append(sends, p.a.to(p.b, call{Form: x + "send", N: n, Seed: uint64(i)}))
		total += n
	}
	extra := p.a.to(p.b, call{Form: x + "send", N: 150, Seed: 99})
	p.a.poll()
	r := p.b.recv(call{Form: x + "recvmsg", N: total + 99, Flags: fi.OpMultiRecv})
	t.wait(append(sends, r)...)
	if len(r.comps) == len(sends)+1 { // the buffer took what did not fit
		t.Errorf("a buffer with 99 bytes left took another message though FI_OPT_MIN_MULTI_RECV is 100")
	}
	placed2(t, r, sends)
	e := p.b.recv(call{Form: x + "recv", N: 150})
	t.wait(e, extra)
	t.got(e, extra)
}

// placed2 is placed for completions that may come in another order than the messages: long ones may take longer.
func placed2(t *test, r *op, sends []*op) {
	if len(r.comps) != len(sends) {
		t.Errorf("%d completions of a multi-receive, want %d", len(r.comps), len(sends))
		return
	}
	used := map[int]bool{}
	for k := range r.comps {
		c := &r.comps[k]
		if last := k == len(r.comps)-1; last != (c.Flags&fi.CompMultiRecv != 0) {
			t.Errorf("completion %d of %d: flags %v", k, len(r.comps), c.Flags)
		}
		found := false
		for i, s := range sends {
			if !used[i] && s.call.N == c.Len {
				used[i], found = true, true
				t.message(r, c, &s.call)
				break
			}
		}
		if !found {
			t.Errorf("a completion of %d bytes that nobody sent", c.Len)
		}
		for l := range k {
			d := &r.comps[l]
			if c.Len > 0 && d.Len > 0 && c.Off < d.Off+d.Len && d.Off < c.Off+c.Len {
				t.Errorf("messages overlap: %d bytes at %d, %d bytes at %d", c.Len, c.Off, d.Len, d.Off)
			}
		}
	}
}

// multiSource has several senders in one buffer: each completion names its own, posted before the message or after it.
func multiSource(t *test) {
	s := t.open(3)
	b := s[0]
	t.minMulti(b, 1)
	lens := t.fit(8, 0, 300, 9000)
	total := 0
	for _, n := range lens {
		total += n * len(s)
	}
	for _, late := range []bool{false, true} {
		var r *op
		if !late {
			r = b.recv(call{Form: "recvmsg", N: total, Flags: fi.OpMultiRecv})
		}
		var sends []*op
		for _, n := range lens {
			for k, a := range s {
				sends = append(sends, a.to(b, call{Form: "send", N: n, Seed: uint64(k)}))
				if !late { // or nothing says whose message comes first
					t.until("a message in the buffer", func() bool { return len(r.comps) == len(sends) }, b)
				}
			}
		}
		if late {
			t.pump()
			r = b.recv(call{Form: "recvmsg", N: total, Flags: fi.OpMultiRecv})
		}
		t.wait(append(sends, r)...)
		seen := map[fi.Addr]int{}
		for i := range r.comps {
			seen[r.comps[i].Src]++
			if want := b.addr(s[i%len(s)]); !late && r.comps[i].Src != want {
				t.Errorf("message %d: source %d, want %d", i, r.comps[i].Src, want)
			}
		}
		for _, a := range s {
			if seen[b.addr(a)] != len(lens) {
				t.Errorf("%d messages of %d, want %d", seen[b.addr(a)], b.addr(a), len(lens))
			}
		}
	}
}

// multiTruncation sends a message that is longer than what is left.
func multiTruncation(t *test) {
	p := t.pair()
	t.minMulti(p.b, 1)
	r := p.b.recv(call{Form: "recvmsg", N: 100, Flags: fi.OpMultiRecv})
	s1 := p.a.to(p.b, call{Form: "send", N: 60, Seed: 1})
	s2 := p.a.to(p.b, call{Form: "send", N: 60, Seed: 2})
	t.settle(s1, s2, r)
	r.claimed, s2.claimed = true, true
	if len(r.comps) != 2 {
		t.Fatalf("%d completions, want 2", len(r.comps))
	}
	t.message(r, &r.comps[0], &s1.call)
	c := &r.comps[1]
	if c.Err != fi.ErrTruncated || c.Len != 40 || c.OLen != 20 || c.Flags&fi.CompMultiRecv == 0 {
		t.Errorf("60 bytes into the last 40: %v, want FI_ETRUNC, len 40, olen 20 and FI_MULTI_RECV", c)
	}
}

// multiCancel cancels a buffer that nothing has used, and one that was used: the application gets both back.
func multiCancel(t *test, x string) {
	p := t.pair()
	for _, used := range []int{0, 3} {
		r := p.b.recv(call{Form: x + "recvmsg", N: 1000, Flags: fi.OpMultiRecv})
		var sends []*op
		for i := range used {
			sends = append(sends, p.a.to(p.b, call{Form: x + "send", N: 20, Seed: uint64(i)}))
		}
		t.wait(sends...)
		t.until("messages in the buffer", func() bool { return len(r.comps) == used }, p.b)
		t.check(r.cancel())
		c := t.fails(r, fi.ErrCanceled)
		if c.Flags&fi.CompMultiRecv == 0 {
			t.Errorf("after %d messages: the canceled buffer came back without FI_MULTI_RECV: %v", used, c)
		}
		for i := range sends {
			t.message(r, &r.comps[i], &sends[i].call)
		}
	}
}

// multiCancelRace cancels a buffer while a long message comes into it: whatever is first, the buffer comes back once, at
// last, and the message is received, there or by the next receive.
func multiCancelRace(t *test) {
	p := t.pair()
	n := t.fit(1 << 20)[0]
	for round := range 10 {
		r := p.b.recv(call{Form: "recvmsg", N: 2 * n, Flags: fi.OpMultiRecv})
		s := p.a.to(p.b, call{Form: "send", N: n, Seed: uint64(round)})
		for range round / 2 {
			p.b.poll()
		}
		r.claimed = true
		t.check(r.cancel())
		t.settle(r)
		if c := &r.comps[0]; c.Err == 0 {
			t.message(r, c, &s.call)
		} else {
			next := p.b.recv(call{Form: "recv", N: n})
			t.wait(next)
			t.got(next, s)
		}
		if c := r.last(); c.Err != fi.ErrCanceled && c.Err != 0 {
			t.Errorf("a canceled buffer: %v", c)
		}
		t.wait(s)
	}
}

// multiMin sets the least room.
func multiMin(t *test) {
	p := t.pair()
	for _, low := range []int{0, 1, 50, 200} {
		t.minMulti(p.b, low)
		r := p.b.recv(call{Form: "recvmsg", N: 100, Flags: fi.OpMultiRecv})
		var sends []*op
		for _, n := range []int{51, 48, 1} {
			sends = append(sends, p.a.to(p.b, call{Form: "send", N: n, Seed: uint64(n)}))
			if low == 200 || low == 50 {
				break
			}
		}
		t.wait(append(sends, r)...)
		placed(t, r, sends)
	}
	t.minMulti(p.b, 300)
	r := p.b.recv(call{Form: "recvmsg", N: 600, Flags: fi.OpMultiRecv})
	s := p.a.to(p.b, call{Form: "send", N: 301, Seed: 1})
	t.wait(r, s)
	placed(t, r, []*op{s})
	if r := p.b.do(&request{Verb: vMinMulti, N: -1}); !isErr(r.err(), fi.ErrInvalid) {
		t.Errorf("FI_OPT_MIN_MULTI_RECV of -1: %v", r.err())
	}
}

// multiDefault makes FI_MULTI_RECV a default of plain receives.
func multiDefault(t *test) {
	p := t.pair(func(o *openOpts) { o.RxFlags = fi.OpMultiRecv })
	t.minMulti(p.b, 10)
	r := p.b.recv(call{Form: "recv", N: 100, Flags: fi.OpMultiRecv})
	s1 := p.a.to(p.b, call{Form: "send", N: 60, Seed: 1})
	s2 := p.a.to(p.b, call{Form: "send", N: 40, Seed: 2})
	t.wait(s1, s2, r)
	placed(t, r, []*op{s1, s2})
}

// multiRefused posts what cannot be.
func multiRefused(t *test) {
	p := t.pair()
	p.b.refuse(call{Form: "recvmsg", N: 0, Flags: fi.OpMultiRecv, To: anyone}, fi.ErrInvalid)
	p.b.refuse(call{Form: "recvmsg", N: 20, Split: []int{10, 10}, Flags: fi.OpMultiRecv, To: anyone}, fi.ErrInvalid)
	p.b.recv(call{Form: "recvmsg", N: 100, Flags: fi.OpMultiRecv}) // comes back when the endpoint closes
}
