package rdm

import (
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// ConnCounts count the connections of an endpoint; the provider does, with the domain's lock.
type ConnCounts struct {
	Open, Opened, Failed, Retry driver.Tally
}

// txKind is the kind that an operation of ours counts as.
func txKind(kind fi.CompFlags) fi.OpKind {
	if kind&fi.CompSend != 0 {
		return fi.OpKind(kind>>2) & fi.OpKindTSend // FI_TAGGED is 1<<3
	}
	return accessKind(kind)
}

func accessKind(kind fi.CompFlags) fi.OpKind {
	switch {
	case kind&fi.CompCollective != 0:
		return fi.OpKindCollective
	case kind&fi.CompAtomic != 0 && kind&fi.CompWrite != 0:
		return fi.OpKindAtomic
	case kind&fi.CompAtomic != 0:
		return fi.OpKindFetch
	case kind&fi.CompWrite != 0:
		return fi.OpKindWrite
	}
	return fi.OpKindRead
}

// rxKind is the kind that a receive counts as.
func rxKind(kind fi.CompFlags) fi.OpKind { return fi.OpKind(kind>>2)&fi.OpKindTSend | fi.OpKindRecv }

// NoRoom counts an operation that found no room, and is what it returns: fi.ErrAgain. With the lock.
func (e *Endpoint) NoRoom() fi.Errno {
	e.Again.Add(1)
	return fi.ErrAgain
}

// Up counts a connection that was made; Down one of these that has ended. With the lock.
func (c *ConnCounts) Up() {
	c.Open.Add(1)
	c.Opened.Add(1)
}

// Down counts the end of a connection that Up has counted.
func (c *ConnCounts) Down() { c.Open.Add(-1) }

// Stats adds what the endpoint has counted to s; it is what makes a provider's endpoint a [driver.EndpointCounter]. What a
// provider itself knows, Pending for one, it adds in a method of its own.
func (e *Endpoint) Stats(s *fi.EndpointStats) {
	e.counts.Stats(&s.Ops)
	s.Again += e.Again.Load()
	s.Conns.Open += e.Conns.Open.Load()
	s.Conns.Opened += e.Conns.Opened.Load()
	s.Conns.Failed += e.Conns.Failed.Load()
	s.Conns.Retry += e.Conns.Retry.Load()
	if x := e.Rx; x.ep == e { // a shared one counts for itself
		x.Stats(&s.Rx)
	}
}

// Stats adds what the context has counted to s. No lock needed.
func (x *Rx) Stats(s *fi.RxStats) {
	s.Posted += uint64(x.Msg.Posted() + x.Tag.Posted())
	s.Unexpected += uint64(x.Msg.Unexpected() + x.Tag.Unexpected())
	s.UnexpectedBytes += uint64(x.bytes())
	s.Kept += x.kept.Load()
	s.Held += x.holds.Load()
}
