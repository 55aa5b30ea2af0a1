package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/mr"
)

var _ = add("mr",
	testCase{name: "wrong-key", need: rma, kind: core, run: wrongKey},
	testCase{name: "range", need: rma, kind: core, run: wrongRange},
	testCase{name: "rights", need: rma, run: rights},
	testCase{name: "rights-atomic", need: atom, run: rightsAtomic},
	testCase{name: "closed", need: rma, kind: core, run: closedRegion},
	testCase{name: "closed-then-others", need: rma, run: closedOthers},
	testCase{name: "keys", need: rma, where: local, run: keys},
	testCase{name: "key-again", need: rma, run: keyAgain},
	testCase{name: "sub-regions", need: rma, run: subRegions},
	testCase{name: "sub-refused", need: rma, where: local, run: subRefused},
	testCase{name: "single-use", need: rma, run: singleUse},
	testCase{name: "overlapping", need: rma, run: overlapping},
	testCase{name: "bad-arguments", need: rma, where: local, run: badRegions},
	testCase{name: "remote-text", need: rma, where: local, run: remoteText},
	testCase{name: "map", need: rma, where: local, run: mapPeer},
	testCase{name: "close-in-flight", need: rma, run: closeInFlight},
	testCase{name: "events", need: rma | fi.CapRMAEvent, kind: core, run: events},
	testCase{name: "events-after-data", need: rma | fi.CapRMAEvent, where: local, kind: threads, run: eventsAfter},
	testCase{name: "events-atomic", need: atom | fi.CapRMAEvent, run: eventsAtomic},
	testCase{name: "events-ranges", need: rma | fi.CapRMAEvent, run: eventsRanges},
	testCase{name: "events-ranges-atomic", need: atom | fi.CapRMAEvent, run: eventsRangesAtomic},
	testCase{name: "events-refused", need: rma | fi.CapRMAEvent, where: local, run: eventsRefused},
	testCase{name: "memory-again", need: rma, where: local, run: memoryAgain},
	testCase{name: "many-regions", need: rma, run: manyRegions},
)

// accesses are all ways to touch 8 bytes of a region.
var accesses = []call{
	{Form: "write"}, {Form: "writemsg", Flags: fi.OpDeliveryComplete}, {Form: "inject_write"}, {Form: "writedata"}, {Form: "read"}, {Form: "readmsg"},
}

var atomicAccesses = []call{
	{Form: "atomic", Op: fi.AtomicSum}, {Form: "inject_atomic", Op: fi.AtomicWrite}, {Form: "fetch_atomic", Op: fi.AtomicSum},
	{Form: "fetch_atomic", Op: fi.AtomicRead}, {Form: "compare_atomic", Op: fi.AtomicCSwap, Compare: make([]byte, 8)},
	{Form: "compare_atomicmsg", Op: fi.AtomicMSwap, Compare: make([]byte, 8)},
}

func (t *test) allAccesses() []call {
	var out []call
	if t.tc.need&rma != 0 {
		out = append(out, accesses...)
	}
	if t.tc.need&atom != 0 {
		out = append(out, atomicAccesses...)
	}
	for i := range out {
		out[i].N, out[i].Type = 8, fi.TypeUint64
	}
	return out
}

// denied checks that every kind of access fails with one of want, and that the region is as it was.
func (p *pair) denied(m *region, at mr.Remote, what string, want ...fi.Errno) {
	var before []byte
	if m != nil {
		before = m.bytes(0, m.n)
	}
	for _, c := range p.t.allAccesses() {
		c.At, c.Seed = at, 77
		o := p.a.to(p.b, c)
		r := p.t.fails(o, want...)
		if r.Err == 0 {
			p.t.Errorf("%s: %s succeeded", what, c.Form)
		}
	}
	if m != nil && !bytes.Equal(before, m.bytes(0, m.n)) {
		p.t.Errorf("%s: the region was changed", what)
	}
}

// fence waits until all accesses of a to the region are done, also those that report nothing.
func (p *pair) fence(m *region) {
	c := call{Form: "readmsg", N: 8, At: m.remote, Flags: fi.OpFence}
	if p.t.tc.need&rma == 0 {
		c.Form, c.Type, c.Op = "fetch_atomicmsg", fi.TypeUint64, fi.AtomicRead
	}
	o := p.a.to(p.b, c)
	o.claimed = true // the right may be missing
	p.t.settle(o)
}

// allowed checks that the region works.
func (p *pair) allowed(m *region) {
	o := p.a.to(p.b, call{Form: "writemsg", N: 8, At: m.remote, Seed: 5, Flags: fi.OpDeliveryComplete})
	p.t.wait(o)
	m.holds(0, 8, 5, "an access that is allowed")
}

// wrongKey uses keys that nobody has.
func wrongKey(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 100})
	for _, key := range []uint64{0, m.remote.Key + 1, m.remote.Key ^ 1<<63, m.remote.Key ^ 1, ^uint64(0)} {
		p.denied(m, mr.Remote{Addr: m.remote.Addr, Key: key}, fmt.Sprintf("key %#x", key), fi.ErrKeyRejected)
	}
	p.allowed(m)
}

// wrongRange leaves the region at either end, also by numbers that overflow.
func wrongRange(t *test) {
	p := t.pair()
	m := p.b.reg(regOpts{N: 64, Key: 100})
	for _, off := range []uint64{57, 63, 64, 65, 1 << 20, 1 << 63, ^uint64(0), ^uint64(0) - 6} {
		p.denied(m, m.remote.At(off), fmt.Sprintf("8 bytes at %#x of 64", off), fi.ErrInvalid)
	}
	for _, form := range []string{"write", "read"} {
		t.fails(p.a.to(p.b, call{Form: form, N: 65, At: m.remote}), fi.ErrInvalid)
		t.fails(p.a.to(p.b, call{Form: form, N: 30000, At: m.remote}), fi.ErrInvalid)
	}
	p.allowed(m)
}

// rights has regions with each set of remote rights.
func rights(t *test) {
	p := t.pair()
	for i, access := range []fi.Access{fi.AccessRemoteRead, fi.AccessRemoteWrite, fi.AccessSend | fi.AccessRecv | fi.AccessRead | fi.AccessWrite} {
		m := p.b.reg(regOpts{N: 64, Key: uint64(i + 1), Access: access, Seed: 9})
		for _, c := range t.allAccesses() {
			c.At, c.Seed = m.remote, 77
			c.N = []int{8, 64}[i%2]
			before := m.bytes(0, 64)
			need := fi.AccessRemoteWrite
			if c.brings() {
				need = fi.AccessRemoteRead
			}
			if access&need != 0 {
				o := p.a.to(p.b, c)
				t.wait(o)
				if c.withData() {
					t.event(p.b)
				}
				p.fence(m)
				continue
			}
			t.fails(p.a.to(p.b, c), fi.ErrAccess)
			if d := firstDiff(m.bytes(0, 64), before); d != "" && c.counter() == cntWrite {
				t.Errorf("%s without the right has written: %s", c.Form, d)
			}
		}
	}
}

// rightsAtomic does the same for atomics: base ones need the right to write, fetching ones both, those that only read
// the right to read.
func rightsAtomic(t *test) {
	p := t.pair()
	for i, access := range []fi.Access{fi.AccessRemoteRead, fi.AccessRemoteWrite, remoteRights} {
		m := p.b.reg(regOpts{N: 64, Key: uint64(i + 1), Access: access, Seed: 9})
		for _, c := range t.allAccesses() {
			c.At, c.Seed = m.remote, 77
			need := remoteRights
			switch {
			case c.Op == fi.AtomicRead:
				need = fi.AccessRemoteRead
			case !c.fetches():
				need = fi.AccessRemoteWrite
			}
			if access&need == need {
				t.wait(p.a.to(p.b, c))
				p.fence(m)
				continue
			}
			before := m.bytes(0, 64)
			t.fails(p.a.to(p.b, c), fi.ErrAccess)
			if d := firstDiff(m.bytes(0, 64), before); d != "" {
				t.Errorf("%s %v with rights %v has changed memory: %s", c.Form, c.Op, access, d)
			}
		}
	}
}

// closedRegion uses a key after its region was closed.
func closedRegion(t *test) {
	p := t.pair()
	for range 5 {
		m := p.b.reg(regOpts{N: 64, Key: 100, Seed: 3})
		p.allowed(m)
		remote := m.remote
		m.close()
		p.denied(m, remote, "a closed region", fi.ErrKeyRejected)
	}
}

// closedOthers closes a region between others, which go on.
func closedOthers(t *test) {
	p := t.pair()
	var ms []*region
	for i := range 6 {
		ms = append(ms, p.b.reg(regOpts{N: 64, Key: uint64(i)}))
	}
	for _, i := range []int{2, 0, 5} {
		ms[i].close()
		p.denied(ms[i], ms[i].remote, "a closed region", fi.ErrKeyRejected)
		ms[i] = nil
		for _, m := range ms {
			if m != nil {
				p.allowed(m)
			}
		}
	}
}

// keys registers under keys that are in use, or too long.
func keys(t *test) {
	s := t.open(1)[0]
	d := s.n.dom
	buf := make([]byte, 64)
	prov := s.info.Domain.MRMode&fi.MRModeProvKey != 0
	m1, err := d.RegisterMR(buf, remoteRights, &fi.MRAttr{Key: 7})
	t.check(err)
	m2, err := d.RegisterMR(buf, remoteRights, &fi.MRAttr{Key: 7})
	switch {
	case prov:
		t.check(err)
		if m1.Key() == m2.Key() {
			t.Errorf("the provider gave two regions the key %#x", m1.Key())
		}
		t.check(m2.Close())
	case err == nil:
		t.Errorf("a key that is in use was accepted")
		m2.Close()
	case !errors.Is(err, fi.ErrNoKey):
		t.Errorf("a key that is in use: %v, want FI_ENOKEY", err)
	}
	if !prov && m1.Key() != 7 {
		t.Errorf("the key is %#x, asked for 7", m1.Key())
	}
	t.check(m1.Close())
	m3, err := d.RegisterMR(buf, remoteRights, &fi.MRAttr{Key: 7})
	t.check(err) // it is free again
	t.check(m3.Close())
	if size := s.info.Domain.MRKeySize; !prov && size < 8 {
		if _, err := d.RegisterMR(buf, remoteRights, &fi.MRAttr{Key: 1 << (8 * size)}); !errors.Is(err, fi.ErrKeyRejected) {
			t.Errorf("a key of more than %d bytes: %v", size, err)
		}
	}
}

// keyAgain registers other memory under the key of a closed region: the key reaches the new one only.
func keyAgain(t *test) {
	p := t.pair()
	old := p.b.reg(regOpts{N: 64, Key: 9, Seed: 1})
	p.allowed(old)
	old.close()
	now := p.b.reg(regOpts{N: 64, Key: 9, Seed: 2})
	before := old.bytes(0, 64)
	p.allowed(now)
	if !bytes.Equal(before, old.bytes(0, 64)) {
		t.Errorf("a write under a key that was used again went to the old region")
	}
}

// subRegions give parts of a region keys and rights of their own.
func subRegions(t *test) {
	p := t.pair()
	base := p.b.reg(regOpts{N: 1000, Key: 1, Seed: 4})
	sub := p.b.reg(regOpts{SubOf: base.id, Off: 100, N: 50, Key: 2})
	ro := p.b.reg(regOpts{SubOf: base.id, Off: 500, N: 8, Key: 3, Access: fi.AccessRemoteRead})
	p.allowed(sub)
	if d := differs(base.bytes(100, 8), 5, 0); d != "" {
		t.Errorf("a write to a sub-region is not in its base: %s", d)
	}
	t.fails(p.a.to(p.b, call{Form: "write", N: 8, At: sub.remote.At(43)}), fi.ErrInvalid)
	t.fails(p.a.to(p.b, call{Form: "write", N: 8, At: ro.remote}), fi.ErrAccess)
	r := p.a.to(p.b, call{Form: "read", N: 8, At: ro.remote})
	t.wait(r)
	if d := differs(r.last().Bytes, 4, 500); d != "" {
		t.Errorf("a read from a sub-region: %s", d)
	}
	if r := p.b.do(&request{Verb: vUnreg, ID: base.id}); !isErr(r.err(), fi.ErrBusy) {
		t.Errorf("closing a region with sub-regions: %v, want FI_EBUSY", r.err())
	}
	p.allowed(base)
	sub.close()
	ro.close()
	p.denied(nil, sub.remote, "a closed sub-region", fi.ErrKeyRejected)
	base.close()
	p.denied(nil, base.remote, "a closed base", fi.ErrKeyRejected)
}

// subRefused asks for sub-regions that cannot be.
func subRefused(t *test) {
	s := t.open(1)[0]
	m, err := s.n.dom.RegisterMR(make([]byte, 100), fi.AccessRemoteRead, &fi.MRAttr{Key: 1})
	t.check(err)
	for _, c := range []struct {
		off  uint64
		n    int
		attr *fi.MRAttr
		want fi.Errno
	}{
		{0, 101, nil, fi.ErrInvalid}, {100, 1, nil, fi.ErrInvalid}, {0, 0, nil, fi.ErrInvalid}, {0, -1, nil, fi.ErrInvalid},
		{^uint64(0), 8, nil, fi.ErrInvalid}, {1 << 63, 8, nil, fi.ErrInvalid},
		{0, 8, &fi.MRAttr{Key: 2, Access: remoteRights}, fi.ErrAccess},
	} {
		if x, err := m.Sub(c.off, c.n, c.attr); !errors.Is(err, c.want) {
			t.Errorf("sub-region of %d at %d of 100: %v, want %v", c.n, c.off, err, c.want)
			if err == nil {
				x.Close()
			}
		}
	}
	t.check(m.Close())
	if _, err := m.Sub(0, 8, nil); !errors.Is(err, fi.ErrBadFD) {
		t.Errorf("a sub-region of a closed region: %v", err)
	}
}

// singleUse has keys that die after one access.
func singleUse(t *test) {
	p := t.pair()
	for i, c := range t.allAccesses() {
		m := p.b.reg(regOpts{N: 64, Key: uint64(50 + i), Flags: fi.MRSingleUse})
		// Accesses that fail do not use it up.
		t.fails(p.a.to(p.b, call{Form: "write", N: 8, At: m.remote.At(60)}), fi.ErrInvalid)
		c.At = m.remote
		t.wait(p.a.to(p.b, c))
		if c.withData() {
			t.event(p.b)
		}
		if c.injects() || c.Form == "write" || c.Form == "writedata" { // done at the target before the next may fail
			t.until("the key's use", func() bool {
				o := p.a.to(p.b, call{Form: "read", N: 8, At: m.remote})
				o.claimed = true
				t.settle(o)
				return o.last().Err == fi.ErrKeyRejected
			})
		}
		p.denied(nil, m.remote, "a key that was used", fi.ErrKeyRejected)
		m.close()
	}
}

// overlapping has two regions of one memory, with other rights each.
func overlapping(t *test) {
	p := t.pair()
	base := p.b.reg(regOpts{N: 100, Key: 1, Seed: 1})
	same := p.b.reg(regOpts{SubOf: base.id, N: 100, Key: 2, Access: fi.AccessRemoteRead})
	t.wait(p.a.to(p.b, call{Form: "writemsg", N: 100, At: base.remote, Seed: 8, Flags: fi.OpDeliveryComplete}))
	r := p.a.to(p.b, call{Form: "read", N: 100, At: same.remote})
	t.wait(r)
	if d := differs(r.last().Bytes, 8, 0); d != "" {
		t.Errorf("what was written through one key is not there through the other: %s", d)
	}
}

// badRegions registers what cannot be registered.
func badRegions(t *test) {
	s := t.open(1)[0]
	d := s.n.dom
	buf := make([]byte, 64)
	limit := s.info.Domain.MRIovLimit
	for _, c := range []struct {
		what string
		attr fi.MRAttr
		want fi.Errno
	}{
		{"nothing", fi.MRAttr{Access: remoteRights}, fi.ErrInvalid},
		{"no bytes", fi.MRAttr{Iov: [][]byte{{}}, Access: remoteRights}, fi.ErrInvalid},
		{"nil", fi.MRAttr{Iov: [][]byte{nil}, Access: remoteRights}, fi.ErrInvalid},
		{"an offset", fi.MRAttr{Iov: [][]byte{buf}, Access: remoteRights, Offset: 8}, fi.ErrInvalid},
		{"unknown rights", fi.MRAttr{Iov: [][]byte{buf}, Access: 1 << 40}, fi.ErrBadFlags},
		{"unknown flags", fi.MRAttr{Iov: [][]byte{buf}, Access: remoteRights, Flags: 1 << 3}, fi.ErrBadFlags},
		{"device memory", fi.MRAttr{Iov: [][]byte{buf}, Access: remoteRights, Iface: fi.HMEMCUDA}, fi.ErrNoSys},
		{"too many parts", fi.MRAttr{Iov: slices.Repeat([][]byte{buf}, max(limit, 1)+1), Access: remoteRights}, fi.ErrInvalid},
	} {
		if m, err := d.RegisterMRAttr(&c.attr); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
			if err == nil {
				m.Close()
			}
		}
	}
	for i := range 1 << 7 { // every set of rights
		access := fi.Access(i&63)<<8 | fi.Access(i>>6)<<6
		m, err := d.RegisterMR(buf, access, &fi.MRAttr{Key: 1})
		if err != nil {
			t.Errorf("rights %v: %v", access, err)
			continue
		}
		if int(m.Len()) != len(buf) || &m.Bytes()[0] != &buf[0] || m.Desc() == 0 && m.Key() != 0 {
			t.Errorf("rights %v: a region of %d bytes", access, m.Len())
		}
		t.check(m.Enable())
		t.check(m.Refresh(0, 64))
		if err := m.Refresh(60, 8); !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("refresh of too much: %v", err)
		}
		t.check(m.Close())
		t.check(m.Close())
	}
}

// remoteText sends the name of a region as bytes.
func remoteText(t *test) {
	s := t.open(1)[0]
	m := s.reg(regOpts{N: 64, Key: 77})
	b, err := m.remote.MarshalBinary()
	if err != nil || len(b) != mr.RemoteSize {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	var r mr.Remote
	if err := r.UnmarshalBinary(b); err != nil || r != m.remote {
		t.Errorf("%v, %v, want %v", r, err, m.remote)
	}
	if err := r.UnmarshalBinary(b[1:]); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("15 bytes: %v", err)
	}
}

// closeInFlight closes regions while they are written and read: every access succeeds or fails with the error of a dead
// key, and once the region is closed nothing is written any more.
func closeInFlight(t *test) {
	p := t.pair()
	for round := range 8 {
		n := []int{64, 200000}[round%2]
		m := p.b.reg(regOpts{N: n, Key: uint64(round + 1)})
		var ops []*op
		for i := range 12 {
			form := []string{"write", "read"}[i%2]
			ops = append(ops, p.a.to(p.b, call{Form: form, N: n, At: m.remote, Seed: uint64(i)}))
			if i == round {
				m.close()
			}
		}
		before := m.bytes(0, n)
		for _, o := range ops {
			o.claimed = true
		}
		t.settle(ops...)
		for _, o := range ops {
			if c := o.last(); c.Err != 0 && c.Err != fi.ErrKeyRejected {
				t.Errorf("%s of a region that is closed meanwhile: %v", o.call.Form, c)
			}
		}
		p.denied(m, m.remote, "a region closed in flight", fi.ErrKeyRejected)
		if d := firstDiff(m.bytes(0, n), before); d != "" {
			t.Errorf("memory changed after its region was closed: %s", d)
		}
	}
}
