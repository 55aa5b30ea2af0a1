package conformance

import (
	"context"
	"errors"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

// mapPeer loads and stores in a peer's region, where the provider can.
func mapPeer(t *test) {
	p := t.pair()
	ctx := context.Background()
	ep := p.a.n.eps[0]
	m := p.b.reg(regOpts{N: 4096, Key: 1, Seed: 2})
	mem, unmap, err := ep.Map(ctx, p.a.addr(p.b), m.remote.At(64), 100)
	if errors.Is(err, fi.ErrOpNotSupp) {
		return // not here, or not this memory
	}
	t.check(err)
	if d := differs(mem, 2, 64); d != "" || len(mem) != 100 {
		t.Errorf("mapped memory: %d bytes, %s", len(mem), d)
	}
	copy(mem, pattern(3, 100))
	m.holds(64, 100, 3, "a store")
	t.check(unmap())
	bad := m.remote
	bad.Key++
	for _, c := range []struct {
		at   mr.Remote
		to   fi.Addr
		n    int
		want fi.Errno
	}{{bad, p.a.addr(p.b), 8, fi.ErrKeyRejected}, {m.remote, p.a.addr(p.b), 4097, fi.ErrInvalid},
		{m.remote, p.a.addr(p.b), 0, fi.ErrInvalid}, {m.remote, 99, 8, fi.ErrInvalid}} {
		_, _, err := ep.Map(ctx, c.to, c.at, c.n)
		if c.at == bad && errors.Is(err, fi.ErrOpNotSupp) {
			continue // what cannot be mapped and what is not there look the same from here
		}
		if !errors.Is(err, c.want) {
			t.Errorf("map of %d bytes at %v of %d: %v, want %v", c.n, c.at, c.to, err, c.want)
		}
	}
	ro := p.b.reg(regOpts{N: 4096, Key: 2, Access: fi.AccessRemoteRead})
	if _, _, err := ep.Map(ctx, p.a.addr(p.b), ro.remote, 8); !errors.Is(err, fi.ErrAccess) {
		t.Errorf("map without the right to write: %v", err)
	}
}

// memoryAgain frees memory that a peer has used and takes new memory, most often at the same address, under the same
// key: accesses go to the new memory, and none to the old.
func memoryAgain(t *test) {
	p := t.pair()
	d := p.b.n.dom
	for round := range 10 {
		mem, err := mr.Alloc(1 << 16)
		t.check(err)
		r, err := d.RegisterMR(mem.Bytes(), remoteRights, &fi.MRAttr{Key: 5})
		t.check(err)
		t.wait(p.a.to(p.b, call{Form: "writemsg", N: 5000, At: r.Remote(), Seed: uint64(round), Flags: fi.OpDeliveryComplete}))
		if diff := differs(peek(mem.Bytes()[:5000]), uint64(round), 0); diff != "" {
			t.Errorf("round %d: the write is not in the new memory: %s", round, diff)
		}
		o := p.a.to(p.b, call{Form: "read", N: 5000, At: r.Remote()})
		t.wait(o)
		if diff := differs(o.last().Bytes, uint64(round), 0); diff != "" {
			t.Errorf("round %d: a read: %s", round, diff)
		}
		at := r.Remote()
		t.check(r.Close())
		t.check(free(mem))
		t.fails(p.a.to(p.b, call{Form: "read", N: 8, At: at}), fi.ErrKeyRejected)
	}
}
