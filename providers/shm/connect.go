package shm

import (
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/fifo"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// newPair makes our view of a pair's memory.
func (d *domain) newPair(e *endpoint, name string, key authKey, rings *shmem.Mapping, side ring.Side, first, features uint32) (*pair, error) {
	c := ring.Config{Side: side, First: uint8(first), Publish: ring.Fenced}
	if d.plain && features&featurePlain != 0 {
		c.Publish = ring.Plain
	}
	r, err := ring.Layout(rings.Bytes(), c)
	if err != nil {
		return nil, err
	}
	p := &pair{d: d, ep: e, ring: r, rings: rings, waiting: 1, tellsParts: features&featureRanges != 0}
	p.identify(name, key)
	p.EP, p.Wire, p.Addr = &e.Endpoint, e.wire(p), fi.AddrNotAvail
	return p, nil
}

func (e *endpoint) hello(d *domain, key authKey) *hello {
	h := &hello{kind: e.kind(), features: featureRanges, incarnation: e.incarnation, nonceAt: d.nonce.address(), nonce: d.nonce.value, name: e.name, key: key}
	if d.plain {
		h.features |= featurePlain
	}
	if e.con != nil {
		h.data = e.con.data
	}
	return h
}

// pairFor gives the pair with a peer, connecting with it when there is none. With the lock.
func (e *endpoint) pairFor(to fi.Addr) (*pair, fi.Errno) {
	if e.closed {
		return nil, fi.ErrBadFD
	}
	if e.con != nil {
		return e.target()
	}
	return e.pairBy(to, e.call)
}

// pairBy is pairFor of an endpoint that is open and not connected. It is nil when call gives none. With the lock.
func (e *endpoint) pairBy(to fi.Addr, call func(id string) *pair) (*pair, fi.Errno) {
	if to < fi.Addr(len(e.dests)) {
		if p := e.dests[to]; p != nil && p.state < dying {
			return p, 0
		}
	}
	raw, ok := e.AV.Lookup(to)
	if !ok {
		return nil, fi.ErrInvalid
	}
	p := e.byName[nameOf(raw)]
	if p == nil && e.d.src.news.Load() != 0 { // it may have called us
		e.d.src.hear()
		p = e.byName[nameOf(raw)]
	}
	if p == nil || p.state >= dying {
		if p = call(nameOf(raw)); p == nil {
			return nil, 0
		}
	}
	for fi.Addr(len(e.dests)) <= to {
		e.dests = append(e.dests, nil)
	}
	e.dests[to] = p
	return p, 0
}

// call begins to connect with the endpoint of a name. A failure shows as the failure of what is sent to it.
func (e *endpoint) call(id string) *pair {
	p := e.caller(id)
	if !e.has(p.key) { // it came into the vector when we were enabled already
		e.d.src.post(event{kind: evConnected, p: p, err: errOtherKey})
		return p
	}
	p.dial()
	return p
}

// caller makes a pair that is about to connect.
func (e *endpoint) caller(id string) *pair {
	d := e.d
	p := &pair{d: d, ep: e, waiting: 1}
	p.identify(e.whoIs(id))
	p.EP, p.Wire, p.Addr = &e.Endpoint, e.wire(p), fi.AddrNotAvail
	p.Addr = e.userID(p.Raw)
	e.byName[id] = p
	e.callers[p] = struct{}{}
	p.deadline = time.AfterFunc(d.cfg.connectTimeout, func() { d.src.post(event{kind: evTimeout, p: p}) })
	return p
}

const (
	retryEvery   = 5 * time.Millisecond  // between two attempts to reach a peer that is not there yet
	crossedRetry = 50 * time.Millisecond // until we call again a peer that said that it calls us
	patience     = 20                    // times the time to connect, for a peer that is there and does not answer
)

// dial makes one attempt.
func (p *pair) dial() {
	d := p.d
	if p.ep.con != nil {
		p.ask()
		return
	}
	if !p.ep.calls.start(p.id) {
		p.retryIn(crossedRetry)
		return
	}
	p.reached(shmem.Connect(d.cfg.socketAddr(p.name)))
}

// reached goes on with what an attempt has led to.
func (p *pair) reached(conn *shmem.Conn, err error) {
	d := p.d
	if err != nil {
		p.ep.calls.reached(p.id, 0)
		p.dialed = err
		if p.ep.lossy && absent(err) { // it was there when we called first
			p.refused(err)
			return
		}
		if retriable(err) {
			p.retryIn(retryEvery)
			return
		}
		d.src.post(event{kind: evConnected, p: p, err: err})
		return
	}
	p.dialed = nil
	if err = p.sayHello(conn); err != nil {
		conn.Close()
		d.src.post(event{kind: evConnected, p: p, err: err})
	}
}

func (p *pair) retryIn(t time.Duration) {
	p.ep.Conns.Retry.Add(1)
	p.retry = time.AfterFunc(t, func() { p.d.src.post(event{kind: evRetry, p: p}) })
}

// retriable tells whether the peer may be about to listen.
func retriable(err error) bool {
	return err == shmem.ErrAgain || absent(err) //nolint:errorlint // documented: a bare value
}

// absent tells whether nobody listens.
func absent(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT)
}

// sayHello makes the rings and sends them with our hello.
func (p *pair) sayHello(conn *shmem.Conn) error {
	d := p.d
	cred, err := conn.Cred()
	if err != nil {
		return err
	}
	if s := stranger(cred); s != "" {
		return errors.New("somebody else's socket: " + s)
	}
	f, err := shmem.Create("gofabric-pair", ring.PairBytes, shmem.Populate)
	if err != nil {
		return err
	}
	h := p.ep.hello(d, p.key)
	h.first = d.nextFirst()
	if p.ep.con == nil {
		p.ep.calls.reached(p.id, cred.PID) // before the peer can know
	}
	l := &link{kind: linkCaller, conn: conn, p: p}
	if err = conn.Send(h.marshal(), f.FD(), d.table.file.FD()); err == nil {
		err = d.src.add(l)
	}
	if err != nil {
		f.Close()
		return err
	}
	f.CloseFD()
	p.rings, p.first = &f.Mapping, h.first
	p.conn, p.pid, p.link = conn, cred.PID, l
	return nil
}

// crossed says that the peer calls us at the same moment, and that its call counts. If that one never comes, we call
// again.
func (p *pair) crossed() {
	if p.state == connecting {
		p.hangUp()
		p.ep.calls.reached(p.id, 0)
		p.retryIn(crossedRetry)
	}
}

// hangUp takes a call back. Nobody else has seen its rings yet.
func (p *pair) hangUp() {
	if p.link != nil {
		p.d.src.remove(p.link)
		p.rings.Unmap()
		p.link, p.conn, p.rings = nil, nil, nil
	}
}

// nextFirst spreads the rings' lines over the sets of the first-level cache. It is even: where messages take two lines,
// these are then of one pair that prefetchers fetch together.
func (d *domain) nextFirst() uint32 {
	d.firsts += 26
	return d.firsts % ring.Lines
}

// connected is the answer to our hello. With the lock.
func (p *pair) connected(h *hello, t *peerTable, err error) {
	if p.state != connecting {
		if t != nil {
			t.m.Unmap()
		}
		return
	}
	if err != nil && p.ep.con != nil {
		p.denied(h, err)
		return
	}
	if hungUp(err) && !p.patient { // it has just ended, and may be about to start again
		p.hangUp()
		p.dialed = err
		p.ep.calls.reached(p.id, 0)
		p.retryIn(retryEvery)
		return
	}
	if err != nil {
		p.refused(err)
		return
	}
	q, err := p.d.newPair(p.ep, p.name, p.key, p.rings, ring.Maker, p.first, h.features)
	if err != nil {
		t.m.Unmap()
		p.refused(err)
		return
	}
	p.ring, p.tellsParts, p.tableAt, p.inc = q.ring, q.tellsParts, t, h.incarnation
	p.asleep = t.asleep
	p.probe(h)
	if p.ep.con != nil {
		p.up(h.data)
	}
	p.join()
}

// hungUp tells whether an error says that the peer went without a word.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// accepted is a pair that a peer made. With the lock.
func (e *endpoint) accepted(p *pair) {
	e.calls.heard(p.id)
	if e.closed {
		p.state = dead
		p.waiting++
		p.discard()
		return
	}
	e.replace(p)
	old := e.byName[p.id]
	switch {
	case p.name == "":
	case old == nil || old.state >= dying:
		e.byName[p.id] = p // what we send to the peer goes this way
	case old.state == connecting && (old.link == nil || old.pid == p.pid && p.inc > e.incarnation):
		// The same rule as in calls.hear: the peer may have taken our call for the one that counts, and sent messages by
		// it. (We may have said yes to its call before we called.)
		p.adopt(old)
	}
	p.Addr = e.userID(p.Raw)
	p.join()
}

// replace ends an older connection that the same endpoint has made: a peer has one, so it has given that one up.
func (e *endpoint) replace(p *pair) {
	for _, q := range e.d.pairs {
		if q.ep == e && q.id == p.id && q.inc == p.inc && q.pid == p.pid && q.taken {
			q.hungUp()
			return
		}
	}
}

// adopt takes over what waits for our own call to the same peer, which is not needed any more.
func (p *pair) adopt(old *pair) {
	e := p.ep
	old.hangUp()
	old.stopTimers()
	old.state = dead
	delete(e.callers, old)
	e.byName[p.id] = p
	for i, q := range e.dests {
		if q == old {
			e.dests[i] = p
		}
	}
	p.deferred, old.deferred = old.deferred, fifo.Queue[*op]{}
	for _, o := range p.deferred.All() {
		o.to = p
	}
	p.waiting += p.deferred.Len()
	p.reaching, old.reaching = old.reaching, nil
	e.calls.end(p.id)
}

// join makes a pair that is complete take part.
func (p *pair) join() {
	p.state = ready
	if p.ep.con == nil { // else it is counted
		p.ep.Conns.Up()
	}
	p.waiting--
	p.stopTimers()
	if _, ours := p.ep.callers[p]; ours {
		delete(p.ep.callers, p)
		p.ep.calls.end(p.id)
	} else {
		p.taken = true
	}
	p.d.addPair(p)
	p.logJoined()
	aux := uint16(0)
	if p.cmaIn {
		aux = 1
	}
	p.put(opProbed, aux, 0, 0, nil)
	p.d.src.announce()
	p.resume()
	p.told(0)
	if p.pace.since = 0; p.ep.lossy && p.deferred.Len() > 0 {
		p.limit()
	}
}

func (p *pair) stopTimers() {
	if p.deadline != nil {
		p.deadline.Stop()
	}
	if p.retry != nil {
		p.retry.Stop()
	}
}

// refused ends the attempt to connect: everything that waits for the peer fails.
func (p *pair) refused(err error) {
	if err == error(errOtherKey) { //nolint:errorlint // it comes bare
		p.fail(fi.ErrAccess, otherKey)
		return
	}
	code := fi.FromSyscall(err)
	if code == 0 || code == fi.ErrOther || code == fi.ErrAgain || code == fi.ErrNoEnt {
		code = fi.ErrConnRefused
	}
	p.fail(code, err.Error())
}

// timedOut is the end of the time to connect.
func (p *pair) timedOut() {
	if p.state != connecting {
		return
	}
	if p.link == nil && p.dialed != nil { // never reached
		p.fail(fi.ErrConnRefused, "nobody listens at "+prefix+p.name+" ("+p.dialed.Error()+"): start the peer, or wait longer with FI_SHM_CONNECT_TIMEOUT")
		return
	}
	if !p.patient {
		p.patient = true
		p.deadline.Reset((patience - 1) * p.d.cfg.connectTimeout)
		return
	}
	p.fail(fi.ErrTimedOut, "the peer "+p.who()+" does not answer: it is stopped or busy, or needs more than FI_SHM_CONNECT_TIMEOUT")
}
