package conformance

import (
	"context"
	"errors"
	"slices"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("av",
	testCase{name: "insert", need: tagged, where: local, kind: core, run: avInsert},
	testCase{name: "lowest-first", need: tagged, where: local, run: avLowest},
	testCase{name: "duplicates", need: tagged | fi.CapSource, run: avDuplicates},
	testCase{name: "bad-addresses", need: tagged, where: local, run: avBad},
	testCase{name: "bad-indices", need: tagged, where: local, run: avBadIndices},
	testCase{name: "remove", need: tagged, kind: core, run: avRemove},
	testCase{name: "reinsert", need: tagged, run: avReinsert},
	testCase{name: "other-at-index", need: tagged, run: avOther},
	testCase{name: "removed-sender", need: tagged | fi.CapSource, run: avRemovedSender},
	testCase{name: "service", need: tagged, where: local, run: avService},
	testCase{name: "symmetric", need: tagged, where: local, run: avSym},
	testCase{name: "flags", need: tagged, where: local, run: avFlags},
	testCase{name: "text", need: tagged, where: local, run: avText},
	testCase{name: "many", need: tagged, where: local, run: avMany},
	testCase{name: "user-id-refused", need: tagged, where: local, run: avNoUserID},
)

func (t *test) domain() *fabric.Domain {
	s := t.newSide(t.opts(t.tc.need))
	return s.n.dom
}

// av opens a vector that is closed with its domain's side.
func (t *test) av(d *fabric.Domain, attr *fi.AVAttr) *fabric.AV {
	v, err := d.OpenAV(attr)
	t.check(err)
	for _, s := range t.sides {
		if s.n.dom == d {
			s.n.later(v.Close)
		}
	}
	return v
}

// someNames are addresses that can be inserted.
func (t *test) someNames() [][]byte {
	a, b := t.newSide(t.opts(t.tc.need)), t.newSide(t.opts(t.tc.need))
	return [][]byte{a.names[0], b.names[0]}
}

// avInsert inserts, looks up, and inserts without asking for the names.
func avInsert(t *test) {
	names := t.someNames()
	v := t.av(t.sides[0].n.dom, nil)
	out := make([]fi.Addr, 2)
	given := [][]byte{slices.Clone(names[0]), slices.Clone(names[1])}
	n, err := v.Insert(given, out, 0)
	fillByte(given[0], scribble) // it is ours again
	if err != nil || n != 2 || out[0] != 0 || out[1] != 1 {
		t.Fatalf("insert: %d, %v, %v", n, out, err)
	}
	for i, a := range out {
		got, err := v.Lookup(a)
		if err != nil || !slices.Equal(got, names[i]) {
			t.Errorf("lookup of %d: %q, %v, want %q", a, got, err, names[i])
		}
		got[0] ^= 0xff // it is a copy
	}
	if got, _ := v.Lookup(0); !slices.Equal(got, names[0]) {
		t.Errorf("what Lookup gave was no copy")
	}
	if n, err := v.Insert(names, nil, fi.AVMore); n != 2 || err != nil {
		t.Errorf("insert without names: %d, %v", n, err)
	}
	if n, err := v.Insert(nil, nil, 0); n != 0 || err != nil {
		t.Errorf("insert of nothing: %d, %v", n, err)
	}
	if _, err := v.Insert(names, out[:1], 0); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("insert with too few places: %v", err)
	}
	if got, err := v.Lookup(3); err != nil || !slices.Equal(got, names[1]) {
		t.Errorf("lookup of the fourth: %q, %v", got, err)
	}
	padded := append(slices.Clone(names[0]), make([]byte, 200)...) // as exchanged in buffers of a fixed size
	if n, err := v.Insert([][]byte{padded}, out, 0); n != 1 || err != nil {
		t.Errorf("insert from a longer buffer: %d, %v", n, err)
	} else if got, _ := v.Lookup(out[0]); !slices.Equal(got, names[0]) {
		t.Errorf("insert from a longer buffer: %q", got)
	}
}

// avLowest removes some and sees that the lowest free names are used next.
func avLowest(t *test) {
	names := t.someNames()
	v := t.av(t.sides[0].n.dom, nil)
	out := make([]fi.Addr, 1)
	for i := range 10 {
		v.Insert(names[:1], out, 0)
		if out[0] != fi.Addr(i) {
			t.Fatalf("insertion %d got name %d", i, out[0])
		}
	}
	t.check(v.Remove([]fi.Addr{7, 2, 5}))
	for _, want := range []fi.Addr{2, 5, 7, 10} {
		if v.Insert(names[:1], out, 0); out[0] != want {
			t.Errorf("after removals: name %d, want %d", out[0], want)
		}
	}
}

// avDuplicates inserts an address twice: both names work; senders are reported by the first, and by the other one when
// the first is gone.
func avDuplicates(t *test) {
	p := t.pair()
	r := p.b.do(&request{Verb: vInsert, Names: p.a.names})
	t.check(r.err())
	first, second := p.b.addr(p.a), r.Addrs[0]
	if first == second {
		t.Fatalf("the second name is the first, %d", first)
	}
	for _, to := range []fi.Addr{first, second} {
		rc := p.a.recv(call{Form: "trecv", N: 8})
		s := p.b.post(call{Form: "tsend", N: 8, To: to, Seed: 1})
		s.target = p.a
		t.wait(rc, s)
		t.got(rc, s)
	}
	from := func(want fi.Addr) {
		rc := p.b.recv(call{Form: "trecv", N: 8})
		s := p.a.to(p.b, call{Form: "tsend", N: 8, Seed: 1})
		t.wait(rc, s)
		if c := rc.last(); c.Src != want {
			t.Errorf("source %d, want %d", c.Src, want)
		}
	}
	from(min(first, second))
	t.check(p.b.do(&request{Verb: vRemove, Addrs: []fi.Addr{min(first, second)}}).err())
	from(max(first, second))
	rc := p.a.recv(call{Form: "trecv", N: 8})
	s := p.b.post(call{Form: "tsend", N: 8, To: max(first, second), Seed: 1})
	t.wait(rc, s)
}

// avBad inserts rubbish among good addresses: the good ones go in, the others are marked and explained.
func avBad(t *test) {
	names := t.someNames()
	v := t.av(t.sides[0].n.dom, nil)
	for _, bad := range [][]byte{nil, {}, {0}, []byte("\x00\x01\x02garbage"), slices.Repeat([]byte{0xff}, 300)} {
		out := []fi.Addr{7, 7, 7}
		n, err := v.Insert([][]byte{names[0], bad, names[1]}, out, fi.AVSyncErr)
		var ie *fabric.InsertError
		if n != 2 || out[1] != fi.AddrNotAvail || out[0] == fi.AddrNotAvail || out[2] == fi.AddrNotAvail {
			t.Errorf("good, %q, good: %d inserted, %v", bad, n, out)
		}
		if !errors.As(err, &ie) || ie.Index != 1 || !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("%q: %v, want an InsertError of address 1 that is FI_EINVAL", bad, err)
		}
		t.check(v.Remove([]fi.Addr{out[0], out[2]}))
	}
}

// avBadIndices removes and looks up names that are not in use.
func avBadIndices(t *test) {
	names := t.someNames()
	v := t.av(t.sides[0].n.dom, nil)
	v.Insert(names, nil, 0)
	for _, a := range []fi.Addr{2, 1 << 31, 1<<64 - 2, fi.AddrNotAvail} {
		if _, err := v.Lookup(a); !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("lookup of %d: %v", a, err)
		}
		if err := v.Remove([]fi.Addr{a}); !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("removal of %d: %v", a, err)
		}
	}
	if err := v.Remove([]fi.Addr{1, 99, 0}); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("removal of good and bad: %v", err)
	}
	if _, err := v.Lookup(0); err == nil {
		t.Errorf("the good ones beside a bad one were not removed")
	}
	if err := v.Remove([]fi.Addr{1}); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("removal again: %v", err)
	}
}

// avRemove sends to a name that was removed.
func avRemove(t *test) {
	p := t.pair()
	p.exchange(call{Form: "tsend", N: 8, Seed: 1}, call{Form: "trecv", N: 8})
	to := p.a.addr(p.b)
	t.check(p.a.do(&request{Verb: vRemove, Addrs: []fi.Addr{to}}).err())
	for _, form := range []string{"tsend", "tinject", "tsendmsg", "tsenddata"} {
		p.a.refuse(call{Form: form, N: 8, To: to}, fi.ErrInvalid)
	}
	// The other direction does not care.
	r := p.a.recv(call{Form: "trecv", N: 8})
	s := p.b.to(p.a, call{Form: "tsend", N: 8, Seed: 2})
	t.wait(r, s)
	t.got(r, s)
}

// avRemovedSender removes a sender that is known, with a message of it that waits: nothing is lost, and it has no name any
// more.
func avRemovedSender(t *test) {
	p := t.pair()
	send := func(seed uint64, want fi.Addr, n int) {
		s := p.a.to(p.b, call{Form: "tsend", N: n, Tag: seed, Seed: seed})
		r := p.b.recv(call{Form: "trecv", N: n, Tag: seed})
		t.wait(r, s)
		t.got(r, s)
		if c := r.last(); c.Src != want {
			t.Errorf("message %d: source %d, want %d", seed, c.Src, want)
		}
	}
	name := p.b.addr(p.a)
	send(1, name, 8)
	for i, n := range t.fit(8, 30000) {
		waits := p.a.to(p.b, call{Form: "tsend", N: n, Tag: 2, Seed: 2})
		p.b.poll()
		t.check(p.b.do(&request{Verb: vRemove, Addrs: []fi.Addr{name}}).err())
		r := p.b.recv(call{Form: "trecv", N: n, Tag: 2})
		t.wait(r, waits)
		t.got(r, waits)
		if c := r.last(); c.Src != fi.AddrNotAvail {
			t.Errorf("a message that has waited: source %d, want FI_ADDR_NOTAVAIL", c.Src)
		}
		send(3, fi.AddrNotAvail, n)
		p.b.insert(p.a)
		name = p.b.addr(p.a)
		send(uint64(10+i), name, n)
	}
}

// avReinsert removes and inserts a peer again and again while messages go.
func avReinsert(t *test) {
	p := t.pair()
	for i := range 20 {
		n := t.fit(8, 20000)[i%2]
		r := p.b.recv(call{Form: "trecv", N: n})
		s := p.a.to(p.b, call{Form: "tsend", N: n, Seed: uint64(i)})
		t.wait(r, s)
		t.got(r, s)
		t.check(p.a.do(&request{Verb: vRemove, Addrs: p.a.peers[p.b]}).err())
		p.a.insert(p.b)
	}
}

// avOther puts another peer at an index that was in use: nothing of the old one may be left.
func avOther(t *test) {
	s := t.open(3)
	a, b, c := s[0], s[1], s[2]
	for i := range 6 {
		to, other := b, c
		if i%2 == 1 {
			to, other = c, b
		}
		r := to.recv(call{Form: "trecv", N: 8, Tag: uint64(i)})
		o := a.to(to, call{Form: "tsend", N: 8, Tag: uint64(i), Seed: uint64(i)})
		t.wait(r, o)
		t.got(r, o)
		at := a.addr(to)
		t.check(a.do(&request{Verb: vRemove, Addrs: []fi.Addr{at, a.addr(other)}}).err())
		first, second := other, to // the other way round
		if a.addr(other) < at {
			first, second = to, other
		}
		a.insert(first)
		a.insert(second)
	}
}

// avService inserts what a node and a service stand for.
func avService(t *test) {
	v := t.av(t.domain(), nil)
	a, err := v.InsertSvc(context.Background(), "", "somebody", 0)
	if err != nil {
		t.Logf("the provider resolves no service without a node: %v", err)
		return
	}
	if got, err := v.Lookup(a); err != nil || len(got) == 0 {
		t.Errorf("lookup of what a service stands for: %q, %v", got, err)
	}
	if _, err := v.InsertSvc(context.Background(), "", "somebody", 1<<60); !errors.Is(err, fi.ErrBadFlags) {
		t.Errorf("unknown flags: %v", err)
	}
}

// avSym counts names up.
func avSym(t *test) {
	v := t.av(t.domain(), nil)
	ctx := context.Background()
	got, err := v.InsertSym(ctx, "", 1, "rank08", 4, 0)
	if err != nil {
		t.Logf("the provider resolves no service without a node: %v", err)
	} else if len(got) != 4 {
		t.Errorf("1 node, 4 services: %v", got)
	}
	for i := range got {
		want, _ := v.InsertSvc(ctx, "", []string{"rank08", "rank09", "rank10", "rank11"}[i], 0)
		x, _ := v.Lookup(got[i])
		y, _ := v.Lookup(want)
		if !slices.Equal(x, y) {
			t.Errorf("service %d: %q, want %q", i, x, y)
		}
	}
	if _, err := v.InsertSym(ctx, "", 1, "norank", 2, 0); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("a service that cannot be counted: %v", err)
	}
	for _, n := range [][2]int{{0, 1}, {1, 0}, {-1, 1}} {
		if _, err := v.InsertSym(ctx, "node1", n[0], "1", n[1], 0); !errors.Is(err, fi.ErrInvalid) {
			t.Errorf("%d nodes, %d services: %v", n[0], n[1], err)
		}
	}
}

// avFlags opens and inserts with flags that make no sense.
func avFlags(t *test) {
	d := t.domain()
	for _, c := range []struct {
		attr fi.AVAttr
		want fi.Errno
	}{
		{fi.AVAttr{Flags: fi.AVRead}, fi.ErrInvalid},
		{fi.AVAttr{Flags: 1 << 62}, fi.ErrBadFlags},
		{fi.AVAttr{Name: "with/slash"}, fi.ErrInvalid},
		{fi.AVAttr{Name: "a name that is longer than the forty-eight bytes allowed"}, fi.ErrInvalid},
		{fi.AVAttr{Name: "names", RxCtxBits: 1}, fi.ErrInvalid},
		{fi.AVAttr{Name: "nobody shares this", Flags: fi.AVRead}, fi.ErrNoEnt},
		{fi.AVAttr{Name: "large", Count: 1 << 20}, fi.ErrInvalid},
		{fi.AVAttr{Flags: fi.AVSymmetric}, fi.ErrNoSys},
		{fi.AVAttr{Type: 77}, fi.ErrInvalid},
		{fi.AVAttr{Count: -1}, fi.ErrInvalid},
	} {
		if c.attr.Name != "" && d.Info().Domain.Caps&fi.CapSharedAV == 0 {
			c.want = fi.ErrNoSys
		}
		if v, err := d.OpenAV(&c.attr); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.attr, err, c.want)
			if err == nil {
				v.Close()
			}
		}
	}
	v := t.av(d, &fi.AVAttr{Type: fi.AVTable, Count: 1 << 40, EPPerNode: 8})
	if _, err := v.Insert([][]byte{{1}}, make([]fi.Addr, 1), 1<<62); !errors.Is(err, fi.ErrBadFlags) {
		t.Errorf("insert with unknown flags: %v", err)
	}
	if _, err := v.Insert([][]byte{{1}}, make([]fi.Addr, 1), fi.AVUserID); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("insert with user ids into a vector without: %v", err)
	}
}

// avText prints addresses.
func avText(t *test) {
	names := t.someNames()
	v := t.av(t.sides[0].n.dom, nil)
	x, y := v.StrAddr(names[0]), v.StrAddr(names[1])
	if x == "" || x == y {
		t.Errorf("addresses as text: %q and %q", x, y)
	}
	v.StrAddr(nil)
	v.StrAddr([]byte{0, 1, 2, 255})
}

// avMany fills a vector.
func avMany(t *test) {
	names := t.someNames()
	v := t.av(t.sides[0].n.dom, &fi.AVAttr{Count: 4})
	const n = 5000
	all := make([][]byte, n)
	for i := range all {
		all[i] = names[i%2]
	}
	out := make([]fi.Addr, n)
	if k, err := v.Insert(all, out, 0); k != n || err != nil || out[n-1] != n-1 {
		t.Fatalf("insert of %d: %d, %v", n, k, err)
	}
	t.check(v.Remove(out))
}

// avNoUserID sets user ids where the vector has none.
func avNoUserID(t *test) {
	d := t.domain()
	v := t.av(d, nil)
	if err := v.SetUserID(0, 1); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("a user id in a vector without: %v", err)
	}
	if d.Info().Domain.Caps&fi.CapAVUserID == 0 {
		if _, err := d.OpenAV(&fi.AVAttr{Flags: fi.AVUserID}); err == nil {
			t.Errorf("user ids without FI_AV_USER_ID")
		}
	}
}
