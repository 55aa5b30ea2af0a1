package conformance

import (
	"fmt"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("completion",
	testCase{name: "match-complete", need: tagged, kind: core, run: func(t *test) { lateLevel(t, "t", fi.OpMatchComplete) }},
	testCase{name: "match-complete-msg", need: msg | tagged, run: func(t *test) { lateLevel(t, "", fi.OpMatchComplete) }},
	testCase{name: "match-complete-default", need: tagged, run: matchDefault},
	testCase{name: "delivery-of-unexpected", need: tagged, run: deliveryUnexpected},
	testCase{name: "levels-do-not-wait", need: tagged, run: earlyLevels},
	testCase{name: "delivery-of-writes", need: rma, kind: core, run: deliveryOfWrites},
	testCase{name: "selective", need: tagged, run: selective},
	testCase{name: "selective-rma", need: rma | atom, run: selectiveRemote},
	testCase{name: "selective-default", need: tagged, run: selectiveDefault},
	testCase{name: "counters-only", need: tagged, run: countersOnly},
	testCase{name: "data", need: msg | tagged, kind: core, run: cqData},
	testCase{name: "contexts", need: tagged, where: local, run: contexts},
	testCase{name: "flags-unknown", need: msg | tagged | rma | atom, run: unknownFlags},
)

// lateLevel sends with a level that must not complete before a receive has matched.
func lateLevel(t *test, x string, level fi.OpFlags) {
	p := t.pair()
	for _, n := range []int{0, 8, 64, 1000, 9000, 100000} {
		for _, inject := range []fi.OpFlags{0, fi.OpInject} {
			if inject != 0 && n > p.a.info.Tx.InjectSize {
				continue
			}
			s := p.a.to(p.b, call{Form: x + "sendmsg", N: n, Tag: 1, Seed: 1, Flags: level | inject})
			t.settleDown(p)
			if len(s.comps) != 0 {
				t.Fatalf("%d bytes: completed with %v before a receive was there", n, level)
			}
			if x != "" { // a receive of another tag changes nothing
				other := p.b.recv(call{Form: "trecv", N: n, Tag: 2})
				t.settleDown(p)
				if len(s.comps) != 0 {
					t.Fatalf("%d bytes: completed with %v by a receive that does not match", n, level)
				}
				t.check(other.cancel())
				t.fails(other, fi.ErrCanceled)
			}
			r := p.b.recv(call{Form: x + "recv", N: n, Tag: 1})
			t.wait(s, r)
			t.got(r, s)
			// And with the receive posted before.
			r = p.b.recv(call{Form: x + "recv", N: n, Tag: 1})
			s = p.a.to(p.b, call{Form: x + "sendmsg", N: n, Tag: 1, Seed: 1, Flags: level | inject})
			t.wait(s, r)
			t.got(r, s)
		}
	}
}

// settleDown lets everything that can happen by itself happen: a message goes both ways behind all others.
func (t *test) settleDown(p *pair) {
	for range 2 {
		p.flush()
		t.flush(p.b, p.a)
	}
	t.pump()
}

// matchDefault makes FI_MATCH_COMPLETE the default of calls without flags.
func matchDefault(t *test) {
	p := t.pair(func(o *openOpts) { o.TxFlags = fi.OpMatchComplete })
	s := p.a.to(p.b, call{Form: "tsend", N: 8, Tag: 1, Seed: 1})
	t.pump()
	t.flush(p.a, p.b)
	if len(s.comps) != 0 {
		t.Fatalf("completed before a receive was there")
	}
	// The message form has flags of its own, and no default.
	m := p.a.to(p.b, call{Form: "tsendmsg", N: 8, Tag: 2, Seed: 2, Flags: fi.OpInjectComplete})
	t.wait(m)
	r := p.b.recv(call{Form: "trecv", N: 8, Tag: 1})
	t.wait(s, r)
	t.got(r, s)
	r = p.b.recv(call{Form: "trecv", N: 8, Tag: 2})
	t.wait(r)
	t.got(r, m)
}

// deliveryUnexpected sends with FI_DELIVERY_COMPLETE to a peer that has no receive yet: it completes when it was
// received, at the latest, and is not lost.
func deliveryUnexpected(t *test) {
	p := t.pair()
	for _, n := range []int{8, 3000, 50000} {
		s := p.a.to(p.b, call{Form: "tsendmsg", N: n, Tag: 1, Seed: 1, Flags: fi.OpDeliveryComplete})
		t.pump()
		r := p.b.recv(call{Form: "trecv", N: n, Tag: 1})
		t.wait(s, r)
		t.got(r, s)
	}
}

// earlyLevels sends short messages with levels that ask nothing of the receiver's application.
func earlyLevels(t *test) {
	p := t.pair()
	var sends []*op
	for i, level := range []fi.OpFlags{0, fi.OpInjectComplete, fi.OpTransmitComplete, fi.OpInject} {
		sends = append(sends, p.a.to(p.b, call{Form: "tsendmsg", N: 32, Tag: uint64(i), Seed: uint64(i), Flags: level}))
	}
	t.wait(sends...) // nobody receives
	for i, s := range sends {
		r := p.b.recv(call{Form: "trecv", N: 32, Tag: uint64(i)})
		t.wait(r)
		t.got(r, s)
	}
}

// deliveryOfWrites looks at the target's memory as soon as a write with FI_DELIVERY_COMPLETE is done.
func deliveryOfWrites(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 200000, Key: 1})
	for i, n := range []int{1, 8, 64, 4097, 20000, 200000} {
		s := p.a.to(p.b, call{Form: "writemsg", N: n, At: m.remote, Seed: uint64(i + 5), Flags: fi.OpDeliveryComplete})
		t.wait(s)
		if d := differs(m.bytes(0, n), uint64(i+5), 0); d != "" {
			t.Errorf("%d bytes are not there at completion: %s", n, d)
		}
	}
	if t.cell.standard { // more than is on the way at a time: its end is looked at
		const n, end = 8 << 20, 64 << 10
		big := p.b.reg(regOpts{N: n, Key: 2})
		t.wait(p.a.to(p.b, call{Form: "writemsg", N: n, At: big.remote, Seed: 50, Flags: fi.OpDeliveryComplete}))
		if d := differs(big.bytes(n-end, end), 50, n-end); d != "" {
			t.Errorf("the end of %d bytes is not there at completion: %s", n, d)
		}
	}
}

// selective binds for selective completion: only what asks reports success, everything reports errors.
func selective(t *test) {
	p := t.pair(func(o *openOpts) { o.SelTx, o.SelRx = true, true })
	for i, n := range t.fit(8, 100, 20000) {
		// Sizes are chosen so that the order of completions is known.
		r := p.b.recv(call{Form: "trecvmsg", N: n, Tag: 1, Flags: fi.OpCompletion})
		quiet := p.b.recv(call{Form: "trecv", N: n, Tag: 2})
		s1 := p.a.to(p.b, call{Form: "tsend", N: n, Tag: 2, Seed: 1}) // silent on both sides
		s2 := p.a.to(p.b, call{Form: "tsendmsg", N: n, Tag: 1, Seed: uint64(i + 2), Flags: fi.OpCompletion})
		t.wait(r, s2)
		t.got(r, s2)
		if len(quiet.comps)+len(s1.comps) != 0 {
			t.Errorf("%d bytes: silent operations reported success: %v %v", n, quiet.comps, s1.comps)
		}
	}
	short := p.b.recv(call{Form: "trecv", N: 4, Tag: 3})
	s := p.a.to(p.b, call{Form: "tsendmsg", N: 8, Tag: 3, Seed: 1, Flags: fi.OpCompletion})
	t.settle(s)
	s.claimed = true
	t.fails(short, fi.ErrTruncated) // an error of a silent receive
	canceled := p.b.recv(call{Form: "trecv", N: 4, Tag: 4})
	t.check(canceled.cancel())
	t.fails(canceled, fi.ErrCanceled)
}

// selectiveRemote does the same for remote accesses.
func selectiveRemote(t *test) {
	p := t.pair(func(o *openOpts) { o.SelTx = true })
	m := p.b.reg(regOpts{N: 64, Key: 1})
	var quiet []*op
	for _, form := range []string{"write", "read", "atomic", "fetch_atomic"} {
		quiet = append(quiet, p.a.to(p.b, call{Form: form, N: 8, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum, Seed: 1}))
		o := p.a.to(p.b, call{Form: form + "msg", N: 8, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum, Seed: 1, Flags: fi.OpCompletion})
		t.wait(o)
	}
	bad := m.remote
	bad.Key += 5
	for _, form := range []string{"write", "read", "atomic", "fetch_atomic"} {
		o := p.a.to(p.b, call{Form: form, N: 8, At: bad, Type: fi.TypeUint64, Op: fi.AtomicSum, Seed: 1})
		t.fails(o, fi.ErrKeyRejected)
	}
	for _, o := range quiet {
		if len(o.comps) != 0 {
			t.Errorf("a silent %s reported success", o.call.Form)
		}
	}
}

// selectiveDefault makes FI_COMPLETION a default under selective completion.
func selectiveDefault(t *test) {
	p := t.pair(func(o *openOpts) { o.SelTx, o.TxFlags = true, fi.OpCompletion })
	r := p.b.recv(call{Form: "trecv", N: 8})
	s := p.a.to(p.b, call{Form: "tsend", N: 8, Seed: 1})
	t.wait(r, s)
	r = p.b.recv(call{Form: "trecv", N: 8})
	m := p.a.to(p.b, call{Form: "tsendmsg", N: 8, Seed: 1}) // its own flags say nothing
	t.wait(r)
	t.got(r, m)
	if len(m.comps) != 0 {
		t.Errorf("a message form without FI_COMPLETION reported success")
	}
}

// countersOnly binds no queues, only counters.
func countersOnly(t *test) {
	p := t.pair(func(o *openOpts) { o.NoTxCQ, o.NoRxCQ = true, true })
	for i, n := range t.fit(0, 8, 100, 20000) {
		for _, f := range []fi.OpFlags{0, fi.OpCompletion, t.levels(fi.OpDeliveryComplete)} {
			p.b.recv(call{Form: "trecvmsg", N: n, Flags: f & fi.OpCompletion})
			p.a.to(p.b, call{Form: "tsendmsg", N: n, Seed: 1, Flags: f})
		}
		p.b.recv(call{Form: "trecv", N: n})
		p.a.to(p.b, call{Form: "tsend", N: n, Seed: 1})
		want := uint64(4 * (i + 1))
		t.until("the counters", func() bool {
			return p.a.count(cntSend) == want && p.b.count(cntRecv) == want
		})
	}
	p.b.recv(call{Form: "trecv", N: 4})
	p.a.to(p.b, call{Form: "tsend", N: 8, Seed: 1})
	t.until("the count of errors", func() bool { return p.b.count(numCounters+cntRecv) == 1 })
	p.b.uncounted, p.a.uncounted = true, true
}

// count reads one counter; numCounters+i are the errors.
func (s *side) count(i int) uint64 { return s.do(&request{Verb: vCounters}).Counts[i] }

// cqData carries data of all bits, with all sizes.
func cqData(t *test) {
	p := t.pair()
	mask := ^uint64(0)
	if size := p.a.info.Domain.CQDataSize; size < 8 {
		mask = 1<<(8*size) - 1
	}
	for _, n := range t.fit(0, 8, 40, 41, 100, 9000, 100000) {
		for _, data := range []uint64{0, 1, 0x0123456789abcdef, 1 << 63, ^uint64(0)} {
			data &= mask
			for _, x := range []string{"", "t"} {
				p.exchange(call{Form: x + "senddata", N: n, Data: data, Seed: data}, call{Form: x + "recv", N: n})
				s := p.a.to(p.b, call{Form: x + "sendmsg", N: n, Data: data, Seed: data, Flags: fi.OpRemoteCQData})
				r := p.b.recv(call{Form: x + "recv", N: n})
				t.wait(r, s)
				t.got(r, s)
			}
		}
	}
	// A place of the queue that has held data is used again without.
	q := t.pair(func(o *openOpts) { o.CQSize = 64 })
	for i := range 160 {
		form := "senddata"
		if i >= 80 {
			form = "send"
		}
		q.exchange(call{Form: form, N: 8, Data: 1, Seed: 1}, call{Form: "recv", N: 8})
	}
	// Data of the message form without its flag is nobody's business.
	p.exchange(call{Form: "sendmsg", N: 8, Data: 77, Flags: fi.OpCompletion}, call{Form: "recv", N: 8})
}

// contexts come back as they were given.
func contexts(t *test) {
	p := t.pair()
	a, b := p.a.n.eps[0], p.b.n.eps[0]
	p.a.uncounted, p.b.uncounted = true, true
	type key struct{ A, B int }
	ptr := new(int)
	for _, ctx := range []any{nil, ptr, 42, "text", key{1, 2}, 3.5, fmt.Errorf("x")} {
		t.check(b.TRecv(make([]byte, 8), anyone, 1, 0, ctx))
		t.check(a.TSend(make([]byte, 8), p.a.addr(p.b), 1, ctx))
		if e := p.a.txReader().next(); e.Context != ctx {
			t.Errorf("send: context %v came back as %v", ctx, e.Context)
		}
		if e := p.b.reader().next(); e.Context != ctx {
			t.Errorf("receive: context %v came back as %v", ctx, e.Context)
		}
	}
}

// unknownFlags posts with flags that an operation does not have: nothing is accepted.
func unknownFlags(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 1})
	known := map[string]fi.OpFlags{
		"send":  fi.OpRemoteCQData | fi.OpCompletion | fi.OpMore | fi.OpInject | fi.OpFence | allLevels,
		"recv":  fi.OpCompletion | fi.OpMore | fi.OpMultiRecv | fi.OpTransmitComplete,
		"trecv": fi.OpCompletion | fi.OpMore | fi.OpMultiRecv | fi.OpTransmitComplete | fi.OpPeek | fi.OpClaim | fi.OpDiscard,
		"write": fi.OpRemoteCQData | fi.OpCompletion | fi.OpMore | fi.OpInject | fi.OpFence | allLevels | fi.OpCommitComplete,
		"read":  fi.OpCompletion | fi.OpMore | fi.OpFence | allLevels,
		"atom":  fi.OpCompletion | fi.OpMore | fi.OpInject | fi.OpFence | allLevels | fi.OpTagged,
	}
	kinds := map[string]string{"sendmsg": "send", "tsendmsg": "send", "recvmsg": "recv", "trecvmsg": "trecv",
		"writemsg": "write", "readmsg": "read", "atomicmsg": "atom", "fetch_atomicmsg": "atom", "compare_atomicmsg": "atom"}
	for form, kind := range kinds {
		for bit := range 64 {
			f := fi.OpFlags(1) << bit
			if f&known[kind] != 0 || f == fi.OpTrigger { // what becomes of that one is family trigger's
				continue
			}
			c := call{Form: form, N: 8, To: p.a.addr(p.b), At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum, Flags: f}
			if kind == "recv" || kind == "trecv" {
				c.To = anyone
			}
			if form == "compare_atomicmsg" {
				c.Op, c.Compare = fi.AtomicCSwap, make([]byte, 8)
			}
			p.a.refuse(c, fi.ErrBadFlags)
		}
	}
}

const allLevels = fi.OpInjectComplete | fi.OpTransmitComplete | fi.OpDeliveryComplete | fi.OpMatchComplete
