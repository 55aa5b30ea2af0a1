package conformance

import (
	"encoding/binary"

	"github.com/gofabric/gofabric/fi"
)

// fenceKinds posts fenced accesses of every kind behind a message that cannot complete yet, and injects without a fence
// behind them: none begins before, and what was injected is what was given, not what the buffer holds when it leaves.
func fenceKinds(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 1})
	m.set(0, make([]byte, 64))
	first := p.a.to(p.b, call{Form: "tsendmsg", N: 64, Tag: 1, Seed: 1, Flags: fi.OpMatchComplete})
	at := func(i int) call {
		return call{N: 8, At: m.remote.At(uint64(8 * i)), Type: fi.TypeUint64, Op: fi.AtomicSum}
	}
	var ops []*op
	for i, c := range []call{
		{Form: "writemsg"}, {Form: "writemsg", Flags: fi.OpInject}, {Form: "atomicmsg"}, {Form: "atomicmsg", Flags: fi.OpInject},
		{Form: "readmsg"}, {Form: "fetch_atomicmsg"}, {Form: "compare_atomicmsg", Compare: word64(7)},
	} {
		x := at(i)
		x.Form, x.Flags, x.Compare, x.Bytes = c.Form, c.Flags|fi.OpFence, c.Compare, word64(uint64(100+i))
		if c.Compare != nil {
			x.Op = fi.AtomicCSwap
		}
		if c.brings() {
			x.Bytes = nil
		}
		ops = append(ops, p.a.to(p.b, x))
	}
	behind := at(7)
	behind.Form, behind.Bytes = "inject_write", word64(200)
	p.a.to(p.b, behind)
	for range 20 {
		t.flush(p.b, p.a)
	}
	for i, o := range ops {
		if len(o.comps) != 0 {
			t.Fatalf("a fenced %s (flags %v) has completed before the message ahead of it", o.call.Form, ops[i].call.Flags)
		}
	}
	value := func(i int) uint64 { return binary.NativeEndian.Uint64(m.bytes(8*i, 8)) }
	for i := range ops {
		if v := value(i); v != 0 {
			t.Fatalf("a fenced %s was done before the message ahead of it completed: %d", ops[i].call.Form, v)
		}
	}
	for i := range 7 { // what they find now is not what was there when they were posted
		m.set(8*i, word64(7))
	}
	r := p.b.recv(call{Form: "trecv", N: 64, Tag: 1})
	t.wait(append(ops, first, r)...)
	t.until("what was injected behind them", func() bool { return value(7) != 0 })
	for i, want := range []uint64{100, 101, 7 + 102, 7 + 103, 7, 7 + 105, 106, 200} {
		if i < 4 {
			t.until("a fenced "+ops[i].call.Form+" in memory", func() bool { return value(i) != 7 })
		}
		if v := value(i); v != want {
			t.Errorf("access %d left %d, want %d", i, v, want)
		}
	}
	for _, o := range ops[4:] {
		if v := binary.NativeEndian.Uint64(o.last().Bytes); v != 7 {
			t.Errorf("a fenced %s brought %d, want 7", o.call.Form, v)
		}
	}
}

// fenceTwo has two fences in a row: each waits for what is ahead of it, and one does not open the other.
func fenceTwo(t *test) {
	p := t.pair()
	first := p.a.to(p.b, call{Form: "tsendmsg", N: 64, Tag: 1, Seed: 1, Flags: fi.OpMatchComplete})
	second := p.a.to(p.b, call{Form: "tsendmsg", N: 64, Tag: 2, Seed: 2, Flags: fi.OpMatchComplete | fi.OpFence})
	r3 := p.b.recv(call{Form: "trecv", N: 64, Tag: 3})
	third := p.a.to(p.b, call{Form: "tsendmsg", N: 64, Tag: 3, Seed: 3, Flags: fi.OpFence})
	r1 := p.b.recv(call{Form: "trecv", N: 64, Tag: 1})
	t.wait(first, r1)
	t.got(r1, first)
	for range 20 {
		t.flush(p.b, p.a)
	}
	p.b.poll()
	if len(r3.comps)+len(third.comps)+len(second.comps) != 0 {
		t.Fatalf("the second fence was passed when the message before the first had completed")
	}
	r2 := p.b.recv(call{Form: "trecv", N: 64, Tag: 2})
	t.wait(second, r2, third, r3)
	t.got(r2, second)
	t.got(r3, third)
}
