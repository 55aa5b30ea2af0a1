package shm

import (
	"crypto/rand"
	"errors"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/collective"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/lock"
	"github.com/gofabric/gofabric/internal/shmem"
)

// endpoint is an endpoint of any type. The domain's lock guards it from Enable on.
type endpoint struct {
	rdm.Endpoint
	coll        *collective.Endpoint // nil without FI_COLLECTIVE
	d           *domain
	mu          *lock.Lock // the domain's
	name        string
	keys        []authKey // one but with keyed
	keyed       bool      // FI_AV_AUTH_KEY: keys are the vector's, and addresses have one of them
	incarnation uint64
	enabled     atomic.Bool
	closed      bool

	dests   []*pair            // by address, for what we send
	byName  map[string]*pair   // the pair that we send to a peer by; by pair.id
	callers map[*pair]struct{} // pairs that are being connected
	calls   calls
	ops     []*op
	freeOps *op
	liveOps int
	pending driver.Tally // operations in flight, without their parts
	ages    uint64       // of operations, counted

	maxMsg, maxTagged, maxRMA, maxAtomic fastLimits

	listener *link
	con      *connection // nil for other types than FI_EP_MSG
	lossy    bool        // FI_EP_DGRAM
}

func newEndpoint(d *domain, info *fi.Info) *endpoint {
	e := &endpoint{d: d, mu: d.eng.Mutex(), keys: []authKey{keyOf(info)}, keyed: info.Domain.AVAuthKey, byName: make(map[string]*pair), callers: make(map[*pair]struct{})}
	if len(info.SrcAddr) > 0 {
		e.name = nameOf(info.SrcAddr)
	}
	e.Info = info
	e.Rx = rdm.NewRx(d.eng, info)
	e.Rx.SetBudget(d.cfg.budget(info.EP.Type))
	switch info.EP.Type {
	case fi.EPMsg:
		e.connectable(info)
	case fi.EPDgram:
		e.lossy = true
	}
	return e
}

func (e *endpoint) SetName(raw []byte) error {
	a, err := checkAddr(raw)
	if err != nil {
		return err
	}
	e.name = nameOf(a)
	return nil
}

func (e *endpoint) Name() ([]byte, error) {
	if !e.enabled.Load() {
		return nil, fi.ErrOpBadState
	}
	return []byte(prefix + e.name), nil
}

func (e *endpoint) Enable(b *driver.Bindings) (driver.Ops, error) {
	var inc [8]byte
	rand.Read(inc[:]) // never fails
	e.incarnation = le.Uint64(inc[:])
	if e.con != nil {
		return e.enableConnection(b)
	}
	if e.name == "" {
		e.name = randomName()
	}
	if e.keyed {
		e.keys = b.Keys
	}
	lis, err := shmem.Listen(e.d.cfg.socketAddr(e.name))
	if err != nil {
		return driver.Ops{}, e.d.cfg.cannotListen("enable", e.name, err)
	}
	e.d.eng.Lock()
	e.initLimits(b)
	e.d.eng.Unlock()
	e.enabled.Store(true)
	e.AV.Watch(e) // before anybody can come
	e.listener = &link{kind: linkListener, lis: lis, e: e}
	if err := e.d.src.add(e.listener); err != nil {
		e.AV.Unwatch(e)
		e.enabled.Store(false)
		lis.Close()
		return driver.Ops{}, err
	}
	o := &ops{Rx: e.Rx, e: e}
	if e.lossy {
		return o.datagrams(b), nil
	}
	if b.SharedRx != nil {
		s := sharedOps{ops: o}
		return driver.Ops{Msg: s, Tagged: s, RMA: o, Atomic: o}, nil
	}
	all := driver.Ops{Msg: o, Tagged: o, RMA: o, Atomic: o}
	if e.Info.Caps&fi.CapCollective != 0 {
		e.coll = collective.New(e.d.eng, e, e.Info, b)
		all.Coll = e.coll
	}
	return all, nil
}

// initLimits takes the bindings over. With the lock.
func (e *endpoint) initLimits(b *driver.Bindings) {
	e.Init(e.d.eng, e.Info, e.d.regions, b)
	e.Key = e.keys[0]
	e.setLimits(b)
	e.noteEvents(b)
	e.d.endpoints[e] = struct{}{}
}

// setLimits says what the fast paths take. With the lock.
func (e *endpoint) setLimits(b *driver.Bindings) {
	fast := func(most, inject uint64, limit int) fastLimits {
		return fastLimits{int(min(most, uint64(limit))), int(min(inject, uint64(limit)))}
	}
	e.maxMsg = fast(b.Max.Msg, b.Inject.Msg, eagerMax)
	e.maxTagged = fast(b.Max.Tagged, b.Inject.Tagged, eagerMax)
	e.maxRMA = fast(b.Max.RMA, b.Inject.RMA, 1<<40)
	e.maxAtomic = fast(b.Max.Atomic, b.Inject.Atomic, driver.MaxAtomicSize)
}

func (c *config) cannotListen(op, name string, err error) error {
	out := &fi.Error{Op: op, Provider: Name, Object: prefix + name, Err: errors.Join(fi.FromSyscall(err), err)}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		out.Err, out.Hint = fi.ErrAddrInUse, "another endpoint of this host has the name: choose another one, or none"
	case c.socketDir != "":
		out.Hint = "FI_SHM_SOCKET_DIR=" + c.socketDir + " must be a folder that we may write to"
	}
	return out
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

// AVInserted makes a sender that was unknown known.
func (e *endpoint) AVInserted(_ fi.Addr, raw []byte) {
	e.readdress(func(p *pair) bool { return string(p.Raw) == string(raw) })
}

// AVRemoved makes one unknown; the connection stays for what is in flight.
func (e *endpoint) AVRemoved(a fi.Addr) {
	if a < fi.Addr(len(e.dests)) {
		e.dests[a] = nil
	}
	e.readdress(func(*pair) bool { return true })
}

func (e *endpoint) readdress(which func(*pair) bool) {
	change := func(p *pair) {
		if p.ep == e && which(p) {
			if id := e.userID(p.Raw); id != p.Addr {
				p.Readdress(id)
			}
		}
	}
	for _, p := range append([]*pair(nil), e.d.pairs...) {
		change(p)
	}
	for p := range e.callers {
		change(p)
	}
}

// Stats adds what the endpoint has counted.
func (e *endpoint) Stats(s *fi.EndpointStats) {
	e.Endpoint.Stats(s)
	s.Pending += e.pending.Load()
}

func (e *endpoint) SetMinMultiRecv(n int) error { return e.Rx.SetMinMultiRecv(n) }
func (e *endpoint) MinMultiRecv() int           { return e.Rx.MinMultiRecv() }

// Close sends what was accepted, for up to the linger time, which datagrams have less of, and completes the rest with fi.ErrCanceled.
func (e *endpoint) Close() error {
	if e.con != nil {
		e.closeConnection()
	}
	if !e.enabled.Load() {
		return nil
	}
	if e.coll != nil {
		defer e.coll.Close() // behind the operations, without the lock
	}
	if e.con == nil {
		e.AV.Unwatch(e)
		e.d.src.remove(e.listener)
	}
	until := time.Now().Add(e.linger())
	for !e.idle() && time.Now().Before(until) {
		yield()
	}
	defer e.d.notes.Settle() // without the lock
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.closed = true
	e.Drain()
	for p := range e.callers {
		p.fail(fi.ErrCanceled, "the endpoint was closed")
	}
	for _, p := range append([]*pair(nil), e.d.pairs...) {
		if p.ep == e {
			p.fail(fi.ErrCanceled, "the endpoint was closed")
		}
	}
	delete(e.d.endpoints, e)
	return nil
}

// idle tells whether everything that was accepted has left.
func (e *endpoint) idle() bool {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.d.eng.Poll()
	if e.liveOps > 0 {
		return false
	}
	for _, p := range e.d.pairs {
		if p.ep == e && p.carries() {
			return false
		}
	}
	return true
}

// carries tells whether something is on its way that no operation of ours stands for, or no longer: messages behind a full
// ring, what we fetch, and what a peer that is there has yet to copy out of our blocks.
func (p *pair) carries() bool {
	return p.outbox.Len() > 0 || p.fetching.Len() > 0 || p.state == ready && (p.sending.Len() > 0 || p.blocksOut > 0)
}
