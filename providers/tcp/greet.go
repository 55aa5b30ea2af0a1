package tcp

import (
	"errors"
	"net/netip"
	"os"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// greeting is what has come of a control message. No more is read than belongs to it: what follows is the stream.
type greeting struct {
	buf []byte // nil until something comes
}

// newConn makes a connection of a socket that is in a handshake.
func (e *endpoint) newConn(fd int, state connState) *conn {
	s := e.d.src
	c := &conn{s: s, owner: e, fd: fd, state: state}
	c.EP, c.Addr = &e.Endpoint, fi.AddrNotAvail
	c.token = s.register(c)
	s.asking++
	e.conns[c] = struct{}{}
	return c
}

// setAddr says who is at the other end.
func (c *conn) setAddr(p *peer) {
	c.Raw = rawOf(p.addr)
	c.Addr = c.owner.userID(c.Raw)
}

// dialed says that our socket is connected, or is not.
func (c *conn) dialed() {
	if err := sysSocketError(c.fd); err != nil {
		c.dropDial(err)
		return
	}
	local := sysLocalAddr(c.fd)
	if c.owner.link != nil {
		c.owner.name = canonical(local)
	}
	if local == c.to.addr && (c.to.addr != c.owner.name || c.owner.link != nil) { // TCP connects a port to itself when nobody listens there
		c.dropDial(errRejected)
		return
	}
	sysOptions(c.fd, c.s.d.cfg.socket(c.s.d.near(local.Addr(), c.to.addr.Addr())))
	if l := c.owner.link; l != nil {
		c.s.callers = without(c.s.callers, c) // the peer's application may take its time
		c.sendControl(wire.ConnRequest, c.owner.offer(), l.data)
	} else {
		c.sendControl(wire.ConnRequest, c.owner.offer(), wire.AppendRDM(nil, c.owner.record()))
	}
	if c.state == connDead {
		return
	}
	c.leave()
	c.state = connAsked
	c.enter()
}

// dropDial ends an attempt; the peer tries again.
func (c *conn) dropDial(err error) {
	p := c.to
	p.last = err
	if c.owner.link != nil { // an application that wants to try again opens another endpoint
		errno, text := p.why()
		c.fail(errno, text)
		return
	}
	p.c, c.to = nil, nil
	c.fail(fi.ErrConnRefused, err.Error())
	p.failed(err)
}

// sendControl writes a control message by one call, as C needs it.
func (c *conn) sendControl(t wire.ControlType, offer wire.Offer, data []byte) {
	var b [wire.MaxControl]byte
	m := wire.Control{Type: t, Offer: offer, Data: data}
	msg, err := wire.AppendControl(b[:0], &m)
	if err != nil {
		c.fail(fi.ErrInvalid, err.Error())
		return
	}
	c.traceControl("sent", &m)
	if n, errno := sysWrite(c.fd, msg); errno != 0 || n != len(msg) {
		c.fail(fi.ErrConnReset, "the peer closed during the handshake")
	}
}

// fill reads until the control message is whole: decode tells how many bytes are missing. done is false while more must
// come, and when the connection has ended.
func (c *conn) fill(decode func([]byte, *wire.Control) (int, error), m *wire.Control) (done bool) {
	g := &c.greeting
	for {
		n, err := decode(g.buf, m)
		if err != nil {
			c.foreign(err)
			return false
		}
		if n > 0 {
			c.traceControl("received", m)
			return true
		}
		if g.buf == nil {
			g.buf = make([]byte, 0, wire.ControlSize+wire.RDMSize)
		}
		k := len(g.buf)
		for cap(g.buf) < k-n {
			g.buf = append(g.buf[:cap(g.buf)], 0)[:k]
		}
		got, errno := sysRead(c.fd, g.buf[k:k-n])
		switch {
		case errno == errAgain || errno == errIntr:
			return false
		case errno != 0 || got == 0:
			if err := sysStreamError(c.fd); err != nil && c.ours {
				c.dropDial(err)
				return false
			}
			if c.owner.link != nil {
				c.fail(fi.ErrConnRefused, "the peer closed the connection without an answer")
			} else {
				c.fail(fi.ErrConnReset, "the peer closed during the handshake")
			}
			return false
		}
		g.buf = g.buf[:k+got]
		if c.ours && g.buf[0] == alertRecord {
			c.dropDial(errWantsTLS)
			return false
		}
	}
}

// greet serves the handshake.
func (c *conn) greet() {
	var m wire.Control
	if c.state == connCalled {
		if c.fill(wire.DecodeRequest, &m) {
			c.called(&m)
		}
		return
	}
	if !c.fill(wire.DecodeResponse, &m) {
		return
	}
	if c.owner.link != nil {
		c.answered(&m)
		return
	}
	if m.Type == wire.ConnReject { // the peer connects to us at this moment, or has a connection that we do not know of
		c.dropDial(errRejected)
		return
	}
	r, err := wire.DecodeRDM(m.Data, m.Type)
	if err != nil {
		c.dropDial(err)
		return
	}
	ext, err := c.owner.offer().Confirm(m.Offer)
	if err != nil {
		c.dropDial(err)
		return
	}
	order := wire.StreamOrder(wire.Little, m.Order)
	c.pid = r.PID
	c.begun(order, r.Agreed(c.owner.record().Version), ext, m.Offer.Features)
}

// begun says that the handshake is over.
func (c *conn) begun(order wire.Order, version uint8, ext bool, features wire.Features) {
	c.greeting = greeting{}
	c.leave()
	c.s.asking--
	c.s.callers = without(c.s.callers, c)
	c.established(order, version, ext, features)
	if p := c.to; p != nil && p.c == c {
		p.stopTrying()
		p.resume()
		p.answerHeld()
	}
}

// accept takes the connections that wait at the listener.
func (l *listener) ready(uint32) {
	e := l.e
	for range 64 {
		fd, from, err := sysAccept(l.fd)
		if err != nil {
			switch {
			case crowded(err):
				l.rest(err)
			case !errors.Is(err, errAgain) && !errors.Is(err, errIntr):
				e.d.logAccept(err)
			}
			return
		}
		c := e.newConn(fd, connCalled)
		c.from = canonical(from)
		c.deadline = time.Now().Add(e.d.cfg.callerTime())
		e.d.src.callers = append(e.d.src.callers, c)
		e.d.src.remind()
		c.enter()
		c.greet()
	}
}

// called decides on a request of a peer.
func (c *conn) called(m *wire.Control) {
	e := c.owner
	r, err := wire.DecodeRDM(m.Data, m.Type)
	if err != nil {
		e.lis.refused(c.from, "no request of FI_EP_RDM: "+err.Error(), "cure", "both sides need endpoints of the same type")
		c.nack(m.Data)
		return
	}
	a := netip.AddrPortFrom(c.from.Addr(), r.Port)
	if r.Firewall() && r.Port == 0 {
		a = c.from
	}
	p := e.peerAt(a)
	p.firewall = r.Firewall()
	if err := c.s.d.cfg.stranger(c.fd, a, e.entryName(rawOf(a))); err != nil {
		e.lis.refusedTLS(a, err)
		c.nack(m.Data)
		p.release()
		return
	}
	if old := p.c; old != nil && old.state == connAsked && !c.wasHeld && greater(p.addr, c.self()) {
		p.hold(c)
		return
	}
	if !c.wins(p, r.PID) {
		c.nack(m.Data)
		p.release()
		return
	}
	sysOptions(c.fd, c.s.d.cfg.socket(c.s.d.near(sysLocalAddr(c.fd).Addr(), c.from.Addr())))
	c.to, c.pid = p, r.PID
	c.setAddr(p)
	newest, order := e.record().Version, wire.StreamOrder(wire.Little, m.Order)
	if order == wire.Big {
		newest = 0
	}
	answer := r.Answer(newest, uint32(os.Getpid()))
	offer := e.offer().Answer(m.Offer)
	c.sendControl(wire.ConnResponse, offer, wire.AppendRDM(nil, answer))
	if c.state == connDead {
		return
	}
	if p.c == nil {
		p.c = c
	}
	c.begun(order, min(r.Version, newest), offer.Version != 0, m.Offer.Features)
}

// self is our address as the peer knows it.
func (c *conn) self() netip.AddrPort {
	return netip.AddrPortFrom(canonical(sysLocalAddr(c.fd)).Addr(), c.owner.name.Port())
}

// wins decides whether a request is accepted beside what there is with that peer: of two that connect to each other at
// the same time, the one with the greater address does.
func (c *conn) wins(p *peer, pid uint32) bool {
	p.refs++ // what is read below may be the end of the old connection, with which the peer would be forgotten
	defer func() { p.refs-- }()
	self := c.self()
	if p.addr == self { // the second end of a connection with ourselves stands alone
		return true
	}
	for old := p.c; old != nil && old.state == connReady && !old.isPaused && old.receive(); { // it may have ended, and we have not seen it yet
	}
	old := p.c // at the end of one, what waited calls the peer anew
	if old == nil {
		return true
	}
	switch old.state {
	case connDialing, connAsked:
		if !greater(p.addr, self) {
			return false
		}
		p.c, old.to = nil, nil
		old.fail(fi.ErrConnAborted, "the peer has connected meanwhile")
		return true
	}
	if old.state == connReady && old.pid == pid && !old.isPaused {
		old.suspect()
		return false
	}
	if old.state != connDead {
		old.fail(fi.ErrConnReset, "peer closed: "+old.peerName()+" has started again")
	}
	return true
}

// nack rejects a request: the data goes back as it came.
func (c *conn) nack(data []byte) {
	var b [wire.MaxControl]byte
	m := wire.Control{Type: wire.ConnReject, Data: data}
	msg, _ := wire.AppendControl(b[:0], &m)
	c.traceControl("sent", &m)
	_, _ = sysWrite(c.fd, msg)
	sysShutdown(c.fd)
	c.fail(fi.ErrConnAborted, "rejected")
}

// record is what we say of ourselves in a request.
func (e *endpoint) record() wire.RDM {
	r := wire.RDM{Version: wire.RDMVersion, Port: e.name.Port(), PID: uint32(os.Getpid())}
	if e.d.cfg.firewall {
		r.Features = wire.FeatureFirewall
	}
	return r
}

// features are what of the extension this endpoint takes.
func (e *endpoint) features() wire.Features {
	if e.link != nil && e.Info.Caps&fi.CapTagged == 0 {
		return wire.AllFeatures &^ wire.FeatureTagged
	}
	return wire.AllFeatures
}

// offer is what we announce of the extension.
func (e *endpoint) offer() wire.Offer {
	if !e.d.cfg.extension {
		return wire.Offer{}
	}
	return wire.Offer{Version: wire.ExtVersion, Oldest: 1, Features: e.features()}
}

// plainOps are the operations that may come without the extension.
func (e *endpoint) plainOps(version uint8) wire.Ops {
	switch {
	case e.link != nil && e.Info.Caps&fi.CapTagged == 0:
		return wire.MSGOps
	case e.link != nil:
		return wire.MSGTaggedOps
	case version > 0:
		return wire.RDM1Ops
	}
	return wire.RDM0Ops
}
