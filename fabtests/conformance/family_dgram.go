package conformance

import (
	"runtime"
	"time"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("dgram",
	testCase{name: "nobody-there", need: msg, datagrams: true, kind: core, run: dgramNobody},
	testCase{name: "nobody-receives", need: msg, datagrams: true, run: dgramFlood},
	testCase{name: "restarted", need: msg, datagrams: true, run: dgramRestarted},
	testCase{name: "levels-refused", need: msg, datagrams: true, run: dgramLevels},
	testCase{name: "sent-at-once", need: msg, datagrams: true, run: dgramAtOnce},
)

// dgramNobody sends to a peer that has closed its endpoint: all is well with who sends, as far as it knows.
func dgramNobody(t *test) {
	s := t.open(3)
	a, b, gone := s[0], s[1], s[2]
	gone.settled = true
	t.check(gone.do(&request{Verb: vCloseEPs}).err())
	for i := range 50 {
		o := a.to(gone, call{Form: "send", N: t.fit(8 + i*40)[0], Seed: uint64(i)})
		t.wait(o)
		a.to(gone, call{Form: "inject", N: 8, Seed: uint64(i)})
	}
	for i := range 5 {
		p := &pair{t, a, b}
		p.exchange(call{Form: "send", N: 100, Seed: uint64(i)}, call{Form: "recv", N: 100})
		p = &pair{t, b, a}
		p.exchange(call{Form: "send", N: 100, Seed: uint64(i)}, call{Form: "recv", N: 100})
	}
}

// dgramFlood sends far more than is kept for a peer that posts no receives: the sender is never held up. What was kept is
// whole, and when it has been received there is room again.
func dgramFlood(t *test) {
	p := t.pair()
	p.a.uncounted, p.b.uncounted = true, true
	size := t.fit(16 << 10)[0]
	count := max(600, (4<<20)/size)
	for range count {
		t.wait(p.a.to(p.b, call{Form: "send", N: size, Seed: 7}))
	}
	last := call{Form: "send", N: 9, Seed: 8}
	end := time.Now().Add(t.patience)
	for received := 0; ; received++ {
		r := p.b.recv(call{Form: "recv", N: size})
		for next := time.Now(); !r.done(); runtime.Gosched() {
			if now := time.Now(); now.After(next) { // this may be lost, too
				t.wait(p.a.to(p.b, last))
				next = now.Add(10 * time.Millisecond)
			}
			p.b.poll()
			if time.Now().After(end) {
				t.Fatalf("after %d messages nothing more comes", received)
			}
		}
		c := r.last()
		if c.Len == last.N && differs(c.Bytes, last.Seed, 0) == "" {
			break
		}
		if d := differs(c.Bytes, 7, 0); c.Len != size || d != "" {
			t.Fatalf("a message that was kept has %d bytes, sent were %d: %s", c.Len, size, d)
		}
		if received >= count {
			t.Fatalf("%d messages were received, %d sent", received, count)
		}
	}
}

// dgramRestarted has a peer close its endpoint and another one come: nothing has to be done about the old one.
func dgramRestarted(t *test) {
	a := t.newSide(t.opts(t.tc.need))
	for i := range 3 {
		b := t.newSide(t.opts(t.tc.need))
		a.insert(b)
		b.insert(a)
		p := &pair{t, a, b}
		p.exchange(call{Form: "send", N: 64, Seed: uint64(i)}, call{Form: "recv", N: 64})
		p = &pair{t, b, a}
		p.exchange(call{Form: "send", N: 64, Seed: uint64(i)}, call{Form: "recv", N: 64})
		t.wait(a.to(b, call{Form: "send", N: 64, Seed: 9})) // nobody receives it
		t.check(b.do(&request{Verb: vCloseEPs}).err())
		b.settled = true
		t.wait(a.to(b, call{Form: "send", N: 64, Seed: 9}))
	}
}

// dgramLevels asks to hear that a datagram has come.
func dgramLevels(t *test) {
	p := t.pair()
	for _, f := range []fi.OpFlags{fi.OpDeliveryComplete, fi.OpMatchComplete, fi.OpDeliveryComplete | fi.OpInject} {
		p.a.refuse(call{Form: "sendmsg", N: 8, To: p.a.addr(p.b), Flags: f}, fi.ErrOpNotSupp)
		h := t.cell.set.hints(t.tc.need)
		h.Tx.OpFlags = f
		if _, err := t.ask(h); !isErr(err, fi.ErrNoData) {
			t.Errorf("GetInfo with %v as default flags: %v, want FI_ENODATA", f, err)
		}
	}
	p.exchange(call{Form: "sendmsg", N: 8, Seed: 1, Flags: fi.OpTransmitComplete}, call{Form: "recv", N: 8})
}

// dgramAtOnce sees that a send completes though its peer does not make progress: it waits for nobody.
func dgramAtOnce(t *test) {
	p := t.pair()
	for _, n := range t.fit(0, 8, 500, 20000) {
		s := p.a.to(p.b, call{Form: "send", N: n, Seed: uint64(n)})
		end := time.Now().Add(t.patience)
		for !s.done() {
			if p.a.poll(); time.Now().After(end) {
				t.Fatalf("a datagram of %d bytes did not complete", n)
			}
		}
		r := p.b.recv(call{Form: "recv", N: n})
		t.wait(r)
		t.got(r, s)
	}
}
