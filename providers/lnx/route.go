package lnx

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/fifo"
)

// attempt finds out by which link a peer is reached: it is tried when something is first sent.
type attempt struct {
	e     *endpoint
	to    fi.Addr
	ways  []*link                  // that lead there, best first
	asked bool                     // the first of them is being asked
	found bool                     // it leads there
	held  fifo.Queue[*driver.Work] // accepted meanwhile
}

// follow has the links' vectors be what the endpoint's is, now and later.
func (e *endpoint) follow() {
	e.AV.Watch(e)
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	for a := range fi.Addr(e.AV.Len()) {
		if raw, ok := e.AV.Lookup(a); ok {
			e.AVInserted(a, raw)
		}
	}
}

// AVInserted gives the links their parts of an address that is new or has a new user id.
func (e *endpoint) AVInserted(a fi.Addr, raw []byte) {
	peer, err := parseAddress(raw)
	if err != nil { // the vector has checked addresses
		return
	}
	user := e.AV.UserID(a)
	for _, l := range e.links {
		if l.part.leadsTo(e.d, peer) {
			l.av.Place(a, peer.on(l.part.prov), user)
		}
	}
}

// AVRemoved takes them back. What was accepted goes on by the link that is being tried.
func (e *endpoint) AVRemoved(a fi.Addr) {
	if t := e.trying[a]; t != nil {
		e.settle(t)
	}
	e.setRoute(a, nil)
	for _, l := range e.links {
		l.av.Displace(a)
	}
}

// settle ends an attempt: what is held goes by the link that is being tried, and fails there if it must.
func (e *endpoint) settle(t *attempt) {
	delete(e.trying, t.to)
	if !e.release(t, t.ways[0]) {
		for _, w := range t.held.Drop() {
			e.Unreserve(w.Flags)
			e.SharedTx.Give()
			e.letGo()
			e.refused(w, fi.ErrCanceled)
		}
	}
}

// setRoute has messages to an address take a link. With the lock.
func (e *endpoint) setRoute(a fi.Addr, l *link) { e.routes.set(a, l) }

// to gives the link that leads to an address; nil when nothing was sent there.
//
//fabric:fastpath
func (e *endpoint) to(a fi.Addr) *link {
	if t := *e.routes.table.Load(); a < fi.Addr(len(t)) {
		return t[a].Load()
	}
	return nil
}

// routes are links by address. They are looked at without the lock, and changed with it.
type routes struct {
	table atomic.Pointer[[]atomic.Pointer[link]]
}

func (r *routes) init() { r.table.Store(new([]atomic.Pointer[link])) }

func (r *routes) set(a fi.Addr, l *link) {
	t := *r.table.Load()
	if a >= fi.Addr(len(t)) {
		if l == nil {
			return
		}
		more := make([]atomic.Pointer[link], max(2*len(t), int(a)+1, 16))
		for i := range t {
			more[i].Store(t[i].Load())
		}
		t = more
		r.table.Store(&more)
	}
	t[a].Store(l)
}

// toLocked gives the link that leads to an address, or the attempt to find one. With the lock.
func (e *endpoint) toLocked(a fi.Addr) (*link, *attempt, fi.Errno) {
	if l := e.to(a); l != nil {
		return l, nil, 0
	}
	if e.closed {
		return nil, nil, fi.ErrBadFD
	}
	t := e.trying[a]
	if t == nil {
		raw, ok := e.AV.Lookup(a)
		if !ok {
			return nil, nil, fi.ErrInvalid
		}
		peer, err := parseAddress(raw)
		if err != nil {
			return nil, nil, fi.ErrInvalid
		}
		t = &attempt{e: e, to: a}
		for _, l := range e.links {
			if l.part.leadsTo(e.d, peer) {
				t.ways = append(t.ways, l)
			}
		}
		if len(t.ways) == 0 {
			return nil, nil, fi.ErrInvalid
		}
		e.trying[a] = t
		t.advance()
	}
	return e.to(a), t, 0
}

// advance asks the links one after the other; the last one need not be asked: what is sent to it fails if nobody is there.
// With the lock.
func (t *attempt) advance() {
	for !t.asked && !t.found {
		l := t.ways[0]
		if len(t.ways) == 1 || l.reacher == nil {
			t.lead()
			return
		}
		t.asked = true
		if err := l.reacher.Reach(t.to, t.reached); err != 0 {
			t.reached(err)
		}
	}
}

// reached is what has become of a link that was asked. What follows waits until the link's provider has ended what it does.
func (t *attempt) reached(err fi.Errno) {
	if t.e.trying[t.to] != t { // the peer was removed meanwhile
		return
	}
	t.asked = false
	switch {
	case err != 0:
		t.ways = t.ways[1:]
	case t.held.Len() == 0:
		t.lead()
		return
	default:
		t.found = true
	}
	t.e.d.eng.Later(t)
}

// Run goes on with what reached has found.
func (t *attempt) Run() {
	if t.e.trying[t.to] != t {
		return
	}
	if t.found {
		t.lead()
		return
	}
	t.advance()
}

// lead makes the first of the links the one, when it has taken what was held.
func (t *attempt) lead() {
	e := t.e
	t.found = true
	if !e.release(t, t.ways[0]) {
		e.d.src.stick(t)
		return
	}
	delete(e.trying, t.to)
	e.setRoute(t.to, t.ways[0])
}
