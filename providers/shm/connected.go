package shm

import (
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// connection is what a connected endpoint (FI_EP_MSG) has more than others: one peer, and events. Its pair is dests[0]
// while it is up, so that the fast paths find it. The domain's lock guards it.
type connection struct {
	events   *driver.Events
	answer   *request        // that the endpoint was opened for
	reserved *shmem.Listener // holds a name that the application has chosen; nobody is heard there
	data     []byte          // private data of our request
	state    connectionState
	other    []byte      // the peer's address, once there was a connection
	over     atomic.Bool // state is conDown
	missed   bool        // that there will be no connection is counted
}

type connectionState uint8

const (
	conNew  connectionState = iota
	conUp                   // connected
	conDown                 // over, or never to be
)

// connectable makes e an endpoint with one peer: for a request, or with the name of a passive endpoint.
func (e *endpoint) connectable(info *fi.Info) {
	e.con = &connection{}
	switch h := info.Handle.(type) {
	case *driver.ConnReq:
		e.con.answer = h.Conn.(*request)
		e.keys = []authKey{keyOf(e.con.answer.pep.info)}
	case *passive:
		e.con.reserved, e.name = h.give()
	}
}

// enableConnection is Enable of a connected endpoint.
func (e *endpoint) enableConnection(b *driver.Bindings) (driver.Ops, error) {
	c := e.con
	switch {
	case e.name == "":
		e.name = randomName()
	case c.answer == nil && c.reserved == nil:
		lis, err := shmem.Reserve(e.d.cfg.socketAddr(e.name))
		if err != nil {
			return driver.Ops{}, e.d.cfg.cannotListen("enable", e.name, err)
		}
		c.reserved = lis
	}
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.initLimits(b)
	c.events = b.Events
	e.enabled.Store(true)
	o := conOps{&ops{Rx: e.Rx, e: e}}
	if b.SharedRx != nil {
		s := sharedConOps{conOps: o}
		return driver.Ops{Msg: s, Tagged: s, RMA: o, Atomic: o}, nil
	}
	own := ownConOps{rdm.NewConnRx(e.Rx, e.posted), o}
	return driver.Ops{Msg: own, Tagged: own, RMA: o, Atomic: o}, nil
}

// target is the only peer's pair; an error before there is a connection, and when it has ended.
func (e *endpoint) target() (*pair, fi.Errno) {
	switch {
	case e.con.state == conUp:
		return e.dests[0], 0
	case e.con.other != nil:
		return nil, fi.ErrShutdown
	}
	return nil, fi.ErrNotConn
}

// Connect asks a passive endpoint for a connection.
func (e *endpoint) Connect(to, data []byte) error {
	a, err := checkAddr(to)
	if err != nil {
		return err
	}
	d := e.d
	d.eng.Lock()
	defer d.eng.Unlock()
	e.con.data = data
	p := &pair{d: d, ep: e, waiting: 1}
	p.identify(nameOf(a), e.keys[0])
	p.EP, p.Wire, p.Addr = &e.Endpoint, p, fi.AddrNotAvail
	e.callers[p] = struct{}{}
	p.deadline = time.AfterFunc(d.cfg.connectTimeout, func() { d.src.post(event{kind: evTimeout, p: p}) })
	p.ask()
	return nil
}

// ask sends our request. Only a listener with too many that wait there is asked again.
func (p *pair) ask() {
	conn, err := shmem.Connect(p.d.cfg.socketAddr(p.name))
	p.dialed = err
	switch {
	case err == nil:
		if err = p.sayHello(conn); err != nil {
			conn.Close()
			p.refused(err)
		}
	case err == shmem.ErrAgain: //nolint:errorlint // documented: a bare value
		p.retryIn(retryEvery)
	case absent(err):
		p.fail(fi.ErrConnRefused, "nobody listens at "+prefix+p.name+": the peer opens a passive endpoint with this name and calls Listen")
	default:
		p.refused(err)
	}
}

// denied says that the request was refused, or got no answer.
func (p *pair) denied(h *hello, err error) {
	switch {
	case h != nil && h.status == fi.ErrConnRefused:
		p.ep.con.missed = true
		p.ep.Conns.Failed.Add(1) // before who reads the event may look
		p.ep.con.events.Fail(fi.ErrConnRefused, h.data, rejection)
		p.fail(fi.ErrConnRefused, rejection)
	case hungUp(err):
		p.fail(fi.ErrConnRefused, "the peer closed its passive endpoint, or ended, before it answered")
	default:
		p.refused(err)
	}
}

// Accept answers the request that the endpoint was opened for.
func (e *endpoint) Accept(data []byte) error {
	d, c := e.d, e.con
	d.eng.Lock()
	defer d.eng.Unlock()
	r := c.answer
	c.answer = nil
	p, err := e.welcome(r, r.answer(), data)
	if err != nil {
		c.state = conDown
		c.over.Store(true)
		e.Conns.Failed.Add(1)
		c.events.Fail(fi.ErrConnAborted, nil, "the peer has gone: "+err.Error())
		return nil
	}
	p.join()
	return nil
}

// welcome makes the pair of a request, and says so to the peer. It owns the socket. With the lock.
func (e *endpoint) welcome(r *request, conn *shmem.Conn, data []byte) (*pair, error) {
	d, h := e.d, r.hello
	p, err := d.newPair(e, h.name, h.key, r.rings, ring.Taker, h.first, h.features)
	if err != nil {
		conn.Close()
		r.forget()
		return nil, err
	}
	l := &link{kind: linkPair, conn: conn, p: p, bells: bells{heard: d.table.sleeps(), credit: firstBells}}
	p.tableAt, p.asleep = r.table, r.table.asleep
	p.conn, p.pid, p.link, p.inc = conn, r.pid, l, h.incarnation
	p.probe(h)
	answer := e.hello(d, h.key)
	answer.data = data
	p.up(nil) // before the peer knows: what it asks for next must not be heard of first
	if err = conn.Send(answer.marshal(), d.table.file.FD()); err == nil {
		err = d.src.add(l)
	}
	if err != nil {
		e.dests, e.con.other = nil, nil
		conn.Close()
		r.forget()
		return nil, err
	}
	if l.watchProcess() {
		d.src.post(event{kind: evHangup, p: p})
	}
	return p, nil
}

// up says that the connection is there, with the private data of the peer's answer. The pair has not joined yet. With the
// lock.
func (p *pair) up(data []byte) {
	e := p.ep
	e.con.state, e.con.other = conUp, p.Raw
	e.dests = []*pair{p}
	e.Conns.Up()
	e.con.events.Connected(data)
}

// ended says that the connection is over, or will not be. With the lock.
func (c *connection) ended(e *endpoint, err fi.Errno, text string) {
	if c.state == conDown {
		return
	}
	c.state = conDown
	c.over.Store(true)
	e.CancelReceives()
	c.events.Fail(err, nil, text) // after Connected: a shutdown
}

// Shutdown ends the connection when what was sent has left.
func (e *endpoint) Shutdown() error {
	defer e.d.notes.Settle() // without the lock
	for until := time.Now().Add(e.d.cfg.linger); ; yield() {
		if done, err := e.shut(time.Now().After(until)); done {
			return err
		}
	}
}

// shut ends the connection if nothing of ours is on its way, or if it is late.
func (e *endpoint) shut(late bool) (done bool, err error) {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.d.eng.Poll() // what has arrived can still be received
	switch {
	case e.con.other == nil:
		return true, fi.ErrNotConn
	case e.con.state != conUp:
		return true, nil
	}
	p := e.dests[0]
	if !late && p.state == ready && p.leaving() {
		return false, nil
	}
	p.fail(fi.ErrCanceled, "the connection was shut down")
	return true, nil
}

// leaving tells whether something that we have sent is still on its way.
func (p *pair) leaving() bool {
	if p.carries() || p.deferred.Len() > 0 && p.blocking == 0 {
		return true
	}
	for _, o := range p.ep.ops {
		if o.state == opMoving {
			return true
		}
	}
	return false
}

// closeConnection ends a request that was never answered, and gives the name free.
func (e *endpoint) closeConnection() {
	c := e.con
	if c.answer != nil {
		c.answer.reject(nil)
		c.answer = nil
	}
	if c.reserved != nil {
		c.reserved.Close()
		c.reserved = nil
	}
}

// Peer is the peer's address.
func (e *endpoint) Peer() ([]byte, error) {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	if e.con.other == nil {
		return nil, fi.ErrNotConn
	}
	return e.con.other, nil
}

// CMDataSize is the longest private data.
func (e *endpoint) CMDataSize() int { return cmDataSize }
