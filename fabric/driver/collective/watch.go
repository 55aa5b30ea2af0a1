package collective

import (
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
)

// watchEvery is how long a member waits for another one before it asks whether that is still there, and how often.
const watchEvery = 250 * time.Millisecond

// watch looks after members that others wait for.
type watch struct {
	e     *Endpoint
	alarm *driver.Alarm
	set   bool
}

func (w *watch) init(e *Endpoint) {
	w.e = e
	w.alarm = e.eng.NewAlarm(w)
}

// begin sees that Run is called, while something is awaited.
func (w *watch) begin() {
	if !w.set && !w.e.closed {
		w.set = true
		w.alarm.Set(watchEvery)
	}
}

func (w *watch) end() { w.alarm.Stop() }

// Run asks the members for whom something has waited since the last time.
func (w *watch) Run() {
	e := w.e
	w.set = false
	if e.closed {
		return
	}
	e.running.each(func(x *op) {
		if x.age++; x.age < 2 {
			return
		}
		if x.err != 0 {
			x.revoke()
			return
		}
		for i := range x.posts {
			if q := &x.posts[i]; q.active && q.w.Kind == driver.WorkTRecv {
				x.g.probe(q.peer)
			}
		}
	})
	if e.joining > 0 {
		for _, g := range e.groups {
			if g.state != groupJoining {
				continue
			}
			for i, heard := range g.heard {
				if !heard {
					g.probe(i)
				}
			}
		}
	}
	if e.running.n > 0 || e.joining > 0 {
		w.begin()
	}
}

// probe asks a member, unless the last answer is still to come.
func (g *group) probe(rank int) {
	if !g.asked[rank] {
		g.asked[rank] = true
		g.tell(rank, kindProbe, 0)
	}
}
