package schedule

import "github.com/gofabric/gofabric/mpi/internal/device"

// Fail ends a run that goes on with an error, and nothing else that it does matters any more. peer is the world rank that
// is to blame, or device.AnyPeer. What is over stays as it is.
func (r *Run) Fail(peer int, err error) {
	r.fail(peer, err)
}

// fail keeps the first error and withdraws the receives.
func (r *Run) fail(peer int, err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err, r.peer = err, peer
	}
	r.mu.Unlock()
	r.failed.Store(true)
	if r.posted.Load() { // else who posts does it
		r.withdraw()
		if r.recvs.Load() == 0 { // the last receive came before
			r.end()
		}
	}
}

// withdraw takes back the receives of the round.
func (r *Run) withdraw() {
	for i := range r.ops {
		if m := &r.ops[i]; m.recv && m.op.Active() {
			r.dev.Cancel(&m.op)
		}
	}
}

// end is called when nothing is left to do, or nothing can be done.
func (r *Run) end() {
	if r.over.Swap(true) {
		return
	}
	r.mu.Lock()
	r.Op.Err = r.err
	r.mu.Unlock()
	if r.Ended != nil {
		r.Ended(r)
	}
	r.Op.Finish()
}

// Awaited calls f with the world rank of each peer of whom a message is missing, or who has not taken one. Whoever calls it
// must not mind that it comes, or is taken, at that moment.
func (r *Run) Awaited(f func(peer int)) {
	for i := range r.ops {
		if m := &r.ops[i]; m.op.Active() {
			f(m.op.Peer)
		}
	}
}

// Reusable tells whether the run, which is over or was never started, may be started.
func (r *Run) Reusable() bool { return !r.failed.Load() }

// Blame is the world rank that the error of a run that is over came from, or device.AnyPeer.
func (r *Run) Blame() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		return device.AnyPeer
	}
	return r.peer
}
