package conformance

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("shared-av",
	testCase{name: "read", need: tagged | fi.CapSharedAV, where: local, kind: core, run: savRead},
	testCase{name: "changes", need: tagged | fi.CapSharedAV | fi.CapSource, where: local, run: savChanges},
	testCase{name: "new-sender", need: tagged | fi.CapSharedAV | fi.CapSource, where: local, run: savNewSender},
	testCase{name: "wrong", need: tagged | fi.CapSharedAV, where: local, run: savWrong},
	testCase{name: "refused", need: tagged, lacks: fi.CapSharedAV, where: local, run: savRefused},
)

var savNames atomic.Uint64

// savName is a name that no other case has.
func savName() string {
	return fmt.Sprintf("conformance %d %d", os.Getpid(), savNames.Add(1))
}

// savReader is a side with an endpoint whose vector is that of a name.
func (t *test) savReader(name string) (*fabric.AV, *fabric.Endpoint, *sep) {
	n := t.newSide(t.opts(t.tc.need, func(o *openOpts) { o.Bare = true })).n
	x := &sep{t: t, n: n}
	v := t.av(n.dom, &fi.AVAttr{Name: name, Flags: fi.AVRead})
	ep, err := n.dom.OpenEndpoint(n.info)
	t.check(err)
	q, err := n.dom.OpenCQ(&fi.CQAttr{WaitObj: t.cell.set.Wait})
	t.check(err)
	n.later(q.Close)
	n.later(ep.Close)
	x.qs = append(x.qs, q)
	t.check(ep.BindAV(v))
	t.check(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv))
	t.check(ep.Enable())
	return v, ep, x
}

// savRead sends to a peer that somebody else has inserted, before the vector was opened or behind it.
func savRead(t *test) {
	owner := t.newSide(t.opts(t.tc.need))
	name := savName()
	v := t.av(owner.n.dom, &fi.AVAttr{Name: name})
	raw := owner.names[0]
	first := make([]fi.Addr, 2)
	_, err := v.Insert([][]byte{raw, raw}, first, 0)
	t.check(err)
	mirror, ep, x := t.savReader(name)
	_, err = v.Insert([][]byte{raw}, first[1:], 0)
	t.check(err)
	for i, to := range []fi.Addr{0, 1, 2} {
		got, err := mirror.Lookup(to)
		if err != nil || !slices.Equal(got, raw) {
			t.Errorf("address %d is %q, %v", to, got, err)
		}
		r := owner.recv(call{Form: "trecv", N: 8, Tag: uint64(i)})
		t.again([]*sep{x}, func() error { return ep.TSend(make([]byte, 8), to, uint64(i), nil) })
		t.collect(map[*fabric.CQ]int{x.qs[0]: 1}, x)
		t.settle(r)
		r.claimed = true
	}
	if err := ep.TSend(nil, 3, 1, nil); err != fi.ErrInvalid { //nolint:errorlint // documented: a bare value
		t.Errorf("a send to what nobody has inserted: %v", err)
	}
}

// savNewSender hears from endpoints that were inserted when the vector was open already: they are known when they send.
func savNewSender(t *test) {
	owner := t.newSide(t.opts(t.tc.need))
	name := savName()
	v := t.av(owner.n.dom, &fi.AVAttr{Name: name})
	_, ep, x := t.savReader(name)
	self, err := ep.Name()
	t.check(err)
	for i := range 5 {
		s := t.newSide(t.opts(t.tc.need))
		_, err := v.Insert([][]byte{s.names[0]}, nil, 0)
		t.check(err)
		to := make([]fi.Addr, 1)
		_, err = s.n.av.Insert([][]byte{self}, to, 0)
		t.check(err)
		buf := make([]byte, 8)
		t.check(ep.TRecv(buf, fi.AddrUnspec, uint64(i), 0, &buf))
		o := s.post(call{Form: "tsend", N: 8, Tag: uint64(i), To: to[0]})
		got := t.collect(map[*fabric.CQ]int{x.qs[0]: 1}, x)
		t.settle(o)
		if src := got[x.qs[0]][0].Src; src != fi.Addr(i) {
			t.Errorf("message %d came from %d", i, src)
		}
	}
}

// savChanges removes a peer and puts another one in its place; the reader's endpoint follows.
func savChanges(t *test) {
	a, b := t.newSide(t.opts(t.tc.need)), t.newSide(t.opts(t.tc.need))
	name := savName()
	v := t.av(a.n.dom, &fi.AVAttr{Name: name})
	insert := func(s *side) {
		var out [1]fi.Addr
		_, err := v.Insert([][]byte{s.names[0]}, out[:], 0)
		t.check(err)
		if out[0] != 0 {
			t.Fatalf("the lowest free address is %d", out[0])
		}
	}
	insert(a)
	mirror, ep, x := t.savReader(name)
	send := func(to *side, tag uint64) {
		r := to.recv(call{Form: "trecv", N: 8, Tag: tag})
		t.again([]*sep{x}, func() error { return ep.TSend(make([]byte, 8), 0, tag, nil) })
		t.collect(map[*fabric.CQ]int{x.qs[0]: 1}, x)
		t.settle(r)
		r.claimed = true
	}
	send(a, 1)
	t.check(v.Remove([]fi.Addr{0}))
	insert(b)
	t.until("the reader sees the change", func() bool {
		raw, err := mirror.Lookup(0)
		return err == nil && slices.Equal(raw, b.names[0])
	})
	send(b, 2)
	// The name of a sender is that of the vector.
	self, err := ep.Name()
	t.check(err)
	var mine [1]fi.Addr
	_, err = v.Insert([][]byte{self}, mine[:], 0)
	t.check(err)
	t.until("the reader knows itself", func() bool { _, err := mirror.Lookup(mine[0]); return err == nil })
	buf := make([]byte, 8)
	t.check(ep.TRecv(buf, fi.AddrUnspec, 3, 0, nil))
	t.again([]*sep{x}, func() error { return ep.TSend(make([]byte, 8), mine[0], 3, nil) })
	for _, e := range t.collect(map[*fabric.CQ]int{x.qs[0]: 2}, x)[x.qs[0]] {
		if e.Flags&fi.CompRecv != 0 && e.Src != mine[0] {
			t.Errorf("the sender is %d, want %d", e.Src, mine[0])
		}
	}
}

// savWrong changes what may only be read, and takes names that are taken.
func savWrong(t *test) {
	d := t.domain()
	name := savName()
	v := t.av(d, &fi.AVAttr{Name: name})
	_, err := d.OpenAV(&fi.AVAttr{Name: name})
	t.says(err, fi.ErrExist, "AVRead")
	r := t.av(d, &fi.AVAttr{Name: name, Flags: fi.AVRead})
	raw := t.sides[0].names[0]
	_, err = r.Insert([][]byte{raw}, nil, 0)
	t.says(err, fi.ErrPerm, "AVRead")
	t.says(r.Remove([]fi.Addr{0}), fi.ErrPerm, "AVRead")
	many := make([][]byte, 1025)
	for i := range many {
		many[i] = raw
	}
	n, err := v.Insert(many, nil, 0)
	if n != 1024 {
		t.Errorf("%d of 1025 addresses inserted", n)
	}
	t.says(err, fi.ErrNoMem, "Count")
	if _, err := r.Lookup(1024); err == nil {
		t.Errorf("the address that had no room is there")
	}
	t.check(v.Remove([]fi.Addr{1023}))
	t.until("the reader sees the removal", func() bool { _, err := r.Lookup(1023); return err != nil })
}

// savRefused has no shared vectors.
func savRefused(t *test) {
	_, err := t.domain().OpenAV(&fi.AVAttr{Name: savName()})
	t.says(err, fi.ErrNoSys, "FI_SHARED_AV")
}
