package shm

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// passive is a passive endpoint. A goroutine of its own takes connections and reads their requests: who listens need not
// poll, and has no domain.
type passive struct {
	c    *config
	info *fi.Info
	log  driver.Logger

	mu      sync.Mutex
	lis     *shmem.Listener // nil when an endpoint has taken it over, or it is closed
	name    string
	ev      *driver.Events
	backlog int
	poll    *shmem.Epoll
	wake    *shmem.EventFD
	waits   bool // the listener is not watched: as many requests as the backlog wait to be read, or no descriptors are left
	closed  bool
	callers map[uint64]*caller
	open    map[*request]struct{}
	tokens  uint64
	msg     shmem.Message
	done    chan struct{} // closed when the goroutine has ended
}

// caller is a connection whose request has not come yet.
type caller struct {
	conn  *shmem.Conn
	cred  shmem.Cred
	until time.Time
}

// request is a request that the application has to answer. Its memory is mapped, so that nothing is left to go wrong when
// it is accepted.
type request struct {
	driver.ConnReq
	pep   *passive
	conn  *shmem.Conn // nil when it was answered
	pid   int
	hello *hello
	rings *shmem.Mapping
	table *peerTable
}

// Tokens of the passive endpoint's set; callers have the others.
const (
	tokenWake = iota
	tokenListener
	tokenCallers
)

// OpenPassive makes a passive endpoint, whose address is taken at once.
func (h *host) OpenPassive(info *fi.Info) (driver.PassiveEndpoint, error) {
	p := &passive{c: h.c, info: info, log: h.log.Logger(Name, driver.LogEPCtrl), tokens: tokenCallers,
		callers: make(map[uint64]*caller), open: make(map[*request]struct{})}
	name := randomName()
	if len(info.SrcAddr) > 0 {
		name = nameOf(info.SrcAddr)
	}
	return p, p.take(name)
}

// take takes a name, and gives the old one back.
func (p *passive) take(name string) error {
	lis, err := shmem.Reserve(p.c.socketAddr(name))
	if err != nil {
		return p.c.cannotListen("passive_ep", name, err)
	}
	if p.lis != nil {
		p.lis.Close()
	}
	p.lis, p.name = lis, name
	return nil
}

// Class gives fi.ClassPEP.
func (p *passive) Class() fi.Class { return fi.ClassPEP }

// Engine is none: requests are reported by our own goroutine.
func (p *passive) Engine() *driver.Engine { return nil }

// CMDataSize is the longest private data.
func (p *passive) CMDataSize() int { return cmDataSize }

// SetName chooses the address.
func (p *passive) SetName(raw []byte) error {
	a, err := checkAddr(raw)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if nameOf(a) == p.name {
		return nil
	}
	return p.take(nameOf(a))
}

// Name is the address.
func (p *passive) Name() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return []byte(prefix + p.name), nil
}

// give gives the name to an endpoint.
func (p *passive) give() (lis *shmem.Listener, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	lis, p.lis = p.lis, nil
	return lis, p.name
}

// Listen starts to take connections.
func (p *passive) Listen(ev *driver.Events, backlog int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.lis.Start(); err != nil {
		return p.c.cannotListen("listen", p.name, err)
	}
	poll, err := shmem.NewEpoll()
	if err != nil {
		return err
	}
	wake, err := shmem.NewEventFD()
	if err == nil {
		if err = poll.Add(wake.FD(), shmem.In, tokenWake); err == nil {
			err = poll.Add(p.lis.FD(), shmem.In, tokenListener)
		}
	}
	if err != nil {
		poll.Close()
		if wake != nil {
			wake.Close()
		}
		return err
	}
	p.ev, p.backlog, p.poll, p.wake, p.done = ev, backlog, poll, wake, make(chan struct{})
	go p.serve()
	return nil
}

// serve is the goroutine.
func (p *passive) serve() {
	defer close(p.done)
	for {
		err := p.poll.Park()
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		var evs [32]shmem.Event
		n := p.poll.Wait(evs[:])
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return
		}
		for i := range evs[:n] {
			switch t := evs[i].Token(); t {
			case tokenWake:
				p.wake.Drain()
			case tokenListener:
				p.accept()
			default:
				p.hear(t)
			}
		}
		p.look()
		p.mu.Unlock()
	}
}

// accept takes connections. With the lock.
func (p *passive) accept() {
	for range 64 {
		if !p.room() {
			p.rest()
			return
		}
		conn, err := p.lis.Accept()
		switch {
		case err == shmem.ErrAgain: //nolint:errorlint // documented: a bare value
			return
		case err != nil: // no descriptors, mostly: who waits goes on waiting
			p.rest()
			return
		}
		cred, err := conn.Cred()
		if err == nil {
			if why := stranger(cred); why != "" {
				err = errors.New(why)
			}
		}
		if err != nil {
			p.logRefused(cred.PID, err.Error())
			conn.Close()
			continue
		}
		p.tokens++
		p.callers[p.tokens] = &caller{conn: conn, cred: cred, until: time.Now().Add(helloTime)}
		if p.poll.Add(conn.FD(), shmem.In, p.tokens) != nil {
			p.drop(p.tokens)
		}
	}
}

// room tells whether another request may come. With the lock.
func (p *passive) room() bool { return p.ev.Waiting()+len(p.callers) < p.backlog }

// rest leaves the listener alone for a while. With the lock.
func (p *passive) rest() {
	if !p.waits {
		p.waits = true
		p.poll.Del(p.lis.FD())
	}
}

// look goes on with the listener when there is room again, and drops callers that say nothing. With the lock.
func (p *passive) look() {
	now := time.Now()
	for t, c := range p.callers {
		if now.After(c.until) {
			p.drop(t)
		}
	}
	var next time.Time
	if len(p.callers) > 0 || p.waits {
		next = now.Add(fullPause)
	}
	if p.waits && p.room() {
		p.waits = false
		p.poll.Add(p.lis.FD(), shmem.In, tokenListener)
	}
	p.poll.SetDeadline(next)
}

// drop ends a caller. With the lock.
func (p *passive) drop(t uint64) {
	c := p.leave(t)
	c.conn.Close()
}

// leave takes a caller out of the set. With the lock.
func (p *passive) leave(t uint64) *caller {
	c := p.callers[t]
	delete(p.callers, t)
	p.poll.Del(c.conn.FD())
	return c
}

// hear reads a caller's request. With the lock.
func (p *passive) hear(t uint64) {
	c := p.callers[t]
	if c == nil {
		return
	}
	defer p.msg.Close() // descriptors that nobody took
	switch err := c.conn.Recv(&p.msg); {
	case err == shmem.ErrAgain: //nolint:errorlint // documented: a bare value
		return
	case err != nil:
		p.drop(t)
		return
	}
	p.leave(t)
	r, err := p.read(c)
	if err != nil {
		p.logRefused(c.cred.PID, err.Error())
		status, reason := fi.ErrProto, err.Error()
		if err == error(errOtherKey) { //nolint:errorlint // read gives it bare
			status, reason = fi.ErrAccess, otherKey
		}
		c.conn.Send((&hello{kind: helloConnection, status: status, reason: reason}).marshal())
		c.conn.Close()
		return
	}
	p.report(r)
}

// read makes a request of the message that has come. With the lock.
func (p *passive) read(c *caller) (*request, error) {
	h, err := parseHello(p.msg.Bytes())
	switch {
	case err != nil:
		return nil, err
	case h.kind != helloConnection:
		return nil, errors.New("a passive endpoint listens here, for connections (FI_EP_MSG)")
	case h.name == "" || h.status != 0:
		return nil, errors.New("the peer's request is malformed")
	case h.key != keyOf(p.info):
		return nil, errOtherKey
	}
	fds, err := p.msg.Take(2)
	if err != nil {
		return nil, errors.New("the request came without its memory")
	}
	defer shmem.CloseFD(fds[0])
	defer shmem.CloseFD(fds[1])
	r := &request{pep: p, conn: c.conn, pid: c.cred.PID, hello: h}
	if r.rings, err = shmem.MapPeer(fds[0], ring.PairBytes, shmem.ReadWrite, shmem.Populate); err != nil {
		return nil, err
	}
	if r.table, err = mapTable(fds[1]); err != nil {
		r.rings.Unmap()
		return nil, err
	}
	return r, nil
}

// report hands a request to the application. With the lock.
func (p *passive) report(r *request) {
	info := p.info.Clone()
	info.SrcAddr, info.DestAddr = []byte(prefix+p.name), []byte(prefix+r.hello.name)
	r.Info, r.Data, r.Conn, r.Read = info, r.hello.data, r, p.wasRead
	p.open[r] = struct{}{}
	if !p.ev.ConnReq(&r.ConnReq) {
		p.refuse(r, nil)
	}
}

func (p *passive) wasRead() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waits && !p.closed {
		p.wake.Ring()
	}
}

// refuse rejects a request. With the lock.
func (p *passive) refuse(r *request, data []byte) {
	delete(p.open, r)
	if r.conn == nil {
		return
	}
	r.conn.Send((&hello{kind: helloConnection, status: fi.ErrConnRefused, reason: rejection, data: data}).marshal())
	r.conn.Close()
	r.conn = nil
	r.forget()
}

const rejection = "the peer rejected the connection"

// forget gives the memory of a request back.
func (r *request) forget() {
	r.rings.Unmap()
	r.table.m.Unmap()
}

// answer takes the socket of a request, and its memory, to accept it.
func (r *request) answer() *shmem.Conn {
	r.pep.mu.Lock()
	defer r.pep.mu.Unlock()
	delete(r.pep.open, r)
	conn := r.conn
	r.conn = nil
	return conn
}

// reject refuses a request.
func (r *request) reject(data []byte) {
	r.pep.mu.Lock()
	defer r.pep.mu.Unlock()
	r.pep.refuse(r, data)
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
		p.wake.Ring()
	}
	p.mu.Unlock()
	if done != nil {
		<-done
	}
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
	if p.lis != nil {
		p.lis.Close()
		p.lis = nil
	}
	if done != nil {
		p.poll.Close()
		p.wake.Close()
	}
	return nil
}

func (p *passive) logRefused(pid int, reason string) {
	if p.log.On(driver.LevelWarn) {
		p.log.Warn("refused a peer", "pid", pid, "reason", reason)
	}
}
