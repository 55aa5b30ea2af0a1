package mpi

import (
	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/schedule"
)

// plans are the schedules that a communicator keeps, with a run of each that is not in use, so that an operation that is
// repeated allocates nothing.
type plans struct {
	recent [32]*plan // by kind of operation: the last one
	all    map[coll.Args]*plan
}

type plan struct {
	args  coll.Args
	sched *coll.Schedule
	idle  *schedule.Run
}

// keepPlans bounds the schedules that are kept.
const keepPlans = 64

// run gives a run for a call.
func (cs *collectives) run(c *Comm, k *collective) (*schedule.Run, error) {
	a := k.args
	a.Members, a.Rank = c.size, c.rank
	p := cs.plans.recent[a.Coll]
	if p == nil || p.args != a {
		var err error
		if p, err = cs.plans.find(c, &a); err != nil {
			return nil, &Error{Op: k.call, Class: ErrArg, Rank: NoRank, Err: err}
		}
		cs.plans.recent[a.Coll] = p
	}
	if r := p.idle; r != nil {
		p.idle = nil
		return r, nil
	}
	r := schedule.New(c.job.dev)
	r.Schedule, r.Owner = p.sched, p
	return r, nil
}

// find looks a schedule up, or makes it.
func (ps *plans) find(c *Comm, a *coll.Args) (*plan, error) {
	if p := ps.all[*a]; p != nil {
		return p, nil
	}
	s, err := c.table().Make(*a)
	if err != nil {
		return nil, err
	}
	p := &plan{args: *a, sched: s}
	if a.Vector != nil { // its counts are the caller's
		return p, nil
	}
	if len(ps.all) >= keepPlans || ps.all == nil {
		ps.all = map[coll.Args]*plan{}
	}
	ps.all[*a] = p
	return p, nil
}

// release keeps a run that ended well for the next time.
func (cs *collectives) release(r *schedule.Run) {
	r.Forget()
	cs.mu.Lock()
	cs.ended(r.Number)
	r.Owner.(*plan).idle = r
	cs.mu.Unlock()
}
