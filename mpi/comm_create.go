package mpi

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
)

// Create makes a communicator of the members that are in a group, in its order (MPI_Comm_create; MPI 4.1, 7.4.2). Who is not
// in it gets nil. Collective over all members of c; groups that are given may differ if they have no member in common, and
// each of their members gives the same one.
//
// Errors: ErrGroup at all members, for a member that c does not have or for groups that overlap; ErrComm, ErrClosed,
// ErrProcFailed; ctx's.
func (c *Comm) Create(ctx context.Context, g Group) (*Comm, error) {
	const call = "Create"
	if err := c.usable(call); err != nil {
		return nil, err
	}
	if c.inter != nil {
		return nil, bad(call, ErrComm, NoRank, "an intercommunicator: Create from a Merge of it, or Split it")
	}
	ranks, wrong := c.within(call, g)
	mine := binary.LittleEndian.AppendUint64(nil, fingerprint(ranks)) // 0 for none
	in := wrong == nil && g.Rank() != Undefined
	if !in {
		mine = make([]byte, 8)
	}
	if wrong != nil {
		binary.LittleEndian.PutUint64(mine, wrongGroup)
	}
	all, err := c.shareBytes(ctx, call, mine)
	if err != nil {
		return nil, err
	}
	if wrong != nil {
		return nil, wrong
	}
	at := map[int]uint64{}
	for r, w := range c.members() {
		at[w] = binary.LittleEndian.Uint64(all[r])
		if at[w] == wrongGroup {
			return nil, bad(call, ErrGroup, r, "the member has given a group with processes that are no members of the communicator")
		}
	}
	var differs error
	for _, w := range ranks {
		if in && at[w] != fingerprint(ranks) {
			differs = bad(call, ErrGroup, c.rankOf(w), "the member has given another group: all members of a group give the same")
		}
	}
	id, err := c.job.agree(call, func(x uint32) (uint32, error) { return c.mostOf(ctx, call, x, differs) })
	if err != nil || !in {
		return nil, err
	}
	return c.job.newComm(id, ranks), nil
}

// mostOf gives the largest number of all, or an error at all members when one of them has found that groups differ, which
// those whose own group is consistent do not see.
func (c *Comm) mostOf(ctx context.Context, call string, x uint32, differs error) (uint32, error) {
	if differs != nil {
		x = math.MaxUint32
	}
	x, err := c.most(ctx, call, x)
	switch {
	case err != nil:
		return 0, err
	case differs != nil:
		return 0, differs
	case x == math.MaxUint32:
		return 0, bad(call, ErrGroup, NoRank, "groups that were given overlap: all members of a group give the same")
	}
	return x, nil
}

// wrongGroup is the fingerprint of a group that cannot be.
const wrongGroup = 1

// fingerprint tells groups apart; it is not 0 or 1 for one with members.
func fingerprint(ranks []int) uint64 {
	if len(ranks) == 0 {
		return 0
	}
	h := uint64(len(ranks))
	for _, w := range ranks {
		h = mix(h, uint64(w)+1)
	}
	return h | 2
}

// CreateGroup makes a communicator of the members of a group, in its order (MPI_Comm_create_group; MPI 4.1, 7.4.2; with the
// world as c also what MPI_Comm_create_from_group does). Collective over the group only: others of c need not know. Several
// that go on at the same time among the same processes have different tags. Who is not in the group gets nil.
//
// Errors: ErrGroup for a member that c does not have, and when the others have given another group; ErrTag; ErrComm,
// ErrClosed, ErrProcFailed; ctx's.
func (c *Comm) CreateGroup(ctx context.Context, g Group, tag int) (*Comm, error) {
	const call = "CreateGroup"
	if err := c.usable(call); err != nil {
		return nil, err
	}
	if c.inter != nil {
		return nil, bad(call, ErrComm, NoRank, "an intercommunicator: CreateGroup from the communicator that it was made of")
	}
	if tag < 0 || tag > MaxTag {
		return nil, bad(call, ErrTag, NoRank, fmt.Sprintf("tag %d: 0 to %d are possible", tag, MaxTag))
	}
	ranks, err := c.within(call, g)
	if err != nil || !g.Contains(c.job.dev.Rank) {
		return nil, err
	}
	tree := tree{c: c, call: call, ranks: ranks, rank: g.RankOf(c.job.dev.Rank), tag: uint32(tag), mark: fingerprint(ranks)}
	id, err := c.job.agree(call, func(x uint32) (uint32, error) { return tree.most(ctx, x) })
	if err != nil {
		return nil, err
	}
	return c.job.newComm(id, ranks), nil
}
