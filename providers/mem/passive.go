package mem

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// passive is a passive endpoint. Everything but its name's choice is guarded by the network's lock.
type passive struct {
	p       *Provider
	info    *fi.Info
	name    []byte
	key     driver.AuthKey // of endpoints that may ask
	events  *driver.Events // not nil: it listens
	backlog int
	queued  []*request            // beyond the backlog, oldest first
	open    map[*request]struct{} // reported and not answered
}

// request is a request for a connection.
type request struct {
	driver.ConnReq
	pep  *passive
	from *endpoint // nil when it has gone
}

func newPassive(p *Provider, info *fi.Info) (*passive, error) {
	e := &passive{p: p, info: info, name: info.SrcAddr, key: keyOf(info), open: make(map[*request]struct{})}
	if len(e.name) == 0 {
		e.name = p.freshName()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return e, p.take(e.name, e)
}

// Class gives fi.ClassPEP.
func (e *passive) Class() fi.Class { return fi.ClassPEP }

// Engine is none: what happens is reported by who does it.
func (e *passive) Engine() *driver.Engine { return nil }

func (e *passive) SetName(raw []byte) error {
	name, err := checkAddr(raw)
	if err != nil {
		return err
	}
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	if string(name) == string(e.name) {
		return nil
	}
	if err := e.p.take(name, e); err != nil {
		return err
	}
	e.p.free(e.name, e)
	e.name = name
	return nil
}

func (e *passive) Name() ([]byte, error) { return e.name, nil }

func (e *passive) Listen(ev *driver.Events, backlog int) error {
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	e.events, e.backlog = ev, backlog
	return nil
}

// CMDataSize is the longest private data.
func (e *passive) CMDataSize() int { return cmDataSize }

// ask takes a request in: reports it, or keeps it until one of those was read. With the lock.
func (e *passive) ask(from *endpoint, data []byte) *request {
	r := &request{pep: e, from: from}
	info := e.info.Clone()
	info.SrcAddr, info.DestAddr = e.name, from.name
	r.Info, r.Data, r.Conn, r.Read = info, data, r, e.wasRead
	e.queued = append(e.queued, r)
	e.report()
	return r
}

// report reports what has room. With the lock.
func (e *passive) report() {
	for len(e.queued) > 0 && e.events.Waiting() < e.backlog {
		r := e.queued[0]
		e.queued = e.queued[1:]
		if e.events.ConnReq(&r.ConnReq) {
			e.open[r] = struct{}{}
		} else {
			r.refuse(nil)
		}
	}
}

func (e *passive) wasRead() {
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	e.report()
}

// over says that the request was answered. With the lock.
func (r *request) over() { delete(r.pep.open, r) }

// refuse refuses the request. With the lock.
func (r *request) refuse(data []byte) {
	r.over()
	if e := r.from; e != nil {
		e.link.asked, e.link.state = nil, linkDown
		e.Conns.Failed.Add(1)
		e.link.events.Fail(fi.ErrConnRefused, data, "the peer rejected the connection")
	}
}

// withdraw says that the asker has gone. One that was reported stays to be answered. With the lock.
func (r *request) withdraw() {
	r.from = nil
	for i, q := range r.pep.queued {
		if q == r {
			r.pep.queued = append(r.pep.queued[:i], r.pep.queued[i+1:]...)
			return
		}
	}
}

// Reject refuses a request.
func (e *passive) Reject(r *driver.ConnReq, data []byte) error {
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	r.Conn.(*request).refuse(append([]byte(nil), data...))
	return nil
}

// Close refuses what nobody has answered.
func (e *passive) Close() error {
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	e.p.free(e.name, e)
	for _, r := range e.queued {
		r.refuse(nil)
	}
	for r := range e.open {
		if r.Claim() {
			r.refuse(nil)
		}
	}
	e.queued, e.events = nil, nil
	return nil
}
