package conformance

import (
	"errors"

	"github.com/gofabric/gofabric/fi"
)

// events counts accesses by counters bound to regions, and by those of the endpoint.
func events(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 100000, Key: 1, Flags: fi.MRRMAEvent, Events: true})
	plain := p.b.reg(regOpts{N: 64, Key: 2})
	writes, reads := uint64(0), uint64(0)
	for i := range 20 {
		n := []int{8, 100, 5000, 100000}[i%4]
		if i%2 == 0 {
			t.wait(p.a.to(p.b, call{Form: "write", N: n, At: m.remote}), p.a.to(p.b, call{Form: "write", N: 8, At: plain.remote}))
			writes++
		} else {
			t.wait(p.a.to(p.b, call{Form: "read", N: n, At: m.remote}))
			reads++
		}
	}
	p.a.to(p.b, call{Form: "inject_write", N: 8, At: m.remote})
	t.wait(p.a.to(p.b, call{Form: "writedata", N: 8, At: m.remote, Data: 1}))
	t.event(p.b)
	writes += 2
	t.fails(p.a.to(p.b, call{Form: "write", N: 8, At: m.remote.At(1 << 20)}), fi.ErrInvalid) // counts nothing
	t.until("the region's counters", func() bool {
		w, r := m.events()
		return w == writes && r == reads
	})
}

// eventsAtomic counts atomics: base ones are writes, those that bring something back are reads.
func eventsAtomic(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 1, Flags: fi.MRRMAEvent, Events: true})
	var w, r uint64
	for range 3 {
		for _, c := range t.allAccesses() {
			c.At = m.remote
			t.wait(p.a.to(p.b, c))
			if c.fetches() {
				r++
			} else {
				w++
			}
		}
	}
	t.until("the region's counters", func() bool {
		gw, gr := m.events()
		return gw == w && gr == r
	})
}

// eventsRefused binds counters where that is wrong.
func eventsRefused(t *test) {
	s := t.open(1)[0]
	d := s.n.dom
	other := t.open(1)[0]
	plain, err := d.RegisterMR(make([]byte, 8), remoteRights, &fi.MRAttr{Key: 1})
	t.check(err)
	m, err := d.RegisterMR(make([]byte, 8), remoteRights, &fi.MRAttr{Key: 2, Flags: fi.MRRMAEvent})
	t.check(err)
	c, err := d.OpenCounter(nil)
	t.check(err)
	foreign := other.n.cnt[cntSend]
	for _, x := range []struct {
		what string
		err  error
		want fi.Errno
	}{
		{"no counter", m.BindCounter(nil, fi.CountRemoteWrite), fi.ErrInvalid},
		{"no flags", m.BindCounter(c, 0), fi.ErrBadFlags},
		{"a flag for endpoints", m.BindCounter(c, fi.CountSend), fi.ErrBadFlags},
		{"another domain", m.BindCounter(foreign, fi.CountRemoteWrite), fi.ErrDomain},
		{"a region without events", plain.BindCounter(c, fi.CountRemoteWrite), fi.ErrInvalid},
		{"the first", m.BindCounter(c, fi.CountRemoteWrite|fi.CountRemoteRead), 0},
		{"the second", m.BindCounter(c, fi.CountRemoteRead), fi.ErrInvalid},
		{"no endpoint", m.BindEndpoint(nil), fi.ErrInvalid},
		{"an endpoint of another domain", m.BindEndpoint(other.n.eps[0]), fi.ErrDomain},
		{"an endpoint", m.BindEndpoint(s.n.eps[0]), 0},
	} {
		if !isErr(x.err, x.want) {
			t.Errorf("%s: %v, want %v", x.what, x.err, x.want)
		}
	}
	if err := c.Close(); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("closing a counter that a region uses: %v", err)
	}
	t.check(plain.Close())
	t.check(m.Close())
	t.check(c.Close())
	for what, err := range map[string]error{"enable": m.Enable(), "bind": m.BindCounter(foreign, fi.CountRemoteRead)} {
		if !errors.Is(err, fi.ErrBadFD) {
			t.Errorf("%s of a closed region: %v", what, err)
		}
	}
}

// manyRegions registers many and uses them all.
func manyRegions(t *test) {
	p := t.pair()
	var ms []*region
	for i := range 300 {
		ms = append(ms, p.b.reg(regOpts{N: 16, Key: uint64(i) << 20}))
	}
	var ops []*op
	for i, m := range ms {
		ops = append(ops, p.a.to(p.b, call{Form: "writemsg", N: 16, At: m.remote, Seed: uint64(i), Flags: fi.OpDeliveryComplete}))
	}
	t.wait(ops...)
	for i, m := range ms {
		m.holds(0, 16, uint64(i), "one of many regions")
	}
	for _, m := range ms {
		m.close()
	}
}
