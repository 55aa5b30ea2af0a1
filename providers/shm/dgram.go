package shm

import (
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fabric/driver/rdm"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/fifo"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// Endpoints of FI_EP_DGRAM send by the same rings and the same fast paths as others. What differs is what happens when
// there is no room, or no peer: a datagram is done when the call returns, whoever the peer is and whatever it does, so that
// no operation of such an endpoint ever waits for anybody.

// cast is what a pair has for datagrams. The domain's lock guards it.
type cast struct {
	kept  fifo.Queue[outMessage] // until there is a connection
	bytes int                    // of the ring's area that they will take
	at    uint32                 // up to where the peer had read when no room was found
	since time.Duration          // when that was
}

// As many datagrams are kept for a peer that is being connected with as an empty ring is certain to take.
const (
	keptDatagrams = (ring.Lines - 1) / 2 // one line is PROBED's, and each may take two
	keptBytes     = 20 << 10
)

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
		return fi.ErrAgain
	}
	code := uint8(opEager)
	if kind&fi.CompTagged != 0 {
		code |= eagerTagged
	}
	if fl&fi.OpRemoteCQData != 0 {
		code |= eagerData
	}
	if p != nil && !p.carry(code, tag, data, iov, n) && !p.stuck() {
		e.Unreserve(fl)
		return fi.ErrAgain
	}
	e.TxEnd(ctx, fl, kind, n, tag, 0, "")
	return nil
}

// carry puts a datagram into the ring, or keeps it until there is one; false when there is no room.
func (p *pair) carry(code uint8, tag, data uint64, iov [][]byte, n int) bool {
	if p.state == connecting {
		return p.keep(code, tag, data, iov, n)
	}
	b := p.ring.Tx.Reserve(n)
	if b == nil {
		return false
	}
	gather(b, iov, 0)
	p.ring.Tx.Commit(code, 0, tag, data)
	p.bell()
	return true
}

// keep stores a datagram for the time when the pair is complete.
func (p *pair) keep(code uint8, tag, data uint64, iov [][]byte, n int) bool {
	c, takes := &p.cast, (n+ring.LineSize-1)&^(ring.LineSize-1)
	if c.kept.Len() >= keptDatagrams || c.bytes+takes > keptBytes {
		return false
	}
	b := make([]byte, n)
	gather(b, iov, 0)
	c.bytes += takes
	c.kept.Push(outMessage{op: code, tag: tag, data: data, payload: b})
	return true
}

// release puts what was kept into the ring of a pair that has just been completed.
func (p *pair) release() {
	for p.cast.kept.Len() > 0 {
		m := p.cast.kept.Pop()
		p.ring.Tx.Put(m.op, 0, m.tag, m.data, m.payload)
	}
	p.cast = cast{}
	p.bell()
}

// stuck tells whether a datagram that has no room is lost: the peer had the time of FI_SHM_DGRAM_WAIT, and has read nothing
// meanwhile, or is still being connected with. Until then it is worth trying again, so that who sends faster than a peer
// reads loses nothing.
func (p *pair) stuck() bool {
	at := uint32(0)
	if p.ring != nil {
		at = p.ring.Tx.Taken()
	}
	c, now := &p.cast, time.Since(epoch)
	if c.since == 0 || c.at != at {
		c.since, c.at = now, at
	}
	return now-c.since >= p.d.cfg.dgramWait
}

// seek begins to connect with the endpoint of a name; nil when there is none. For an endpoint that is not there is no pair,
// however much is sent to it.
func (e *endpoint) seek(name string) *pair {
	if !e.calls.start(name) { // it calls us
		p := e.caller(name)
		p.retryIn(crossedRetry)
		return p
	}
	conn, err := shmem.Connect(e.d.cfg.socketAddr(name))
	if absent(err) {
		e.calls.end(name)
		return nil
	}
	p := e.caller(name)
	p.reached(conn, err)
	return p
}
