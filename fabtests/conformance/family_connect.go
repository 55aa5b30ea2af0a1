package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fi"
)

var _ = add("connect",
	testCase{name: "handshake", connected: true, kind: core, where: local, run: handshake},
	testCase{name: "private-data", connected: true, where: local, run: privateData},
	testCase{name: "too-much-data", connected: true, where: local, run: tooMuchData},
	testCase{name: "implicit-enable", connected: true, where: local, run: implicitEnable},
	testCase{name: "reject", connected: true, kind: core, where: local, run: rejected},
	testCase{name: "nobody-listens", connected: true, where: local, run: nobodyListens},
	testCase{name: "answers", connected: true, where: local, run: answers},
	testCase{name: "backlog", connected: true, where: local, run: backlog},
	testCase{name: "close-passive", connected: true, where: local, run: closePassive},
	testCase{name: "close-backlog", connected: true, where: local, run: closeBacklog},
	testCase{name: "close-in-every-state", connected: true, kind: core, where: local, run: closeStates},
	testCase{name: "asker-gone", connected: true, where: local, run: askerGone},
	testCase{name: "at-once", connected: true, kind: threads, where: local, run: connectAtOnce},
	testCase{name: "in-order", connected: true, kind: threads, where: local, run: connectInOrder},
	testCase{name: "again-and-again", connected: true, where: local, run: connectAgain},
)

// ask opens another endpoint at s and begins to connect it to the passive endpoint of peer.
func (s *side) ask(peer *side, data []byte) *fabric.Endpoint {
	t, i := s.t, len(s.n.eps)
	t.check(s.n.openEndpoint(&s.n.opts, s.n.info))
	own := slices.Clone(data)
	t.check(s.n.eps[i].Connect(peer.names[0], own))
	fillByte(own, scribble) // it is ours again
	return s.n.eps[i]
}

// request waits for a request.
func (s *side) request(data []byte) fi.EQEntry {
	e := s.t.expect(s.n.eq, fi.EventConnReq, s.n.pep)
	if !bytes.Equal(e.CMData, data) {
		s.t.Errorf("a request with %q, want %q", e.CMData, data)
	}
	return e
}

// answer opens the endpoint that accepts a request.
func (s *side) answer(e fi.EQEntry, data []byte) *fabric.Endpoint {
	t, i := s.t, len(s.n.eps)
	t.check(s.n.openEndpoint(&s.n.opts, e.Info))
	own := slices.Clone(data)
	t.check(s.n.eps[i].Accept(own))
	fillByte(own, scribble) // it is ours again
	return s.n.eps[i]
}

// two opens two sides that do not know each other.
func (t *test) two() (a, b *side) {
	const groups = msg | tagged | rma | atom
	return t.newSide(t.opts(t.cell.offered & groups)), t.newSide(t.opts(t.cell.offered & groups))
}

// link connects an endpoint of a with one of b.
func (t *test) link(a, b *side) (asker, answerer *fabric.Endpoint) {
	asker = a.ask(b, nil)
	answerer = b.answer(b.request(nil), nil)
	t.expect(b.n.eq, fi.EventConnected, answerer)
	t.expect(a.n.eq, fi.EventConnected, asker)
	return asker, answerer
}

// handshake connects and looks at what both sides know of each other.
func handshake(t *test) {
	a, b := t.two()
	ep := a.ask(b, []byte("may I?"))
	e := b.request([]byte("may I?"))
	if e.Info == nil || e.Info.EP.Type != fi.EPMsg || e.Info.Handle == nil || e.Info.Handle.Class() != fi.ClassConnReq {
		t.Fatalf("the request's Info is %v", e.Info)
	}
	if len(e.Info.DestAddr) == 0 || len(e.Info.SrcAddr) == 0 {
		t.Errorf("the request's addresses: from %q to %q", e.Info.DestAddr, e.Info.SrcAddr)
	}
	t.noEvent(a.n.eq)
	if _, err := ep.GetPeer(); !errors.Is(err, fi.ErrNotConn) {
		t.Errorf("the peer before there is one: %v, want FI_ENOTCONN", err)
	}
	f := b.answer(e, []byte("welcome"))
	t.expect(b.n.eq, fi.EventConnected, f)
	if got := t.expect(a.n.eq, fi.EventConnected, ep).CMData; string(got) != "welcome" {
		t.Errorf("the answer's data is %q", got)
	}
	mine, yours := gives(t, ep.Name), gives(t, ep.GetPeer)
	if !bytes.Equal(yours, b.names[0]) {
		t.Errorf("the peer is %q, connected to %q", yours, b.names[0])
	}
	if got := gives(t, f.GetPeer); !bytes.Equal(got, mine) {
		t.Errorf("the peer of the other end is %q, its name %q", got, mine)
	}
	if got := gives(t, f.Name); !bytes.Equal(got, yours) {
		t.Errorf("the other end's name is %q, connected to %q", got, yours)
	}
	t.noEvent(a.n.eq)
	t.noEvent(b.n.eq)
}

func gives[T any](t *test, f func() (T, error)) T {
	v, err := f()
	return must(t, v, err)
}

// privateData travels with every message of the handshake, in every size.
func privateData(t *test) {
	a, b := t.two()
	most := b.n.pep.CMDataSize()
	for _, n := range []int{0, 1, 8, 31, 56, most - 1, most} {
		ask, answer := pattern(uint64(n), n), pattern(uint64(n+1), most-n)
		ep := a.ask(b, ask)
		if got, err := ep.CMDataSize(); err != nil || got != most {
			t.Errorf("FI_OPT_CM_DATA_SIZE is %d, %v, at the passive endpoint %d", got, err, most)
		}
		f := b.answer(b.request(ask), answer)
		t.expect(b.n.eq, fi.EventConnected, f)
		if got := t.expect(a.n.eq, fi.EventConnected, ep).CMData; !bytes.Equal(got, answer) {
			t.Errorf("the answer's data: %d bytes, sent %d", len(got), len(answer))
		}
		ep = a.ask(b, nil)
		own := slices.Clone(ask)
		t.check(b.n.pep.Reject(b.request(nil).Info.Handle, own))
		fillByte(own, scribble)
		if bad := t.expectErr(a.n.eq, ep, fi.ErrConnRefused); !bytes.Equal(bad.ErrData, ask) {
			t.Errorf("the rejection's data: %d bytes, sent %d", len(bad.ErrData), n)
		}
	}
}

// tooMuchData is refused by the call, and nothing has happened.
func tooMuchData(t *test) {
	a, b := t.two()
	much := make([]byte, b.n.pep.CMDataSize()+1)
	t.check(a.n.openEndpoint(&a.n.opts, a.n.info))
	ep := a.n.eps[0]
	t.says(ep.Connect(b.names[0], much), fi.ErrInvalid, "CMDataSize")
	t.noEvent(b.n.eq)
	t.check(ep.Connect(b.names[0], nil))
	e := b.request(nil)
	t.says(b.n.pep.Reject(e.Info.Handle, much), fi.ErrInvalid, "CMDataSize")
	t.check(b.n.openEndpoint(&b.n.opts, e.Info))
	t.says(b.n.eps[0].Accept(much), fi.ErrInvalid, "CMDataSize")
	t.noEvent(a.n.eq)
	t.check(b.n.eps[0].Accept(nil))
	t.expect(a.n.eq, fi.EventConnected, ep)
}

// implicitEnable connects and accepts with endpoints that are not enabled.
func implicitEnable(t *test) {
	a, b := t.two()
	open := func(s *side, info *fi.Info) *fabric.Endpoint {
		ep, err := s.n.dom.OpenEndpoint(info)
		t.check(err)
		s.n.eps = append(s.n.eps, ep)
		t.check(errors.Join(ep.BindEQ(s.n.eq), ep.BindCQ(s.n.txq, fi.BindTransmit), ep.BindCQ(s.n.rxq, fi.BindRecv)))
		return ep
	}
	ep := open(a, a.n.info)
	t.check(ep.Connect(b.names[0], nil))
	f := open(b, b.request(nil).Info)
	t.check(f.Accept(nil))
	t.expect(a.n.eq, fi.EventConnected, ep)
	t.expect(b.n.eq, fi.EventConnected, f)
	t.says(ep.Enable(), fi.ErrOpBadState)
	t.says(f.Enable(), fi.ErrOpBadState)
}

// rejected gets an event in error; the endpoint is of no more use, others are not harmed.
func rejected(t *test) {
	a, b := t.two()
	for _, data := range []string{"", "full"} {
		ep := a.ask(b, nil)
		e := b.request(nil)
		t.check(b.n.pep.Reject(e.Info.Handle, []byte(data)))
		if bad := t.expectErr(a.n.eq, ep, fi.ErrConnRefused); string(bad.ErrData) != data {
			t.Errorf("the rejection says %q, sent %q", bad.ErrData, data)
		}
		t.says(ep.Connect(b.names[0], nil), fi.ErrOpBadState)
		t.says(ep.Shutdown(), fi.ErrNotConn)
		if t.cell.offered&msg != 0 {
			if err := ep.Send(make([]byte, 8), nonsense, nil); !errors.Is(err, fi.ErrNotConn) {
				t.Errorf("a send on a rejected endpoint: %v, want FI_ENOTCONN", err)
			}
		}
		_, err := ep.GetPeer()
		t.says(err, fi.ErrNotConn)
	}
	t.link(a, b)
	t.noEvent(b.n.eq)
}

// nobodyListens gets an event in error, too.
func nobodyListens(t *test) {
	a, b := t.two()
	t.check(b.n.pep.Close())
	ep := a.ask(b, nil)
	t.expectErr(a.n.eq, ep, fi.ErrConnRefused)
	t.noEvent(a.n.eq)
}

// answers sees that each request is answered once, at its own passive endpoint.
func answers(t *test) {
	a, b := t.two()
	ep := a.ask(b, nil)
	e := b.request(nil)
	t.says(a.n.pep.Reject(e.Info.Handle, nil), fi.ErrInvalid, "FI_CONNREQ")
	t.says(b.n.pep.Reject(nil, nil), fi.ErrInvalid, "FI_CONNREQ")
	t.says(b.n.pep.Reject(b.n.pep, nil), fi.ErrInvalid, "FI_CONNREQ")
	_, err := a.n.dom.OpenEndpoint(e.Info)
	t.says(err, fi.ErrDomain)
	f := b.answer(e, nil)
	_, err = b.n.dom.OpenEndpoint(e.Info)
	t.says(err, fi.ErrInvalid, "answered")
	t.says(b.n.pep.Reject(e.Info.Handle, nil), fi.ErrInvalid, "answered")
	t.expect(a.n.eq, fi.EventConnected, ep)
	t.expect(b.n.eq, fi.EventConnected, f)
	ep = a.ask(b, nil)
	e = b.request(nil)
	t.check(b.n.pep.Reject(e.Info.Handle, nil))
	t.says(b.n.pep.Reject(e.Info.Handle, nil), fi.ErrInvalid, "answered")
	_, err = b.n.dom.OpenEndpoint(e.Info)
	t.says(err, fi.ErrInvalid, "answered")
	t.expectErr(a.n.eq, ep, fi.ErrConnRefused)
}

// passive opens another passive endpoint at s.
func (s *side) passive() *fabric.PassiveEndpoint {
	info := s.n.info.Clone()
	info.SrcAddr = nil
	p, err := s.n.fab.OpenPassive(info)
	s.t.check(err)
	s.n.later(p.Close)
	return p
}

// backlog has more requests come than may wait: all are seen in the end.
func backlog(t *test) {
	a, b := t.two()
	q, err := b.n.fab.OpenEQ(&fi.EQAttr{WaitObj: fi.WaitNone})
	t.check(err)
	p := b.passive()
	t.check(errors.Join(p.BindEQ(q), p.SetBacklog(2), p.Listen()))
	t.says(p.SetBacklog(3), fi.ErrOpBadState, "Listen")
	const n = 10
	asked := map[string]*fabric.Endpoint{}
	for i := range n {
		t.check(a.n.openEndpoint(&a.n.opts, a.n.info))
		data := fmt.Sprint(i)
		asked[data] = a.n.eps[i]
		t.check(a.n.eps[i].Connect(gives(t, p.Name), []byte(data)))
	}
	for range n {
		if w := p.Stats().Waiting; w > 2 {
			t.Errorf("%d requests wait to be read, with a backlog of 2", w)
		}
		e := t.expect(q, fi.EventConnReq, p)
		ep := asked[string(e.CMData)]
		delete(asked, string(e.CMData))
		if ep == nil {
			t.Fatalf("a request with %q", e.CMData)
		}
		t.check(p.Reject(e.Info.Handle, nil))
		t.expectErr(a.n.eq, ep, fi.ErrConnRefused)
	}
	t.noEvent(q)
	t.check(errors.Join(p.Close(), q.Close()))
}

// closePassive refuses what waits: requests that nobody has read, and such that nobody has answered. Those that an
// endpoint was opened for live on.
func closePassive(t *test) {
	a, b := t.two()
	opened := a.ask(b, nil)
	t.check(b.n.openEndpoint(&b.n.opts, b.request(nil).Info))
	read := a.ask(b, nil)
	e := b.request(nil)
	unread := a.ask(b, nil)
	for range 50 {
		t.stir()
	}
	t.check(b.n.pep.Close())
	t.noEvent(b.n.eq)
	want := map[any]bool{read: true, unread: true}
	for range 2 {
		_, bad := t.nextEvent(a.n.eq)
		if bad == nil || !want[bad.FID] || bad.Err != fi.ErrConnRefused {
			t.Fatalf("closing a passive endpoint: %v, want FI_ECONNREFUSED", bad)
		}
		delete(want, bad.FID)
	}
	_, err := b.n.dom.OpenEndpoint(e.Info)
	t.says(err, fi.ErrInvalid)
	t.says(b.n.pep.Reject(e.Info.Handle, nil), fi.ErrBadFD)
	t.check(b.n.eps[0].Accept(nil))
	t.expect(a.n.eq, fi.EventConnected, opened)
	t.expect(b.n.eq, fi.EventConnected, b.n.eps[0])
}

// closeStates closes endpoints in each state of their lives; the other end hears of it where there is one.
func closeStates(t *test) {
	a, b := t.two()
	ep, err := a.n.dom.OpenEndpoint(a.n.info)
	t.check(errors.Join(err, ep.Close()))
	ep, err = a.n.dom.OpenEndpoint(a.n.info)
	t.check(errors.Join(err, ep.BindEQ(a.n.eq), ep.Close(), ep.Close()))
	t.check(a.n.openEndpoint(&a.n.opts, a.n.info)) // enabled
	t.check(a.n.eps[0].Close())

	// Of a request: not enabled, and enabled.
	ep = a.ask(b, nil)
	f, err := b.n.dom.OpenEndpoint(b.request(nil).Info)
	t.check(errors.Join(err, f.Close()))
	t.expectErr(a.n.eq, ep, fi.ErrConnRefused)
	ep = a.ask(b, nil)
	t.check(b.n.openEndpoint(&b.n.opts, b.request(nil).Info))
	t.check(b.n.eps[0].Close())
	t.expectErr(a.n.eq, ep, fi.ErrConnRefused)

	// Connected, by either side, and with events that nobody has read.
	for i := range 4 {
		x, y := t.link(a, b)
		if i%2 == 1 {
			t.check(x.Close())
			t.expect(b.n.eq, fi.EventShutdown, y)
			t.check(y.Close())
		} else {
			t.check(y.Close())
			t.expect(a.n.eq, fi.EventShutdown, x)
			t.check(x.Close())
		}
	}
	x := a.ask(b, nil)
	y := b.answer(b.request(nil), nil)
	for range 50 {
		t.stir()
	}
	t.check(x.Close())
	t.noEvent(a.n.eq)
	t.expect(b.n.eq, fi.EventConnected, y)
	t.expect(b.n.eq, fi.EventShutdown, y)
	t.check(y.Close())
	t.noEvent(b.n.eq)
}

// askerGone has the asker close before its request is answered: the acceptance fails, in whatever way, and nothing hangs.
func askerGone(t *test) {
	a, b := t.two()
	for range 3 {
		ep := a.ask(b, nil)
		e := b.request(nil)
		t.check(ep.Close())
		f := b.answer(e, nil)
		e, bad := t.nextEvent(b.n.eq)
		if bad == nil { // it cannot know yet
			if e.Event != fi.EventConnected || e.FID != any(f) {
				t.Fatalf("accepting a request whose asker has gone: %v", e.Event)
			}
			t.expect(b.n.eq, fi.EventShutdown, f)
		}
		t.check(f.Close())
	}
	ep := a.ask(b, nil)
	e := b.request(nil)
	t.check(ep.Close())
	t.check(b.n.pep.Reject(e.Info.Handle, nil))
	t.noEvent(a.n.eq)
	t.noEvent(b.n.eq)
}

// connectAtOnce connects from several goroutines.
func connectAtOnce(t *test) {
	a, b := t.two()
	const each, threads = 8, 4
	eps := make([]*fabric.Endpoint, threads*each)
	for i := range eps {
		t.check(a.n.openEndpoint(&a.n.opts, a.n.info))
		eps[i] = a.n.eps[i]
	}
	var wg sync.WaitGroup
	for k := range threads {
		wg.Go(func() {
			for i := range each {
				if err := eps[k*each+i].Connect(b.names[0], nil); err != nil {
					t.Errorf("connect: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for up := 0; up < len(eps); {
		switch e, bad := t.nextEvent(b.n.eq); {
		case bad != nil:
			t.Fatalf("an event in error: %v", bad)
		case e.Event == fi.EventConnReq:
			b.answer(e, nil)
		default:
			up++
		}
	}
	for range eps {
		if e, bad := t.nextEvent(a.n.eq); bad != nil || e.Event != fi.EventConnected {
			t.Fatalf("event %v, %v", e.Event, bad)
		}
	}
}

// connectInOrder: who asks for the next connection when it has the first is heard of after the first is there.
func connectInOrder(t *test) {
	a, b := t.two()
	const n = 50
	for range n {
		t.check(a.n.openEndpoint(&a.n.opts, a.n.info))
	}
	asked := make(chan error, 1)
	go func() { asked <- askInOrder(t, a, b.names[0]) }() // ends with the test, which waits for it
	for i := range n {
		e, bad := t.nextEvent(b.n.eq)
		if bad != nil || e.Event != fi.EventConnReq {
			t.Fatalf("connection %d: event %v, %v, want FI_CONNREQ", i, e.Event, bad)
		}
		t.expect(b.n.eq, fi.EventConnected, b.answer(e, nil))
	}
	t.check(<-asked)
}

// askInOrder connects all endpoints of a, each when the one before is connected.
func askInOrder(t *test, a *side, to []byte) error {
	for _, ep := range a.n.eps {
		if err := ep.Connect(to, nil); err != nil {
			return err
		}
		for end := time.Now().Add(t.patience); ; runtime.Gosched() {
			var e fi.EQEntry
			err := a.n.eq.Read(&e, 0)
			if err == nil && e.Event == fi.EventConnected && e.FID == any(ep) {
				break
			}
			if !errors.Is(err, fi.ErrAgain) || time.Now().After(end) {
				return fmt.Errorf("event %v of %T: %w", e.Event, e.FID, err)
			}
		}
	}
	return nil
}

// connectAgain connects and ends many times: nothing must pile up.
func connectAgain(t *test) {
	a, b := t.two()
	n := 100
	if t.thorough() {
		n = 1000
	}
	for i := range n {
		x, y := t.link(a, b)
		if i%2 == 0 {
			x, y = y, x
		}
		t.check(errors.Join(x.Close(), y.Close()))
		a.n.eps, b.n.eps = nil, nil
	}
	t.noEvent(a.n.eq)
	t.noEvent(b.n.eq)
}
