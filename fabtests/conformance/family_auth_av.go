package conformance

import (
	"bytes"
	"context"
	"errors"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

// Authorization keys of address vectors (FI_AV_AUTH_KEY).
var _ = add("auth-key",
	testCase{name: "vectors", need: tagged | fi.CapSource, where: local, run: authVectors},
	testCase{name: "two-keys", need: tagged | fi.CapSource, where: local, run: authTwoKeys},
	testCase{name: "directed", need: tagged | fi.CapSource | fi.CapDirectedRecv, where: local, run: authDirected},
	testCase{name: "unknown", need: tagged | fi.CapSource | fi.CapSourceErr, where: local, run: authUnknown},
	testCase{name: "late-key", need: tagged, where: local, run: authLate},
	testCase{name: "regions", need: tagged | rma | atom, where: local, run: authRegions},
	testCase{name: "vector-regions", need: tagged | rma | atom, where: local, run: authVectorRegions},
	testCase{name: "contexts", need: tagged | fi.CapNamedRxCtx, where: local, run: authContexts},
	testCase{name: "vector-calls", need: tagged, where: local, run: authVectorCalls},
	testCase{name: "vector-closed", need: tagged, where: local, run: authVectorClosed},
	testCase{name: "vector-user-ids", need: tagged | fi.CapSource | fi.CapSourceErr | fi.CapAVUserID, where: local, run: authUserIDs},
)

// vectorKeys tells whether the provider has keys of vectors in this cell.
func (t *test) vectorKeys() bool { return t.keys() && !t.cell.set.connected() }

// vectored opens a side whose vector has keys.
func (t *test) vectored(keys ...string) *side {
	return t.newSide(t.opts(t.tc.need, func(o *openOpts) { o.AVKeys = keys }))
}

// plainKey opens a side whose endpoint has one key.
func (t *test) plainKey(key string) *side {
	return t.newSide(t.opts(t.tc.need, func(o *openOpts) { o.EPKey = key }))
}

// under makes peer known to s under the key with a number among those of its vector, and gives the name.
func (s *side) under(peer *side, key int) fi.Addr {
	out := []fi.Addr{s.n.keys[key]}
	if n, err := s.n.av.Insert(peer.names, out, fi.AVAuthKey); n != 1 || err != nil {
		s.t.Fatalf("av_insert under a key: %d, %v", n, err)
	}
	s.peers[peer] = out
	return out[0]
}

// reaches sends from x to y, and checks by what name y knows x.
func (t *test) reaches(x, y *side, seed uint64) {
	r := y.recv(call{Form: "trecv", N: 20, Tag: 1})
	o := x.to(y, call{Form: "tsend", N: 20, Tag: 1, Seed: seed})
	t.wait(o, r)
	t.got(r, o)
	if c := r.last(); c.Src != y.addr(x) {
		t.Errorf("side %d reports side %d as %#x, it is %#x", y.index, x.index, uint64(c.Src), uint64(y.addr(x)))
	}
}

// shutOut sends from x to y, which have no key in common by which x calls y.
func (t *test) shutOut(x, y *side) {
	r := y.recv(call{Form: "trecv", N: 20, Tag: 2})
	o := x.to(y, call{Form: "tsend", N: 20, Tag: 2, Seed: 1})
	if t.cell.set.datagrams() {
		t.wait(o) // nobody tells
	} else {
		t.fails(o, fi.ErrAccess)
	}
	t.check(r.cancel())
	t.fails(r, fi.ErrCanceled)
}

// authVectors has endpoints with the keys of vectors talk to each other, and to those with one key of their own.
func authVectors(t *test) {
	if !t.vectorKeys() {
		return // refused says what then holds
	}
	both, one, two, other := t.vectored("one", "two"), t.plainKey("one"), t.plainKey("two"), t.vectored("three", "two")
	both.under(one, 0)
	both.under(two, 1)
	both.under(other, 1)
	one.insert(both)
	two.insert(both)
	two.insert(other)
	other.under(both, 1)
	other.under(two, 1)
	for i, p := range [][2]*side{{both, one}, {both, two}, {both, other}, {other, two}} {
		t.reaches(p[0], p[1], uint64(2*i))
		t.reaches(p[1], p[0], uint64(2*i+1))
	}
	both.under(two, 0) // which has it not
	t.shutOut(both, two)
	other.under(one, 0)
	t.shutOut(other, one)
	one.insert(other)
	t.shutOut(one, other)
	t.reaches(one, both, 50) // what was refused has harmed nobody
}

// authTwoKeys has two endpoints talk to each other by each of two keys: each is two peers to the other.
func authTwoKeys(t *test) {
	if !t.vectorKeys() {
		return
	}
	a, b := t.vectored("one", "two"), t.vectored("two", "one")
	a1, a2 := b.under(a, 1), b.under(a, 0) // one and two
	b1, b2 := a.under(b, 0), a.under(b, 1)
	cases := []struct {
		from, to *side
		as, src  fi.Addr
	}{{a, b, b1, a1}, {b, a, a2, b2}, {a, b, b2, a2}, {b, a, a1, b1}}
	var ops []*op
	for i, c := range cases { // all at once, so that the endpoints call each other by both keys
		ops = append(ops, c.to.recv(call{Form: "trecv", N: 5000, Tag: uint64(i)}))
		s := c.from.post(call{Form: "tsend", N: 5000, To: c.as, Tag: uint64(i), Seed: uint64(i)})
		s.target = c.to
		ops = append(ops, s)
	}
	t.wait(ops...)
	for i, c := range cases {
		r, s := ops[2*i], ops[2*i+1]
		t.got(r, s)
		if got := r.last().Src; got != c.src {
			t.Errorf("message %d came from %d, want %d", i, got, c.src)
		}
	}
	if a1 == a2 || b1 == b2 {
		t.Errorf("one address under two keys has names %d and %d, %d and %d", a1, a2, b1, b2)
	}
	t.check(b.n.av.Remove([]fi.Addr{a1})) // the other stays
	b.peers[a], a.peers[b] = []fi.Addr{a2}, []fi.Addr{b2}
	t.reaches(a, b, 7)
	t.reaches(b, a, 8)
}

// authDirected receives from one of two peers that are the same endpoint under two keys.
func authDirected(t *test) {
	if !t.vectorKeys() {
		return
	}
	a, b := t.vectored("one", "two"), t.vectored("one", "two")
	a1, a2 := b.under(a, 0), b.under(a, 1)
	b1, b2 := a.under(b, 0), a.under(b, 1)
	r2, r1 := b.post(call{Form: "trecv", N: 8, To: a2}), b.post(call{Form: "trecv", N: 8, To: a1})
	s1, s2 := a.post(call{Form: "tsend", N: 8, To: b1, Seed: 1}), a.post(call{Form: "tsend", N: 8, To: b2, Seed: 2})
	s1.target, s2.target = b, b
	t.wait(r1, r2, s1, s2)
	t.got(r1, s1)
	t.got(r2, s2)
}

// authUnknown hears of a sender that is not in the vector by which key it has come.
func authUnknown(t *test) {
	if !t.vectorKeys() {
		return
	}
	b, one, two := t.vectored("one", "two"), t.plainKey("one"), t.plainKey("two")
	one.insert(b)
	two.insert(b)
	for i, s := range []*side{one, two} {
		r := b.recv(call{Form: "trecv", N: 8})
		o := s.to(b, call{Form: "tsend", N: 8, Seed: 1})
		t.wait(o)
		c := t.fails(r, fi.ErrAddrNotAvail)
		if c.Src != b.n.keys[i] || !bytes.Equal(c.Raw, s.names[0]) {
			t.Errorf("an unknown sender is reported as %#x, %q, want %#x, %q", uint64(c.Src), c.Raw, uint64(b.n.keys[i]), s.names[0])
		}
	}
	b.under(two, 1)
	t.reaches(two, b, 3)
	b.under(one, 1) // which has not come by this key
	r := b.recv(call{Form: "trecv", N: 8})
	t.wait(one.to(b, call{Form: "tsend", N: 8, Seed: 1}))
	t.fails(r, fi.ErrAddrNotAvail)
}

// authLate gives a vector a key after its endpoint was enabled: the endpoint has it not.
func authLate(t *test) {
	if !t.vectorKeys() {
		return
	}
	a, two := t.vectored("one"), t.plainKey("two")
	late, err := a.n.av.InsertAuthKey([]byte("two"))
	t.check(err)
	a.n.keys = append(a.n.keys, late)
	a.under(two, 1)
	two.insert(a)
	t.shutOut(a, two)
	t.shutOut(two, a)
	t.check(a.n.openEndpoint(&a.opts, a.n.info)) // which has both
	raw, err := a.n.eps[1].Name()
	t.check(err)
	both := []fi.Addr{0}
	_, err = two.n.av.Insert([][]byte{raw}, both, 0)
	t.check(err)
	r := a.post(call{Form: "trecv", N: 8, EP: 1, To: anyone})
	s := two.post(call{Form: "tsend", N: 8, To: both[0], Seed: 1})
	s.target = a
	t.wait(r, s)
	t.got(r, s)
}

// accesses tries all remote accesses to a region and checks that they end as they must.
func (t *test) accesses(from *side, m *region, allowed bool) {
	from.t.alive()
	for _, c := range []call{{Form: "write", N: 64, At: m.remote, Seed: 6}, {Form: "read", N: 64, At: m.remote}, {Form: "write", N: 40000, At: m.remote},
		{Form: "atomic", N: 8, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum},
		{Form: "fetch_atomic", N: 8, At: m.remote, Type: fi.TypeUint64, Op: fi.AtomicSum}} {
		o := from.to(m.s, c)
		if allowed {
			t.wait(o)
		} else {
			t.fails(o, fi.ErrAccess)
		}
	}
}

// authRegions registers memory for the peers of one key in a domain with endpoints of two.
func authRegions(t *test) {
	if !t.keys() {
		return
	}
	a, one := t.plainKey("one"), t.plainKey("one")
	for _, s := range []*side{a, one} {
		s.insert(a)
		s.insert(one)
	}
	mine := a.reg(regOpts{N: 40000, Key: 1, Seed: 1, AuthKey: "one"})
	theirs := a.reg(regOpts{N: 40000, Key: 2, Seed: 2, AuthKey: "two"})
	part := a.reg(regOpts{N: 8, Key: 3, SubOf: theirs.id})
	t.accesses(one, mine, true)
	t.accesses(one, theirs, false)
	t.fails(one.to(a, call{Form: "read", N: 8, At: part.remote}), fi.ErrAccess)
	if d := differs(theirs.bytes(0, 40000), 2, 0); d != "" {
		t.Errorf("the memory has changed: %s", d)
	}
	if got := a.n.regions[theirs.id].mr.Stats(); got.Write.Failed == 0 || got.Read.Failed == 0 {
		t.Errorf("nothing was counted as refused: %v", got)
	}
}

// authVectorRegions registers memory for all keys of a vector, for one, and for one peer.
func authVectorRegions(t *test) {
	if !t.vectorKeys() {
		return
	}
	a, one, two, more := t.vectored("one", "two"), t.plainKey("one"), t.plainKey("two"), t.plainKey("one")
	peer := a.under(one, 0)
	a.under(two, 1)
	a.under(more, 0)
	for _, s := range []*side{one, two, more} {
		s.insert(a)
	}
	all := a.reg(regOpts{N: 40000, Key: 1, Seed: 1})
	first := a.reg(regOpts{N: 40000, Key: 2, Seed: 2, For: &a.n.keys[0]})
	only := a.reg(regOpts{N: 40000, Key: 3, Seed: 3, For: &peer})
	seeds := map[*region]uint64{first: 2, only: 3}
	for _, c := range []struct {
		from    *side
		m       *region
		allowed bool
	}{{two, first, false}, {two, only, false}, {more, only, false}, {one, all, true}, {two, all, true}, {one, first, true}, {more, first, true}, {one, only, true}} {
		t.accesses(c.from, c.m, c.allowed)
		if !c.allowed {
			if d := differs(c.m.bytes(0, 40000), seeds[c.m], 0); d != "" {
				t.Errorf("the memory has changed: %s", d)
			}
		}
	}
	d, who := a.n.dom, fabric.MRAuthKey{AV: a.n.av, Addr: fi.AddrUnspec}
	buf := make([]byte, 8)
	refused := func(what string, err error, want fi.Errno) {
		t.alive()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	_, err := d.RegisterMR(buf, remoteRights, &fi.MRAttr{Key: 9})
	refused("RegisterMR", err, fi.ErrOpNotSupp)
	attr := &fi.MRAttr{Iov: [][]byte{buf}, Access: remoteRights, Key: 9}
	_, err = d.RegisterMRKeyed(attr, fabric.MRAuthKey{})
	refused("without a vector", err, fi.ErrInvalid)
	_, err = d.RegisterMRKeyed(attr, fabric.MRAuthKey{AV: a.n.av, Addr: 77})
	refused("for a peer that is not there", err, fi.ErrInvalid)
	_, err = d.RegisterMRKeyed(attr, fabric.MRAuthKey{AV: a.n.av, Addr: a.n.keys[1] + 7})
	refused("for a key that is not there", err, fi.ErrInvalid)
	_, err = one.n.dom.RegisterMRKeyed(attr, who)
	refused("without keys in vectors", err, fi.ErrNoSys)
	_, err = d.RegisterMRKeyed(nil, who)
	refused("without attributes", err, fi.ErrInvalid)
	attr.AuthKey = []byte("one")
	_, err = d.RegisterMRKeyed(attr, who)
	refused("with a key beside it", err, fi.ErrInvalid)
}

// authContexts has scalable endpoints talk by keys of their vectors.
func authContexts(t *test) {
	if !t.vectorKeys() || t.cell.set.datagrams() {
		return
	}
	a, b := t.openSEP(true, t.tc.need, "one", "two"), t.openSEP(false, t.tc.need, "one")
	a.insert(b.s.Name())
	b.insert(a.s.Name())
	t.sepMessages(a, b)
	if got, err := b.av.Lookup(b.peer); err != nil {
		t.Error(err)
	} else if want, _ := a.s.Name(); !bytes.Equal(got, want) {
		t.Errorf("the peer's address is %q, want %q", got, want)
	}
	if err := b.av.Remove(b.n.keys); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("a key that an endpoint has: %v", err)
	}
}

// authVectorCalls makes the calls of vectors with keys, right and wrong.
func authVectorCalls(t *test) {
	if !t.vectorKeys() {
		plain := t.newSide(t.opts(t.tc.need))
		if plain.n.av == nil {
			return
		}
		if _, err := plain.n.av.InsertAuthKey([]byte("one")); !errors.Is(err, fi.ErrNoSys) {
			t.Errorf("a key without keys: %v", err)
		}
		if _, err := plain.n.av.LookupAuthKey(0); !errors.Is(err, fi.ErrNoSys) {
			t.Errorf("a look for a key without keys: %v", err)
		}
		return
	}
	a := t.vectored("one", "two")
	v, name := a.n.av, a.names[0]
	one, two := a.n.keys[0], a.n.keys[1]
	if again, err := v.InsertAuthKey([]byte("one")); err != nil || again != one {
		t.Errorf("a key for the second time: %#x, %v, want %#x", uint64(again), err, uint64(one))
	}
	out := []fi.Addr{one, two, 99}
	n, err := v.Insert([][]byte{name, name, name}, out, fi.AVAuthKey)
	bad, ok := errors.AsType[*fabric.InsertError](err)
	if n != 2 || !ok || bad.Index != 2 || !errors.Is(err, fi.ErrInvalid) || out[0] != 0 || out[1] != 1 || out[2] != fi.AddrNotAvail {
		t.Errorf("insert under two keys and one that is none: %d, %v, %v", n, out, err)
	}
	for i, want := range []string{"one", "two"} {
		for _, at := range []fi.Addr{a.n.keys[i], fi.Addr(i)} {
			if got, err := v.LookupAuthKey(at); err != nil || string(got) != want {
				t.Errorf("the key of %#x: %q, %v, want %q", uint64(at), got, err, want)
			}
		}
		if got, err := v.Lookup(fi.Addr(i)); err != nil || !bytes.Equal(got, name) {
			t.Errorf("the address of %d: %q, %v, want %q", i, got, err, name)
		}
	}
	check := func(what string, err error, want fi.Errno) {
		t.alive()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	_, err = v.LookupAuthKey(55)
	check("the key of no address", err, fi.ErrInvalid)
	_, err = v.LookupAuthKey(two + 1)
	check("the key of no key", err, fi.ErrInvalid)
	_, err = v.InsertAuthKey(nil)
	check("an empty key", err, fi.ErrInvalid)
	_, err = v.Insert([][]byte{name}, out[:1], 0)
	check("an address without a key", err, fi.ErrInvalid)
	_, err = v.Insert([][]byte{name}, nil, fi.AVAuthKey)
	check("an address without a place for the key", err, fi.ErrInvalid)
	_, err = v.Insert([][]byte{name}, out[:1], fi.AVAuthKey|fi.AVUserID)
	check("a key and a user's number in one", err, fi.ErrInvalid)
	_, err = v.InsertSvc(context.Background(), "", "x", 0)
	check("a service", err, fi.ErrOpNotSupp)
	check("removing a key that an endpoint has", v.Remove([]fi.Addr{one}), fi.ErrBusy)
	check("removing no key", v.Remove([]fi.Addr{two + 1}), fi.ErrInvalid)
	ep := a.n.eps[0]
	err = ep.TRecvMsg(&fi.TaggedMsg{Iov: [][]byte{make([]byte, 8)}, Addr: one}, fi.OpAuthKey)
	check("a receive for a key", err, fi.ErrBadFlags)
	t.says(ep.Explain(err), fi.ErrBadFlags, "open an endpoint whose vector has that key alone")
	info := a.n.info.Clone()
	info.EP.AuthKey = []byte("one")
	_, err = a.n.dom.OpenEndpoint(info)
	check("an endpoint with a key of its own", err, fi.ErrInvalid)
	plain := t.plainKey("one")
	_, err = plain.n.dom.OpenEndpoint(a.n.info)
	check("an endpoint with keys of its vector in another domain", err, fi.ErrInvalid)
	_, err = plain.n.av.Insert([][]byte{name}, out[:1], fi.AVAuthKey)
	check("a key in a vector without", err, fi.ErrInvalid)
	for len(a.n.keys) < a.n.info.Domain.MaxEPAuthKey {
		k, err := v.InsertAuthKey([]byte{byte(len(a.n.keys))})
		t.check(err)
		a.n.keys = append(a.n.keys, k)
	}
	_, err = v.InsertAuthKey([]byte("one too many"))
	check("one too many", err, fi.ErrNoMem)
}

// authVectorClosed removes a key when nothing is left that needs it, and enables no endpoint without one.
func authVectorClosed(t *test) {
	if !t.vectorKeys() {
		return
	}
	a := t.vectored("one")
	v := t.av(a.n.dom, nil)
	key, err := v.InsertAuthKey([]byte("x"))
	t.check(err)
	out := []fi.Addr{key}
	_, err = v.Insert(a.names, out, fi.AVAuthKey)
	t.check(err)
	if err := v.Remove([]fi.Addr{key}); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("removing a key with an address: %v, want FI_EBUSY", err)
	}
	t.check(v.Remove(out))
	open := func(info *fi.Info) *fabric.Endpoint {
		ep, err := a.n.dom.OpenEndpoint(info)
		t.check(err)
		t.check(ep.BindAV(v))
		t.check(ep.BindCQ(a.n.txq, fi.BindTransmit))
		t.check(ep.BindCQ(a.n.rxq, fi.BindRecv))
		return ep
	}
	ep := open(a.n.info)
	t.check(ep.Enable())
	taken := a.n.info.Clone()
	taken.SrcAddr = a.names[0]
	second := open(taken)
	if err := second.Enable(); !errors.Is(err, fi.ErrAddrInUse) {
		t.Errorf("enabled with a name that is in use: %v, want FI_EADDRINUSE", err)
	}
	t.check(second.Close()) // it had the key for a moment, and gives it back once
	if err := v.Remove([]fi.Addr{key}); !errors.Is(err, fi.ErrBusy) {
		t.Errorf("removing a key with an endpoint: %v, want FI_EBUSY", err)
	}
	t.check(ep.Close())
	t.check(v.Remove([]fi.Addr{key}))
	if _, err := v.LookupAuthKey(key); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("a key that is gone: %v, want FI_EINVAL", err)
	}
	ep = open(a.n.info)
	if err := ep.Enable(); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("enabled without a key: %v, want FI_EINVAL", err)
	}
	_, err = v.InsertAuthKey([]byte("y"))
	t.check(err)
	t.check(ep.Enable())
	t.check(ep.Close())
}

// authUserIDs has reports show numbers of the application's for keys and for peers under them.
func authUserIDs(t *test) {
	if !t.vectorKeys() {
		return
	}
	b := t.newSide(t.opts(t.tc.need, func(o *openOpts) { o.AVKeys, o.UserIDs = []string{"one", "two"}, true }))
	one := t.plainKey("one")
	one.insert(b)
	unknown := func(want fi.Addr) {
		r := b.recv(call{Form: "trecv", N: 8})
		t.wait(one.to(b, call{Form: "tsend", N: 8, Seed: 1}))
		if c := t.fails(r, fi.ErrAddrNotAvail); c.Src != want {
			t.Errorf("an unknown sender is reported as %#x, want %#x", uint64(c.Src), uint64(want))
		}
	}
	unknown(fi.AddrNotAvail)
	t.check(b.n.av.SetUserID(b.n.keys[0], 4711))
	unknown(4711)
	peer := b.under(one, 0)
	t.check(b.n.av.SetUserID(peer, 99))
	b.peers[one] = []fi.Addr{99}
	t.reaches(one, b, 2)
	if err := b.n.av.SetUserID(b.n.keys[1]+1, 1); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("a number for no key: %v, want FI_EINVAL", err)
	}
}
