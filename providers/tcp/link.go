package tcp

import (
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// link is what a connected endpoint (FI_EP_MSG) has more than others: one peer, and events. The domain's lock guards it.
type link struct {
	events *driver.Events
	answer *request // that the endpoint was opened for
	fd     int      // bound, to connect with; noSocket: none
	data   []byte   // private data of our request
	state  linkState
	other  []byte // the peer's address, once there was a connection
	tagged bool   // a plain peer may be sent tagged messages: it has a shared receive context, as we do
	only   *peer
	missed bool // that there will be no connection is counted
}

type linkState uint8

const (
	linkNew  linkState = iota
	linkUp             // connected
	linkDown           // over, or never to be
)

// connectable makes e an endpoint with one peer: for a request, or with the address of a passive endpoint.
func (e *endpoint) connectable(info *fi.Info) {
	e.link = &link{fd: noSocket}
	e.link.only = &peer{e: e, refs: 1}
	e.dests = []*peer{e.link.only}
	switch h := info.Handle.(type) {
	case *driver.ConnReq:
		e.link.answer = h.Conn.(*request)
	case *passive:
		e.link.fd, e.name = h.take()
	}
}

// enableLink is Enable of a connected endpoint.
func (e *endpoint) enableLink(b *driver.Bindings) (driver.Ops, error) {
	l := e.link
	if l.fd == noSocket && l.answer == nil {
		fd, at, err := e.d.cfg.bindLink(e.want)
		if err != nil {
			return driver.Ops{}, cannotBind("enable", e.want, err)
		}
		l.fd, e.name = fd, canonical(at)
	}
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.initLimits(b)
	l.events, l.tagged = b.Events, b.SharedRx != nil
	e.d.endpoints[e] = struct{}{}
	e.enabled.Store(true)
	o := &ops{Rx: e.Rx, e: e}
	var atomics driver.Atomics
	if e.d.cfg.extension {
		atomics = o
	}
	if b.SharedRx != nil {
		s := sharedOps{ops: o}
		return driver.Ops{Msg: s, Tagged: s, RMA: o, Atomic: atomics}, nil
	}
	c := linkOps{rdm.NewConnRx(e.Rx, e.posted), o}
	return driver.Ops{Msg: c, Tagged: c, RMA: o, Atomic: atomics}, nil
}

// target is the only peer; an error before there is a connection, and when it has ended.
func (l *link) target() (*peer, fi.Errno) {
	switch {
	case l.state == linkUp:
		return l.only, 0
	case l.other != nil:
		return nil, fi.ErrShutdown
	}
	return nil, fi.ErrNotConn
}

// Connect asks a passive endpoint for a connection.
func (e *endpoint) Connect(to, data []byte) error {
	at, err := checkAddr(to)
	if err != nil {
		return err
	}
	if at.Port() == 0 {
		return &fi.Error{Op: "connect", Provider: Name, Err: fi.ErrInvalid, Hint: noPort(at)}
	}
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	l := e.link
	l.only.addr, l.data = at, data
	fd := l.fd
	l.fd = noSocket
	if err := sysConnectBound(fd, at); err != nil {
		sysClose(fd)
		l.state = linkDown
		e.over.Store(true)
		p := l.only
		p.last = err
		errno, text := p.why()
		e.Conns.Failed.Add(1)
		l.events.Fail(errno, nil, text)
		return nil
	}
	c := e.newConn(fd, connDialing)
	c.ours, c.to, c.Raw = true, l.only, rawOf(at)
	c.deadline = time.Now().Add(e.d.cfg.connectTimeout)
	e.d.src.callers = append(e.d.src.callers, c)
	e.d.src.remind()
	l.only.c = c
	c.enter()
	return nil
}

// Accept answers the request that the endpoint was opened for.
func (e *endpoint) Accept(data []byte) error {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	l := e.link
	r := l.answer
	l.answer = nil
	fd := r.answer()
	c := e.newConn(fd, connOffered)
	at, _ := checkAddr(r.Info.DestAddr)
	l.only.addr, l.only.c = at, c
	c.to, c.Raw = l.only, r.Info.DestAddr
	sysOptions(fd, e.d.cfg.socket(e.d.near(sysLocalAddr(fd).Addr(), at.Addr())))
	offer := e.offer().Answer(r.offer)
	l.up(c)
	l.events.Connected(nil) // before the peer knows: what it asks for next must not be heard of first
	c.sendControl(wire.ConnResponse, offer, data)
	if c.state == connDead {
		return nil
	}
	c.begun(wire.StreamOrder(wire.Little, r.order), 0, offer.Version != 0, r.offer.Features)
	return nil
}

func (l *link) up(c *conn) {
	l.state, l.other = linkUp, c.Raw
	c.owner.Conns.Up()
}

// answered takes the answer to our request.
func (c *conn) answered(m *wire.Control) {
	l := c.owner.link
	if m.Type == wire.ConnReject {
		l.missed = true
		c.owner.Conns.Failed.Add(1) // before who reads the event may look
		l.events.Fail(fi.ErrConnRefused, append([]byte(nil), m.Data...), "the peer rejected the connection")
		c.fail(fi.ErrConnRefused, "the peer rejected the connection")
		return
	}
	ext, err := c.owner.offer().Confirm(m.Offer)
	if err != nil {
		c.fail(fi.ErrProto, err.Error())
		return
	}
	l.up(c)
	l.events.Connected(append([]byte(nil), m.Data...))
	c.begun(wire.StreamOrder(wire.Little, m.Order), 0, ext, m.Offer.Features)
}

// ended says that the connection is over, or will not be.
func (l *link) ended(e *endpoint, err fi.Errno, text string) {
	if l.state == linkDown {
		return
	}
	switch {
	case l.state == linkUp:
		e.Conns.Down()
	case err != fi.ErrCanceled && !l.missed:
		e.Conns.Failed.Add(1)
	}
	l.state = linkDown
	e.over.Store(true)
	e.CancelReceives()
	l.events.Fail(err, nil, text) // after Connected: a shutdown
}

// Shutdown ends the connection when what was sent has left.
func (e *endpoint) Shutdown() error {
	e.drainOutput()
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	l := e.link
	if l.other == nil {
		return fi.ErrNotConn
	}
	if c := l.only.c; c != nil {
		c.fail(fi.ErrCanceled, "the connection was shut down")
	}
	return nil
}

// drainOutput waits until everything has left, up to the linger time.
func (e *endpoint) drainOutput() {
	until := time.Now().Add(e.d.cfg.linger)
	for e.unsent() && time.Now().Before(until) {
		yield()
	}
}

// unsent tells whether something of ours still waits to be written.
func (e *endpoint) unsent() bool {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.d.eng.Poll()
	for c := range e.conns {
		if c.state == connReady && !c.dying && (c.out.Len() > 0 || sysUnsent(c.fd)) {
			return true
		}
	}
	return false
}

// close ends a request that was never answered, and gives the socket back that was never used.
func (l *link) close() {
	if l.answer != nil {
		l.answer.reject(nil)
		l.answer = nil
	}
	if l.fd != noSocket {
		sysClose(l.fd)
		l.fd = noSocket
	}
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
func (e *endpoint) CMDataSize() int { return wire.MaxPrivate }

// linkOps are the operations of a connected endpoint with receives of its own.
type linkOps struct {
	rdm.ConnRx
	*ops
}

// posted ends a receive that was posted when the connection has ended.
func (e *endpoint) posted() {
	if e.over.Load() {
		e.d.eng.Lock()
		e.CancelReceives()
		e.d.eng.Unlock()
	}
}
