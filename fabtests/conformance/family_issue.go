package conformance

import (
	"bytes"
	"encoding/binary"
	"sync"

	fiatomic "github.com/gofabric/gofabric/atomic"
	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// What the library posts by itself (driver.Issuer): completions are calls, and neither entries of a queue nor counted,
// which the checks behind every case would find.
var _ = add("issue",
	testCase{name: "kinds", need: msg | tagged | rma | atom, where: local, tapped: true, run: issueKinds},
	testCase{name: "chain", need: tagged, where: local, kind: core, tapped: true, run: issueChain},
	testCase{name: "refused", need: tagged, where: local, tapped: true, run: issueRefused},
	testCase{name: "truncated", need: tagged, where: local, tapped: true, run: issueTruncated},
	testCase{name: "cancel", need: msg | tagged, where: local, tapped: true, run: issueCancel},
	testCase{name: "close", need: msg | tagged, where: local, tapped: true, run: issueClose},
	testCase{name: "no-such-peer", need: tagged, where: local, tapped: true, run: issueNoPeer},
)

// noted is the context of an operation that the library posts.
type noted struct {
	t    *test
	what string
	then func(c *cq.ErrEntry) // with the lock

	mu sync.Mutex
	n  int
	c  cq.ErrEntry // guarded by mu, as n
}

// Done implements driver.Notified.
func (o *noted) Done(c cq.ErrEntry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n++; o.n > 1 {
		o.t.Errorf("%s: Done was called %d times", o.what, o.n)
	}
	if c.Context != any(o) {
		o.t.Errorf("%s: Done with the context %v", o.what, c.Context)
	}
	if o.c = c; o.then != nil {
		o.then(&c)
	}
}

func (o *noted) done() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n > 0
}

// entry is what Done has got.
func (o *noted) entry() *cq.ErrEntry {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.c
	return &c
}

// task is a driver.Task.
type task func()

func (f task) Run() { f() }

// issuers gives the driver's endpoints of the sides; false for a provider that has none that can be used so.
func (t *test) issuers(sides ...*side) (out []driver.Issuer, ok bool) {
	for _, s := range sides {
		e, ok := driver.Ability[driver.Issuer](s.tap.eps[len(s.tap.eps)-1])
		if !ok {
			t.Logf("the provider's endpoints are no driver.Issuer, which is optional")
			return nil, false
		}
		out = append(out, e)
	}
	return out, true
}

// issue posts w for s, and gives its context.
func (s *side) issue(to driver.Issuer, what string, w *driver.Work) *noted {
	o := &noted{t: s.t, what: what}
	s.issueAs(to, o, w)
	return o
}

// untagged makes w one without a tag where there are no others.
func (s *side) untagged(w *driver.Work) *driver.Work {
	if s.info.Caps&tagged == 0 {
		switch w.Kind {
		case driver.WorkTSend:
			w.Kind = driver.WorkSend
		case driver.WorkTRecv:
			w.Kind = driver.WorkRecv
		}
		w.Tag, w.Ignore = 0, 0
	}
	return w
}

func (s *side) issueAs(to driver.Issuer, o *noted, w *driver.Work) {
	s.untagged(w)
	w.Context, w.Flags = o, w.Flags|driver.OpNotify
	eng := s.tap.eng
	eng.Lock()
	eng.Issue(to, w)
	eng.Unlock()
}

// ended waits for operations that the library has posted, and polls s, or all sides for nil.
func (t *test) ended(s *side, list ...*noted) {
	var sides []*side
	if s != nil {
		sides = append(sides, s)
	}
	for _, o := range list {
		t.until("the end of "+o.what, o.done, sides...)
	}
}

// good checks a success.
func (t *test) good(o *noted, flags fi.CompFlags, n int, tag uint64) {
	if t.cell.untags(t.tc) && flags&fi.CompTagged != 0 {
		flags, tag = flags&^fi.CompTagged|fi.CompMsg, 0
	}
	if c := o.entry(); c.Err != 0 || c.Flags != flags || c.Len != n || c.Tag != tag {
		t.Errorf("%s ended with %v %v, %d bytes, tag %#x (%s), want %v, %d bytes, tag %#x", o.what, c.Err, c.Flags, c.Len, c.Tag, c.Text, flags, n, tag)
	}
}

// bad checks an error.
func (t *test) bad(o *noted, want ...fi.Errno) {
	c := o.entry()
	for _, e := range want {
		if c.Err == e {
			if c.Text == "" {
				t.Errorf("%s ended with %v, without a word of why", o.what, e)
			}
			return
		}
	}
	t.Errorf("%s ended with %v (%s), want one of %v", o.what, c.Err, c.Text, want)
}

// to is what operations of a on b have for an address.
func (t *test) to(a, b *side) fi.Addr {
	if a.opts.Set.connected() {
		return nonsense
	}
	return a.addr(b)
}

func word64(v uint64) []byte { return binary.NativeEndian.AppendUint64(nil, v) }

// issueKinds has each kind done once, the first before there is any contact, short ones and long ones.
func issueKinds(t *test) {
	p := t.pair()
	iss, ok := t.issuers(p.a, p.b)
	if !ok {
		return
	}
	to := t.to(p.a, p.b)
	for _, n := range []int{0, 100, 40_000} {
		data := make([]byte, n)
		fill(data, uint64(n), 0)
		half := n / 2
		buf, buf2 := make([]byte, n), make([]byte, n)
		r1 := p.b.issue(iss[1], "a receive", &driver.Work{Kind: driver.WorkRecv, Iov: [][]byte{buf}, Addr: fi.AddrUnspec})
		r2 := p.b.issue(iss[1], "a tagged receive", &driver.Work{Kind: driver.WorkTRecv, Iov: [][]byte{buf2[:half], buf2[half:]}, Addr: fi.AddrUnspec, Tag: 8, Ignore: 1})
		s1 := p.a.issue(iss[0], "a send", &driver.Work{Kind: driver.WorkSend, Iov: [][]byte{data[:half], data[half:]}, Addr: to, Data: 77, Flags: fi.OpRemoteCQData})
		s2 := p.a.issue(iss[0], "a tagged send", &driver.Work{Kind: driver.WorkTSend, Iov: [][]byte{data}, Addr: to, Tag: 9, Flags: fi.OpDeliveryComplete})
		t.ended(p.a, s1, s2)
		t.ended(p.b, r1, r2)
		t.good(s1, fi.CompSend|fi.CompMsg, n, 0)
		t.good(s2, fi.CompSend|fi.CompTagged, n, 9)
		t.good(r1, fi.CompRecv|fi.CompMsg|fi.CompRemoteCQData, n, 0)
		t.good(r2, fi.CompRecv|fi.CompTagged, n, 9)
		if d := r1.entry().Data; d != 77 {
			t.Errorf("the receive has data %d, want 77", d)
		}
		if !bytes.Equal(buf, data) || !bytes.Equal(buf2, data) {
			t.Errorf("%d bytes: not what was sent", n)
		}
	}
	const n = 40_000
	region := p.b.reg(regOpts{N: n, Seed: 1})
	ranges := func(sizes ...int) (out []fi.RMAIov) {
		at := region.remote
		for _, k := range sizes {
			out = append(out, fi.RMAIov{Addr: at.Addr, Len: uint64(k), Key: at.Key})
			at.Addr += uint64(k)
		}
		return out
	}
	got, put := make([]byte, n), make([]byte, n)
	fill(put, 2, 0)
	for i, sizes := range [][]int{{64}, {8, 56}, {n}} {
		k := []int{64, 64, n}[i]
		w := p.a.issue(iss[0], "a write", &driver.Work{Kind: driver.WorkWrite, Iov: [][]byte{put[:k]}, Addr: to, RMA: ranges(sizes...)})
		t.ended(p.a, w)
		r := p.a.issue(iss[0], "a read", &driver.Work{Kind: driver.WorkRead, Iov: [][]byte{got[:8], got[8:k]}, Addr: to, RMA: ranges(sizes...)})
		t.ended(p.a, r)
		t.good(w, fi.CompWrite|fi.CompRMA, k, 0)
		t.good(r, fi.CompRead|fi.CompRMA, k, 0)
		if !bytes.Equal(got[:k], put[:k]) {
			t.Errorf("%d bytes: read something else than what was written", k)
		}
	}
	add, _ := fiatomic.Lookup(fi.AtomicBase, fi.TypeUint64, fi.AtomicSum)
	get, _ := fiatomic.Lookup(fi.AtomicFetch, fi.TypeUint64, fi.AtomicSum)
	swap, _ := fiatomic.Lookup(fi.AtomicCompare, fi.TypeUint64, fi.AtomicCSwap)
	first := binary.NativeEndian.Uint64(put)
	one, old, old2 := word64(1), make([]byte, 8), make([]byte, 8)
	for _, o := range []struct {
		w     driver.Work
		flags fi.CompFlags
	}{
		{driver.Work{Kind: driver.WorkAtomic, Kernel: add, Iov: [][]byte{one}}, fi.CompWrite | fi.CompAtomic},
		{driver.Work{Kind: driver.WorkFetch, Kernel: get, Iov: [][]byte{one}, Result: [][]byte{old}}, fi.CompRead | fi.CompAtomic},
		{driver.Work{Kind: driver.WorkCompare, Kernel: swap, Iov: [][]byte{word64(5)}, Compare: [][]byte{word64(first + 2)}, Result: [][]byte{old2}},
			fi.CompRead | fi.CompAtomic},
	} {
		o.w.Addr, o.w.RMA = to, ranges(8)
		d := p.a.issue(iss[0], "an atomic", &o.w)
		t.ended(p.a, d)
		t.good(d, o.flags, 8, 0)
	}
	if a, b := binary.NativeEndian.Uint64(old), binary.NativeEndian.Uint64(old2); a != first+1 || b != first+2 {
		t.Errorf("the atomics found %d and %d, want %d and %d", a, b, first+1, first+2)
	}
}

// issueChain sends a message to and fro by nothing but what follows from its completions: with automatic progress one
// side does not poll at all.
func issueChain(t *test) {
	const rounds = 20
	p := t.pair()
	iss, ok := t.issuers(p.a, p.b)
	if !ok {
		return
	}
	sides := []*side{p.a, p.b}
	var sends []*noted
	var mu sync.Mutex
	rounds2 := 0
	for i, s := range sides {
		peer, buf := t.to(s, sides[1-i]), make([]byte, 8)
		eng := s.tap.eng
		send := func(v uint64) {
			o := &noted{t: t, what: "a send of the chain"}
			mu.Lock()
			sends = append(sends, o)
			mu.Unlock()
			eng.Issue(iss[i], s.untagged(&driver.Work{Kind: driver.WorkTSend, Iov: [][]byte{word64(v)}, Addr: peer, Tag: 3, Context: o, Flags: driver.OpNotify}))
		}
		var recv func()
		recv = func() {
			o := &noted{t: t, what: "a receive of the chain"}
			o.then = func(c *cq.ErrEntry) {
				if c.Err != 0 {
					return // the end of the case
				}
				eng.Later(task(func() {
					v := binary.NativeEndian.Uint64(buf)
					mu.Lock()
					rounds2 = int(v)
					mu.Unlock()
					recv()
					if v < rounds {
						send(v + 1)
					}
				}))
			}
			eng.Issue(iss[i], s.untagged(&driver.Work{Kind: driver.WorkTRecv, Iov: [][]byte{buf}, Addr: fi.AddrUnspec, Tag: 3, Context: o, Flags: driver.OpNotify}))
		}
		eng.Lock()
		recv()
		if i == 0 {
			eng.Later(task(func() { send(1) }))
		}
		eng.Unlock()
	}
	t.until("the last round", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return rounds2 == rounds
	}, p.a)
	t.until("the sends of the chain", func() bool {
		mu.Lock()
		defer mu.Unlock()
		for _, o := range sends {
			if !o.done() {
				return false
			}
		}
		return true
	}, p.a)
	if len(sends) != rounds {
		t.Errorf("%d sends, want %d", len(sends), rounds)
	}
}

// issueRefused fills an endpoint until it accepts nothing more, unless it takes very much. What is issued then waits for
// room, in order; receives do not wait behind it.
func issueRefused(t *test) {
	p := t.pair()
	iss, ok := t.issuers(p.a, p.b)
	if !ok {
		return
	}
	const most = 5000
	eng, to := p.a.tap.eng, t.to(p.a, p.b)
	full := &count{}
	n, refused := 0, false
	for ; n < most; n++ {
		eng.Lock()
		err := iss[0].Issue(&driver.Work{Kind: driver.WorkTSend, Iov: [][]byte{word64(uint64(n))}, Addr: to, Tag: 1, Context: full,
			Flags: driver.OpNotify | fi.OpMatchComplete})
		eng.Unlock()
		if refused = err == fi.ErrAgain; refused { //nolint:errorlint // documented: a bare value
			break
		}
		t.check(err)
	}
	var extra []*noted
	for i := range 5 {
		extra = append(extra, p.a.issue(iss[0], "a send that finds no room", &driver.Work{Kind: driver.WorkTSend,
			Iov: [][]byte{word64(uint64(n + i))}, Addr: to, Tag: 1, Flags: fi.OpMatchComplete}))
	}
	buf := make([]byte, 8)
	r := p.a.issue(iss[0], "a receive of the full endpoint", &driver.Work{Kind: driver.WorkTRecv, Iov: [][]byte{buf}, Addr: fi.AddrUnspec, Tag: 2})
	s := p.b.issue(iss[1], "a send to the full endpoint", &driver.Work{Kind: driver.WorkTSend, Iov: [][]byte{word64(4)}, Addr: t.to(p.b, p.a), Tag: 2})
	t.ended(p.a, r)
	t.ended(p.b, s)
	if refused && extra[0].done() {
		t.Errorf("a send has ended for which there was no room: %v", extra[0].entry().Err)
	}
	in := make([]byte, 8)
	for i := range n + 5 {
		r := p.b.issue(iss[1], "a receive", &driver.Work{Kind: driver.WorkTRecv, Iov: [][]byte{in}, Addr: fi.AddrUnspec, Tag: 1})
		t.ended(nil, r)
		if v := binary.NativeEndian.Uint64(in); v != uint64(i) {
			t.Fatalf("message %d came as number %d", v, i)
		}
	}
	t.ended(nil, extra...)
	t.until("all sends", func() bool { return full.get() == n })
	for _, o := range extra {
		t.good(o, fi.CompSend|fi.CompTagged, 8, 1)
	}
}

// count counts operations that end.
type count struct {
	mu sync.Mutex
	n  int
}

// Done implements driver.Notified.
func (c *count) Done(cq.ErrEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *count) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func issueTruncated(t *test) {
	p := t.pair()
	iss, ok := t.issuers(p.a, p.b)
	if !ok {
		return
	}
	r := p.b.issue(iss[1], "a short receive", &driver.Work{Kind: driver.WorkTRecv, Iov: [][]byte{make([]byte, 3)}, Addr: fi.AddrUnspec, Tag: 1})
	s := p.a.issue(iss[0], "a send", &driver.Work{Kind: driver.WorkTSend, Iov: [][]byte{make([]byte, 10)}, Addr: t.to(p.a, p.b), Tag: 1})
	t.ended(p.a, s)
	t.ended(p.b, r)
	t.good(s, fi.CompSend|fi.CompTagged, 10, 1)
	t.bad(r, fi.ErrTruncated)
	if c := r.entry(); c.Len != 3 || c.OLen != 7 {
		t.Errorf("%d bytes came and %d did not fit, want 3 and 7", c.Len, c.OLen)
	}
	for _, fl := range []fi.OpFlags{fi.OpPeek, fi.OpClaim, fi.OpPeek | fi.OpDiscard, fi.OpMultiRecv} {
		x := p.b.issue(iss[1], "a receive with "+fl.String(), &driver.Work{Kind: driver.WorkTRecv, Iov: [][]byte{make([]byte, 3)}, Addr: fi.AddrUnspec, Flags: fl})
		t.ended(p.b, x)
		t.bad(x, fi.ErrBadFlags)
	}
}

func issueCancel(t *test) {
	p := t.pair()
	iss, ok := t.issuers(p.a, p.b)
	if !ok {
		return
	}
	for _, kind := range []driver.WorkKind{driver.WorkRecv, driver.WorkTRecv} {
		r := p.b.issue(iss[1], "a receive", &driver.Work{Kind: kind, Iov: [][]byte{make([]byte, 3)}, Addr: fi.AddrUnspec})
		t.check(p.b.tap.eps[0].Cancel(r))
		t.ended(p.b, r)
		t.bad(r, fi.ErrCanceled)
	}
	s := p.a.issue(iss[0], "a send that nobody receives", &driver.Work{Kind: driver.WorkTSend, Iov: [][]byte{make([]byte, 3)}, Addr: t.to(p.a, p.b), Tag: 1, Flags: fi.OpMatchComplete})
	t.check(p.a.tap.eps[0].Cancel(s))
	t.ended(nil, s)
	t.bad(s, fi.ErrCanceled)
}

// issueClose closes endpoints at which things are pending; what is issued later ends with an error.
func issueClose(t *test) {
	p := t.pair()
	iss, ok := t.issuers(p.a, p.b)
	if !ok {
		return
	}
	to, eng := t.to(p.a, p.b), p.a.tap.eng
	s := p.a.issue(iss[0], "a send that nobody receives", &driver.Work{Kind: driver.WorkTSend, Iov: [][]byte{make([]byte, 3)}, Addr: to, Tag: 1, Flags: fi.OpMatchComplete})
	late := &noted{t: t, what: "an operation that follows from the end of another"}
	r := &noted{t: t, what: "a receive"}
	r.then = func(*cq.ErrEntry) {
		eng.Later(task(func() {
			eng.Issue(iss[0], &driver.Work{Kind: driver.WorkTRecv, Addr: fi.AddrUnspec, Context: late, Flags: driver.OpNotify})
		}))
	}
	p.a.issueAs(iss[0], r, &driver.Work{Kind: driver.WorkRecv, Iov: [][]byte{make([]byte, 3)}, Addr: fi.AddrUnspec})
	probe := p.a.issue(iss[0], "a send", &driver.Work{Kind: driver.WorkTSend, Addr: to, Tag: 2, Flags: fi.OpTransmitComplete})
	t.ended(nil, probe) // the first one has arrived, too
	t.check(p.b.n.eps[0].Close())
	t.ended(p.a, s)
	t.bad(s, fi.ErrConnReset, fi.ErrCanceled)
	if p.a.opts.Set.connected() {
		t.ended(p.a, r)
	}
	t.check(p.a.n.eps[0].Close())
	if !r.done() {
		t.Errorf("closed; the receive has not ended")
	}
	t.bad(r, fi.ErrCanceled)
	t.ended(p.a, late)
	t.bad(late, fi.ErrBadFD, fi.ErrCanceled) // the latter of a connection that has ended
	for _, kind := range []driver.WorkKind{driver.WorkSend, driver.WorkTRecv} {
		x := p.a.issue(iss[0], "an operation of a closed endpoint", &driver.Work{Kind: kind, Iov: [][]byte{make([]byte, 3)}, Addr: to})
		t.ended(p.a, x)
		t.bad(x, fi.ErrBadFD)
	}
}

func issueNoPeer(t *test) {
	p := t.pair()
	iss, ok := t.issuers(p.a)
	if !ok {
		return
	}
	x := p.a.issue(iss[0], "a send to nobody", &driver.Work{Kind: driver.WorkTSend, Iov: [][]byte{make([]byte, 3)}, Addr: 99})
	t.ended(p.a, x)
	t.bad(x, fi.ErrInvalid)
}
