package mem

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/collective"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
)

type endpoint struct {
	rdm.Endpoint
	coll    *collective.Endpoint // nil without FI_COLLECTIVE
	d       *domain
	name    []byte
	keys    []driver.AuthKey // authorization keys; only endpoints with one of them are reached, and reach it
	enabled bool
	closed  bool

	dests   map[fi.Addr]*dest   // whom we send to; guarded by the network's lock, as all below
	senders map[sender]*peer    // who sends to us
	pending map[uint64]*pending // our operations that wait for the peer
	nextID  uint64
	waiting driver.Tally // operations that wait for the peer, or behind a fence
	link    *link        // nil for types without connections

	datagrams bool // FI_EP_DGRAM
}

// dest is a peer that we send to.
type dest struct {
	raw      string
	key      driver.AuthKey
	inFlight int          // pending operations to it
	deferred []deferredOp // operations behind a fence
}

type deferredOp struct {
	do     func()
	fenced bool
}

// sender is an endpoint that sends to us, by one of its keys.
type sender struct {
	*endpoint
	key driver.AuthKey
}

// peer is what we have of it.
type peer struct {
	rdm.Peer
	from    *endpoint
	holding bool // we asked it to announce
}

func newEndpoint(d *domain, info *fi.Info) (*endpoint, error) {
	e := &endpoint{d: d, name: info.SrcAddr, keys: []driver.AuthKey{keyOf(info)}, dests: make(map[fi.Addr]*dest),
		senders: make(map[sender]*peer), pending: make(map[uint64]*pending)}
	e.Info = info
	e.Rx = rdm.NewRx(d.eng, info)
	switch info.EP.Type {
	case fi.EPMsg:
		return e, e.connectable(info)
	case fi.EPDgram:
		e.datagrams = true
		e.Rx.SetBudget(dgramKept)
	}
	return e, nil
}

func (e *endpoint) SetName(raw []byte) error {
	a, err := checkAddr(raw)
	if err != nil {
		return err
	}
	e.name = a
	return nil
}

func (e *endpoint) Name() ([]byte, error) {
	if !e.enabled {
		return nil, fi.ErrOpBadState
	}
	return e.name, nil
}

func (e *endpoint) Enable(b *driver.Bindings) (driver.Ops, error) {
	if e.name == nil {
		e.name = e.d.p.freshName()
	}
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	if e.link == nil || !e.link.named { // who answers a request has the listener's name
		if err := e.d.p.take(e.name, e); err != nil {
			return driver.Ops{}, err
		}
	}
	e.Init(e.d.eng, e.Info, e.d.regions, b)
	if e.Keyed {
		e.keys = b.Keys
	}
	e.Key = e.keys[0]
	e.enabled = true
	if e.link != nil {
		e.link.events, e.link.to.key = b.Events, e.keys[0]
		o := connectedOps{ops{e}}
		return driver.Ops{Msg: o, Tagged: o, RMA: o, Atomic: o}, nil
	}
	e.AV.Watch(e)
	o := ops{e}
	if e.datagrams {
		return driver.Ops{Msg: o, Tagged: o}, nil
	}
	all := driver.Ops{Msg: o, Tagged: o, RMA: o, Atomic: o}
	if e.Info.Caps&fi.CapCollective != 0 {
		e.coll = collective.New(e.d.eng, e, e.Info, b)
		all.Coll = e.coll
	}
	return all, nil
}

// sender gives our view of an endpoint that sends to us, by a key that both have.
func (e *endpoint) sender(from *endpoint, key driver.AuthKey) *peer {
	s := sender{from, key}
	p := e.senders[s]
	if p == nil {
		p = &peer{from: from}
		p.EP, p.Raw, p.Wire = &e.Endpoint, from.name, p
		if e.Keyed {
			p.Raw = driver.KeyedAddr(from.name, key)
		}
		p.Addr = e.userID(p.Raw)
		if e.datagrams {
			p.Wire = rdm.Lossy{}
		}
		e.senders[s] = p
	}
	return p
}

func (e *endpoint) userID(raw []byte) fi.Addr {
	if e.AV == nil {
		return fi.AddrNotAvail
	}
	a := e.AV.Reverse(raw)
	if a == fi.AddrNotAvail {
		return a
	}
	return e.AV.UserID(a)
}

// AVInserted and AVRemoved keep the senders' addresses current.
func (e *endpoint) AVInserted(a fi.Addr, raw []byte) {
	for _, p := range e.senders {
		if string(p.Raw) == string(raw) {
			if id := e.userID(raw); id != p.Addr {
				p.Readdress(id)
			}
		}
	}
}

func (e *endpoint) AVRemoved(a fi.Addr) {
	delete(e.dests, a) // what is in flight keeps it
	for _, p := range e.senders {
		if id := e.userID(p.Raw); id != p.Addr {
			p.Readdress(id)
		}
	}
}

// Stats adds what the endpoint has counted.
func (e *endpoint) Stats(s *fi.EndpointStats) {
	e.Endpoint.Stats(s)
	s.Pending += e.waiting.Load()
}

func (e *endpoint) SetMinMultiRecv(n int) error { return e.Rx.SetMinMultiRecv(n) }
func (e *endpoint) MinMultiRecv() int           { return e.Rx.MinMultiRecv() }

// Cancel ends a posted receive, or a send that no receive has matched.
func (e *endpoint) Cancel(ctx any) error {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	return e.Revoke(ctx)
}

// Revoke is Cancel with the lock held.
func (e *endpoint) Revoke(ctx any) error {
	if e.Rx.Revoke(ctx) == nil {
		return nil
	}
	var oldest *pending
	for _, s := range e.pending {
		if s.ctx == ctx && (oldest == nil || s.id < oldest.id) {
			oldest = s
		}
	}
	if oldest == nil {
		return fi.ErrNoEnt
	}
	oldest.peer.Withdraw(oldest.id)
	oldest.end(fi.ErrCanceled, "")
	return nil
}

func (e *endpoint) Close() error {
	if e.coll != nil {
		defer e.coll.Close() // behind the operations, without the lock
	}
	if e.link == nil && e.enabled {
		e.AV.Unwatch(e)
	}
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.d.p.free(e.name, e)
	if e.link != nil {
		e.hangUp()
	}
	e.closed = true
	if !e.enabled {
		return nil
	}
	e.Drain()
	for _, s := range e.pending { // our own sends end
		s.peer.Withdraw(s.id)
		s.end(fi.ErrCanceled, "")
	}
	for from := range e.senders { // sends of others to us end
		for _, s := range from.pending {
			if s.peer.EP == &e.Endpoint {
				s.end(fi.ErrConnReset, "peer closed: it closed its endpoint")
			}
		}
	}
	return nil
}
