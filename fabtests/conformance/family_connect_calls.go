package conformance

import (
	"bytes"
	"errors"

	"github.com/gofabric/gofabric/fi"
)

var _ = add("connect",
	testCase{name: "reserved-address", connected: true, where: local, run: reserved},
	testCase{name: "names", connected: true, where: local, run: connectedNames},
	testCase{name: "wrong-order", connected: true, where: local, run: wrongOrder},
	testCase{name: "wrong-arguments", connected: true, where: local, run: wrongConnect},
)

// reserved opens an endpoint with the address of a passive one.
func reserved(t *test) {
	a, b := t.two()
	p := a.passive()
	name, known := p.Name()
	info := a.n.info.Clone()
	info.Handle = p
	t.check(a.n.openEndpoint(&a.n.opts, info))
	ep := a.n.eps[0]
	if got := gives(t, ep.Name); known == nil && !bytes.Equal(got, name) {
		t.Errorf("the endpoint's name is %q, that of the passive endpoint was %q", got, name)
	}
	t.says(p.BindEQ(a.n.eq), fi.ErrOpBadState)
	t.says(p.Listen(), fi.ErrOpBadState)
	_, err := a.n.dom.OpenEndpoint(info)
	t.says(err, fi.ErrOpBadState)
	t.check(p.Close())
	t.check(ep.Connect(b.names[0], nil))
	e := b.request(nil)
	if !bytes.Equal(e.Info.DestAddr, gives(t, ep.Name)) {
		t.Errorf("the request comes from %q, asked by %q", e.Info.DestAddr, gives(t, ep.Name))
	}
	b.answer(e, nil)
	t.expect(a.n.eq, fi.EventConnected, ep)
	info = b.n.info.Clone()
	info.Handle = b.n.pep // it listens
	_, err = b.n.dom.OpenEndpoint(info)
	t.says(err, fi.ErrOpBadState)
}

// connectedNames sets and uses addresses of passive endpoints.
func connectedNames(t *test) {
	a, b := t.two()
	p := b.passive()
	if err := p.SetName([]byte("\x00rubbish")); err == nil {
		t.Errorf("rubbish was accepted as a name")
	}
	inUse := p.SetName(b.names[0])
	t.check(p.BindEQ(b.n.eq))
	if inUse == nil {
		inUse = p.Listen()
	}
	if !errors.Is(inUse, fi.ErrAddrInUse) {
		t.Errorf("two listen at one address: %v, want FI_EADDRINUSE", inUse)
	}
	t.check(p.Close())
	t.check(b.n.pep.Close())
	p = b.passive() // the address is free again
	t.check(errors.Join(p.SetName(b.names[0]), p.BindEQ(b.n.eq), p.Listen()))
	if got := gives(t, p.Name); !bytes.Equal(got, b.names[0]) {
		t.Errorf("the name is %q, chosen was %q", got, b.names[0])
	}
	t.says(p.SetName(b.names[0]), fi.ErrOpBadState, "Listen")
	ep := a.ask(b, nil)
	e := t.expect(b.n.eq, fi.EventConnReq, p)
	t.check(p.Reject(e.Info.Handle, nil))
	t.expectErr(a.n.eq, ep, fi.ErrConnRefused)
	t.check(p.Close())
	_, err := p.Name()
	t.says(err, fi.ErrBadFD)
}

// wrongOrder makes calls before and after their time.
func wrongOrder(t *test) {
	a, b := t.two()
	p := a.passive()
	t.says(p.Listen(), fi.ErrNoEQ, "BindEQ")
	t.check(errors.Join(p.BindEQ(a.n.eq), p.Listen()))
	t.says(p.Listen(), fi.ErrOpBadState, "once")
	t.says(p.BindEQ(a.n.eq), fi.ErrOpBadState)
	t.check(errors.Join(p.Close(), p.Close()))
	t.says(p.Listen(), fi.ErrBadFD, "OpenPassive")

	ep, err := a.n.dom.OpenEndpoint(a.n.info)
	t.check(err)
	t.says(ep.Enable(), fi.ErrNoEQ, "BindEQ")
	t.says(ep.Connect(b.names[0], nil), fi.ErrNoEQ, "BindEQ")
	t.says(ep.Accept(nil), fi.ErrOpBadState, "request")
	t.says(ep.Shutdown(), fi.ErrNotConn)
	_, err = ep.GetPeer()
	t.says(err, fi.ErrNotConn)
	t.check(ep.BindEQ(a.n.eq))
	t.says(ep.BindEQ(a.n.eq), fi.ErrInvalid)
	t.says(ep.Connect(b.names[0], nil), fi.ErrNoCQ, "BindCQ")
	t.check(errors.Join(ep.BindCQ(a.n.txq, fi.BindTransmit), ep.BindCQ(a.n.rxq, fi.BindRecv), ep.Enable()))
	a.n.eps = append(a.n.eps, ep)
	t.says(ep.Accept(nil), fi.ErrOpBadState, "request")
	if t.cell.offered&msg != 0 {
		if err := ep.Send(make([]byte, 8), nonsense, nil); !errors.Is(err, fi.ErrNotConn) {
			t.Errorf("a send before there is a connection: %v, want FI_ENOTCONN", err)
		}
	}
	t.check(ep.Connect(b.names[0], nil)) // nothing was spoilt
	t.says(ep.Connect(b.names[0], nil), fi.ErrOpBadState)
	t.says(ep.Shutdown(), fi.ErrNotConn)
	e := b.request(nil)
	t.check(b.n.openEndpoint(&b.n.opts, e.Info))
	f := b.n.eps[0]
	t.says(f.Connect(a.names[0], nil), fi.ErrOpBadState, "Accept")
	t.says(f.Shutdown(), fi.ErrNotConn)
	t.check(f.Accept(nil))
	t.expect(b.n.eq, fi.EventConnected, f)
	t.expect(a.n.eq, fi.EventConnected, ep)
	t.says(f.Accept(nil), fi.ErrIsConn)
	t.says(ep.Connect(b.names[0], nil), fi.ErrIsConn)
	t.check(ep.Shutdown())
	t.expect(a.n.eq, fi.EventShutdown, ep)
	t.expect(b.n.eq, fi.EventShutdown, f)
	t.check(errors.Join(ep.Shutdown(), f.Shutdown())) // it has ended
	t.noEvent(a.n.eq)
	t.check(ep.Close())
	t.says(ep.Connect(b.names[0], nil), fi.ErrBadFD)
	t.says(ep.Shutdown(), fi.ErrBadFD)
	_, err = ep.GetPeer()
	t.says(err, fi.ErrBadFD)
}

// wrongConnect gives what cannot be.
func wrongConnect(t *test) {
	a, b := t.two()
	t.check(a.n.openEndpoint(&a.n.opts, a.n.info))
	ep := a.n.eps[0]
	for _, to := range [][]byte{nil, {}, []byte("\x00rubbish")} {
		t.says(ep.Connect(to, nil), fi.ErrInvalid)
	}
	p := a.passive()
	t.says(p.BindEQ(nil), fi.ErrInvalid, "OpenEQ")
	t.says(p.BindEQ(b.n.eq), fi.ErrDomain)
	t.says(p.SetBacklog(0), fi.ErrInvalid)
	t.check(p.BindEQ(a.n.eq))
	t.says(p.BindEQ(a.n.eq), fi.ErrInvalid)
	other, err := a.n.dom.OpenEndpoint(a.n.info)
	t.check(err)
	t.says(other.BindEQ(nil), fi.ErrInvalid, "OpenEQ")
	t.says(other.BindEQ(b.n.eq), fi.ErrDomain)
	t.check(other.Close())
	av, err := a.n.dom.OpenAV(nil)
	t.check(err)
	other, err = a.n.dom.OpenEndpoint(a.n.info)
	t.check(err)
	t.says(other.BindAV(av), fi.ErrInvalid)
	t.check(errors.Join(other.Close(), av.Close()))
	info := a.n.info.Clone()
	info.EP.Type = fi.EPRDM
	_, err = a.n.fab.OpenPassive(info)
	t.says(err, fi.ErrInvalid, "FI_EP_MSG")
	_, err = a.n.fab.OpenPassive(nil)
	t.says(err, fi.ErrInvalid, "GetInfo")
}

// closeBacklog closes a passive endpoint with more requests than its backlog: those that were not reported end, too.
func closeBacklog(t *test) {
	a, b := t.two()
	q := b.queue(0, 0, fi.WaitNone)
	p := b.passive()
	t.check(errors.Join(p.BindEQ(q), p.SetBacklog(1), p.Listen()))
	asked := map[any]bool{}
	for i := range 4 {
		t.check(a.n.openEndpoint(&a.n.opts, a.n.info))
		t.check(a.n.eps[i].Connect(gives(t, p.Name), nil))
		asked[a.n.eps[i]] = true
	}
	var e fi.EQEntry
	t.until("a request", func() bool { t.stir(); return q.Read(&e, fi.EQPeek) == nil })
	for range 50 {
		t.stir()
	}
	t.check(p.Close())
	t.noEvent(q)
	for len(asked) > 0 {
		_, bad := t.nextEvent(a.n.eq)
		if bad == nil || !asked[bad.FID] || bad.Err != fi.ErrConnRefused && bad.Err != fi.ErrConnReset && bad.Err != fi.ErrConnAborted {
			t.Fatalf("closing a passive endpoint with requests: %v, want FI_ECONNREFUSED", bad)
		}
		delete(asked, bad.FID)
	}
}
