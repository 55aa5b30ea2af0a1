package conformance

import (
	"slices"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("msg",
	testCase{name: "forms", need: msg, kind: core, run: func(t *test) { sendForms(t, "") }},
	testCase{name: "sizes", need: msg, kind: core, run: func(t *test) { sizes(t, "") }},
	testCase{name: "vectors", need: msg, run: func(t *test) { vectors(t, "") }},
	testCase{name: "unexpected", need: msg, kind: core, run: func(t *test) { unexpected(t, "") }},
	testCase{name: "burst", need: msg, run: func(t *test) { burst(t, "") }},
	testCase{name: "truncation", need: msg, kind: core, run: func(t *test) { truncation(t, "") }},
	testCase{name: "self", need: msg, run: func(t *test) { toSelf(t, "") }},
	testCase{name: "both-ways", need: msg, run: func(t *test) { bothWays(t, "") }},
	testCase{name: "order-of-sizes", need: msg, kind: core, run: func(t *test) { orderOfSizes(t, "") }},
	testCase{name: "window", need: msg, run: func(t *test) { window(t, "") }},
	testCase{name: "many-peers", need: msg, run: func(t *test) { manyPeers(t, "") }},
	testCase{name: "no-such-peer", need: msg, run: func(t *test) { noSuchPeer(t, "") }},
	testCase{name: "too-long", need: msg, run: func(t *test) { tooLong(t, "") }},
	testCase{name: "nil-buffers", need: msg, where: local, run: nilBuffers},
)

var _ = add("tagged",
	testCase{name: "forms", need: tagged, kind: core, run: func(t *test) { sendForms(t, "t") }},
	testCase{name: "sizes", need: tagged, kind: core, run: func(t *test) { sizes(t, "t") }},
	testCase{name: "vectors", need: tagged, run: func(t *test) { vectors(t, "t") }},
	testCase{name: "unexpected", need: tagged, kind: core, run: func(t *test) { unexpected(t, "t") }},
	testCase{name: "burst", need: tagged, run: func(t *test) { burst(t, "t") }},
	testCase{name: "truncation", need: tagged, kind: core, run: func(t *test) { truncation(t, "t") }},
	testCase{name: "self", need: tagged, run: func(t *test) { toSelf(t, "t") }},
	testCase{name: "both-ways", need: tagged, run: func(t *test) { bothWays(t, "t") }},
	testCase{name: "order-of-sizes", need: tagged, kind: core, run: func(t *test) { orderOfSizes(t, "t") }},
	testCase{name: "window", need: tagged, run: func(t *test) { window(t, "t") }},
	testCase{name: "many-peers", need: tagged, run: func(t *test) { manyPeers(t, "t") }},
	testCase{name: "no-such-peer", need: tagged, run: func(t *test) { noSuchPeer(t, "t") }},
	testCase{name: "too-long", need: tagged, run: func(t *test) { tooLong(t, "t") }},
)

// sendForms sends one message by each call, received by each call.
func sendForms(t *test, x string) {
	p := t.pair()
	const flags = fi.OpTransmitComplete
	sends := []call{
		{Form: "send"}, {Form: "sendv", Split: []int{3, 0, 21}}, {Form: "sendmsg", Flags: flags},
		{Form: "sendmsg", Flags: fi.OpInject}, {Form: "sendmsg", Flags: fi.OpRemoteCQData, Data: 0x123456789abcdef0},
		{Form: "sendmsg", Flags: fi.OpMore}, {Form: "sendmsg", Flags: fi.OpInjectComplete},
		{Form: "sendmsg", Flags: fi.OpDeliveryComplete}, {Form: "sendmsg", Flags: fi.OpMatchComplete},
		{Form: "sendmsg", Flags: fi.OpInject | fi.OpRemoteCQData | fi.OpDeliveryComplete, Data: 7},
		{Form: "inject"}, {Form: "senddata", Data: 0xfedcba9876543210}, {Form: "injectdata", Data: 1},
	}
	recvs := []call{{Form: "recv"}, {Form: "recvv", Split: []int{1, 7, 16}}, {Form: "recvmsg", Flags: fi.OpCompletion}}
	n := uint64(0)
	for _, s := range sends {
		if s.Flags = t.levels(s.Flags); p.a.noData() && (s.Data != 0 || s.Flags&fi.OpRemoteCQData != 0) {
			s.Form, s.N = x+trimT(s.Form), 24
			s.To = p.a.addr(p.b)
			p.a.refuse(s, fi.ErrOpNotSupp)
			continue
		}
		for _, r := range recvs {
			n++
			s.Form, r.Form = x+trimT(s.Form), x+trimT(r.Form)
			s.N, r.N, s.Seed = 24, 24, n
			if x != "" {
				s.Tag, r.Tag = n<<56|n, n<<56|n
			}
			p.exchange(s, r)
		}
	}
	// The last one had FI_MORE somewhere: everything that was held back must have left by now.
	t.flush(p.b, p.a)
}

// trimT gives the untagged name of a form.
func trimT(form string) string {
	if form[0] == 't' {
		return form[1:]
	}
	return form
}

// edgeSizes are those round which protocols change.
func edgeSizes(t *test, inject int) []int {
	if !t.cell.standard && !t.thorough() {
		out := t.fit(0, 8, 41, 64, 100, 4097, 8193, inject, 16385, 70000)
		if t.cell.mapping && !t.cell.set.datagrams() { // long copies are another path there
			out = append(out, 1<<20+13)
		}
		return slices.Compact(out)
	}
	if t.cell.set.datagrams() {
		return slices.Compact(t.fit(0, 1, 8, 41, 64, 100, 511, 512, 513, 1000, 4097, 8193, inject, 70000))
	}
	out := []int{0, 1, 7, 8, 9, 39, 40, 41, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4095, 4096, 4097,
		8191, 8192, 8193, 8194, 8256, 8257, 16383, 16384, 16385, 65535, 65536, 65537, 1 << 20, 1<<20 + 13}
	for _, n := range []int{inject - 1, inject, inject + 1} {
		if n > 0 && n <= 1<<20 {
			out = append(out, n)
		}
	}
	if *long && t.cell.standard {
		out = append(out, 64<<20)
	}
	return out
}

// sizes sends each size into a posted receive of that size, of a longer one, and before its receive.
func sizes(t *test, x string) {
	p := t.pair()
	inject := p.a.info.Tx.InjectSize
	for i, n := range edgeSizes(t, inject) {
		seed := uint64(i + 1)
		forms := []string{"send"}
		if n <= inject {
			forms = append(forms, "inject")
		}
		for _, form := range forms {
			p.exchange(call{Form: x + form, N: n, Seed: seed}, call{Form: x + "recv", N: n})
			if n > 1<<20 {
				continue
			}
			p.exchange(call{Form: x + form, N: n, Seed: seed}, call{Form: x + "recv", N: n + 100})
			s := p.a.to(p.b, call{Form: x + form, N: n, Seed: seed})
			r := p.b.recv(call{Form: x + "recv", N: n + 1})
			t.wait(s, r)
			t.got(r, s)
		}
	}
}

// vectors sends and receives in parts, as many as the Info says, also with empty ones and across each other's borders.
func vectors(t *test, x string) {
	p := t.pair()
	cut := func(n, parts int) []int {
		if parts <= 0 {
			return nil
		}
		out := make([]int, parts)
		for i := range out {
			out[i] = n / parts
		}
		out[parts-1] += n % parts
		return out
	}
	for _, n := range t.fit(0, 1, 40, 100, 5000, 20000, 200000) {
		for _, k := range []int{1, 2, 3, p.a.info.Tx.IovLimit} {
			for _, l := range []int{1, 2, p.b.info.Rx.IovLimit} {
				p.exchange(call{Form: x + "sendmsg", N: n, Split: cut(n, k), Seed: uint64(n + k)},
					call{Form: x + "recvv", N: n, Split: cut(n, l)})
			}
		}
	}
	for i, n := range edgeSizes(t, p.a.info.Tx.InjectSize) { // the general form round the sizes where protocols change
		c := call{Form: x + "sendmsg", N: n, Split: cut(n, min(2, p.a.info.Tx.IovLimit)), Seed: uint64(i)}
		p.exchange(c, call{Form: x + "recv", N: n})
		if c.Flags = fi.OpInject; n <= p.a.info.Tx.InjectSize {
			p.exchange(c, call{Form: x + "recv", N: n + 1})
		}
	}
	p.a.refuse(call{Form: x + "sendv", N: 100, Split: cut(100, p.a.info.Tx.IovLimit+1), To: p.a.addr(p.b)}, fi.ErrInvalid)
	p.b.refuse(call{Form: x + "recvv", N: 100, Split: cut(100, p.b.info.Rx.IovLimit+1), To: anyone}, fi.ErrInvalid)
	// The message that is longer than its parts fills them all.
	r := p.b.recv(call{Form: x + "recvv", N: 30, Split: []int{10, 0, 20}})
	s := p.a.to(p.b, call{Form: x + "send", N: 33, Seed: 3})
	t.wait(s)
	if c := t.fails(r, fi.ErrTruncated); c.Len != 30 || c.OLen != 3 {
		t.Errorf("truncated into a vector: len %d olen %d, want 30 and 3", c.Len, c.OLen)
	}
}

// unexpected sends messages of all sizes before their receives.
func unexpected(t *test, x string) {
	p := t.pair()
	var sends []*op
	for i, n := range edgeSizes(t, 0) {
		sends = append(sends, p.a.to(p.b, call{Form: x + "send", N: n, Seed: uint64(i), Tag: uint64(i) * (1 - btoi(x == ""))}))
	}
	p.a.poll()
	var recvs []*op
	for i, s := range sends {
		recvs = append(recvs, p.b.recv(call{Form: x + "recv", N: s.call.N, Tag: uint64(i) * (1 - btoi(x == ""))}))
	}
	t.wait(append(recvs, sends...)...)
	for i := range recvs {
		t.got(recvs[i], sends[i])
	}
}

func btoi(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// burst sends thousands of messages that nobody waits for.
func burst(t *test, x string) {
	p := t.pair()
	count := 3000
	var sends, recvs []*op
	for i := range count {
		sends = append(sends, p.a.to(p.b, call{Form: x + "send", N: i % 100, Seed: uint64(i)}))
	}
	for i := range count {
		recvs = append(recvs, p.b.recv(call{Form: x + "recv", N: i % 100}))
	}
	t.wait(append(recvs, sends...)...)
	for i := range recvs {
		t.got(recvs[i], sends[i])
	}
}

// truncation sends messages that are longer than their receives, posted before and after.
func truncation(t *test, x string) {
	p := t.pair()
	const tag = 0x7a6
	lens := []int{1, 8, 40, 41, 64, 65, 300, 4097, 8193, 16385, 70000, 1 << 20}
	if !t.cell.standard && !t.thorough() {
		lens = []int{8, 41, 300, 8193, 20000}
	}
	for _, n := range slices.Compact(t.fit(lens...)) {
		for _, room := range []int{0, 1, n / 2, n - 1} {
			if room >= n {
				continue
			}
			for _, late := range []bool{false, true} {
				var r *op
				if !late {
					r = p.b.recv(call{Form: x + "recv", N: room, Tag: tag})
				}
				form := "senddata"
				if p.a.noData() {
					form = "send"
				}
				s := p.a.to(p.b, call{Form: x + form, N: n, Seed: uint64(n), Tag: tag, Data: 0x5d5d})
				if late {
					r = p.b.recv(call{Form: x + "recv", N: room, Tag: tag})
				}
				c := t.fails(r, fi.ErrTruncated)
				if c.Len != room || c.OLen != n-room {
					t.Errorf("%d bytes into %d: len %d olen %d", n, room, c.Len, c.OLen)
				}
				t.described(r, c, &s.call)
				if d := differs(c.Bytes, uint64(n), 0); d != "" {
					t.Errorf("%d bytes into %d: %s", n, room, d)
				}
				t.settle(s) // the sender may see success or the truncation
				s.claimed = true
			}
		}
	}
	p.exchange(call{Form: x + "send", N: 10, Seed: 1}, call{Form: x + "recv", N: 10}) // the endpoints live on
}

// toSelf sends to the own endpoint.
func toSelf(t *test, x string) {
	s := t.open(1)[0]
	for i, n := range t.fit(0, 8, 64, 5000, 100000) {
		for _, late := range []bool{false, true} {
			var r, w *op
			if late {
				w = s.to(s, call{Form: x + "send", N: n, Seed: uint64(i)})
				r = s.recv(call{Form: x + "recv", N: n})
			} else {
				r = s.recv(call{Form: x + "recv", N: n})
				w = s.to(s, call{Form: x + "send", N: n, Seed: uint64(i)})
			}
			t.wait(r, w)
			t.got(r, w)
		}
	}
}

// bothWays has many messages in flight in both directions.
func bothWays(t *test, x string) {
	p := t.pair()
	lens := t.fit(0, 8, 41, 100, 4000, 9000, 17000, 100000)
	var ops []*op
	var pairs [][2]*op
	for i := range 64 {
		n := lens[i%len(lens)]
		ra := p.a.recv(call{Form: x + "recv", N: n})
		rb := p.b.recv(call{Form: x + "recv", N: n})
		sa := p.a.to(p.b, call{Form: x + "send", N: n, Seed: uint64(i)})
		sb := p.b.to(p.a, call{Form: x + "send", N: n, Seed: uint64(1000 + i)})
		ops = append(ops, ra, rb, sa, sb)
		pairs = append(pairs, [2]*op{rb, sa}, [2]*op{ra, sb})
	}
	t.wait(ops...)
	for _, rs := range pairs {
		t.got(rs[0], rs[1])
	}
}

// orderOfSizes sends short messages right behind long ones: receives match in the order of sending.
func orderOfSizes(t *test, x string) {
	p := t.pair()
	lens := t.fit(300000, 8, 100000, 0, 8193, 41, 8192, 16385, 1, 4097, 64, 20000, 63)
	for _, late := range []bool{false, true} {
		var sends, recvs []*op
		post := func() {
			for range lens {
				recvs = append(recvs, p.b.recv(call{Form: x + "recv", N: 300000}))
			}
		}
		if !late {
			post()
		}
		for i, n := range lens {
			sends = append(sends, p.a.to(p.b, call{Form: x + "send", N: n, Seed: uint64(i + 1)}))
		}
		if late {
			post()
		}
		t.wait(append(recvs, sends...)...)
		for i := range recvs {
			t.got(recvs[i], sends[i])
		}
	}
}

// window posts sends until nothing more is taken: FI_EAGAIN says that progress helps, and it does.
func window(t *test, x string) {
	p := t.pair(func(o *openOpts) { o.CQSize = 64 })
	full := false
	var sends, recvs []*op
	for i := 0; i < 100000 && !full; i++ {
		c := call{Form: x + "send", N: 32, Seed: uint64(i), To: p.a.addr(p.b)}
		o, err := p.a.try(c)
		switch {
		case err == nil:
			o.target = p.b
			sends = append(sends, o)
		case isErr(err, fi.ErrAgain):
			full = true
		default:
			t.Fatalf("send %d: %v", i, err)
		}
	}
	if !full {
		t.Errorf("%d sends were accepted with nobody reading their completions from a queue of 64", len(sends))
	}
	if len(sends) < 64 {
		t.Errorf("only %d sends were accepted with a queue of 64", len(sends))
	}
	for range sends {
		recvs = append(recvs, p.b.recv(call{Form: x + "recv", N: 32}))
	}
	t.wait(append(recvs, sends...)...)
	for i := range recvs {
		t.got(recvs[i], sends[i])
	}
	p.exchange(call{Form: x + "send", N: 32, Seed: 1}, call{Form: x + "recv", N: 32})
}

// manyPeers has several senders at one receiver; each one's messages come in its order.
func manyPeers(t *test, x string) {
	s := t.open(5)
	var recvs, sends []*op
	const each = 40
	for range each * (len(s) - 1) {
		recvs = append(recvs, s[0].recv(call{Form: x + "recv", N: 2000}))
	}
	for i := range each {
		for k, a := range s[1:] {
			sends = append(sends, a.to(s[0], call{Form: x + "send", N: 8 + (i*53)%1900, Seed: uint64(k*each + i)}))
		}
	}
	t.wait(append(recvs, sends...)...)
	next := make([]int, len(s))
	for _, r := range recvs { // receives are matched in the order in which they were posted
		found := false
		for k := range s[1:] {
			if i := next[k]; i < each {
				o := sends[i*(len(s)-1)+k]
				if c := r.last(); c.Len == o.call.N && differs(c.Bytes, o.call.Seed, 0) == "" {
					if t.tc.need&fi.CapSource != 0 && c.Src != s[0].addr(s[k+1]) {
						t.Errorf("message of side %d: source %d, want %d", k+1, c.Src, s[0].addr(s[k+1]))
					}
					next[k]++
					found = true
					break
				}
			}
		}
		if !found {
			t.Fatalf("a receive got a message that is not the next of any sender: %v", r.last())
		}
	}
}

// noSuchPeer sends to addresses that are not in the vector.
func noSuchPeer(t *test, x string) {
	p := t.pair()
	for _, to := range []fi.Addr{99, 1 << 20, fi.AddrUnspec} {
		for _, form := range []string{"send", "inject", "sendmsg", "senddata"} {
			p.a.refuse(call{Form: x + form, N: 8, To: to}, fi.ErrInvalid)
		}
	}
	p.exchange(call{Form: x + "send", N: 8}, call{Form: x + "recv", N: 8})
}

// tooLong sends more than may be sent; limits are those of the Info, or lower ones that were set.
func tooLong(t *test, x string) {
	p := t.pair(func(o *openOpts) {
		o.Max.Msg, o.Max.Tagged = 1000, 1000
		o.Inject.Msg, o.Inject.Tagged = 32, 32
	})
	to := p.a.addr(p.b)
	for _, form := range []string{"send", "sendv", "sendmsg", "senddata"} {
		p.a.refuse(call{Form: x + form, N: 1001, To: to}, fi.ErrMsgSize)
	}
	for _, form := range []string{"inject", "injectdata"} {
		p.a.refuse(call{Form: x + form, N: 33, To: to}, fi.ErrMsgSize)
	}
	p.a.refuse(call{Form: x + "sendmsg", Flags: fi.OpInject, N: 33, To: to}, fi.ErrMsgSize)
	p.exchange(call{Form: x + "send", N: 1000, Seed: 1}, call{Form: x + "recv", N: 1000})
	p.exchange(call{Form: x + "inject", N: 32, Seed: 2}, call{Form: x + "recv", N: 1000})
}

// nilBuffers passes nil for no bytes, in every form.
func nilBuffers(t *test) {
	p := t.pair()
	a, b := p.a.n.eps[0], p.b.n.eps[0]
	to := p.a.addr(p.b)
	recvs := []func() error{
		func() error { return b.Recv(nil, anyone, nil) },
		func() error { return b.RecvV(nil, anyone, nil) },
		func() error { return b.RecvMsg(&fi.Msg{Addr: anyone}, 0) },
		func() error { return b.RecvV([][]byte{nil, {}}, anyone, nil) },
	}
	sends := []func() error{
		func() error { return a.Send(nil, to, nil) },
		func() error { return a.SendV(nil, to, nil) },
		func() error { return a.SendV([][]byte{nil, nil}, to, nil) },
		func() error { return a.SendMsg(&fi.Msg{Addr: to}, 0) },
		func() error { return a.SendData(nil, 5, to, nil) },
	}
	if p.a.noData() {
		sends = sends[:4]
	}
	for i, r := range recvs {
		for j, s := range sends {
			t.check(r())
			t.check(s())
			t.event(p.a)
			if c := t.event(p.b); c.Len != 0 || c.Err != 0 {
				t.Errorf("recv form %d, send form %d: %v", i, j, &c)
			}
		}
	}
	t.check(b.Recv(nil, anyone, nil))
	t.check(a.Inject(nil, to))
	if c := t.event(p.b); c.Len != 0 {
		t.Errorf("inject of nil: %v", &c)
	}
	// These operations have no records, so the counters are not what the suite counts.
	p.a.uncounted, p.b.uncounted = true, true
}
