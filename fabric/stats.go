package fabric

import (
	"sync/atomic"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// Each Stats method gives numbers of one object as a copy. It may be called at any time by any goroutine, before Enable and
// after Close too (then it gives the last numbers), also in a domain opened with FI_THREAD_DOMAIN: it takes
// no lock that operations take. Numbers that change meanwhile may be of slightly different times. There is no counterpart in C.

// Stats gives the endpoint's numbers; aliases have the same. Of a context of a scalable endpoint they are those of its
// direction. A provider that does not count gives zeros; those of this module count, and hooks before them hand that on.
func (ep *Endpoint) Stats() fi.EndpointStats { return ep.core.stats() }

func (c *epCore) stats() (s fi.EndpointStats) {
	c.mu.Lock()
	counter := c.counter
	c.mu.Unlock()
	if counter != nil {
		counter.Stats(&s)
		c.half.own(&s)
		c.unbegun.Stats(&s.Ops)
	}
	return s
}

// own leaves a context the numbers of its direction; an endpoint all.
func (h *half) own(s *fi.EndpointStats) {
	if h == nil {
		return
	}
	all := *s
	if h.rx {
		*s = fi.EndpointStats{Rx: all.Rx}
	} else {
		*s = fi.EndpointStats{Pending: all.Pending, Again: all.Again, Conns: all.Conns}
	}
	for k := range all.Ops {
		switch fi.OpKind(k) {
		case fi.OpKindRecv, fi.OpKindTRecv, fi.OpKindRemoteWrite, fi.OpKindRemoteRead:
			if !h.rx {
				continue
			}
		default:
			if h.rx {
				continue
			}
		}
		s.Ops[k] = all.Ops[k]
	}
}

// Stats gives the sums over the contexts of the endpoint, those that are closed too.
func (s *ScalableEndpoint) Stats() (sum fi.EndpointStats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.lanes {
		for _, c := range []*epCore{s.lanes[i].tx, s.lanes[i].rx} {
			if c != nil {
				one := c.stats()
				sum.Add(&one)
			}
		}
	}
	return sum
}

// Stats gives the context's numbers. Receives that complete are counted by the endpoints at which the messages arrived.
func (s *SharedRx) Stats() (x fi.RxStats) {
	if c, ok := driver.Ability[driver.RxCounter](s.drv); ok {
		c.Stats(&x)
	}
	return x
}

// Stats gives the context's numbers.
func (s *SharedTx) Stats() fi.SharedTxStats { return s.drv.Stats() }

// Stats gives the queue's numbers.
func (q *CQ) Stats() fi.QueueStats {
	s := q.q.Stats()
	s.Sleeps = q.wait.sleeps.Load()
	return s
}

// Stats gives the counter's numbers, and, other than Read, does not drive the domain.
func (c *Counter) Stats() fi.CounterStats {
	return fi.CounterStats{Value: c.c.Value(), Errors: c.c.Errs(), Sleeps: c.wait.sleeps.Load()}
}

// Stats gives the queue's numbers. Events that went unread with their endpoint are written and not read.
func (q *EQ) Stats() fi.QueueStats {
	s := q.q.Stats()
	s.Sleeps = q.wait.sleeps.Load()
	return s
}

// Stats gives the vector's numbers.
func (av *AV) Stats() fi.AVStats { return av.v.Stats() }

// Stats gives the region's numbers.
func (m *MR) Stats() fi.MRStats {
	s := m.r.Stats()
	m.mu.Lock()
	if m.closed {
		s.Bytes = 0
	}
	m.mu.Unlock()
	return s
}

// Stats gives the endpoint's numbers.
func (p *PassiveEndpoint) Stats() fi.PassiveStats {
	p.mu.Lock()
	s, events := p.stats, p.events
	p.mu.Unlock()
	if events != nil {
		s.Requests, s.Waiting = events.Requests(), uint64(events.Waiting())
	}
	return s
}

// Stats gives the group's numbers.
func (mc *MC) Stats() (s fi.GroupStats) {
	mc.mu.Lock()
	closed := mc.closed
	mc.mu.Unlock()
	if !closed && mc.Addr() != fi.AddrNotAvail {
		s.Joined = 1
	}
	return s
}

// Stats gives the domain's numbers, and the sums over its objects, those that are closed too.
func (d *Domain) Stats() fi.DomainStats {
	s := d.totals.sum()
	s.Work = atomic.LoadUint64(&d.queued)
	s.Engine = d.eng.Stats()
	return s
}

// Stats gives the fabric's numbers, and the sums over its event queues and passive endpoints, those that are closed too.
func (f *Fabric) Stats() fi.FabricStats { return f.totals.sum() }
