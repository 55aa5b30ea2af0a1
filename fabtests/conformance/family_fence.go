package conformance

import (
	"encoding/binary"

	"github.com/gofabric/gofabric/fi"
)

// fenceKinds posts fenced accesses of every kind, each behind a message that cannot complete yet, and an inject without a
// fence behind each: none begins before, and what was injected is what was given, not what the buffer holds when it leaves.
func fenceKinds(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 16, Key: 1})
	value := func(off int) uint64 { return binary.NativeEndian.Uint64(m.bytes(off, 8)) }
	for _, c := range []struct {
		call
		left, brought uint64
	}{
		{call{Form: "writemsg"}, 100, 0}, {call{Form: "writemsg", Flags: fi.OpInject}, 100, 0},
		{call{Form: "atomicmsg", Op: fi.AtomicSum}, 107, 0}, {call{Form: "atomicmsg", Op: fi.AtomicSum, Flags: fi.OpInject}, 107, 0},
		{call{Form: "readmsg"}, 7, 7}, {call{Form: "fetch_atomicmsg", Op: fi.AtomicSum}, 107, 7},
		{call{Form: "compare_atomicmsg", Op: fi.AtomicCSwap, Compare: word64(7)}, 100, 7},
	} {
		m.set(0, make([]byte, 16))
		first := p.a.to(p.b, call{Form: "tsendmsg", N: 64, Tag: 1, Seed: 1, Flags: fi.OpMatchComplete})
		x := c.call
		x.N, x.At, x.Type, x.Flags = 8, m.remote, fi.TypeUint64, c.Flags|fi.OpFence
		if !c.brings() {
			x.Bytes = word64(100)
		}
		o := p.a.to(p.b, x)
		p.a.to(p.b, call{Form: "inject_write", N: 8, At: m.remote.At(8), Bytes: word64(200)})
		for range 10 {
			t.flush(p.b, p.a)
		}
		if v := value(0); len(o.comps) != 0 || v != 0 {
			t.Fatalf("a fenced %s (flags %v) was done before the message ahead of it completed", c.Form, x.Flags)
		}
		m.set(0, word64(7)) // what it finds now is not what was there when it was posted
		r := p.b.recv(call{Form: "trecv", N: 64, Tag: 1})
		t.wait(first, r, o)
		t.until("what was injected behind a fence", func() bool { return value(8) != 0 })
		if v := value(8); v != 200 {
			t.Errorf("an inject behind a fenced %s left %d, want 200", c.Form, v)
		}
		t.until("a fenced access in memory", func() bool { return value(0) != 7 || c.left == 7 })
		if v := value(0); v != c.left {
			t.Errorf("a fenced %s (flags %v) left %d, want %d", c.Form, x.Flags, v, c.left)
		}
		if c.brought != 0 {
			if v := binary.NativeEndian.Uint64(o.last().Bytes); v != c.brought {
				t.Errorf("a fenced %s brought %d, want %d", c.Form, v, c.brought)
			}
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
	r4 := p.b.recv(call{Form: "trecv", N: 64, Tag: 3})
	behind := p.a.to(p.b, call{Form: "tsend", N: 64, Tag: 3, Seed: 4}) // has no fence, and does not overtake
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
	t.wait(second, r2, third, r3, behind, r4)
	t.got(r2, second)
	t.got(r3, third)
	t.got(r4, behind)
}

// fenceClose leaves messages behind a fence that nothing opens: closing the endpoint completes them, too.
func fenceClose(t *test) {
	p := t.pair()
	p.a.to(p.b, call{Form: "tsendmsg", N: 64, Tag: 1, Seed: 1, Flags: fi.OpMatchComplete})
	for _, flags := range []fi.OpFlags{fi.OpFence, fi.OpFence | fi.OpInject, fi.OpTransmitComplete} {
		p.a.to(p.b, call{Form: "tsendmsg", N: 64, Tag: 2, Seed: 2, Flags: flags})
	}
	t.flush(p.b, p.a)
}
