package conformance

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("scalable",
	testCase{name: "contexts", need: tagged | fi.CapNamedRxCtx, where: local, kind: core, run: sepContexts},
	testCase{name: "plain-peer", need: tagged | fi.CapNamedRxCtx, where: local, run: sepPlainPeer},
	testCase{name: "messages", need: msg | fi.CapNamedRxCtx | fi.CapSource | fi.CapDirectedRecv, where: local, run: sepMessages},
	testCase{name: "remote-access", need: rma | tagged | fi.CapNamedRxCtx, where: local, run: sepRMA},
	testCase{name: "deferred", need: trig | tagged | rma | atom | fi.CapNamedRxCtx, where: local, run: sepDeferred},
	testCase{name: "triggered", need: trig | tagged | fi.CapNamedRxCtx, where: local, run: sepTriggered},
	testCase{name: "removed", need: tagged | fi.CapNamedRxCtx, where: local, run: sepRemoved},
	testCase{name: "close", need: tagged | fi.CapNamedRxCtx, where: local, run: sepClose},
	testCase{name: "wrong", need: tagged | fi.CapNamedRxCtx, where: local, run: sepWrong},
	testCase{name: "refused", need: msg, lacks: fi.CapNamedRxCtx, where: local, run: sepRefused},
)

// sepBits are the bits for three contexts.
const (
	sepBits  = 2
	sepCount = 3
)

// sep is a scalable endpoint with a queue for each of its contexts.
type sep struct {
	t      *test
	n      *node
	av     *fabric.AV
	s      *fabric.ScalableEndpoint
	tx, rx []*fabric.Endpoint
	qs     []*fabric.CQ // of tx, then of rx
	peer   fi.Addr
}

// openSEP opens one on a domain of its own; its contexts are enabled before or after it.
func (t *test) openSEP(early bool, caps fi.Caps, keys ...string) *sep {
	n := t.newSide(t.opts(caps, func(o *openOpts) { o.Bare, o.AVKeys = true, keys })).n
	info := n.info.Clone()
	info.EP.TxCtxCount, info.EP.RxCtxCount = sepCount, sepCount
	x := &sep{t: t, n: n, av: t.av(n.dom, &fi.AVAttr{RxCtxBits: sepBits})}
	var err error
	n.keys, err = insertKeys(x.av, keys)
	t.check(err)
	x.s, err = n.dom.OpenScalable(info)
	t.check(err)
	n.later(x.s.Close)
	t.check(x.s.BindAV(x.av))
	if !early {
		t.check(x.s.Enable())
	}
	for i := range sepCount {
		ep, err := x.s.TxContext(i, nil)
		t.check(err)
		x.tx = append(x.tx, ep)
		x.enable(ep, fi.BindTransmit)
	}
	for i := range sepCount {
		ep, err := x.s.RxContext(i, nil)
		t.check(err)
		x.rx = append(x.rx, ep)
		x.enable(ep, fi.BindRecv)
	}
	if early {
		t.check(x.s.Enable())
	}
	return x
}

// enable gives a context a queue and enables it. When the node closes, contexts go before queues, and both before x.s.
func (x *sep) enable(ep *fabric.Endpoint, dir fi.BindFlags) {
	q, err := x.n.dom.OpenCQ(&fi.CQAttr{WaitObj: x.t.cell.set.Wait})
	x.t.check(err)
	x.qs = append(x.qs, q)
	x.t.check(ep.BindCQ(q, dir))
	x.t.check(ep.Enable())
	x.n.later(q.Close)
	if len(x.qs) == 2*sepCount { // all, before the first queue closes
		x.n.later(x.closeContexts)
	}
}

func (x *sep) closeContexts() error {
	var errs []error
	for _, ep := range append(x.tx, x.rx...) {
		errs = append(errs, ep.Close())
	}
	return errors.Join(errs...)
}

// insert makes a peer known, by the name that x.peer is; in a vector with keys under the first.
func (x *sep) insert(raw []byte, err error) {
	x.t.check(err)
	var a [1]fi.Addr
	flags := fi.AVFlags(0)
	if x.n.keys != nil {
		a[0], flags = x.n.keys[0], fi.AVAuthKey
	}
	_, err = x.av.Insert([][]byte{raw}, a[:], flags)
	x.t.check(err)
	x.peer = a[0]
}

// seps opens two that know each other.
func (t *test) seps(caps fi.Caps) (a, b *sep) {
	a, b = t.openSEP(true, caps), t.openSEP(false, caps)
	a.insert(b.s.Name())
	b.insert(a.s.Name())
	return a, b
}

// collect drives all sides until each queue of counts has as many entries.
func (t *test) collect(counts map[*fabric.CQ]int, all ...*sep) map[*fabric.CQ][]cq.Entry {
	out := map[*fabric.CQ][]cq.Entry{}
	missing := 0
	for _, n := range counts {
		missing += n
	}
	var entries [8]cq.Entry
	for end := time.Now().Add(t.patience); missing > 0; {
		for _, x := range all {
			for _, q := range x.qs {
				n, err := q.Read(entries[:])
				if err == fi.ErrAvail { //nolint:errorlint // documented: a bare value
					t.Fatalf("a completion in error: %v", q.Explain(err))
				}
				out[q] = append(out[q], entries[:n]...)
				missing -= n
			}
		}
		if time.Now().After(end) {
			t.Fatalf("%d completions are missing after %v: %v", missing, t.patience, out)
		}
		runtime.Gosched()
	}
	for q, n := range counts {
		if len(out[q]) != n {
			t.Fatalf("a queue has %d completions, want %d: %v", len(out[q]), n, out[q])
		}
	}
	return out
}

// again repeats a call while it cannot be accepted.
func (t *test) again(all []*sep, f func() error) {
	var entries [1]cq.Entry
	for end := time.Now().Add(t.patience); ; {
		err := f()
		if err == nil {
			return
		}
		if !errors.Is(err, fi.ErrAgain) || time.Now().After(end) {
			t.Fatalf("not accepted: %v", err)
		}
		for _, x := range all {
			for _, q := range x.qs {
				q.Read(entries[:0])
			}
		}
		runtime.Gosched()
	}
}

// sepContexts sends from each context to each of the peer: every message arrives where it was sent to, and comes from the
// one address that the peer has.
func sepContexts(t *test) {
	a, b := t.seps(t.tc.need)
	t.sepMessages(a, b)
}

// sepMessages is that between two.
func (t *test) sepMessages(a, b *sep) {
	all := []*sep{a, b}
	bufs := make([][8]byte, 2*sepCount*sepCount)
	k := 0
	for i := range sepCount {
		for range sepCount {
			t.check(b.rx[i].TRecv(bufs[k][:], fi.AddrUnspec, 0, ^uint64(0), &bufs[k]))
			k++
		}
	}
	for i, ep := range a.tx {
		for j := range sepCount {
			buf := &bufs[k]
			k++
			copy(buf[:], fmt.Sprintf("%d to %d", i, j))
			t.again(all, func() error {
				return ep.TSend(buf[:], fi.RxAddr(a.peer, j, sepBits), uint64(i*sepCount+j), buf)
			})
		}
	}
	want := map[*fabric.CQ]int{}
	for i := range sepCount {
		want[a.qs[i]], want[b.qs[sepCount+i]] = sepCount, sepCount
	}
	got := t.collect(want, all...)
	for j := range sepCount {
		seen := map[int]bool{}
		for _, e := range got[b.qs[sepCount+j]] {
			i := int(e.Tag) / sepCount
			if int(e.Tag)%sepCount != j || seen[i] {
				t.Errorf("receive context %d got the message with tag %d", j, e.Tag)
			}
			seen[i] = true
			buf := e.Context.(*[8]byte)
			if want := fmt.Sprintf("%d to %d", i, j); string(buf[:len(want)]) != want {
				t.Errorf("receive context %d got %q, want %q", j, buf[:], want)
			}
		}
	}
}

// sepPlainPeer has an ordinary endpoint talk to single contexts of a scalable one.
func sepPlainPeer(t *test) {
	a := t.openSEP(false, t.tc.need)
	n := t.newSide(t.opts(t.tc.need, func(o *openOpts) { o.Bare = true })).n
	b := &sep{t: t, n: n, av: t.av(n.dom, &fi.AVAttr{RxCtxBits: sepBits})}
	ep, err := n.dom.OpenEndpoint(n.info)
	t.check(err)
	t.check(ep.BindAV(b.av))
	q, err := n.dom.OpenCQ(&fi.CQAttr{WaitObj: t.cell.set.Wait})
	t.check(err)
	n.later(q.Close)
	n.later(ep.Close)
	b.qs = append(b.qs, q)
	t.check(ep.BindCQ(q, fi.BindTransmit|fi.BindRecv))
	t.check(ep.Enable())
	a.insert(ep.Name())
	b.insert(a.s.Name())
	all := []*sep{a, b}
	var bufs [4][3]byte
	t.check(a.rx[2].TRecv(bufs[0][:], fi.AddrUnspec, 7, 0, nil))
	t.check(ep.TRecv(bufs[1][:], fi.AddrUnspec, 8, 0, nil))
	copy(bufs[2][:], "one")
	copy(bufs[3][:], "two")
	t.again(all, func() error {
		return ep.TSendMsg(&fi.TaggedMsg{Iov: [][]byte{bufs[2][:]}, Addr: fi.RxAddr(b.peer, 2, sepBits), Tag: 7}, 0)
	})
	t.again(all, func() error { return a.tx[1].TSend(bufs[3][:], a.peer, 8, nil) })
	t.collect(map[*fabric.CQ]int{a.qs[sepCount+2]: 1, a.qs[1]: 1, q: 2}, all...)
	if string(bufs[0][:]) != "one" || string(bufs[1][:]) != "two" {
		t.Errorf("received %q and %q", bufs[0][:], bufs[1][:])
	}
	// There are three contexts, and a fourth that the bits can name.
	if err := ep.TSend(bufs[2][:], fi.RxAddr(1, 0, sepBits), 1, nil); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("a send to a name that is not in use: %v", err)
	}
}

// sepMessages checks the name of the sender, and receives from it alone.
func sepMessages(t *test) {
	a, b := t.seps(t.tc.need)
	b.insert(b.s.Name()) // another one that could be meant
	self := b.peer
	all := []*sep{a, b}
	var bufs [3][1]byte
	t.check(b.rx[1].Recv(bufs[0][:], self, &bufs[0]))
	t.check(b.rx[1].Recv(bufs[1][:], 0, &bufs[1]))
	bufs[2][0] = 9
	t.again(all, func() error { return a.tx[2].Send(bufs[2][:], fi.RxAddr(a.peer, 1, sepBits), nil) })
	got := t.collect(map[*fabric.CQ]int{a.qs[2]: 1, b.qs[sepCount+1]: 1}, all...)
	e := got[b.qs[sepCount+1]][0]
	if e.Src != 0 || e.Context != &bufs[1] || bufs[1][0] != 9 {
		t.Errorf("from %d into %v (%d), want from 0 into the second buffer", e.Src, e.Context, bufs[1][0])
	}
	t.check(b.rx[1].Cancel(&bufs[0]))
	var canceled cq.ErrEntry
	if err := b.qs[sepCount+1].ReadErr(&canceled); err != nil || canceled.Err != fi.ErrCanceled {
		t.Errorf("the cancelled receive: %v, %v", err, canceled.Err)
	}
}

// sepRMA writes to a peer's memory and reads it by way of different contexts.
func sepRMA(t *test) {
	a, b := t.seps(t.tc.need)
	all := []*sep{a, b}
	mem := make([]byte, 64)
	region, err := b.n.dom.RegisterMR(mem, fi.AccessRemoteRead|fi.AccessRemoteWrite, &fi.MRAttr{Key: 5})
	t.check(err)
	b.n.later(region.Close)
	src, dst := []byte("scalable"), make([]byte, 8)
	t.again(all, func() error { return a.tx[1].Write(src, a.peer, region.Remote(), nil) })
	t.collect(map[*fabric.CQ]int{a.qs[1]: 1}, all...)
	t.again(all, func() error { return a.tx[2].Read(dst, a.peer, region.Remote(), nil) })
	t.collect(map[*fabric.CQ]int{a.qs[2]: 1}, all...)
	if string(dst) != "scalable" {
		t.Errorf("read %q", dst)
	}
}

// sepRemoved takes a peer out of the vector and puts another one in its place.
func sepRemoved(t *test) {
	a, b := t.seps(t.tc.need)
	c := t.openSEP(false, t.tc.need)
	all := []*sep{a, b, c}
	t.check(a.av.Remove([]fi.Addr{a.peer}))
	if err := a.av.Remove([]fi.Addr{a.peer}); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("removing it again: %v", err)
	}
	if err := a.tx[0].TSend(nil, fi.RxAddr(a.peer, 1, sepBits), 1, nil); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("a send to a peer that was removed: %v", err)
	}
	old := a.peer
	a.insert(c.s.Name())
	if a.peer != old {
		t.Errorf("the free name is %d, the next insertion got %d", old, a.peer)
	}
	raw, err := a.av.Lookup(a.peer)
	t.check(err)
	if name, _ := c.s.Name(); string(raw) != string(name) {
		t.Errorf("lookup gives %q, want %q", raw, name)
	}
	t.check(c.rx[1].TRecv(nil, fi.AddrUnspec, 1, 0, nil))
	t.again(all, func() error { return a.tx[0].TSend(nil, fi.RxAddr(a.peer, 1, sepBits), 1, nil) })
	t.collect(map[*fabric.CQ]int{a.qs[0]: 1, c.qs[sepCount+1]: 1}, all...)
}

// sepClose closes in various orders.
func sepClose(t *test) {
	a, b := t.seps(t.tc.need)
	all := []*sep{a, b}
	t.says(a.s.Close(), fi.ErrBusy, "6 ep")
	var buf [1]byte
	t.check(a.rx[0].TRecv(buf[:], fi.AddrUnspec, 1, 0, &buf))
	t.check(a.tx[0].Close())
	t.check(a.tx[0].Close())
	if err := a.tx[0].TSend(nil, a.peer, 1, nil); !errors.Is(err, fi.ErrBadFD) {
		t.Errorf("a send on a context that is closed: %v", err)
	}
	t.says(a.qs[0].Close(), fi.ErrBusy, "1 ep") // until the other half closes
	t.again(all, func() error { return b.tx[0].TSend([]byte{3}, b.peer, 1, nil) })
	t.collect(map[*fabric.CQ]int{a.qs[sepCount]: 1, b.qs[0]: 1}, all...)
	if buf[0] != 3 {
		t.Errorf("the receive context got %d after the transmit context closed, want 3", buf[0])
	}
	t.check(a.rx[0].TRecv(buf[:], fi.AddrUnspec, 2, 0, &buf))
	t.check(a.rx[0].Close())
	var e cq.ErrEntry
	if err := a.qs[sepCount].ReadErr(&e); err != nil || e.Err != fi.ErrCanceled || e.Context != &buf {
		t.Errorf("the posted receive: %v, %v of %v, want it cancelled", err, e.Err, e.Context)
	}
	t.check(a.qs[0].Close())
	t.check(a.qs[sepCount].Close())
	if _, err := a.s.TxContext(0, nil); !errors.Is(err, fi.ErrInvalid) {
		t.Errorf("opening a context again: %v", err)
	}
}

// sepWrong gives wrong arguments, each of which is refused in words.
func sepWrong(t *test) {
	a := t.openSEP(false, t.tc.need)
	for _, i := range []int{-1, sepCount} {
		_, err := a.s.RxContext(i, nil)
		t.says(err, fi.ErrInvalid, "there is no context")
		_, err = a.s.TxContext(i, nil)
		t.says(err, fi.ErrInvalid, "there is no context")
	}
	t.says(a.s.Enable(), fi.ErrOpBadState, "enabled")
	t.says(a.s.BindAV(a.av), fi.ErrOpBadState, "enabled")
	t.says(a.s.BindAV(nil), fi.ErrInvalid, "OpenAV")
	if err := a.tx[0].TRecv(nil, fi.AddrUnspec, 0, 0, nil); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("a receive on a transmit context: %v", err)
	}
	if err := a.rx[0].TSend(nil, 0, 0, nil); !errors.Is(err, fi.ErrNoSys) {
		t.Errorf("a send on a receive context: %v", err)
	}
	info := a.n.info.Clone()
	info.EP.TxCtxCount, info.EP.RxCtxCount = 2, 1
	s, err := a.n.dom.OpenScalable(info)
	t.check(err)
	a.n.later(s.Close)
	tx, err := s.TxContext(1, nil)
	t.check(err)
	a.n.later(tx.Close)
	_, err = s.RxContext(1, nil)
	t.says(err, fi.ErrInvalid, "the endpoint has 1")
	t.says(s.Enable(), fi.ErrNoAV, "BindAV")
	t.says(tx.BindAV(a.av), fi.ErrInvalid, "scalable endpoint")
	t.says(tx.BindCQ(a.qs[0], fi.BindRecv), fi.ErrInvalid, "does not receive")
	t.says(tx.Enable(), fi.ErrNoCQ, "BindCQ")
	t.check(tx.BindCQ(a.qs[0], fi.BindTransmit))
	t.check(tx.Enable())
	if err := tx.TSend(nil, 0, 0, nil); !errors.Is(err, fi.ErrOpBadState) {
		t.Errorf("a send before the scalable endpoint is enabled: %v", err)
	}
	if _, err := s.Name(); !errors.Is(err, fi.ErrOpBadState) {
		t.Errorf("the name before Enable: %v", err)
	}
	bad := info.Tx
	bad.InjectSize = 1 << 30
	_, err = s.TxContext(0, &bad)
	t.says(err, fi.ErrInvalid, "InjectSize")
	info.EP.TxCtxCount = info.Domain.MaxEPTxCtx + 1
	_, err = a.n.dom.OpenScalable(info)
	t.says(err, fi.ErrInvalid, "at most")
}

// sepRefused has no scalable endpoints.
func sepRefused(t *test) {
	n := t.newSide(t.opts(t.tc.need, func(o *openOpts) { o.Bare = true })).n
	_, err := n.dom.OpenScalable(n.info)
	t.says(err, fi.ErrNoSys, "MaxEPTxCtx")
}
