package tcp

import (
	"net/netip"
	"sync"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/providers/tcp/wire"
)

// passive is a passive endpoint. A goroutine of its own takes connections and reads their requests: who listens need not
// poll.
type passive struct {
	c    *config
	info *fi.Info

	mu      sync.Mutex
	fd      int   // bound; noSocket when an endpoint has taken it over, or it is closed
	more    []int // other listeners at the same port
	name    netip.AddrPort
	ev      *driver.Events
	backlog int
	poll    *pollSet
	bells   *bells
	until   time.Time // the listener is left alone, for want of descriptors
	waits   bool      // the listener is not watched: as many requests as the backlog wait to be read
	closed  bool
	callers map[uint64]*caller
	open    map[*request]struct{}
	tokens  uint64
	done    chan struct{} // closed when the goroutine has ended

	notes    driver.Notes
	refusals refusals
}

// caller is a connection whose request has not come yet.
type caller struct {
	fd    int
	from  netip.AddrPort
	buf   []byte
	until time.Time
}

// request is a request that the application has to answer.
type request struct {
	driver.ConnReq
	p     *passive
	fd    int // noSocket when it was answered
	from  netip.AddrPort
	order wire.Order
	offer wire.Offer
}

// Tokens of the passive endpoint's set; callers have the others.
const (
	tokenListener = iota
	tokenCallers
)

// OpenPassive makes a passive endpoint, whose address is taken at once.
func (n *network) OpenPassive(info *fi.Info) (driver.PassiveEndpoint, error) {
	at, err := n.c.home(info)
	if err != nil {
		return nil, err
	}
	p := &passive{c: n.c, info: info, fd: noSocket, tokens: tokenCallers, callers: make(map[uint64]*caller), open: make(map[*request]struct{})}
	p.notes.Log = n.log.Logger(Name, driver.LogEPCtrl)
	if err := p.bind(at); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *passive) bind(at netip.AddrPort) error {
	fd, name, err := p.c.bindPassive(at)
	if err != nil {
		return cannotBind("passive_ep", at, err)
	}
	if p.fd != noSocket {
		sysClose(p.fd)
	}
	p.fd, p.name = fd, canonical(name)
	return nil
}

// Class gives fi.ClassPEP.
func (p *passive) Class() fi.Class { return fi.ClassPEP }

// Engine is none: requests are reported by our own goroutine.
func (p *passive) Engine() *driver.Engine { return nil }

// CMDataSize is the longest private data.
func (p *passive) CMDataSize() int { return wire.MaxPrivate }

// SetName chooses the address.
func (p *passive) SetName(raw []byte) error {
	at, err := checkAddr(raw)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at == p.name {
		return nil
	}
	return p.bind(at)
}

// Name is the address.
func (p *passive) Name() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return rawOf(p.name), nil
}

// take gives the socket and the address to an endpoint.
func (p *passive) take() (fd int, name netip.AddrPort) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fd, p.fd = p.fd, noSocket
	return fd, p.name
}

// Listen starts to take connections.
func (p *passive) Listen(ev *driver.Events, backlog int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := sysListen(p.fd); err != nil {
		return cannotBind("listen", p.name, err)
	}
	more, err := p.c.more(p.name)
	if err != nil {
		return cannotBind("listen", p.name, err)
	}
	p.more = more // Close has them closed
	poll, err := newPollSet(p.c.kind)
	if err != nil {
		return err
	}
	bells, err := newBells(p.c.kind)
	if err == nil {
		if err = bells.watch(poll, bellSet, always); err != nil {
			bells.close()
		}
	}
	if err != nil {
		poll.close()
		return err
	}
	for _, fd := range p.listeners() {
		sysOnRefused(fd, p.refusedTLS)
	}
	p.watch(poll)
	p.ev, p.backlog, p.poll, p.bells, p.done = ev, backlog, poll, bells, make(chan struct{})
	go p.serve()
	return nil
}

// listeners are the sockets that take connections.
func (p *passive) listeners() []int { return append([]int{p.fd}, p.more...) }

// watch has the listeners ring.
func (p *passive) watch(poll *pollSet) {
	for _, fd := range p.listeners() {
		poll.add(fd, pollIn, tokenListener)
	}
}

// serve is the goroutine.
func (p *passive) serve() {
	defer close(p.done)
	for {
		if _, ok := p.bells.park(); !ok {
			return
		}
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return
		}
		for i := range p.poll.ask() {
			switch t, _ := p.poll.get(i); t {
			case tokenListener:
				for _, fd := range p.listeners() {
					p.accept(fd)
				}
			default:
				p.hear(t)
			}
		}
		p.look()
		p.mu.Unlock()
		p.notes.Flush()
	}
}

// accept takes connections. With the lock.
func (p *passive) accept(lis int) {
	for range 64 {
		if p.full() {
			return
		}
		fd, from, err := sysAccept(lis)
		if err != nil {
			if crowded(err) {
				p.until = time.Now().Add(crowdedPause)
				p.rest()
			}
			return
		}
		p.tokens++
		p.callers[p.tokens] = &caller{fd: fd, from: canonical(from), until: time.Now().Add(p.c.callerTime())}
		p.poll.add(fd, pollIn, p.tokens)
	}
}

// full tells whether enough requests wait to be read; the listener is then left alone. With the lock.
func (p *passive) full() bool {
	if p.ev.Waiting()+len(p.callers) < p.backlog {
		return false
	}
	p.rest()
	return true
}

// rest leaves the listener alone until look finds that it may go on. With the lock.
func (p *passive) rest() {
	if !p.waits {
		p.waits = true
		for _, fd := range p.listeners() {
			p.poll.remove(fd)
		}
	}
}

// look goes on with the listener when there is room again, and drops callers that say nothing. With the lock.
func (p *passive) look() {
	now := time.Now()
	resting := now.Before(p.until)
	if p.waits && !resting && p.ev.Waiting()+len(p.callers) < p.backlog {
		p.waits = false
		p.watch(p.poll)
	}
	if len(p.callers) == 0 && !resting {
		p.bells.setDeadline(time.Time{})
		return
	}
	late := now
	if p.waits { // for their room
		late = now.Add(p.c.callerTime() - silentMost)
	}
	for t, c := range p.callers {
		if late.After(c.until) {
			p.drop(t)
		}
	}
	p.bells.setDeadline(now.Add(50 * time.Millisecond))
}

// drop ends a caller. With the lock.
func (p *passive) drop(t uint64) {
	c := p.callers[t]
	delete(p.callers, t)
	p.poll.remove(c.fd)
	sysClose(c.fd)
}

// hear reads a caller's request, and no byte more. With the lock.
func (p *passive) hear(t uint64) {
	c := p.callers[t]
	if c == nil {
		return
	}
	for {
		var m wire.Control
		n, err := wire.DecodeRequest(c.buf, &m)
		if err != nil {
			p.refused(c.from, "no libfabric endpoint: "+spoken(c.buf, false, err))
			p.drop(t)
			return
		}
		if n > 0 {
			delete(p.callers, t)
			p.poll.remove(c.fd)
			p.traceControl("received", c.from, &m)
			p.report(c, &m)
			return
		}
		k := len(c.buf)
		c.buf = append(c.buf, make([]byte, -n)...)
		got, errno := sysRead(c.fd, c.buf[k:])
		c.buf = c.buf[:k+got]
		if errno == errAgain || errno == errIntr {
			return
		}
		if errno != 0 || got == 0 {
			p.drop(t)
			return
		}
	}
}

// report hands a request to the application. With the lock.
func (p *passive) report(c *caller, m *wire.Control) {
	if err := p.c.stranger(c.fd, c.from, ""); err != nil {
		p.refused(c.from, err.Error(), "cure", cureTLS)
		p.refuse(&request{fd: c.fd, from: c.from}, nil)
		return
	}
	r := &request{p: p, fd: c.fd, from: c.from, order: m.Order, offer: m.Offer}
	info := p.info.Clone()
	if c.from.Addr().Is4() { // of a wildcard that both families reach
		info.AddrFormat = fi.AddrFormatSockaddrIn
	}
	info.SrcAddr, info.DestAddr = rawOf(canonical(sysLocalAddr(c.fd))), rawOf(c.from)
	r.Info, r.Data, r.Conn, r.Read = info, m.Data, r, p.wasRead
	p.open[r] = struct{}{}
	if !p.ev.ConnReq(&r.ConnReq) {
		p.refuse(r, nil)
	}
}

func (p *passive) wasRead() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waits && !p.closed {
		p.bells.ring(bellWake)
	}
}

// refuse rejects a request. With the lock.
func (p *passive) refuse(r *request, data []byte) {
	delete(p.open, r)
	if r.fd == noSocket {
		return
	}
	var b [wire.MaxControl]byte
	m := wire.Control{Type: wire.ConnReject, Data: data}
	if msg, err := wire.AppendControl(b[:0], &m); err == nil {
		p.traceControl("sent", r.from, &m)
		_, _ = sysWrite(r.fd, msg)
	}
	sysShutdown(r.fd)
	sysClose(r.fd)
	r.fd = noSocket
}

// answer takes the socket of a request, to accept it.
func (r *request) answer() (fd int) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	delete(r.p.open, r)
	fd, r.fd = r.fd, noSocket
	return fd
}

// reject refuses a request.
func (r *request) reject(data []byte) {
	defer r.p.notes.Flush() // without the lock
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.p.refuse(r, data)
}

// Reject refuses a request.
func (p *passive) Reject(r *driver.ConnReq, data []byte) error {
	r.Conn.(*request).reject(data)
	return nil
}

// Close stops listening and rejects what nobody has answered.
func (p *passive) Close() error {
	p.mu.Lock()
	p.closed = true
	done := p.done
	if done != nil {
		p.bells.ring(bellWake)
	}
	p.mu.Unlock()
	if done != nil {
		<-done
	}
	defer p.notes.Settle() // without the lock
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := range p.callers {
		p.drop(t)
	}
	for r := range p.open {
		if r.Claim() {
			p.refuse(r, nil)
		}
	}
	if p.fd != noSocket {
		sysClose(p.fd)
		p.fd = noSocket
	}
	for _, fd := range p.more {
		sysClose(fd)
	}
	p.more = nil
	if done != nil {
		p.bells.close()
		p.poll.close()
	}
	return nil
}
