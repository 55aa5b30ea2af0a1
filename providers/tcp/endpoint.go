package tcp

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/collective"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/lock"
)

// endpoint is an RDM endpoint. The domain's lock guards it from Enable on.
type endpoint struct {
	rdm.Endpoint
	coll    *collective.Endpoint // nil without FI_COLLECTIVE
	d       *domain
	mu      *lock.Lock     // the domain's
	want    netip.AddrPort // where to listen
	name    netip.AddrPort // where peers find it
	wild    bool           // it listens at every address of this host
	lis     *listener
	enabled atomic.Bool
	closed  bool

	dests      []*peer // by address, for what we send
	peers      map[netip.AddrPort]*peer
	conns      map[*conn]struct{}
	ops        []*op
	freeOps    *op
	liveOps    int
	pending    driver.Tally // operations in flight, without their parts
	ages       uint64       // of operations, counted
	savedBytes int          // of long messages that nothing has matched
	keepers    []*conn      // whose peers were asked to announce, for these

	maxMsg, maxTagged fastLimits

	link *link       // nil for FI_EP_RDM
	over atomic.Bool // the link's connection has ended
}

// listener is an endpoint's listening socket.
type listener struct {
	e     *endpoint
	fd    int
	token uint64

	resting  bool // for want of descriptors
	refusals refusals
}

func newEndpoint(d *domain, info *fi.Info) (*endpoint, error) {
	e := &endpoint{d: d, mu: d.eng.Mutex(), peers: make(map[netip.AddrPort]*peer), conns: make(map[*conn]struct{})}
	var err error
	if e.want, err = d.cfg.home(info); err != nil {
		return nil, err
	}
	e.name = e.want
	e.Info = info
	e.Rx = rdm.NewRx(d.eng, info)
	e.Rx.SetBudget(d.cfg.unexpected)
	if info.EP.Type == fi.EPMsg {
		e.connectable(info)
	}
	return e, nil
}

// SetName chooses where to listen.
func (e *endpoint) SetName(raw []byte) error {
	a, err := checkAddr(raw)
	if err != nil {
		return err
	}
	e.want = a
	return nil
}

// Name is the listener's address.
func (e *endpoint) Name() ([]byte, error) {
	if !e.enabled.Load() {
		return nil, fi.ErrOpBadState
	}
	if e.link != nil && e.Info.Handle != nil && e.link.answer != nil {
		return e.Info.SrcAddr, nil
	}
	return rawOf(e.name), nil
}

// Enable listens.
func (e *endpoint) Enable(b *driver.Bindings) (driver.Ops, error) {
	if e.link != nil {
		return e.enableLink(b)
	}
	fd, at, err := e.d.cfg.bind(e.want, alone)
	if err == nil {
		if err = sysListen(fd); err != nil {
			sysClose(fd)
		}
	}
	if err != nil {
		return driver.Ops{}, cannotBind("enable", e.want, err)
	}
	if at = canonical(at); at.Addr().IsUnspecified() {
		e.wild = true
		at = netip.AddrPortFrom(e.d.cfg.address(at.Addr(), e.Info.Domain.Name), at.Port())
	}
	e.d.eng.Lock()
	e.name = at
	e.initLimits(b)
	e.lis = &listener{e: e, fd: fd}
	sysOnRefused(fd, e.lis.refusedTLS)
	e.d.endpoints[e] = struct{}{}
	e.d.eng.Unlock()
	e.enabled.Store(true)
	e.AV.Watch(e) // before anybody can come
	e.d.eng.Lock()
	e.lis.token = e.d.src.register(e.lis)
	e.d.src.door.add(fd, pollIn, e.lis.token)
	e.d.eng.Unlock()
	o := &ops{Rx: e.Rx, e: e}
	var atomics driver.Atomics
	if e.d.cfg.extension {
		atomics = o
	}
	if b.SharedRx != nil {
		s := sharedOps{ops: o}
		return driver.Ops{Msg: s, Tagged: s, RMA: o, Atomic: atomics}, nil
	}
	all := driver.Ops{Msg: o, Tagged: o, RMA: o, Atomic: atomics}
	if e.Info.Caps&fi.CapCollective != 0 {
		e.coll = collective.New(e.d.eng, e, e.Info, b)
		all.Coll = e.coll
	}
	return all, nil
}

func (e *endpoint) initLimits(b *driver.Bindings) {
	e.Init(e.d.eng, e.Info, e.d.regions, b)
	e.setLimits(b)
}

// setLimits says what the fast paths take. With the lock.
func (e *endpoint) setLimits(b *driver.Bindings) {
	fast := func(most, inject uint64) fastLimits {
		return fastLimits{int(min(most, copyMax)), int(min(inject, copyMax))}
	}
	e.maxMsg = fast(b.Max.Msg, b.Inject.Msg)
	e.maxTagged = fast(b.Max.Tagged, b.Inject.Tagged)
}

// bind makes a socket that may listen; a port of its own is taken from the range that the environment gives.
func (c *config) bind(want netip.AddrPort, how sharing) (fd int, at netip.AddrPort, err error) {
	low, high := c.portLow, c.portHigh
	if want.Port() != 0 || low == 0 {
		return c.sockBind(want, how)
	}
	n := high - low + 1
	first := rand.IntN(n)
	for i := range n {
		port := uint16(low + (first+i)%n)
		fd, at, err = c.sockBind(netip.AddrPortFrom(want.Addr(), port), how)
		if fi.FromSyscall(err) != fi.ErrAddrInUse {
			return fd, at, err
		}
	}
	return noSocket, netip.AddrPort{}, &fi.Error{Op: "bind", Provider: Name, Err: fi.ErrAddrInUse,
		Hint: "all ports of " + c.rangeText() + " are taken: widen the range, or give a port of your own"}
}

func cannotBind(op string, at netip.AddrPort, err error) error {
	out := &fi.Error{Op: op, Provider: Name, Object: at.String(), Err: fi.FromSyscall(err), Hint: reason(err)}
	if _, ranged := errors.AsType[*fi.Error](err); !ranged && fi.FromSyscall(err) == fi.ErrAddrInUse {
		out.Err, out.Hint = fi.ErrAddrInUse, "another socket listens at this port: choose another one, or 0"
	}
	return out
}

// dialFrom is the address from which we connect: peers know us by it.
func (e *endpoint) dialFrom(to netip.AddrPort) netip.Addr {
	if e.wild || e.name.Addr().Is4() != to.Addr().Is4() {
		return netip.Addr{} // the system's choice is the one that leads there
	}
	return e.name.Addr()
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
	e.readdress(func(c *conn) bool { return string(c.Raw) == string(raw) })
}

// AVRemoved makes one unknown; the connection stays for what is in flight.
func (e *endpoint) AVRemoved(a fi.Addr) {
	if a < fi.Addr(len(e.dests)) {
		if p := e.dests[a]; p != nil {
			e.dests[a] = nil
			p.refs--
			if p.refs == 0 && p.c != nil {
				p.c.takeLeave()
			}
			p.release()
		}
	}
	e.readdress(func(*conn) bool { return true })
}

func (e *endpoint) readdress(which func(*conn) bool) {
	for c := range e.conns {
		if c.to == nil || !which(c) {
			continue
		}
		if id := e.userID(c.Raw); id != c.Addr {
			c.Readdress(id)
		}
	}
}

// Stats adds what the endpoint has counted.
func (e *endpoint) Stats(s *fi.EndpointStats) {
	e.Endpoint.Stats(s)
	s.Pending += e.pending.Load()
}

// SetMinMultiRecv sets when a multi-receive buffer ends.
func (e *endpoint) SetMinMultiRecv(n int) error { return e.Rx.SetMinMultiRecv(n) }

// MinMultiRecv gives what SetMinMultiRecv set.
func (e *endpoint) MinMultiRecv() int { return e.Rx.MinMultiRecv() }

// Cancel ends a posted receive, or an operation of ours: at once what has not left yet; a message of the extension that
// nobody has matched after the peer has given it back. What cannot be stopped any more completes as if nothing had been
// asked.
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
	var o *op
	for _, x := range e.ops {
		if x.state != opFree && x.parent == nil && x.ctx == ctx && (o == nil || x.age < o.age) {
			o = x
		}
	}
	switch {
	case o == nil:
		return fi.ErrNoEnt
	case o.state == opDeferred:
		o.to.cancel(o)
	case o.kind == opSend && o.c != nil && o.c.ext && o.waits == waitAnswer && o.state != opCanceling && o.c.state == connReady:
		o.state = opCanceling
		o.c.enc.PutExtCancel(o.c.answerRoom(24), o.id)
		o.c.markDirty()
	}
	return nil
}

// Close sends what was accepted, for up to the linger time, and completes the rest with fi.ErrCanceled.
func (e *endpoint) Close() error {
	if e.link != nil {
		e.link.close()
	}
	if !e.enabled.Load() {
		return nil
	}
	if e.coll != nil {
		defer e.coll.Close() // behind the operations, without the lock
	}
	if e.AV != nil {
		e.AV.Unwatch(e)
	}
	until := time.Now().Add(e.d.cfg.linger)
	for !e.idle() && time.Now().Before(until) {
		yield()
	}
	defer e.d.src.notes.Settle() // without the lock
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.closed = true
	if e.lis != nil {
		e.d.src.door.remove(e.lis.fd)
		e.d.src.unregister(e.lis.token)
		sysClose(e.lis.fd)
	}
	e.Drain()
	const text = "the endpoint was closed"
	for c := range e.conns {
		c.sayLeave()
		c.swallow()
		c.fail(fi.ErrCanceled, text)
	}
	for _, p := range e.peers {
		p.stopTrying()
		p.giveUp(fi.ErrCanceled, text)
	}
	e.d.src.unstall(e)
	delete(e.d.endpoints, e)
	return nil
}

// swallow reads what nobody will handle: a socket that is closed with unread bytes resets the connection, and the peer
// might lose what we have sent.
func (c *conn) swallow() {
	if c.state != connReady {
		return
	}
	b := c.s.getChunk()
	for range 64 {
		if n, errno := sysRead(c.fd, b.b[:]); n == 0 || errno != 0 {
			break
		}
	}
	c.s.putChunk(b)
}

// idle tells whether everything that was accepted has left.
func (e *endpoint) idle() bool {
	e.d.eng.Lock()
	defer e.d.eng.Unlock()
	e.d.eng.Poll()
	if e.liveOps > 0 {
		return false
	}
	for c := range e.conns {
		if c.state == connReady && !c.dying && (c.out.Len() > 0 || sysUnsent(c.fd)) {
			return false
		}
	}
	return true
}
