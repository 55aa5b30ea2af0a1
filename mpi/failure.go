package mpi

import (
	"context"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// Revoke ends the use of the communicator at all members (ULFM's MPIX_Comm_revoke): what waits there fails with ErrRevoked,
// soon, and so does every later call but Agree, Shrink, GetFailed, AckFailed, Revoke and Close. Local: one member's call is
// enough, and it does not wait for the others. Messages that have matched are received all the same.
//
// Errors: ErrComm, ErrClosed.
func (c *Comm) Revoke() error {
	if err := c.open("Revoke"); err != nil {
		return err
	}
	c.scope.Revoke()
	for _, h := range c.hidden() {
		h.scope.Revoke()
	}
	return nil
}

// IsRevoked tells whether a member has revoked the communicator and this process knows (MPIX_Comm_is_revoked).
func (c *Comm) IsRevoked() bool { return c.scope.Revoked() }

// GetFailed gives the ranks that are known here to have failed, in the order in which that became known
// (MPIX_Comm_get_failed); -1 stands for one of the other group of an intercommunicator that cannot be addressed. Others may
// know more: Agree and Shrink bring that together.
func (c *Comm) GetFailed() []int { return c.peersOf(c.scope.Failed()) }

func (c *Comm) peersOf(world []int) []int {
	ranks := make([]int, len(world))
	for i, w := range world {
		ranks[i] = c.peer(w)
	}
	return ranks
}

// AckFailed says that the program knows of the first n ranks that GetFailed gives, and returns of how many it knows now
// (MPIX_Comm_ack_failed): receives from AnySource do not fail because of these any more, and Agree does not either.
func (c *Comm) AckFailed(n int) int { return c.scope.Acknowledge(n) }

// Agree gives all members that live the same number: the bits that all have given (MPIX_Comm_agree). Collective among those
// that live; it works in a revoked communicator and while members die. When ctx ends first one's flag stands, and the
// next call of Agree or Shrink goes on with the same agreement.
//
// Errors: ErrProcFailed, the same at all, with the agreed flag, when a member has failed that not all have acknowledged
// with AckFailed; ErrComm, ErrClosed; ctx's.
func (c *Comm) Agree(ctx context.Context, flag uint64) (uint64, error) {
	const call = "Agree"
	d, err := c.decide(ctx, call, device.Vote{And: flag})
	if err != nil {
		return 0, err
	}
	if d.Unacknowledged {
		return d.And, c.fault(call, NoRank, &device.FailedError{Rank: d.Failed[0]})
	}
	return d.And, nil
}

// decide is an agreement of those who live.
func (c *Comm) decide(ctx context.Context, call string, v device.Vote) (device.Decision, error) {
	if err := c.open(call); err != nil {
		return device.Decision{}, err
	}
	d, err := c.scope.Agree(ctx, v)
	switch {
	case err == nil:
		return d, nil
	case !ofContext(err):
		return d, c.fault(call, NoRank, err)
	}
	return d, &Error{
		Op: call, Class: ErrPending, Rank: NoRank, Err: err,
		Hint: "the agreement goes on, and the next call of Agree or Shrink goes on with it",
	}
}

// whole finds that a member of a communicator has failed: what needs all of them cannot be.
func (c *Comm) whole(call string) error {
	if c.job.dev.Failures() == 0 {
		return nil
	}
	if failed := c.scope.Failed(); len(failed) > 0 {
		return c.fault(call, NoRank, &device.FailedError{Rank: failed[0]})
	}
	return nil
}
