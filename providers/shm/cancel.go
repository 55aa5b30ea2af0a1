package shm

import "github.com/gofabric/gofabric/fi"

// Cancel ends a posted receive, or an operation of ours: at once what has not left yet; a message that nobody has
// matched after the peer has given it back. What cannot be stopped any more completes as if nothing had been asked.
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
	case o.state == opWaiting:
		o.to.cancel(o)
	case o.state == opInFlight && o.kind == opKindSend:
		o.state = opCanceling
		o.to.put(opCancelMsg, 0, 0, uint64(o.id), nil)
	case o.state == opWhole:
		for _, x := range e.ops {
			if x.parent == o && x.state == opWaiting {
				x.to.cancel(x)
				if o.state != opWhole { // that was the last part
					break
				}
			}
		}
	}
	return nil
}

// cancel ends an operation that waits here.
func (p *pair) cancel(o *op) {
	for i, q := range p.deferred.All() {
		if q == o {
			p.deferred.Remove(i)
			p.waiting--
			p.end(o, fi.ErrCanceled, "")
			return
		}
	}
}
