package lnx

import (
	"slices"

	"github.com/gofabric/gofabric/fi"
)

// attempt finds out by which link a peer is reached: it is tried when something is first sent.
type attempt struct {
	ways  []*link // that lead there, best first
	asked bool    // the first of them is being asked
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

// AVRemoved takes them back.
func (e *endpoint) AVRemoved(a fi.Addr) {
	delete(e.trying, a)
	e.setRoute(a, nil)
	for _, l := range e.links {
		l.av.Displace(a)
	}
}

// setRoute has messages to an address take a link. With the lock.
func (e *endpoint) setRoute(a fi.Addr, l *link) {
	old := *e.routes.Load()
	if l == nil && (a >= fi.Addr(len(old)) || old[a] == nil) {
		return
	}
	routes := slices.Clone(old)
	for fi.Addr(len(routes)) <= a {
		routes = append(routes, nil)
	}
	routes[a] = l
	e.routes.Store(&routes)
}

// to gives the link that leads to an address; fi.ErrAgain while that is being found out.
//
//fabric:fastpath
func (e *endpoint) to(a fi.Addr) (*link, error) {
	if routes := *e.routes.Load(); a < fi.Addr(len(routes)) {
		if l := routes[a]; l != nil {
			return l, nil
		}
	}
	return e.find(a)
}

//go:noinline
func (e *endpoint) find(a fi.Addr) (*link, error) {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	return e.toLocked(a)
}

// toLocked is to with the lock held.
func (e *endpoint) toLocked(a fi.Addr) (*link, error) {
	if routes := *e.routes.Load(); a < fi.Addr(len(routes)) && routes[a] != nil {
		return routes[a], nil
	}
	if e.closed {
		return nil, fi.ErrBadFD
	}
	raw, ok := e.AV.Lookup(a)
	if !ok {
		return nil, fi.ErrInvalid
	}
	t := e.trying[a]
	if t == nil {
		peer, err := parseAddress(raw)
		if err != nil {
			return nil, fi.ErrInvalid
		}
		t = &attempt{}
		for _, l := range e.links {
			if l.part.leadsTo(e.d, peer) {
				t.ways = append(t.ways, l)
			}
		}
		if len(t.ways) == 0 {
			return nil, fi.ErrInvalid
		}
		e.trying[a] = t
	}
	return e.advance(a, t)
}

// advance asks the links one after the other; the last one need not be asked: what is sent to it fails if nobody is there.
func (e *endpoint) advance(a fi.Addr, t *attempt) (*link, error) {
	for !t.asked {
		l := t.ways[0]
		if len(t.ways) == 1 || l.reacher == nil {
			delete(e.trying, a)
			e.setRoute(a, l)
			return l, nil
		}
		t.asked = true
		if err := l.reacher.Reach(a, func(err fi.Errno) { e.reached(a, t, err) }); err != 0 {
			e.reached(a, t, err)
		}
		if e.trying[a] != t {
			return l, nil
		}
	}
	return nil, e.NoRoom()
}

// reached is what has become of an attempt.
func (e *endpoint) reached(a fi.Addr, t *attempt, err fi.Errno) {
	switch {
	case e.trying[a] != t: // the peer was removed meanwhile
	case err == 0:
		delete(e.trying, a)
		e.setRoute(a, t.ways[0])
	default:
		t.ways, t.asked = t.ways[1:], false
	}
}
