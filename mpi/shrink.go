package mpi

import (
	"context"
	"slices"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// Shrink makes a communicator of the members that live, in the same order (MPIX_Comm_shrink). Collective among those that
// live; it works in a revoked communicator and while members die: all get the same members, of which one that dies
// meanwhile may still be one. The old communicator stays as it is; Close it when it is of no more use.
//
// Errors: ErrComm for an intercommunicator; ErrClosed; ctx's, as Agree.
func (c *Comm) Shrink(ctx context.Context) (*Comm, error) {
	const call = "Shrink"
	if err := c.open(call); err != nil {
		return nil, err
	}
	if c.IsInter() {
		return nil, bad(call, ErrComm, NoRank, "an intercommunicator: Shrink the communicators that it was made of, and make it again")
	}
	id, failed, err := c.agreeAlive(ctx, call)
	if err != nil {
		return nil, err
	}
	var ranks []int
	for _, w := range c.members() {
		if !slices.Contains(failed, w) {
			ranks = append(ranks, w)
		}
	}
	return c.job.newComm(id, ranks), nil
}

// agreeAlive is agree among those who live. It also gives the world ranks of those that are left out.
func (c *Comm) agreeAlive(ctx context.Context, call string) (uint32, []int, error) {
	for at := uint32(0); ; {
		most, err := c.decide(ctx, call, device.Vote{Most: c.job.contexts.propose(at)})
		if err != nil {
			return 0, nil, err
		}
		id := most.Most
		if id >= 1<<device.ContextBits {
			return 0, nil, bad(call, ErrOther, NoRank, "no contexts are left: a job makes at most 2^28 communicators and windows")
		}
		var free uint64
		if c.job.contexts.take(id) {
			free = 1
		}
		all, err := c.decide(ctx, call, device.Vote{And: free})
		if err != nil {
			return 0, nil, err
		}
		if all.And == 1 {
			c.job.contexts.settle()
			return id, all.Failed, nil
		}
		at = id + 1
	}
}
