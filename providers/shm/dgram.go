package shm

import (
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/shmem"
)

// Endpoints of FI_EP_DGRAM send by the same rings and the same fast paths as others. What differs is what happens when there is
// no room, or no peer: a datagram is done when it lies in the ring, or when it is lost, and no peer that is not there, is
// stopped or reads nothing holds anything up for longer than FI_SHM_DGRAM_WAIT.

// pace is how a peer takes datagrams. The domain's lock guards it.
type pace struct {
	at    uint32        // up to where it had read when there was no room
	since time.Duration // when that was; 0: there was room
	late  *time.Timer   // looks whether those that wait are lost
	runs  bool          // the timer does
}

// datagrams is what the provider can do with them, made of what it offers for reliable ones.
func datagrams(o *fi.Info) *fi.Info {
	i := rdm.Datagram(o, dgramSize)
	i.Domain.MaxEPStxCtx = o.Domain.MaxEPStxCtx
	return i
}

// datagrams gives the operations of an endpoint for datagrams.
func (o *ops) datagrams(b *driver.Bindings) driver.Ops {
	if b.SharedRx != nil {
		s := sharedOps{ops: o}
		return driver.Ops{Msg: s, Tagged: s}
	}
	return driver.Ops{Msg: o, Tagged: o}
}

// wire is what the receives of an endpoint tell the sender of p.
func (e *endpoint) wire(p *pair) rdm.Wire {
	if e.lossy {
		return rdm.Lossy{}
	}
	return p
}

// budget is how many bytes of unexpected messages an endpoint of a type keeps.
func (c *config) budget(t fi.EPType) int {
	if t == fi.EPDgram {
		return min(c.unexpected, dgramKept)
	}
	return c.unexpected
}

// linger is how long closing the endpoint may wait for what was accepted.
func (e *endpoint) linger() time.Duration {
	if e.lossy {
		return min(e.d.cfg.linger, e.d.cfg.dgramWait)
	}
	return e.d.cfg.linger
}

// castLocked sends a datagram that the fast paths do not send. With the lock.
func (e *endpoint) castLocked(iov [][]byte, to fi.Addr, tag, data uint64, ctx any, fl fi.OpFlags, kind fi.CompFlags) error {
	n := length(iov)
	most, inject := e.Max.Msg, e.Inject.Msg
	if kind&fi.CompTagged != 0 {
		most, inject = e.Max.Tagged, e.Inject.Tagged
	}
	switch {
	case uint64(n) > most, fl&fi.OpInject != 0 && uint64(n) > inject:
		return fi.ErrMsgSize
	case fl&rdm.Unserved != 0:
		return fi.ErrOpNotSupp
	case e.closed:
		return fi.ErrBadFD
	}
	p, err := e.pairBy(to, e.seek)
	if err != 0 {
		return err
	}
	if !e.Reserve(fl) {
		return e.NoRoom()
	}
	switch {
	case p == nil:
	case p.state == ready && p.deferred.Len() == 0:
		if !p.carry(iov, n, tag, data, fl, kind) && !p.stuck() {
			e.Unreserve(fl)
			return e.NoRoom()
		}
	case !p.stuck():
		if !p.await(iov, n, tag, data, ctx, fl, kind) {
			e.Unreserve(fl)
			return e.NoRoom()
		}
		return nil
	}
	e.TxEnd(ctx, fl, kind, n, tag, 0, "")
	return nil
}

// carry puts a datagram into the ring; false when there is no room.
func (p *pair) carry(iov [][]byte, n int, tag, data uint64, fl fi.OpFlags, kind fi.CompFlags) bool {
	b := p.ring.Tx.Reserve(n)
	if b == nil {
		return false
	}
	code := uint8(opEager)
	if kind&fi.CompTagged != 0 {
		code |= eagerTagged
	}
	if fl&fi.OpRemoteCQData != 0 {
		code |= eagerData
	}
	gather(b, iov, 0)
	p.ring.Tx.Commit(code, 0, tag, data)
	p.bell()
	return true
}

// await makes a datagram wait for the connection: a peer's first would always be lost otherwise. False when too many do.
func (p *pair) await(iov [][]byte, n int, tag, data uint64, ctx any, fl fi.OpFlags, kind fi.CompFlags) bool {
	o := p.ep.newOp()
	if o == nil {
		return false
	}
	for _, b := range iov {
		if len(b) > 0 {
			o.iov = append(o.iov, b)
		}
	}
	o.kind, o.comp, o.fl, o.ctx, o.tag, o.data, o.n, o.to = opKindSend, kind, fl, ctx, tag, data, n, p
	p.deferOp(o)
	p.limit()
	return true
}

// limit has a look at those that wait when the peer has had its time.
func (p *pair) limit() {
	w, d := &p.pace, p.d
	if !w.runs {
		w.runs = true
		w.late = time.AfterFunc(d.cfg.dgramWait, func() { d.src.post(event{kind: evLate, p: p}) })
	}
}

// lose is that look.
func (p *pair) lose() {
	p.pace.runs = false
	switch {
	case p.deferred.Len() == 0:
	case !p.stuck():
		p.limit()
	default:
		all := p.deferred.Drop()
		p.waiting -= len(all)
		for _, o := range all {
			p.end(o, 0, "")
		}
		p.resume() // nothing is stalled
	}
}

// stuck tells whether a datagram that has no room is lost: the peer had the time of FI_SHM_DGRAM_WAIT, and has read nothing
// meanwhile, or is still being connected with. Until then it is worth trying again, so that who sends faster than a peer
// reads loses nothing.
func (p *pair) stuck() bool {
	at := uint32(0)
	if p.ring != nil {
		at = p.ring.Tx.Taken()
	}
	w, now := &p.pace, time.Since(epoch)
	if w.since == 0 || w.at != at {
		w.since, w.at = now, at
	}
	return now-w.since >= p.d.cfg.dgramWait
}

// seek begins to connect with the endpoint of a name; nil when there is none. For an endpoint that is not there is no pair,
// however much is sent to it.
func (e *endpoint) seek(id string) *pair {
	name, key := e.whoIs(id)
	if !e.has(key) { // it came into the vector when we were enabled already
		return nil
	}
	if !e.calls.start(id) { // it calls us
		p := e.caller(id)
		p.retryIn(crossedRetry)
		return p
	}
	conn, err := shmem.Connect(e.d.cfg.socketAddr(name))
	if absent(err) {
		e.calls.end(id)
		return nil
	}
	p := e.caller(id)
	p.reached(conn, err)
	return p
}
