package conformance

import (
	"errors"
	"time"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("progress",
	testCase{name: "post-and-leave", need: tagged, kind: core, run: postAndLeave},
	testCase{name: "any-object", need: tagged | rma, where: local, kind: core, run: anyObject},
	testCase{name: "nobody-polls", need: tagged, where: local, run: nobodyPolls},
	testCase{name: "one-side-computes", need: tagged | rma, run: oneSideComputes},
)

// postAndLeave posts short messages and makes no other call: they leave all the same.
func postAndLeave(t *test) {
	p := t.pair()
	p.exchange(call{Form: "tsend", N: 8, Seed: 1}, call{Form: "trecv", N: 8}) // they know each other
	for i, form := range []string{"tsend", "tinject", "tsenddata", "tsend"} {
		n := []int{8, 40, 200, 4000}[i]
		r := p.b.recv(call{Form: "trecv", N: n})
		s := p.a.to(p.b, call{Form: form, N: n, Seed: uint64(i)})
		for end := time.Now().Add(t.patience); !r.done(); {
			p.b.poll()
			if time.Now().After(end) {
				t.Fatalf("a %s of %d bytes did not leave before its sender made another call", form, n)
			}
		}
		t.got(r, s)
		t.wait(s)
	}
	// The last of a row with FI_MORE, too.
	var recvs, sends []*op
	for i := range 5 {
		flags := fi.OpMore
		if i == 4 {
			flags = fi.OpTransmitComplete
		}
		recvs = append(recvs, p.b.recv(call{Form: "trecv", N: 64}))
		sends = append(sends, p.a.to(p.b, call{Form: "tsendmsg", N: 64, Seed: uint64(i), Flags: flags}))
	}
	for end := time.Now().Add(t.patience); !recvs[4].done() && time.Now().Before(end); {
		p.b.poll()
	}
	t.wait(append(recvs, sends...)...)
}

// anyObject drives a side by reading one object only: the other queue, or a counter. Everything of the domain goes on.
func anyObject(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 100000, Key: 1})
	for name, read := range map[string]func(){
		"the transmit queue": func() { p.b.n.txq.Read(nil) },
		"the receive queue":  func() { p.b.n.rxq.Read(nil) },
		"a counter":          func() { p.b.n.cnt[cntSend].Read() },
		"a count of errors":  func() { p.b.n.cnt[cntRecv].ReadErr() },
	} {
		var ops []*op
		for i, n := range []int{8, 9000, 200000} {
			ops = append(ops, p.b.recv(call{Form: "trecv", N: n}))
			ops = append(ops, p.a.to(p.b, call{Form: "tsend", N: n, Seed: uint64(i)}))
		}
		w := p.a.to(p.b, call{Form: "write", N: 100000, At: m.remote})
		r := p.a.to(p.b, call{Form: "read", N: 50000, At: m.remote})
		mine := []*op{ops[1], ops[3], ops[5], w, r}
		done := func() bool {
			for _, o := range mine {
				if !o.done() {
					return false
				}
			}
			return p.b.n.cnt[cntRecv].Read() > 0
		}
		for end := time.Now().Add(t.patience); !done(); {
			read()
			p.a.poll()
			if time.Now().After(end) {
				t.Fatalf("reading only %s does not drive the domain", name)
			}
		}
		t.wait(append(ops, w, r)...)
	}
}

// nobodyPolls starts a long message and makes no call on either side: with automatic progress the buffer is full in the
// end.
func nobodyPolls(t *test) {
	if !t.cell.automatic() {
		return
	}
	p := t.pair()
	for _, n := range []int{8, 20000, 4 << 20} {
		r := p.b.recv(call{Form: "trecv", N: n})
		s := p.a.to(p.b, call{Form: "tsend", N: n, Seed: uint64(n)})
		buf := p.b.n.ops[r.id].buf
		want := pattern(uint64(n), n)
		for end := time.Now().Add(t.patience); firstDiff(peek(buf), want) != ""; {
			if time.Now().After(end) {
				t.Fatalf("a message of %d bytes did not arrive while nobody polled", n)
			}
			pause(time.Millisecond)
		}
		t.wait(r, s)
		t.got(r, s)
	}
}

// oneSideComputes has the target compute, without a call, while its peer writes and sends long messages to receives
// that are posted.
func oneSideComputes(t *test) {
	if !t.cell.automatic() {
		return
	}
	p := t.pair()
	m := p.b.reg(regOpts{N: 1 << 20, Key: 1})
	var ops, recvs []*op
	for i := range 6 {
		n := []int{8, 9000, 500000}[i%3]
		recvs = append(recvs, p.b.recv(call{Form: "trecv", N: n}))
		ops = append(ops, p.a.to(p.b, call{Form: "tsendmsg", N: n, Seed: uint64(i), Flags: fi.OpDeliveryComplete}))
		ops = append(ops, p.a.to(p.b, call{Form: "writemsg", N: n, At: m.remote, Seed: uint64(i), Flags: fi.OpDeliveryComplete}))
	}
	computed := t.background(func() {
		r := p.b.do(&request{Verb: vProgram, Program: "compute"})
		if r.Err != nil && !errors.Is(r.err(), fi.ErrOther) {
			t.Errorf("computing: %v", r.Err)
		}
	})
	t.wait(ops...)
	computed()
	t.wait(recvs...)
	for i, r := range recvs {
		t.got(r, ops[2*i])
	}
}

var _ = program("compute", func(*node, []byte) ([]byte, error) {
	x := uint64(1)
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); {
		for range 1000 {
			x = word(x, x)
		}
	}
	return []byte{byte(x)}, nil
})
