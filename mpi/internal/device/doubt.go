package device

import (
	"errors"
)

// ErrRevoked is the error of operations in a context that a member has revoked.
var ErrRevoked = errors.New("the context was revoked")

// Doubt looks whether an operation that somebody waits for can still end, and ends it if not. When the wait has been long it
// also asks those who have to do something for it whether they live.
//
// Errors: a [FailedError] with Pending, when the operation goes on and its owner should know of something.
func (d *Device) Doubt(op *Op, long bool) error {
	if op.Doubt != nil {
		d.token.Lock()
		defer d.token.Unlock()
		if op.Done() {
			return nil
		}
		return op.Doubt(op, long)
	}
	err, pending := d.Verdict(op.Peer, op.Want, long)
	if err == nil || pending {
		return err
	}
	d.Withdraw(op, err)
	return nil
}

// Verdict gives the reason why an operation with a peer and a tag cannot end, or that its owner should know of something
// while it goes on. When the wait has been long it also asks the peers whether they live.
func (d *Device) Verdict(peer int, tag uint64, long bool) (err error, pending bool) { //nolint:revive // pending belongs to the error
	if Space(tag>>spaceShift) == Control {
		return nil, false
	}
	context := uint32(tag>>contextShift) & (1<<ContextBits - 1)
	if d.Failures() > 0 || d.scopes.trouble.Load() {
		if err, pending = d.judge(d.scope(context), peer, Space(tag>>spaceShift), long); err != nil {
			return err, pending
		}
	}
	if long {
		d.question(peer, context)
	}
	return nil, false
}

// judge ends what waits for who is gone. What waits for others, who may have given up because of somebody else, has time
// until the wait is long: they may be about to end it well.
func (d *Device) judge(s *Scope, peer int, space Space, long bool) (err error, pending bool) { //nolint:revive // as above
	switch {
	case s != nil && s.Revoked():
		return ErrRevoked, false
	case peer >= 0 && d.Failed(peer):
		return &FailedError{Rank: peer}, false
	case s == nil:
		return nil, false
	case space == Collective, space == Remote && peer == AnyPeer:
		if !long {
			break
		}
		if failed := s.Failed(); len(failed) > 0 {
			return &FailedError{Rank: failed[0]}, false
		}
	case peer == AnyPeer:
		if r := s.unacknowledged(); r >= 0 {
			return &FailedError{Rank: r, Pending: true}, true
		}
	}
	return nil, false
}

// question asks those who have to do something for an operation.
func (d *Device) question(peer int, context uint32) {
	if peer >= 0 {
		d.Ask(peer, context)
	} else if s := d.scope(context); s != nil {
		d.askSome(s.Ranks(), context)
	}
}
