package fabric

import (
	"sync"

	"github.com/gofabric/gofabric/fi"
)

// totals sums what the objects of a domain or a fabric have counted, so that sums do not fall when an object closes: what
// it had counted stays. S is fi.DomainStats or fi.FabricStats.
type totals[S any] struct {
	mu   sync.Mutex // before the mutexes of the objects that are asked
	live map[counted[S]]struct{}
	gone S // of objects that are closed
}

// counted is an object that totals ask.
type counted[S any] interface {
	// count adds the object's numbers, without its levels when it is no longer open.
	count(into *S, open bool)
}

func (t *totals[S]) add(o counted[S]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live == nil {
		t.live = make(map[counted[S]]struct{})
	}
	t.live[o] = struct{}{}
}

// drop takes the last numbers of an object that has closed; once for each.
func (t *totals[S]) drop(o counted[S]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, there := t.live[o]; there {
		delete(t.live, o)
		o.count(&t.gone, false)
	}
}

// change changes what is kept beside the objects' own numbers.
func (t *totals[S]) change(f func(*S)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.gone)
}

func (t *totals[S]) sum() S {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.gone
	for o := range t.live {
		o.count(&s, true)
	}
	return s
}

func (c *epCore) count(into *fi.DomainStats, open bool) {
	s := c.stats()
	if open {
		into.Endpoints++
	} else {
		s.DropLevels()
	}
	into.Endpoint.Add(&s)
}

func (s *SharedRx) count(into *fi.DomainStats, open bool) {
	x := s.Stats()
	if !open {
		x.Posted, x.Unexpected, x.UnexpectedBytes = 0, 0, 0
	}
	into.Endpoint.Rx.Add(&x)
}

func (q *CQ) count(into *fi.DomainStats, open bool) {
	s := q.Stats()
	if open {
		into.CQs++
	} else {
		s.Depth = 0
	}
	into.CQ.Add(&s)
}

func (c *Counter) count(into *fi.DomainStats, open bool) {
	if open {
		into.Counters++
	}
}

func (av *AV) count(into *fi.DomainStats, open bool) {
	s := av.Stats()
	if open {
		into.AVs++
	} else {
		s.Addresses = 0
	}
	into.AV.Add(&s)
}

func (d *Domain) count(into *fi.FabricStats, open bool) {
	if open {
		into.Domains++
	}
}

func (q *EQ) count(into *fi.FabricStats, open bool) {
	s := q.Stats()
	if open {
		into.EQs++
	} else {
		s.Depth = 0
	}
	into.EQ.Add(&s)
}

func (p *PassiveEndpoint) count(into *fi.FabricStats, open bool) {
	s := p.Stats()
	if open {
		into.Passives++
	} else {
		s.Waiting = 0
	}
	into.Passive.Add(&s)
}
