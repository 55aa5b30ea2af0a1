package mem

import (
	"maps"
	"slices"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// cmDataSize is the longest private data, as in C's tcp.
const cmDataSize = 256

// link is what a connected endpoint has more than others. Guarded by the network's lock.
type link struct {
	events *driver.Events
	named  bool     // its name is the listener's, or was a passive endpoint's
	answer *request // the request that the endpoint answers
	asked  *request // the request that it made
	state  linkState
	peer   *endpoint // while the connection is up
	other  []byte    // the peer's address, once it was up
	to     dest
}

type linkState int

const (
	linkNew  linkState = iota
	linkUp             // connected
	linkDown           // over, or never to be
)

// down is why nothing can be sent.
func (l *link) down() fi.Errno {
	switch {
	case l.state == linkUp:
		return 0
	case l.other != nil:
		return fi.ErrShutdown
	}
	return fi.ErrNotConn
}

const ended = "the connection has ended"

// connectable makes e an endpoint with one peer, perhaps for a request, or with the address of a passive endpoint.
func (e *endpoint) connectable(info *fi.Info) error {
	e.link = &link{}
	switch h := info.Handle.(type) {
	case *driver.ConnReq:
		e.link.answer, e.link.named = h.Conn.(*request), true
		e.name, e.keys = e.link.answer.pep.name, []driver.AuthKey{e.link.answer.pep.key}
	case *passive:
		e.d.eng.Lock()
		defer e.d.eng.Unlock()
		h.p.byName[string(h.name)] = e
		e.link.named, e.name = true, h.name
	}
	return nil
}

// Connect asks a passive endpoint.
func (e *endpoint) Connect(to, data []byte) error {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	pep, _ := e.d.p.byName[string(to)].(*passive)
	if pep == nil || pep.events == nil {
		e.link.state = linkDown
		e.Conns.Failed.Add(1)
		e.link.events.Fail(fi.ErrConnRefused, nil, "nobody listens at "+string(to)+": call Listen first")
		return nil
	}
	if !e.has(pep.key) {
		e.link.state = linkDown
		e.Conns.Failed.Add(1)
		e.link.events.Fail(fi.ErrAccess, nil, otherKey)
		return nil
	}
	e.link.asked = pep.ask(e, data)
	return nil
}

// Accept answers the request that the endpoint was opened for.
func (e *endpoint) Accept(data []byte) error {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	r := e.link.answer
	r.over()
	e.link.answer = nil
	from := r.from
	if from == nil {
		e.link.state = linkDown
		e.Conns.Failed.Add(1)
		e.link.events.Fail(fi.ErrConnAborted, nil, "the peer closed its endpoint before its request was accepted")
		return nil
	}
	from.link.asked = nil
	for _, s := range [2]struct{ a, b *endpoint }{{e, from}, {from, e}} {
		s.a.link.state, s.a.link.peer, s.a.link.other = linkUp, s.b, s.b.name
		s.a.Conns.Up()
	}
	e.link.events.Connected(nil)
	from.link.events.Connected(data)
	return nil
}

// Shutdown ends the connection on both sides.
func (e *endpoint) Shutdown() error {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	switch {
	case e.link.state == linkUp:
		e.part()
	case e.link.other == nil:
		return fi.ErrNotConn
	}
	return nil
}

// part ends the connection: what is pending on either side is cancelled, then both hear of it.
func (e *endpoint) part() {
	peer := e.link.peer
	for _, x := range [2]*endpoint{e, peer} {
		x.link.state, x.link.peer = linkDown, nil
		x.Conns.Down()
	}
	for _, x := range [2]*endpoint{e, peer} {
		for _, id := range slices.Sorted(maps.Keys(x.pending)) {
			s := x.pending[id]
			s.peer.Withdraw(s.id)
			s.end(fi.ErrCanceled, ended)
		}
		x.CancelReceives()
	}
	e.link.events.Shutdown()
	peer.link.events.Shutdown()
}

// hangUp ends whatever connection or request e has: it closes.
func (e *endpoint) hangUp() {
	switch l := e.link; {
	case l.state == linkUp:
		e.part()
	case l.answer != nil:
		l.answer.refuse(nil)
	case l.asked != nil:
		l.asked.withdraw()
	}
	e.link.state = linkDown
}

// Peer is the peer's address.
func (e *endpoint) Peer() ([]byte, error) {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	if e.link.other == nil {
		return nil, fi.ErrNotConn
	}
	return e.link.other, nil
}

// CMDataSize is the longest private data.
func (e *endpoint) CMDataSize() int { return cmDataSize }

// connectedOps are the operations of a connected endpoint: a receive that is posted when the connection has ended
// completes at once.
type connectedOps struct{ ops }

func (o connectedOps) Recv(buf []byte, from fi.Addr, ctx any, fl fi.OpFlags) error {
	return o.e.posted(o.ops.Recv(buf, from, ctx, fl))
}

func (o connectedOps) RecvMsg(m *fi.Msg, fl fi.OpFlags) error {
	return o.e.posted(o.ops.RecvMsg(m, fl))
}

func (o connectedOps) TRecv(buf []byte, from fi.Addr, tag, ignore uint64, ctx any, fl fi.OpFlags) error {
	return o.e.posted(o.ops.TRecv(buf, from, tag, ignore, ctx, fl))
}

func (o connectedOps) TRecvMsg(m *fi.TaggedMsg, fl fi.OpFlags) error {
	return o.e.posted(o.ops.TRecvMsg(m, fl))
}

func (e *endpoint) posted(err error) error {
	if err == nil {
		e.d.eng.Lock()
		if e.link.state == linkDown {
			e.CancelReceives()
		}
		e.d.eng.Unlock()
	}
	return err
}
