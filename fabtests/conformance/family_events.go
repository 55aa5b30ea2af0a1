package conformance

import (
	"errors"
	"fmt"
	"slices"

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

// eventsAfter watches a region's counter from another goroutine: when it counts a write, all of that is in memory.
func eventsAfter(t *test) {
	p := t.pair()
	const n = 2 << 20
	m := p.b.reg(regOpts{N: n, Key: 1, Flags: fi.MRRMAEvent, Events: true})
	rec := p.b.n.regions[m.id]
	for i := range uint64(4) {
		var end []byte
		wait := t.background(func() {
			for rec.written.Read() == i {
				t.alive()
			}
			end = peek(rec.buf[n-8:])
		})
		t.wait(p.a.to(p.b, call{Form: "write", N: n, At: m.remote, Seed: i + 1}))
		wait()
		if d := differs(end, i+1, n-8); d != "" {
			t.Errorf("write %d was counted before its end was there: %s", i, d)
		}
	}
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

// ranged are four regions of which the first and the third have the same counters, and the last has none.
func (p *pair) ranged(n int) (ms []*region) {
	one := p.b.reg(regOpts{N: n, Key: 1, Flags: fi.MRRMAEvent, Events: true})
	two := p.b.reg(regOpts{N: n, Key: 2, Flags: fi.MRRMAEvent, Events: true})
	return append(ms, one, two, p.b.reg(regOpts{N: n, Key: 3, Flags: fi.MRRMAEvent, Like: one.id}), p.b.reg(regOpts{N: n, Key: 4}))
}

// over gives a range of each of some regions, by their numbers, of n bytes together.
func over(ms []*region, n int, of ...int) (out []fi.RMAIov) {
	part := n / len(of) &^ 7
	for i, m := range of {
		l := part
		if i == len(of)-1 {
			l = n - part*i
		}
		out = append(out, fi.RMAIov{Addr: ms[m].remote.Addr + uint64(i*part), Len: uint64(l), Key: ms[m].remote.Key})
	}
	return out
}

// manyRanges are over which regions accesses go.
var manyRanges = [][]int{{0, 1}, {0, 0}, {0, 2}, {0, 3, 2}, {3, 1, 0}, {3, 3}, {1, 1, 1, 1}, {3, 0, 3}}

// seen counts an access at the counters that it must be seen by: those of the first and third region, and of the second.
func seen(of []int, first, second *uint64) {
	for _, c := range []struct {
		n  *uint64
		is []int
	}{{first, []int{0, 2}}, {second, []int{1}}} {
		if slices.ContainsFunc(of, func(m int) bool { return slices.Contains(c.is, m) }) {
			*c.n++
		}
	}
}

// counted waits for the counters of the first and the second region.
func (t *test) counted(ms []*region, w, r [2]uint64) {
	t.until(fmt.Sprintf("the regions' counters: %v writes, %v reads", w, r), func() bool {
		w0, r0 := ms[0].events()
		w1, r1 := ms[1].events()
		return [2]uint64{w0, w1} == w && [2]uint64{r0, r1} == r
	})
}

// eventsRanges: an access of several ranges is one event, at the endpoint (the suite looks) and at each counter of their
// regions, whatever way each range takes; its remote data comes once. One that fails is none.
func eventsRanges(t *test) {
	p := t.pair()
	ms := p.ranged(100_000)
	var w, r [2]uint64
	for _, n := range []int{32, 9000, 90_000} {
		for _, of := range manyRanges {
			if len(of) > p.a.info.Tx.RMAIovLimit {
				continue
			}
			t.wait(p.a.to(p.b, call{Form: "writemsg", N: n, Seed: uint64(n), Ranges: over(ms, n, of...)}))
			seen(of, &w[0], &w[1])
			got := p.a.to(p.b, call{Form: "readmsg", N: n, Ranges: over(ms, n, of...)})
			t.wait(got)
			seen(of, &r[0], &r[1])
			if d := differs(got.last().Bytes, uint64(n), 0); d != "" {
				t.Errorf("%d bytes over the regions %v: %s", n, of, d)
			}
		}
		if p.a.info.Tx.RMAIovLimit < 2 {
			continue
		}
		t.wait(p.a.to(p.b, call{Form: "writemsg", N: n, Seed: 1, Ranges: over(ms, n, 0, 1), Flags: fi.OpRemoteCQData, Data: 5}))
		t.event(p.b)
		seen([]int{0, 1}, &w[0], &w[1])
		for _, bad := range []int{0, 1} {
			ranges := over(ms, n, 0, 1)
			ranges[bad].Key += 77
			t.fails(p.a.to(p.b, call{Form: "writemsg", N: n, Seed: 1, Ranges: ranges}), fi.ErrKeyRejected)
			t.fails(p.a.to(p.b, call{Form: "readmsg", N: n, Ranges: ranges}), fi.ErrKeyRejected)
		}
	}
	t.counted(ms, w, r)
}

// eventsRangesAtomic is that of atomics.
func eventsRangesAtomic(t *test) {
	p := t.pair()
	ms := p.ranged(4096)
	var w, r [2]uint64
	for _, of := range manyRanges {
		if len(of) > p.a.info.Tx.RMAIovLimit {
			continue
		}
		for _, form := range []string{"atomicmsg", "fetch_atomicmsg"} {
			c := call{Form: form, N: 64, Type: fi.TypeUint64, Op: fi.AtomicSum, Ranges: over(ms, 64, of...)}
			t.wait(p.a.to(p.b, c))
			if c.fetches() {
				seen(of, &r[0], &r[1])
			} else {
				seen(of, &w[0], &w[1])
			}
			c.Ranges = over(ms, 64, of...)
			c.Ranges[0].Key += 77
			t.fails(p.a.to(p.b, c), fi.ErrKeyRejected)
		}
	}
	t.counted(ms, w, r)
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
