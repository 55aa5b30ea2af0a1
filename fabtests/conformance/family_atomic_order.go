package conformance

import (
	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// atomicUnaligned has targets at odd addresses: served, or refused in words, and nothing else.
func atomicUnaligned(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 1})
	k, err := fiatomic.Lookup(fi.AtomicFetch, fi.TypeUint64, fi.AtomicSum)
	t.check(err)
	for off := range 8 {
		old := m.bytes(0, 64)
		o := p.a.to(p.b, call{Form: "fetch_atomic", N: 8, At: m.remote.At(uint64(off)), Type: fi.TypeUint64, Op: fi.AtomicSum, Seed: 3})
		o.claimed = true
		t.settle(o)
		switch c := o.last(); c.Err {
		case 0:
			now, res := applied(k, old[off:off+8], pattern(3, 8), nil)
			copy(old[off:], now)
			if d := firstDiff(c.Bytes, res); d != "" {
				t.Errorf("offset %d: result: %s", off, d)
			}
		case fi.ErrInvalid:
		default:
			t.Errorf("offset %d: %v", off, c)
		}
		if d := firstDiff(m.bytes(0, 64), old); d != "" {
			t.Errorf("offset %d: memory: %s", off, d)
		}
	}
}

// atomicParts has an element lie across two buffers of a region.
func atomicParts(t *test) {
	p := t.pair()
	if p.b.info.Domain.MRIovLimit < 2 {
		return
	}
	m := p.b.reg(regOpts{N: 64, Split: []int{20, 44}, Key: 1, Seed: 2})
	old := m.bytes(0, 64)
	k, err := fiatomic.Lookup(fi.AtomicFetch, fi.TypeUint32, fi.AtomicBXor)
	t.check(err)
	o := p.a.to(p.b, call{Form: "fetch_atomic", N: 32, At: m.remote.At(10), Type: fi.TypeUint32, Op: fi.AtomicBXor, Seed: 3})
	o.claimed = true
	t.settle(o)
	switch c := o.last(); c.Err {
	case 0:
		now, res := applied(k, old[10:42], pattern(3, 32), nil)
		copy(old[10:], now)
		if d := firstDiff(c.Bytes, res); d != "" {
			t.Errorf("result: %s", d)
		}
	case fi.ErrInvalid:
	default:
		t.Errorf("%v", c)
	}
	if d := firstDiff(m.bytes(0, 64), old); d != "" {
		t.Errorf("memory: %s", d)
	}
}

// atomicOrder sends many to one word without waiting: fetched values are in order, and nothing is lost.
func atomicOrder(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 8, Key: 1})
	m.set(0, make([]byte, 8))
	one := []byte{1, 0, 0, 0, 0, 0, 0, 0}
	var ops []*op
	for range 500 {
		ops = append(ops, p.a.to(p.b, call{Form: "fetch_atomic", N: 8, Bytes: one, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum}))
	}
	t.wait(ops...)
	ordered := p.a.info.Tx.MsgOrder&(fi.OrderAtomicWAW|fi.OrderAtomicRAW) != 0
	seen := map[uint64]bool{}
	for i, o := range ops {
		v := le(o.last().Bytes)
		if seen[v] || v >= 500 || ordered && v != uint64(i) {
			t.Fatalf("fetch-add %d fetched %d", i, v)
		}
		seen[v] = true
	}
	if v := le(m.bytes(0, 8)); v != 500 {
		t.Errorf("after 500 increments: %d", v)
	}
}

func le(b []byte) (v uint64) {
	for i := range b {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

func atomicSelf(t *test) {
	s := t.open(1)[0]
	m := s.reg(regOpts{N: 8, Key: 1})
	m.set(0, make([]byte, 8))
	for i := range 5 {
		o := s.to(s, call{Form: "fetch_atomic", N: 8, Bytes: []byte{1, 0, 0, 0, 0, 0, 0, 0}, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum})
		t.wait(o)
		if v := le(o.last().Bytes); v != uint64(i) {
			t.Errorf("fetch-add %d on our own memory fetched %d", i, v)
		}
	}
}

// atomicIdle updates memory of a peer that makes no call.
func atomicIdle(t *test) {
	if !t.cell.automatic() {
		return
	}
	p := t.pair()
	m := p.b.reg(regOpts{N: 16, Key: 1})
	for range 20 {
		o := p.a.to(p.b, call{Form: "compare_atomic", N: 16, Compare: make([]byte, 16), At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicCSwapNE})
		t.wait(o)
	}
	bad := mr.Remote{Addr: m.remote.Addr, Key: m.remote.Key + 3}
	t.fails(p.a.to(p.b, call{Form: "atomic", N: 8, At: bad, Type: fi.TypeUint64, Op: fi.AtomicSum}), fi.ErrKeyRejected)
}
