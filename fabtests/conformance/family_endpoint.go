package conformance

import (
	"errors"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("fence",
	testCase{name: "send", need: tagged | fi.CapFence, run: fenceSend},
	testCase{name: "write", need: rma | tagged | fi.CapFence, run: fenceWrite},
	testCase{name: "write-then-read", need: rma | fi.CapFence, run: fenceRead},
	testCase{name: "inject", need: tagged | fi.CapFence, run: fenceInject},
	testCase{name: "other-peer", need: tagged | fi.CapFence, run: fenceOther},
	testCase{name: "kinds", need: rma | atom | tagged | fi.CapFence, run: fenceKinds},
	testCase{name: "two", need: tagged | fi.CapFence, run: fenceTwo},
	testCase{name: "close", need: tagged | fi.CapFence, run: fenceClose},
)

// fenceSend posts a fenced message behind one that cannot complete yet: it must not start before.
func fenceSend(t *test) {
	p := t.pair()
	for _, n := range t.fit(8, 20000) {
		first := p.a.to(p.b, call{Form: "tsendmsg", N: 64, Tag: 1, Seed: 1, Flags: fi.OpMatchComplete})
		r := p.b.recv(call{Form: "trecv", N: n, Tag: 2})
		fenced := p.a.to(p.b, call{Form: "tsendmsg", N: n, Tag: 2, Seed: 2, Flags: fi.OpFence})
		behind := p.a.to(p.b, call{Form: "tsend", N: 16, Tag: 3, Seed: 3}) // order holds behind a fence, too
		for range 20 {
			t.flush(p.b, p.a)
		}
		p.b.poll()
		if len(r.comps) != 0 || len(fenced.comps) != 0 {
			t.Fatalf("a fenced message of %d bytes was delivered before the one ahead of it completed", n)
		}
		r1 := p.b.recv(call{Form: "trecv", N: 64, Tag: 1})
		r3 := p.b.recv(call{Form: "trecv", N: 16, Tag: 3})
		t.wait(first, r1, fenced, r, behind, r3)
		t.got(r1, first)
		t.got(r, fenced)
		t.got(r3, behind)
	}
}

// fenceWrite does the same with a write: the target's memory must not change before.
func fenceWrite(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 20000, Key: 1, Seed: 4})
	for _, n := range t.fit(8, 20000) {
		first := p.a.to(p.b, call{Form: "tsendmsg", N: 64, Tag: 1, Seed: 1, Flags: fi.OpMatchComplete})
		w := p.a.to(p.b, call{Form: "writemsg", N: n, At: m.remote, Seed: 5, Flags: fi.OpFence | fi.OpDeliveryComplete})
		for range 20 {
			t.flush(p.b, p.a)
		}
		if differs(m.bytes(0, n), 5, 0) == "" || len(w.comps) != 0 {
			t.Fatalf("a fenced write of %d bytes was done before the message ahead of it completed", n)
		}
		r := p.b.recv(call{Form: "trecv", N: 64, Tag: 1})
		t.wait(first, r, w)
		m.holds(0, n, 5, "a fenced write")
		m.set(0, pattern(4, 20000))
	}
}

// fenceRead reads behind writes, with a fence instead of a promised order.
func fenceRead(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 100000, Key: 1})
	for i, n := range []int{8, 5000, 60000, 100000} {
		w := p.a.to(p.b, call{Form: "write", N: n, At: m.remote, Seed: uint64(i + 1)})
		r := p.a.to(p.b, call{Form: "readmsg", N: n, At: m.remote, Flags: fi.OpFence})
		t.wait(w, r)
		got := p.a.do(&request{Verb: vBytes, ID: r.id, N: n}).Bytes
		if d := differs(got, uint64(i+1), 0); d != "" {
			t.Errorf("a fenced read of %d bytes behind a write: %s", n, d)
		}
	}
}

// fenceInject has a fenced inject wait: its buffer is the caller's all the same.
func fenceInject(t *test) {
	p := t.pair()
	first := p.a.to(p.b, call{Form: "tsendmsg", N: 64, Tag: 1, Seed: 1, Flags: fi.OpMatchComplete})
	fenced := p.a.to(p.b, call{Form: "tsendmsg", N: 40, Tag: 2, Seed: 2, Flags: fi.OpFence | fi.OpInject})
	r2 := p.b.recv(call{Form: "trecv", N: 40, Tag: 2})
	r1 := p.b.recv(call{Form: "trecv", N: 64, Tag: 1})
	t.wait(first, fenced, r1, r2)
	t.got(r2, fenced)
}

// fenceOther sees that a fence holds back nothing to other peers.
func fenceOther(t *test) {
	s := t.open(3)
	first := s[0].to(s[1], call{Form: "tsendmsg", N: 64, Tag: 1, Seed: 1, Flags: fi.OpMatchComplete})
	r := s[2].recv(call{Form: "trecv", N: 8, Tag: 2})
	o := s[0].to(s[2], call{Form: "tsendmsg", N: 8, Tag: 2, Seed: 2, Flags: fi.OpFence})
	t.wait(r, o)
	r1 := s[1].recv(call{Form: "trecv", N: 64, Tag: 1})
	t.wait(first, r1)
}

var _ = add("shared-recv",
	testCase{name: "basic", need: msg | tagged, kind: core, run: sharedRecv},
	testCase{name: "unexpected", need: msg | tagged, run: sharedUnexpected},
	testCase{name: "multi", need: msg | fi.CapMultiRecv, run: sharedMulti},
	testCase{name: "refused", need: msg | tagged, run: sharedRefused},
	testCase{name: "no-queue", need: tagged, run: sharedNoQueue},
	testCase{name: "selective", need: tagged, run: sharedSelective},
	testCase{name: "close-endpoint", need: tagged, where: local, run: sharedClose},
)

func shared(o *openOpts) { o.SharedRx, o.EPs = true, 2 }

// open2 opens a sender and a receiver with a shared context and two endpoints.
func (t *test) open2(change ...func(*openOpts)) *pair {
	p := &pair{t: t, a: t.newSide(t.opts(t.tc.need))}
	p.b = t.newSide(t.opts(t.tc.need, append([]func(*openOpts){shared}, change...)...))
	p.a.insert(p.b)
	p.b.insert(p.a)
	p.a.insert(p.a)
	return p
}

// sharedRecv posts on the context; messages to any of its endpoints are received.
func sharedRecv(t *test) {
	p := t.open2()
	for i, n := range t.fit(0, 8, 500, 9000, 100000) {
		for ep := range 2 {
			for _, x := range []string{"", "t"} {
				r := p.b.recv(call{Form: x + "recv", N: n, SRX: true, Tag: uint64(i)})
				s := p.a.post(call{Form: x + "send", N: n, To: p.a.peers[p.b][ep], Tag: uint64(i), Seed: uint64(n + ep)})
				s.target = p.b
				t.wait(r, s)
				t.got(r, s)
			}
		}
	}
	// Receives are taken in the order of posting, whichever endpoint the message comes to.
	var recvs, sends []*op
	for range 6 {
		recvs = append(recvs, p.b.recv(call{Form: "trecv", N: 8, SRX: true}))
	}
	for i := range 6 {
		s := p.a.post(call{Form: "tsend", N: 8, To: p.a.peers[p.b][0], Seed: uint64(i)})
		s.target = p.b
		sends = append(sends, s)
	}
	t.wait(append(recvs, sends...)...)
	for i := range recvs {
		t.got(recvs[i], sends[i])
	}
}

// sharedUnexpected has messages wait at the context.
func sharedUnexpected(t *test) {
	p := t.open2()
	var sends []*op
	for i, n := range t.fit(8, 100, 30000, 0) {
		s := p.a.post(call{Form: "tsend", N: n, To: p.a.peers[p.b][0], Tag: uint64(i), Seed: uint64(n)})
		s.target = p.b
		sends = append(sends, s)
	}
	p.a.poll()
	p.b.poll()
	for i, s := range sends {
		r := p.b.recv(call{Form: "trecv", N: s.call.N, SRX: true, Tag: uint64(i)})
		t.wait(r, s)
		t.got(r, s)
	}
}

// sharedMulti has a multi-receive buffer on the context.
func sharedMulti(t *test) {
	p := t.open2()
	t.minMulti(p.b, 50)
	r := p.b.recv(call{Form: "recvmsg", N: 100, SRX: true, Flags: fi.OpMultiRecv})
	var sends []*op
	for i := range 2 {
		s := p.a.post(call{Form: "send", N: 30, To: p.a.peers[p.b][0], Seed: uint64(i)})
		s.target = p.b
		sends = append(sends, s)
	}
	t.wait(append(sends, r)...)
	placed(t, r, sends)
}

// sharedRefused posts where receives have no place.
func sharedRefused(t *test) {
	p := t.open2()
	for _, form := range []string{"recv", "recvv", "recvmsg", "trecv", "trecvv", "trecvmsg"} {
		p.b.refuse(call{Form: form, N: 8, To: anyone}, fi.ErrOpNotSupp)
	}
	p.b.refuse(call{Form: "trecvmsg", SRX: true, Flags: fi.OpPeek, To: anyone}, fi.ErrOpNotSupp)
	p.b.refuse(call{Form: "trecvmsg", SRX: true, Flags: 1 << 40, To: anyone}, fi.ErrBadFlags)
	p.b.refuse(call{Form: "recvmsg", SRX: true, Flags: fi.OpPeek, To: anyone}, fi.ErrBadFlags)
	r := p.b.recv(call{Form: "trecv", N: 8, SRX: true, Tag: 5})
	t.check(r.cancel())
	if err := r.cancel(); !isErr(err, fi.ErrNoEnt) {
		t.Errorf("canceling again: %v, want FI_ENOENT", err)
	}
	// The canceled receive takes nothing.
	s := p.a.post(call{Form: "tsend", N: 8, To: p.a.peers[p.b][1], Tag: 5, Seed: 1})
	s.target = p.b
	r2 := p.b.recv(call{Form: "trecv", N: 8, SRX: true, Tag: 5})
	t.wait(r2, s)
	t.got(r2, s)
}

// sharedNoQueue has endpoints without a receive queue, only counters.
func sharedNoQueue(t *test) {
	p := t.open2(func(o *openOpts) { o.NoRxCQ = true })
	p.b.recv(call{Form: "trecv", N: 8, SRX: true})
	p.b.recv(call{Form: "trecvmsg", N: 8, SRX: true, Flags: fi.OpCompletion})
	for i := range 2 {
		s := p.a.post(call{Form: "tsend", N: 8, To: p.a.peers[p.b][i], Seed: 1})
		s.target = p.b
	}
	t.until("the counter", func() bool { return p.b.count(cntRecv) == 2 })
}

// sharedSelective has endpoints with selective completion: the context's receives are silent unless they ask.
func sharedSelective(t *test) {
	p := t.open2(func(o *openOpts) { o.SelRx = true })
	quiet := p.b.recv(call{Form: "trecv", N: 8, SRX: true, Tag: 1})
	r := p.b.recv(call{Form: "trecvmsg", N: 8, SRX: true, Tag: 2, Flags: fi.OpCompletion})
	for i := range 2 {
		s := p.a.post(call{Form: "tsend", N: 8, To: p.a.peers[p.b][0], Tag: uint64(i + 1), Seed: 1})
		s.target = p.b
	}
	t.wait(r)
	if len(quiet.comps) != 0 {
		t.Errorf("a receive of a shared context reported success under selective completion")
	}
}

// sharedClose closes one of the endpoints: the context serves the other, and cannot be closed before it.
func sharedClose(t *test) {
	p := t.open2()
	var waits []*op // messages to the endpoint that stays
	for i, n := range t.fit(8, 30000) {
		s := p.a.post(call{Form: "tsend", N: n, To: p.a.peers[p.b][1], Tag: uint64(7 + i), Seed: 2})
		s.target = p.b
		waits = append(waits, s)
	}
	p.a.poll()
	p.b.poll()
	t.check(p.b.n.eps[0].Close())
	for _, s := range waits {
		r := p.b.recv(call{Form: "trecv", N: s.call.N, SRX: true, Tag: s.call.Tag})
		t.wait(r, s)
		t.got(r, s)
	}
	r := p.b.recv(call{Form: "trecv", N: 8, SRX: true})
	s := p.a.post(call{Form: "tsend", N: 8, To: p.a.peers[p.b][1], Seed: 1})
	s.target = p.b
	t.wait(r, s)
	t.got(r, s)
	if err := p.b.n.srx.Close(); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("closing a context in use: %v", err)
	}
	t.check(p.b.n.eps[1].Close())
	t.check(p.b.n.srx.Close())
	if err := p.b.n.srx.TRecv(make([]byte, 8), anyone, 0, 0, nil); !errors.Is(err, fi.ErrBadFD) {
		t.Errorf("a receive on a closed context: %v, want FI_EBADF", err)
	}
}

var _ = add("endpoint",
	testCase{name: "alias", need: tagged, run: alias},
	testCase{name: "alias-refused", need: tagged, where: local, run: aliasRefused},
	testCase{name: "limits", need: msg | tagged | rma | atom, where: local, run: limits},
	testCase{name: "names", need: tagged, where: local, run: names},
	testCase{name: "several", need: tagged, run: several},
	testCase{name: "close-with-sends", need: tagged, run: closeWithSends},
	testCase{name: "peer-closes", need: tagged, where: local, run: peerCloses},
	testCase{name: "default-flags", need: tagged, run: defaultFlags},
	testCase{name: "info", need: tagged, where: local, run: endpointInfo},
)

// alias has other default flags on the same endpoint.
func alias(t *test) {
	p := t.pair()
	t.check(p.a.do(&request{Verb: vAlias, Flags: fi.OpMatchComplete}).err())
	s := p.a.to(p.b, call{Form: "tsend", N: 8, Seed: 1, View: 1})
	plain := p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 1, Seed: 1})
	t.wait(plain)
	t.flush(p.a, p.b)
	if len(s.comps) != 0 {
		t.Fatalf("the alias does not have its flags: a send completed before a receive was there")
	}
	r := p.b.recv(call{Form: "trecv", N: 8})
	t.wait(s, r)
	t.got(r, s)
	r = p.b.recv(call{Form: "trecv", N: 8, Tag: 1})
	t.wait(r)
	if t.cell.offered&fi.CapTaggedMultiRecv == 0 {
		return
	}
	t.minMulti(p.b, 10)
	t.check(p.b.do(&request{Verb: vAlias, Flags: fi.OpMultiRecv, N: 1}).err())
	m := p.b.recv(call{Form: "trecv", N: 20, View: 1, Flags: fi.OpMultiRecv})
	s1, s2 := p.a.to(p.b, call{Form: "tsend", N: 8, Seed: 1}), p.a.to(p.b, call{Form: "tsend", N: 8, Seed: 2})
	t.wait(s1, s2, m)
	placed(t, m, []*op{s1, s2})
}

func aliasRefused(t *test) {
	ep := t.open(1)[0].n.eps[0]
	f, bad := fi.OpCompletion, fi.OpPeek
	for _, c := range []struct {
		tx, rx *fi.OpFlags
		want   fi.Errno
	}{{nil, nil, fi.ErrInvalid}, {&f, &f, fi.ErrInvalid}, {&bad, nil, fi.ErrBadFlags}, {nil, &bad, fi.ErrBadFlags}} {
		if _, err := ep.Alias(c.tx, c.rx); !errors.Is(err, c.want) {
			t.Errorf("alias of %v and %v: %v, want %v", c.tx, c.rx, err, c.want)
		}
	}
	a, err := ep.Alias(&f, nil)
	t.check(err)
	t.check(ep.Close())
	if err := a.TSend(nil, 0, 0, nil); !errors.Is(err, fi.ErrBadFD) {
		t.Errorf("an alias of a closed endpoint: %v", err)
	}
	if _, err := ep.Alias(&f, nil); !errors.Is(err, fi.ErrBadFD) {
		t.Errorf("aliasing a closed endpoint: %v", err)
	}
}

// limits gets and sets the sizes of transfers.
func limits(t *test) {
	s := t.newSide(t.opts(t.tc.need))
	e, err := s.n.dom.OpenEndpoint(s.n.info)
	t.check(err)
	most, inject := e.MaxSizes(), e.InjectSizes()
	if most.Msg != s.n.info.EP.MaxMsgSize || inject.Msg != uint64(s.n.info.Tx.InjectSize) || most.Atomic == 0 {
		t.Errorf("limits %+v, inject %+v do not agree with the Info", most, inject)
	}
	if err := e.SetMaxSizes(fabric.Sizes{Msg: most.Msg + 1}); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("more than there is: %v", err)
	}
	if err := e.SetInjectSizes(fabric.Sizes{RMA: inject.RMA + 1}); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("more than there is: %v", err)
	}
	t.check(e.SetMaxSizes(fabric.Sizes{Tagged: 100}))
	if got := e.MaxSizes(); got.Tagged != 100 || got.Msg != most.Msg {
		t.Errorf("after lowering one: %+v", got)
	}
	t.check(e.BindAV(s.n.av))
	t.check(e.BindCQ(s.n.txq, fi.BindTransmit))
	t.check(e.BindCQ(s.n.rxq, fi.BindRecv))
	t.check(e.Enable())
	if err := e.SetMaxSizes(fabric.Sizes{Tagged: 10}); !errors.Is(err, fi.ErrOpBadState) {
		t.Errorf("after Enable: %v", err)
	}
	t.check(e.Close())
	if err := e.SetMaxSizes(fabric.Sizes{Tagged: 10}); err == nil {
		t.Errorf("after Close: no error")
	}
	n, err := s.n.eps[0].MinMultiRecv()
	if err == nil {
		t.check(s.n.eps[0].SetMinMultiRecv(n + 5))
		if m, _ := s.n.eps[0].MinMultiRecv(); m != n+5 {
			t.Errorf("FI_OPT_MIN_MULTI_RECV is %d, set to %d", m, n+5)
		}
	} else if !errors.Is(err, fi.ErrNoProtoOpt) {
		t.Errorf("FI_OPT_MIN_MULTI_RECV: %v", err)
	}
}

// names are known when an endpoint is enabled, can be chosen before where the provider lets one, and are unique.
func names(t *test) {
	s := t.newSide(t.opts(t.tc.need))
	other := t.newSide(t.opts(t.tc.need))
	if string(s.names[0]) == string(other.names[0]) {
		t.Errorf("two endpoints have the address %q", s.names[0])
	}
	ep, err := s.n.dom.OpenEndpoint(s.n.info)
	t.check(err)
	if _, err := ep.Name(); !errors.Is(err, fi.ErrOpBadState) {
		t.Errorf("the name before Enable: %v", err)
	}
	if err := ep.SetName([]byte("\x00rubbish")); err == nil {
		t.Errorf("rubbish was accepted as a name")
	}
	if err := ep.SetName(s.names[0]); err == nil {
		t.check(ep.BindAV(s.n.av))
		t.check(ep.BindCQ(s.n.txq, fi.BindTransmit|fi.BindRecv))
		if err := ep.Enable(); !errors.Is(err, fi.ErrAddrInUse) {
			t.Errorf("a name that is in use: %v, want FI_EADDRINUSE", err)
		}
		t.check(s.n.eps[0].Close()) // now it is free
		t.check(ep.Enable())
		got, err := ep.Name()
		if err != nil || string(got) != string(s.names[0]) {
			t.Errorf("the name is %q, %v, chosen was %q", got, err, s.names[0])
		}
		if err := ep.SetName(other.names[0]); !errors.Is(err, fi.ErrOpBadState) {
			t.Errorf("a name after Enable: %v", err)
		}
	} else if !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("choosing a name: %v", err)
	}
	t.check(ep.Close())
}

// several has several endpoints in a domain, each to each.
func several(t *test) {
	s := t.open(2, func(o *openOpts) { o.EPs = 3 })
	for i := range 3 {
		for k := range 3 {
			for _, n := range t.fit(8, 20000) {
				r := s[1].recv(call{Form: "trecv", N: n, EP: k})
				o := s[0].post(call{Form: "tsend", N: n, EP: i, To: s[0].peers[s[1]][k], Seed: uint64(i*3 + k)})
				o.target = s[1]
				t.wait(r, o)
				t.got(r, o)
			}
		}
	}
}

// defaultFlags are those of calls without flags.
func defaultFlags(t *test) {
	p := t.pair(func(o *openOpts) { o.TxFlags = fi.OpInject | fi.OpDeliveryComplete })
	n := p.a.info.Tx.InjectSize
	p.exchange(call{Form: "tsend", N: min(n, 100), Seed: 1}, call{Form: "trecv", N: 100})
	p.a.refuse(call{Form: "tsend", N: n + 1, To: p.a.addr(p.b)}, fi.ErrMsgSize)
	p.exchange(call{Form: "tsendmsg", N: n + 1, Seed: 1}, call{Form: "trecv", N: n + 1})
}

// endpointInfo gives copies.
func endpointInfo(t *test) {
	s := t.open(1)[0]
	i := s.n.eps[0].Info()
	i.Caps = 0
	if s.n.eps[0].Info().Caps == 0 || s.n.dom.Info() == s.n.dom.Info() {
		t.Errorf("Info is no copy")
	}
	if s.n.eps[0].Domain() != s.n.dom {
		t.Errorf("Domain is another one")
	}
}

// peerCloses closes an endpoint with messages that nobody has received: a send that waits for that ends in error.
func peerCloses(t *test) {
	p := t.pair()
	var sends []*op
	for i, n := range []int{8, 3000, 100000} {
		sends = append(sends, p.a.to(p.b, call{Form: "tsendmsg", N: n, Tag: uint64(i), Seed: 1, Flags: fi.OpMatchComplete}))
		p.b.hit(call{Tag: uint64(i)}) // it is there
	}
	p.b.shut(false)
	for _, s := range sends {
		s.claimed = true
		t.settle(s)
		if c := s.last(); c.Err == 0 {
			t.Errorf("%d bytes that nobody has received, and nobody can: the send completed with %v", s.call.N, c)
		}
	}
}

// closeWithSends ends with messages under way that nobody has received: closing the endpoint completes them.
func closeWithSends(t *test) {
	p := t.pair()
	for i, n := range []int{8, 3000, 100000} {
		p.a.to(p.b, call{Form: "tsendmsg", N: n, Tag: uint64(i), Seed: 1, Flags: fi.OpMatchComplete})
		p.b.hit(call{Tag: uint64(i)}) // it is there
	}
}
