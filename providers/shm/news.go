package shm

// hear takes the news. With the lock.
//
//go:noinline
func (s *source) hear() {
	for _, ev := range s.take() {
		switch ev.kind {
		case evAccepted:
			ev.e.accepted(ev.p)
		case evConnected:
			ev.p.connected(ev.h, ev.t, ev.err)
		case evCrossed:
			ev.p.crossed()
		case evHangup:
			ev.p.hungUp()
		case evBroken:
			ev.p.broken(ev.err.Error())
		case evMapped:
			ev.p.mapped(ev.block, ev.m)
			s.announce()
		case evRetry:
			if ev.p.state == connecting && ev.p.link == nil {
				ev.p.dial()
			}
		case evTimeout:
			ev.p.timedOut()
		case evLate:
			ev.p.lose()
		case evSweep:
			s.sweep()
		case evRetire:
			s.d.retire(ev.block)
		}
	}
}

// drop gives back what news that nobody hears has brought.
func (ev *event) drop() {
	if ev.m != nil {
		ev.m.Unmap()
	}
	if ev.t != nil {
		ev.t.m.Unmap()
	}
	if ev.kind == evAccepted {
		ev.e.calls.heard(ev.p.id)
		ev.p.rings.Unmap()
		ev.p.tableAt.m.Unmap()
	}
}
