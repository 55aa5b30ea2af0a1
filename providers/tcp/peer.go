package tcp

import (
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/fifo"
)

// peer is another endpoint as one of ours sees it: the connection with it, if there is one, and what waits for one.
type peer struct {
	e    *endpoint
	addr netip.AddrPort
	c    *conn // the one that we send on: in a handshake, or there; nil for none
	refs int   // places in dests

	deferred fifo.Queue[*op]
	inFlight int // operations that are under way
	resuming bool
	stalled  bool // deferred operations wait for room

	trying   bool // a connection is wanted: until says how long, next when to try again
	until    time.Time
	patient  time.Time // for a peer whose kernel has taken the connection
	began    uint64    // the look at the clock at which we began: a process that got no time to look does not give up
	next     time.Time
	pause    time.Duration
	last     error // why the last attempt has failed
	told     bool  // the log has that the peer is called again
	firewall bool  // the peer says that it cannot be connected to
	known    bool  // there was a connection once
	comeback time.Time

	holding
}

// Pauses between attempts to connect.
const (
	firstPause = time.Millisecond
	lastPause  = 200 * time.Millisecond
	patience   = 10 * time.Second // at least, for what the other side of a handshake has to say
	fewLooks   = 64               // at the clock: no attempt is given up before
	returning  = time.Second      // for a peer that was there and where nobody listens now, to start again
)

// peerFor gives the peer of an address; with the lock.
func (e *endpoint) peerFor(to fi.Addr) (*peer, fi.Errno) {
	if e.closed {
		return nil, fi.ErrBadFD
	}
	if e.link != nil {
		return e.link.target()
	}
	if to < fi.Addr(len(e.dests)) && e.dests[to] != nil {
		return e.dests[to], 0
	}
	raw, ok := e.AV.Lookup(to)
	if !ok {
		return nil, fi.ErrInvalid
	}
	a, err := checkAddr(raw)
	if err != nil {
		return nil, fi.ErrInvalid
	}
	p := e.peerAt(a)
	for fi.Addr(len(e.dests)) <= to {
		e.dests = append(e.dests, nil)
	}
	e.dests[to] = p
	p.refs++
	return p, 0
}

// peerAt gives the peer that listens at an address.
func (e *endpoint) peerAt(a netip.AddrPort) *peer {
	p := e.peers[a]
	if p == nil {
		p = &peer{e: e, addr: a}
		e.peers[a] = p
	}
	return p
}

// release forgets a peer that nobody needs.
func (p *peer) release() {
	if p.refs == 0 && p.e.link == nil && p.c == nil && p.deferred.Len() == 0 && !p.trying {
		delete(p.e.peers, p.addr)
	}
}

// mustWait tells whether an operation has to stay behind others.
func (p *peer) mustWait(o *op) bool {
	return p.c == nil || p.c.state != connReady || p.c.bye != byeNone || p.deferred.Len() > 0 || o.fl&fi.OpFence != 0 && p.inFlight > 0
}

func (p *peer) deferOp(o *op) {
	o.own()
	o.state = opDeferred
	p.deferred.Push(o)
}

// stall has a later poll issue what is deferred.
func (p *peer) stall() {
	if !p.stalled {
		p.stalled = true
		s := p.e.d.src
		s.stalled = append(s.stalled, p)
	}
}

// unstall forgets the peers of an endpoint that is closed; those of others go on waiting.
func (s *source) unstall(e *endpoint) {
	s.stalled = slices.DeleteFunc(s.stalled, func(p *peer) bool { return p.e == e })
}

// resume issues what was deferred, as far as it may.
func (p *peer) resume() {
	if p.resuming {
		return // end, called by issue, called by us
	}
	p.resuming = true
	for p.deferred.Len() > 0 && p.c != nil && p.c.state == connReady && p.c.bye == byeNone {
		o := *p.deferred.First()
		if o.fl&fi.OpFence != 0 && p.inFlight > 0 {
			break
		}
		p.deferred.Pop()
		if p.issue(o) == full {
			p.deferred.PutBack(o)
			p.stall()
			break
		}
	}
	p.resuming = false
}

// connect begins to connect, unless that has been done.
func (p *peer) connect() {
	if p.c != nil || p.trying {
		return
	}
	if p.addr.Port() == 0 {
		p.e.Conns.Failed.Add(1)
		p.giveUp(fi.ErrInvalid, noPort(p.addr))
		return
	}
	if p.firewall {
		p.e.Conns.Failed.Add(1)
		p.giveUp(fi.ErrFirewallAddr, "the peer has said that it cannot be connected to")
		return
	}
	now := time.Now()
	p.trying, p.until, p.next, p.pause = true, now.Add(p.e.d.cfg.connectTimeout), now, firstPause
	p.patient, p.comeback = now.Add(p.e.d.cfg.callerTime()), now.Add(returning)
	p.last, p.told = nil, false
	s := p.e.d.src
	p.began = s.clocks
	s.timed = append(s.timed, p)
	s.remind()
	p.dial()
}

// callerTime is how long one side of a handshake waits for the other: a machine may stop for a while, however soon addresses
// are to be given up at which nobody listens.
func (c *config) callerTime() time.Duration { return max(c.connectTimeout, patience) }

// dial makes one attempt.
func (p *peer) dial() {
	e := p.e
	fd, err := e.d.cfg.sockConnect(e.dialFrom(p.addr), p.addr, e.entryName(rawOf(p.addr)))
	if err != nil {
		if crowded(err) {
			e.d.src.makeRoom()
		}
		p.failed(err)
		return
	}
	c := e.newConn(fd, connDialing)
	c.ours, c.to = true, p
	c.setAddr(p)
	p.c = c
	c.enter()
}

// failed plans the next attempt.
func (p *peer) failed(err error) {
	p.last = err
	if lasting(err) {
		p.until, p.patient = time.Now(), time.Now()
		p.began = p.e.d.src.clocks - fewLooks
	}
	if p.known && fi.FromSyscall(err) == fi.ErrConnRefused && time.Now().After(p.comeback) && p.until.After(time.Now()) {
		p.until = time.Now()
	}
	if p.trying {
		p.logAgain(err)
		p.e.Conns.Retry.Add(1)
		p.next = time.Now().Add(p.pause)
		p.pause = min(2*p.pause, lastPause)
	}
	p.answerHeld()
}

// lasting tells whether another attempt would end as one has that ended with err.
func lasting(err error) bool {
	if t := asTLSError(err); t != nil {
		return t.lasting()
	}
	_, foreign := errors.AsType[*foreignError](err)
	return foreign
}

// onTime is called by polls while a connection is wanted.
func (p *peer) onTime(now time.Time) {
	if p.held != nil && now.After(p.heldUntil) {
		p.answerHeld()
	}
	switch {
	case p.c != nil && p.c.state == connReady:
		p.stopTrying()
	case now.After(p.until) && p.e.d.src.clocks-p.began < fewLooks:
	case p.c != nil && p.c.state == connAsked && now.Before(p.patient):
	case now.After(p.until):
		p.stopTrying()
		p.e.Conns.Failed.Add(1)
		c := p.c
		err, text := p.why()
		if c != nil {
			p.c, c.to = nil, nil
			c.fail(err, text)
		}
		p.giveUp(err, text)
	case p.c == nil && !now.Before(p.next):
		p.dial()
	}
}

func (p *peer) stopTrying() {
	if p.trying {
		p.trying = false
		p.e.d.src.timed = without(p.e.d.src.timed, p)
	}
}

// why says why there is no connection.
func (p *peer) why() (fi.Errno, string) {
	name := p.addr.String()
	if t := asTLSError(p.last); t != nil {
		return fi.ErrAccess, "no agreement on TLS with " + name + ": " + t.Error()
	}
	if f, ok := errors.AsType[*foreignError](p.last); ok {
		return fi.ErrProto, "no libfabric endpoint listens at " + name + ": " + f.said
	}
	switch {
	case p.last == nil:
		return fi.ErrTimedOut, p.e.noAnswer(name)
	case fi.FromSyscall(p.last) == fi.ErrConnRefused:
		return fi.ErrConnRefused, "nobody listens at " + name + " (by interface " + p.e.Info.Domain.Name + "): start the peer first"
	case fi.FromSyscall(p.last) == fi.ErrConnReset:
		return fi.ErrConnRefused, "nobody listens at " + name + " any more"
	case errors.Is(p.last, errRejected):
		return fi.ErrConnRefused, "the peer at " + name + " rejects us"
	case errors.Is(p.last, errReset):
		return fi.ErrConnReset, "the peer at " + name + " closes connections before they are set up"
	}
	err := fi.FromSyscall(p.last)
	if err == fi.ErrOther || err == 0 {
		err = fi.ErrConnRefused
	}
	return err, "cannot connect to " + name + " by interface " + p.e.Info.Domain.Name + ": " + reason(p.last)
}

// noAnswer is what to say when nothing came back from an address.
func (e *endpoint) noAnswer(name string) string {
	return "no answer from " + name + " by interface " + e.Info.Domain.Name + " within " + e.d.cfg.connectTimeout.String() +
		" (FI_TCP_CONNECT_TIMEOUT): is it the peer's address, and does a firewall let it through?"
}

var (
	errRejected = errors.New("rejected")
	errReset    = errors.New("closed during the handshake")
)

// giveUp ends what waits for a connection.
func (p *peer) giveUp(err fi.Errno, text string) {
	for _, o := range p.deferred.Drop() {
		p.e.finish(o, err, text)
	}
	p.release()
}

// lost says that the connection with the peer has ended. What was waiting for a first one waits for the next attempt;
// what was to follow operations that have failed fails too.
func (p *peer) lost(was connState, err fi.Errno, text string) {
	if l := p.e.link; l != nil {
		p.giveUp(fi.ErrCanceled, text)
		l.ended(p.e, err, text)
		return
	}
	switch {
	case p.e.closed:
		p.stopTrying()
		p.giveUp(err, text)
	case was == connReady || was == connClosing:
		p.giveUp(err, text)
	case p.trying:
		if p.last == nil || err != fi.ErrTimedOut {
			p.failed(errReset)
		}
	case p.deferred.Len() > 0:
		p.connect()
	default:
		p.release()
	}
}

// cancel ends an operation that waits here.
func (p *peer) cancel(o *op) {
	for i, q := range p.deferred.All() {
		if q == o {
			p.deferred.Remove(i)
			p.e.finish(o, fi.ErrCanceled, "")
			return
		}
	}
}
