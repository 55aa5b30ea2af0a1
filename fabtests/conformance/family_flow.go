package conformance

import (
	"slices"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("cancel",
	testCase{name: "recv", need: msg, kind: core, run: func(t *test) { cancelRecv(t, "") }},
	testCase{name: "tagged-recv", need: tagged, run: func(t *test) { cancelRecv(t, "t") }},
	testCase{name: "oldest-of-a-context", need: tagged, where: local, run: cancelOldest},
	testCase{name: "send", need: tagged, run: cancelSend},
	testCase{name: "unknown", need: tagged, where: local, run: cancelUnknown},
	testCase{name: "any-context", need: tagged, where: local, run: cancelAnyContext},
	testCase{name: "race", need: tagged, run: cancelRace},
)

// cancelRecv cancels receives in the middle of others; the others take the messages.
func cancelRecv(t *test, x string) {
	p := t.pair()
	var recvs, sends []*op
	for range 6 {
		recvs = append(recvs, p.b.recv(call{Form: x + "recv", N: 16}))
	}
	for _, i := range []int{0, 3, 5} {
		t.check(recvs[i].cancel())
		if c := t.fails(recvs[i], fi.ErrCanceled); c.Flags&fi.CompRecv == 0 || c.Len != 0 {
			t.Errorf("a canceled receive: %v", c)
		}
		if err := recvs[i].cancel(); !isErr(err, fi.ErrNoEnt) {
			t.Errorf("canceling again: %v, want FI_ENOENT", err)
		}
	}
	for i, k := range []int{1, 2, 4} {
		sends = append(sends, p.a.to(p.b, call{Form: x + "send", N: 16, Seed: uint64(i)}))
		t.wait(sends[i], recvs[k])
		t.got(recvs[k], sends[i])
		if err := recvs[k].cancel(); !isErr(err, fi.ErrNoEnt) {
			t.Errorf("canceling what has completed: %v, want FI_ENOENT", err)
		}
	}
}

// cancelOldest posts several receives with one context: one call cancels one, the oldest.
func cancelOldest(t *test) {
	p := t.pair()
	ep := p.b.n.eps[0]
	p.a.uncounted, p.b.uncounted = true, true
	ctx := new(int)
	for i := range 3 {
		t.check(ep.TRecv(make([]byte, 8), anyone, uint64(i), 0, ctx))
	}
	read := p.b.reader()
	for i := range 3 {
		t.check(ep.Cancel(ctx))
		e := read.fails(fi.ErrCanceled)
		if e.Context != any(ctx) || e.Tag != uint64(i) {
			t.Errorf("cancel %d: context %v, tag %d", i, e.Context, e.Tag)
		}
		read.empty()
	}
	if err := ep.Cancel(ctx); !isErr(err, fi.ErrNoEnt) {
		t.Errorf("nothing left: %v", err)
	}
}

// cancelSend cancels sends that no receive has matched: each ends once, as canceled or as sent, and a message that was
// canceled is not received.
func cancelSend(t *test) {
	p := t.pair()
	for _, n := range []int{8, 100000, 1 << 20} {
		s := p.a.to(p.b, call{Form: "tsendmsg", N: n, Tag: 1, Seed: 1, Flags: fi.OpMatchComplete})
		p.b.poll()
		if err := s.cancel(); err != nil && !isErr(err, fi.ErrNoEnt) {
			t.Errorf("cancel of a send: %v", err)
		}
		s.claimed = true
		next := p.a.to(p.b, call{Form: "tsend", N: n, Tag: 1, Seed: 2})
		r := p.b.recv(call{Form: "trecv", N: n, Tag: 1})
		t.wait(r)
		got := p.b.do(&request{Verb: vBytes, ID: r.id, N: n}).Bytes
		if differs(got, 1, 0) == "" {
			// It could not be stopped any more.
			r2 := p.b.recv(call{Form: "trecv", N: n, Tag: 1})
			t.wait(r2, next)
			t.got(r2, next)
			t.wait2(s)
			continue
		}
		t.wait(next)
		t.got(r, next)
		t.settle(s)
		if s.last().Err != fi.ErrCanceled {
			t.Errorf("a canceled send whose message nobody got: %v", s.last())
		}
	}
}

// cancelUnknown cancels what is not there.
func cancelUnknown(t *test) {
	p := t.pair()
	for _, ctx := range []any{nil, 5, "text", new(int), &struct{}{}} {
		if err := p.a.n.eps[0].Cancel(ctx); !isErr(err, fi.ErrNoEnt) {
			t.Errorf("cancel of %v: %v, want FI_ENOENT", ctx, err)
		}
	}
}

// cancelAnyContext uses contexts of all kinds, also such as cannot be compared: nothing may panic.
func cancelAnyContext(t *test) {
	p := t.pair()
	ep := p.b.n.eps[0]
	p.a.uncounted, p.b.uncounted = true, true
	read := p.b.reader()
	for _, ctx := range []any{nil, 7, "seven", [2]int{1, 2}, struct{ A, B int }{1, 2}} {
		t.check(ep.TRecv(make([]byte, 8), anyone, 1, 0, ctx))
		t.check(ep.Cancel(ctx))
		if e := read.fails(fi.ErrCanceled); e.Context != ctx {
			t.Errorf("context %v came back as %v", ctx, e.Context)
		}
	}
	slice := []byte{1}
	t.check(ep.TRecv(make([]byte, 8), anyone, 1, 0, slice))
	a := p.a.n.eps[0]
	t.check(a.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Addr: p.a.addr(p.b), Tag: 2, Context: slice}, fi.OpMatchComplete))
	if err := ep.Cancel(slice); err == nil {
		t.Errorf("a context that cannot be compared was found")
	}
	if err := a.Cancel(slice); err == nil {
		t.Errorf("a context that cannot be compared was found")
	}
	t.check(ep.TRecv(make([]byte, 8), anyone, 2, 0, nil))
	read.next()
	t.check(a.TInject(make([]byte, 8), p.a.addr(p.b), 1)) // they complete as ever
	read.next()
	p.a.txReader().next()
}

// cancelRace cancels receives while their messages are on the way: each completes exactly once, and every message is
// received by some receive.
func cancelRace(t *test) {
	p := t.pair()
	for round := range 60 {
		n := []int{8, 300, 20000}[round%3]
		r1 := p.b.recv(call{Form: "trecv", N: n, Tag: 4})
		s := p.a.to(p.b, call{Form: "tsend", N: n, Tag: 4, Seed: uint64(round)})
		err := r1.cancel()
		r1.claimed = true
		t.settle(r1)
		switch c := r1.last(); {
		case c.Err == 0:
			t.got(r1, s)
		case c.Err == fi.ErrCanceled && err == nil:
			r2 := p.b.recv(call{Form: "trecv", N: n, Tag: 4})
			t.wait(r2)
			t.got(r2, s)
		default:
			t.Errorf("cancel said %v, the receive completed with %v", err, c)
		}
		t.wait(s)
	}
}

var _ = add("directed",
	testCase{name: "msg", need: msg | fi.CapDirectedRecv, run: func(t *test) { directed(t, "") }},
	testCase{name: "tagged", need: tagged | fi.CapDirectedRecv, kind: core, run: func(t *test) { directed(t, "t") }},
	testCase{name: "tagged-only", need: tagged | fi.CapTaggedDirectedRecv, run: func(t *test) { directed(t, "t") }},
	testCase{name: "exact", need: tagged | msg | fi.CapExactDirectedRecv, run: exact},
	testCase{name: "not-asked", need: tagged, run: undirected},
	testCase{name: "groups", need: tagged | fi.CapDirectedRecv, run: directedGroups},
	testCase{name: "inserted-late", need: tagged | fi.CapDirectedRecv, run: insertedLate},
)

// directed has receives that name their sender, before and after the messages.
func directed(t *test, x string) {
	s := t.open(3)
	b, peers := s[0], s[1:]
	for _, n := range t.fit(8, 500, 50000) {
		for _, late := range []bool{false, true} {
			var recvs, sends [2]*op
			post := func() {
				for i, a := range peers {
					recvs[i] = b.post(call{Form: x + "recv", N: n, Tag: 1, To: b.addr(a)})
				}
			}
			if !late {
				post()
			}
			for i := range peers { // the other way round
				k := len(peers) - 1 - i
				sends[k] = peers[k].to(b, call{Form: x + "send", N: n, Tag: 1, Seed: uint64(k + 1)})
			}
			if late {
				post()
			}
			for i := range peers {
				t.wait(sends[i], recvs[i])
				t.got(recvs[i], sends[i])
			}
		}
	}
	// A receive from anyone takes what directed ones leave, in the order of posting.
	r1 := b.post(call{Form: x + "recv", N: 8, To: b.addr(peers[0])})
	r2 := b.recv(call{Form: x + "recv", N: 8})
	s1 := peers[1].to(b, call{Form: x + "send", N: 8, Seed: 7})
	t.wait(r2, s1)
	t.got(r2, s1)
	s2 := peers[0].to(b, call{Form: x + "send", N: 8, Seed: 8})
	t.wait(r1, s2)
	t.got(r1, s2)
	b.refuse(call{Form: x + "recv", N: 8, To: 77}, fi.ErrInvalid)
}

// directedGroups has receives that name their sender and a peer group: messages of other groups stay, whichever comes first.
func directedGroups(t *test) {
	s := t.open(3)
	b, peers := s[0], s[1:]
	if b.info.Domain.MaxGroupID < 2 {
		return // promised nothing
	}
	for _, n := range []int{8, 50000} {
		for _, late := range []bool{false, true} {
			var recvs, sends [2][2]*op
			post := func() {
				for i, a := range peers {
					for g := range recvs[i] {
						recvs[i][g] = b.post(call{Form: "trecv", N: n, To: fi.GroupAddr(b.addr(a), uint32(1+g))})
					}
				}
			}
			if !late {
				post()
			}
			for g := 1; g >= 0; g-- { // the other way round
				for i, a := range peers {
					o := a.post(call{Form: "tsend", N: n, Seed: uint64(10*i + g), To: fi.GroupAddr(a.addr(b), uint32(1+g))})
					o.target, sends[i][g] = b, o
				}
			}
			if late {
				post()
			}
			for i := range peers {
				for g := range recvs[i] {
					t.wait(sends[i][g], recvs[i][g])
					t.got(recvs[i][g], sends[i][g])
				}
			}
		}
	}
}

// exact has every receive name its sender; anyone is refused.
func exact(t *test) {
	p := t.pair()
	for _, form := range []string{"recv", "recvv", "recvmsg", "trecv", "trecvv", "trecvmsg"} {
		p.b.refuse(call{Form: form, N: 8, To: anyone}, fi.ErrInvalid)
	}
	for _, x := range []string{"", "t"} {
		r := p.b.post(call{Form: x + "recv", N: 8, To: p.b.addr(p.a)})
		s := p.a.to(p.b, call{Form: x + "send", N: 8, Seed: 1})
		t.wait(r, s)
		t.got(r, s)
	}
}

// undirected gives a source without the capability: it is not looked at.
func undirected(t *test) {
	s := t.open(3)
	if s[0].info.Caps&(fi.CapDirectedRecv|fi.CapTaggedDirectedRecv) != 0 {
		t.Errorf("FI_DIRECTED_RECV is a primary capability, and was not asked for")
	}
	r := s[0].post(call{Form: "trecv", N: 8, To: s[0].addr(s[1])})
	o := s[2].to(s[0], call{Form: "tsend", N: 8, Seed: 1})
	t.wait(r, o)
	t.got(r, o)
}

// insertedLate has a message of an unknown sender wait; the sender is inserted, and a directed receive finds it.
func insertedLate(t *test) {
	a, b := t.newSide(t.opts(t.tc.need)), t.newSide(t.opts(t.tc.need))
	a.insert(b)
	s1 := a.to(b, call{Form: "tsend", N: 8, Tag: 1, Seed: 1})
	s2 := a.to(b, call{Form: "tsend", N: t.fit(30000)[0], Tag: 1, Seed: 2})
	a.poll()
	b.poll()
	b.insert(a)
	for _, s := range []*op{s1, s2} {
		r := b.post(call{Form: "trecv", N: s.call.N, Tag: 1, To: b.addr(a)})
		t.wait(r, s)
		t.got(r, s)
	}
}

var _ = add("source",
	testCase{name: "msg", need: msg | fi.CapSource, run: func(t *test) { sources(t, "") }},
	testCase{name: "tagged", need: tagged | fi.CapSource, kind: core, run: func(t *test) { sources(t, "t") }},
	testCase{name: "write-data", need: rma | fi.CapSource, run: sourceOfWrites},
	testCase{name: "unknown", need: tagged | fi.CapSource, run: sourceUnknown},
	testCase{name: "unknown-is-an-error", need: tagged | msg | fi.CapSource | fi.CapSourceErr, run: sourceErr},
	testCase{name: "user-ids", need: tagged | fi.CapSource | fi.CapAVUserID, run: userIDs},
	testCase{name: "user-ids-directed", need: tagged | fi.CapSource | fi.CapAVUserID | fi.CapDirectedRecv, run: userIDsDirected},
)

// sources sees that completions name the sender, for short, long, posted and unexpected messages.
func sources(t *test, x string) {
	s := t.open(4)
	b := s[0]
	for _, n := range t.fit(0, 8, 100, 9000, 70000) {
		for _, late := range []bool{false, true} {
			for k, a := range s {
				var r, o *op
				if !late {
					r = b.recv(call{Form: x + "recv", N: n})
				}
				o = a.to(b, call{Form: x + "send", N: n, Seed: uint64(k)})
				if late {
					r = b.recv(call{Form: x + "recv", N: n})
				}
				t.wait(r, o)
				t.got(r, o)
				if c := r.last(); c.Src != b.addr(a) {
					t.Errorf("%d bytes from side %d: source %d, want %d", n, k, c.Src, b.addr(a))
				}
				if n < 2 {
					continue
				}
				// A receive that is too short, too.
				if o = nil; late {
					o = a.to(b, call{Form: x + "send", N: n, Seed: uint64(k)})
				}
				r = b.recv(call{Form: x + "recv", N: n - 1})
				if !late {
					o = a.to(b, call{Form: x + "send", N: n, Seed: uint64(k)})
				}
				if c := t.fails(r, fi.ErrTruncated); c.Src != b.addr(a) {
					t.Errorf("%d bytes from side %d, cut: source %d, want %d", n, k, c.Src, b.addr(a))
				}
				t.settle(o) // the sender may see success or the truncation
				o.claimed = true
			}
		}
	}
}

// sourceOfWrites sees the same for writes with data.
func sourceOfWrites(t *test) {
	s := t.open(3)
	m := s[0].reg(regOpts{N: 100, Key: 1})
	for i, a := range s {
		o := a.to(s[0], call{Form: "writedata", N: 10, At: m.remote, Data: uint64(i), Seed: 1})
		t.wait(o)
		if c := t.event(s[0]); c.Src != s[0].addr(a) || c.Data != uint64(i) {
			t.Errorf("side %d: source %d data %d, want %d", i, c.Src, c.Data, s[0].addr(a))
		}
	}
}

// sourceUnknown receives from somebody who is not in the vector.
func sourceUnknown(t *test) {
	a, b := t.newSide(t.opts(t.tc.need)), t.newSide(t.opts(t.tc.need))
	if b.info.Caps&fi.CapSourceErr != 0 {
		t.Errorf("FI_SOURCE_ERR turns good messages into errors and was not asked for")
		return
	}
	a.insert(b)
	known := t.newSide(t.opts(t.tc.need))
	known.insert(b)
	b.insert(known)
	for i, x := range []*side{a, known, a} {
		r := b.recv(call{Form: "trecv", N: 8})
		s := x.to(b, call{Form: "tsend", N: 8, Seed: 1})
		t.wait(r, s)
		t.got(r, s)
		want := fi.AddrNotAvail
		if x == known {
			want = b.addr(known)
		}
		if c := r.last(); c.Src != want {
			t.Errorf("message %d: source %d, want %d", i, c.Src, want)
		}
	}
}

// sourceErr gets the address of an unknown sender with the message, inserts it, and then knows it.
func sourceErr(t *test) {
	a, b := t.newSide(t.opts(t.tc.need)), t.newSide(t.opts(t.tc.need))
	a.insert(b)
	for _, x := range []string{"t", ""} {
		for _, n := range t.fit(8, 100, 40000) {
			r := b.recv(call{Form: x + "recv", N: n})
			s := a.to(b, call{Form: x + "send", N: n, Seed: 1})
			c := t.fails(r, fi.ErrAddrNotAvail)
			t.wait(s)
			t.got(r, s) // it was received
			if !slices.Equal(c.Raw, a.names[0]) {
				t.Errorf("the error's data is %q, want the sender's address %q", c.Raw, a.names[0])
			}
		}
	}
	got := b.do(&request{Verb: vInsert, Names: [][]byte{a.names[0]}})
	r := b.recv(call{Form: "trecv", N: 8})
	s := a.to(b, call{Form: "tsend", N: 8, Seed: 2})
	t.wait(r, s)
	if c := r.last(); c.Src != got.Addrs[0] {
		t.Errorf("source %d after the insertion, want %d", c.Src, got.Addrs[0])
	}
}

// userIDs has completions report numbers that the application chose.
func userIDs(t *test) {
	users := func(o *openOpts) { o.UserIDs = true }
	a, b := t.newSide(t.opts(t.tc.need, users)), t.newSide(t.opts(t.tc.need, users))
	a.insert(b)
	r := b.do(&request{Verb: vInsert, Names: a.names, Addrs: []fi.Addr{7777}, AVFlags: fi.AVUserID})
	t.check(r.err())
	b.peers[a] = r.Addrs
	if r.Addrs[0] != 0 {
		t.Errorf("the name of the first address is %d, want 0", r.Addrs[0])
	}
	send := func(want fi.Addr) {
		for _, n := range t.fit(8, 30000) {
			r := b.recv(call{Form: "trecv", N: n})
			s := a.to(b, call{Form: "tsend", N: n, Seed: 1})
			t.wait(r, s)
			if c := r.last(); c.Src != want {
				t.Errorf("source %d, want the user id %d", c.Src, want)
			}
		}
	}
	send(7777)
	t.check(b.do(&request{Verb: vUserID, Addrs: r.Addrs, Addr: 8888}).err())
	send(8888)
	if e := b.do(&request{Verb: vUserID, Addrs: []fi.Addr{55}, Addr: 1}).err(); !isErr(e, fi.ErrInvalid) {
		t.Errorf("a user id for nobody: %v", e)
	}
	// Who is inserted where it was has none.
	t.check(b.do(&request{Verb: vRemove, Addrs: r.Addrs}).err())
	r = b.do(&request{Verb: vInsert, Names: a.names})
	t.check(r.err())
	send(r.Addrs[0])
}

// userIDsDirected names senders by their index, as in sends, though completions report the user's number.
func userIDsDirected(t *test) {
	users := func(o *openOpts) { o.UserIDs = true }
	a, b := t.newSide(t.opts(t.tc.need, users)), t.newSide(t.opts(t.tc.need, users))
	a.insert(b)
	r := b.do(&request{Verb: vInsert, Names: a.names, Addrs: []fi.Addr{4711}, AVFlags: fi.AVUserID})
	t.check(r.err())
	o := b.post(call{Form: "trecv", N: 8, To: r.Addrs[0]})
	s := a.to(b, call{Form: "tsend", N: 8, Seed: 1})
	t.wait(o, s)
	t.got(o, s)
	if c := o.last(); c.Src != 4711 {
		t.Errorf("source %d, want 4711", c.Src)
	}
}
