package shm

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// hungUp says that the peer is gone. What it sent before is still read.
func (p *pair) hungUp() {
	if p.state != ready {
		return
	}
	p.state = dying
	p.waiting++
	p.finish()
}

// finish reads the last messages of a peer that is gone. Those of a connection may have no place yet: they are read when
// they have.
func (p *pair) finish() {
	for range ring.Lines/budget + 1 { // all that fits the ring: the peer may be alive, and go on writing
		if !p.drain() || p.state != dying {
			break
		}
	}
	if p.paused && p.ep.con != nil {
		return
	}
	if p.state == dying {
		p.fail(fi.ErrConnReset, "peer closed: "+p.who()+" closed its endpoint or ended")
	}
}

// broken ends the connection with a peer that does not follow the protocol.
func (p *pair) broken(why string) {
	if p.state != dead {
		p.fail(fi.ErrProto, "the peer "+p.who()+" broke the protocol, the connection is closed: "+why)
	}
}

// fail ends a pair: each of its operations completes with err.
func (p *pair) fail(err fi.Errno, text string) {
	if p.state == dead {
		return
	}
	was, why := p.state, err
	p.logEnd(err, text)
	p.state = dead
	p.waiting++
	p.stopTimers()
	e, d := p.ep, p.d
	switch {
	case e.con != nil: // whatever has ended the connection
		err = fi.ErrCanceled
	case e.lossy: // what waits is lost
		err, text = 0, ""
	}
	if p.pace.late != nil {
		p.pace.late.Stop()
	}
	if _, ours := e.callers[p]; ours {
		delete(e.callers, p)
		e.calls.end(p.id)
	}
	if e.byName[p.id] == p {
		delete(e.byName, p.id)
	}
	for i, q := range e.dests {
		if q == p {
			e.dests[i] = nil
		}
	}
	if was != connecting {
		d.removePair(p)
		e.Conns.Down()
	} else if why != fi.ErrCanceled && (e.con == nil || !e.con.missed) {
		e.Conns.Failed.Add(1)
	}
	p.left()
	p.dropTransfers(err, text)
	for _, o := range e.ops {
		if o.to == p && o.state >= opInFlight {
			p.end(o, err, text)
		}
	}
	for _, o := range p.deferred.Drop() {
		p.end(o, err, text)
	}
	p.Gone()
	p.discard()
	p.told(why)
	if e.con != nil {
		e.con.ended(e, why, text)
	}
	d.src.announce()
}

// left tells the peer, which may be in the middle of copying them, that our blocks and the buffers of our operations
// are about to be used for something else. The socket tells it too, but not before it looks there.
func (p *pair) left() {
	if p.ring == nil { // nobody has answered yet
		return
	}
	atomic.StoreUint32(p.ring.MyEnd, 1)
	if p.d.plain && (p.blocksOut > 0 || p.inFlight > 0) {
		shmem.GlobalBarrier()
	}
}

// came ends a transfer whose bytes have all been copied. They are what the peer sent unless it has left meanwhile: its
// operation has failed then, and what was copied may be anything.
func (in *inbound) came() {
	p := in.p
	if atomic.LoadUint32(p.ring.TheirEnd) == 0 {
		in.finish(0, "")
		return
	}
	err := fi.ErrConnReset
	if p.ep.con != nil { // as fail has it
		err = fi.ErrCanceled
	}
	in.finish(err, "peer closed: "+p.who()+" closed its endpoint in the middle of the data")
}

// dropTransfers ends what moves data to or from the peer.
func (p *pair) dropTransfers(err fi.Errno, text string) {
	w := &p.d.src.work
	if p.outbox.Len() > 0 {
		w.stick(-1)
	}
	w.stick(-p.sending.Len())
	w.copy(-p.fetching.Len())
	if p.stalled {
		w.stick(-1)
	}
	if p.withdrawals.Len() > 0 {
		w.stick(-1)
	}
	p.withdrawals.Drop()
	p.goOn()
	unmapped, inbound := p.unmapped, p.inbound
	p.unmapped, p.inbound, p.stalled, p.early = nil, nil, false, nil
	p.outbox.Drop()
	p.sending.Drop()
	fetching := p.fetching.Drop()
	for _, in := range fetching {
		in.abort(err, text)
	}
	for _, in := range unmapped {
		in.abort(err, text)
	}
	for _, in := range inbound {
		in.abort(err, text)
	}
	for i := range p.out {
		p.d.bulk.give(i)
	}
	p.out, p.blocksOut = nil, 0
}

// discard gives the pair's memory and descriptors back.
func (p *pair) discard() {
	s := p.d.src
	if p.link != nil {
		s.remove(p.link)
	}
	if w := p.process.Load(); w != nil {
		s.remove(w)
	}
	for id, m := range p.blocks {
		delete(p.blocks, id)
		if m != nil {
			m.retire(true)
		}
	}
	p.keys = [keyCache]keyEntry{}
	if p.rings != nil {
		s.bury(grave{p.rings, p.ring})
		p.ring = p.d.nowhere() // a copy that runs without the lock will say there that it has left
	}
	if p.tableAt != nil {
		s.bury(grave{p.tableAt.m, nil})
	}
}

// nowhere is the ring of pairs that have ended.
func (d *domain) nowhere() *ring.Pair {
	if d.limbo == nil {
		d.limbo, _ = ring.Layout(make([]byte, ring.PairBytes), ring.Config{}) // large Go memory begins at a page
	}
	return d.limbo
}
