package conformance

import (
	"errors"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("shutdown",
	testCase{name: "both-hear", need: msg, connected: true, kind: core, where: local, run: bothHear},
	testCase{name: "pending", need: msg, connected: true, kind: core, where: local, run: shutPending},
	testCase{name: "what-was-sent", need: msg, connected: true, kind: core, where: local, run: shutSent},
	testCase{name: "later-calls", need: msg, connected: true, where: local, run: shutLater},
	testCase{name: "tagged", need: tagged, connected: true, where: local, run: shutTagged},
	testCase{name: "remote-access", need: rma, connected: true, where: local, run: shutAccess},
	testCase{name: "multi-recv", need: msg | fi.CapMultiRecv, connected: true, where: local, run: shutMulti},
	testCase{name: "shared-recv", need: msg, connected: true, where: local, run: shutShared},
	testCase{name: "close-with-pending", need: msg, connected: true, where: local, run: shutClose},
	testCase{name: "others-live", need: msg, connected: true, where: local, run: shutOthers},
	testCase{name: "both-at-once", need: msg, connected: true, where: local, run: shutBoth},
	testCase{name: "killed", need: msg, connected: true, where: faulty, run: shutKilled},
	testCase{name: "killed-before-answer", need: msg, connected: true, where: faulty, run: killedUnanswered},
)

// ends waits until both sides have heard of the end of their first connection.
func (p *pair) ends() {
	p.t.expect(p.a.n.eq, fi.EventShutdown, p.a.n.eps[0])
	p.t.expect(p.b.n.eq, fi.EventShutdown, p.b.n.eps[0])
}

// bothHear ends connections from either side, once with a peer that never looks at its event queue.
func bothHear(t *test) {
	p := t.pair()
	p.exchange(call{Form: "send", N: 100, Seed: 1}, call{Form: "recv", N: 100})
	t.check(p.a.n.eps[0].Shutdown())
	p.ends()
	t.noEvent(p.a.n.eq)
	t.noEvent(p.b.n.eq)
	x, y := t.link(p.a, p.b)
	t.check(y.Shutdown())
	t.expect(p.b.n.eq, fi.EventShutdown, y)
	t.expect(p.a.n.eq, fi.EventShutdown, x)
}

// shutPending cancels what waits on both sides: here before Shutdown returns, there before its event.
func shutPending(t *test) {
	p := t.pair()
	var waiting []*op
	for _, s := range []*side{p.a, p.b} {
		for _, c := range []call{{Form: "recv", N: 8}, {Form: "recv", N: 100000}, {Form: "recvv", N: 30, Split: []int{10, 20}}} {
			waiting = append(waiting, s.recv(c))
		}
	}
	t.check(p.a.n.eps[0].Shutdown())
	for _, o := range waiting[:3] {
		p.a.poll()
		if !o.done() {
			t.Errorf("a receive is still pending when Shutdown has returned")
		}
	}
	t.expect(p.b.n.eq, fi.EventShutdown, p.b.n.eps[0])
	p.b.poll()
	for _, o := range waiting {
		if !o.done() {
			t.Errorf("side %d: a receive is still pending when FI_SHUTDOWN was read", o.s.index)
		}
		t.fails(o, fi.ErrCanceled)
	}
}

// shutSent sends and ends the connection at once: what has completed arrives, and can be received afterwards, in order
// and by all kinds of receives.
func shutSent(t *test) {
	p := t.pair()
	var sends []*op
	for i, n := range []int{8, 0, 500, 4000} {
		sends = append(sends, p.a.to(p.b, call{Form: "send", N: n, Seed: uint64(i + 1)}))
	}
	t.wait(sends...)
	t.check(p.a.n.eps[0].Shutdown())
	p.ends()
	for i, c := range []call{{Form: "recv", N: 8}, {Form: "recv", N: 8}, {Form: "recvv", N: 600, Split: []int{100, 500}}, {Form: "recvmsg", N: 4000, Flags: fi.OpCompletion}} {
		r := p.b.recv(c)
		t.wait(r)
		t.got(r, sends[i])
	}
	t.fails(p.b.recv(call{Form: "recv", N: 8}), fi.ErrCanceled)
}

// shutLater makes calls on a connection that has ended.
func shutLater(t *test) {
	p := t.pair()
	t.check(p.b.n.eps[0].Shutdown())
	p.ends()
	for _, s := range []*side{p.a, p.b} {
		for _, form := range []string{"send", "sendv", "sendmsg", "inject", "senddata", "injectdata"} {
			s.refuse(call{Form: form, N: 8, To: 0}, fi.ErrShutdown)
		}
		for _, form := range []string{"recv", "recvv", "recvmsg"} {
			t.fails(s.recv(call{Form: form, N: 8, Flags: map[bool]fi.OpFlags{true: fi.OpCompletion}[form == "recvmsg"]}), fi.ErrCanceled)
		}
		if _, err := s.n.eps[0].GetPeer(); err != nil {
			t.Errorf("the peer that there was: %v", err)
		}
		t.check(s.n.eps[0].Shutdown())
		t.noEvent(s.n.eq)
	}
}

// shutTagged does the same with tagged messages.
func shutTagged(t *test) {
	p := t.pair()
	sent := p.a.to(p.b, call{Form: "tsend", N: 100, Tag: 1, Seed: 1})
	t.wait(sent)
	r := p.b.recv(call{Form: "trecv", N: 8, Tag: 2})
	t.check(p.a.n.eps[0].Shutdown())
	p.ends()
	t.fails(r, fi.ErrCanceled)
	r = p.b.recv(call{Form: "trecv", N: 100, Tag: 1})
	t.wait(r)
	t.got(r, sent)
	t.fails(p.b.recv(call{Form: "trecv", N: 100, Tag: 1}), fi.ErrCanceled)
	p.b.refuse(call{Form: "tsend", N: 8, To: 0}, fi.ErrShutdown)
}

// shutAccess accesses memory on both sides of the end.
func shutAccess(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 100, Key: 1})
	t.wait(p.a.to(p.b, call{Form: "write", N: 50, At: m.remote, Seed: 1}))
	t.check(p.b.n.eps[0].Shutdown())
	p.ends()
	m.holds(0, 50, 1, "a write before the end")
	for _, form := range []string{"write", "writev", "writemsg", "inject_write", "read", "readv", "readmsg"} {
		p.a.refuse(call{Form: form, N: 8, At: m.remote, To: 0}, fi.ErrShutdown)
	}
}

// shutMulti gives buffers back that take many messages.
func shutMulti(t *test) {
	p := t.pair()
	m := p.b.recv(call{Form: "recvmsg", N: 1000, Flags: fi.OpMultiRecv})
	s := p.a.to(p.b, call{Form: "send", N: 8, Seed: 1})
	t.wait(s)
	t.until("the first message", func() bool { return len(m.comps) > 0 }, p.b)
	t.check(p.a.n.eps[0].Shutdown())
	p.ends()
	t.settle(m)
	m.claimed = true
	if c := m.last(); c.Err != fi.ErrCanceled || c.Flags&fi.CompMultiRecv == 0 || len(m.comps) != 2 {
		t.Errorf("%d completions, the last: %v; want FI_ECANCELED with FI_MULTI_RECV", len(m.comps), c)
	}
}

// shutShared ends one of two connections that share receives: these stay for the other.
func shutShared(t *test) {
	p := t.open2()
	r := p.b.recv(call{Form: "recv", N: 8, SRX: true})
	t.check(p.a.n.eps[0].Shutdown())
	t.expect(p.a.n.eq, fi.EventShutdown, p.a.n.eps[0])
	t.expect(p.b.n.eq, fi.EventShutdown, p.b.n.eps[0])
	p.b.poll()
	if r.done() {
		t.Fatalf("a shared receive ended with a connection: %v", r.last())
	}
	s := p.a.post(call{Form: "send", N: 8, To: p.a.peers[p.b][1], Seed: 1})
	s.target = p.b
	t.wait(r, s)
	t.got(r, s)
}

// shutClose closes an endpoint with receives that wait on both sides.
func shutClose(t *test) {
	p := t.pair()
	here, there := p.a.recv(call{Form: "recv", N: 8}), p.b.recv(call{Form: "recv", N: 8})
	t.check(p.a.n.eps[0].Close())
	t.fails(here, fi.ErrCanceled)
	t.expect(p.b.n.eq, fi.EventShutdown, p.b.n.eps[0])
	t.fails(there, fi.ErrCanceled)
	p.b.refuse(call{Form: "send", N: 8, To: 0}, fi.ErrShutdown)
	t.noEvent(p.a.n.eq)
}

// shutOthers ends one of several connections: the others go on.
func shutOthers(t *test) {
	p := t.pair(func(o *openOpts) { o.EPs = 5 })
	t.check(p.a.n.eps[2].Shutdown())
	t.expect(p.b.n.eq, fi.EventShutdown, p.b.n.eps[2])
	for i := range 5 {
		if i == 2 {
			continue
		}
		r := p.b.post(call{Form: "recv", N: 100, EP: i, To: anyone})
		s := p.a.post(call{Form: "send", N: 100, To: p.a.peers[p.b][i], Seed: uint64(i)})
		s.target = p.b
		t.wait(r, s)
		t.got(r, s)
	}
	p.a.refuse(call{Form: "send", N: 8, To: 2}, fi.ErrShutdown)
}

// shutBoth ends a connection from both sides.
func shutBoth(t *test) {
	p := t.pair()
	t.check(errors.Join(p.a.n.eps[0].Shutdown(), p.b.n.eps[0].Shutdown()))
	p.ends()
	t.noEvent(p.a.n.eq)
	t.noEvent(p.b.n.eq)
}

// shutKilled kills the process of the other end: what is pending ends soon, and the event comes.
func shutKilled(t *test) {
	a, v := t.newSide(t.opts(t.tc.need)), t.victim()
	a.insert(v)
	var ops []*op
	for range 3 {
		ops = append(ops, a.recv(call{Form: "recv", N: 8}))
	}
	for i := range 3 {
		ops = append(ops, a.to(v, call{Form: "send", N: 100000, Seed: uint64(i)}))
	}
	t.endSoon(v.kill(), ops)
	t.expect(a.n.eq, fi.EventShutdown, a.n.eps[0])
	a.refuse(call{Form: "send", N: 8, To: 0}, fi.ErrShutdown)
	t.noEvent(a.n.eq)
}

// killedUnanswered kills a process that listens before it answers: the asker hears of it.
func killedUnanswered(t *test) {
	a, v := t.newSide(t.opts(t.tc.need)), t.victim()
	ep := a.ask(v, nil)
	for range 50 {
		t.stir()
	}
	v.kill()
	t.expectErr(a.n.eq, ep, fi.ErrConnRefused, fi.ErrConnReset, fi.ErrConnAborted, fi.ErrNotConn, fi.ErrIO)
	t.noEvent(a.n.eq)
}
