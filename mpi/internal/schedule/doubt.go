package schedule

import (
	"errors"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// doubt is asked while somebody waits for a run: a member that has failed, or a context that was revoked, ends it.
func doubt(op *device.Op, long bool) error {
	r := op.Owner.(*Run)
	if err, _ := r.dev.Verdict(device.AnyPeer, r.Tag, false); err != nil {
		r.giveUp(err)
		return nil
	}
	if r.Doubt != nil {
		if err := r.Doubt(r, long); err != nil {
			r.giveUp(err)
			return nil
		}
	}
	if !long { // what a member has sent before its end may be about to be seen
		return nil
	}
	for i := range r.ops {
		m := &r.ops[i]
		if !m.op.Active() {
			continue
		}
		if err, _ := r.dev.Verdict(m.op.Peer, r.Tag, long); err != nil {
			r.giveUp(err)
			return nil
		}
	}
	return nil
}

func (r *Run) giveUp(err error) {
	peer := device.AnyPeer
	if failed, ok := errors.AsType[*device.FailedError](err); ok {
		peer = failed.Rank
	} else if differs, ok := errors.AsType[*MismatchError](err); ok {
		peer = differs.Peer
	}
	r.Fail(peer, err)
}
