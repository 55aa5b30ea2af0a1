package mpi

import (
	"context"
	"fmt"
	"slices"
)

// inter is what makes a communicator an intercommunicator: messages and collective operations go between two groups that
// have no member in common. Rank and Size are those of one's own group; ranks that are addressed are the other group's.
type inter struct {
	local *Comm // of one's own group
	all   *Comm // of both, that with the smaller first rank in the world first
	own   int   // where one's own group begins in it
	other int   // where the other one does
}

// IsInter tells whether this is an intercommunicator (MPI_Comm_test_inter; MPI 4.1, 7.6.1).
func (c *Comm) IsInter() bool { return c.inter != nil }

// RemoteSize is the number of members of the other group, 0 when this is no intercommunicator (MPI_Comm_remote_size).
func (c *Comm) RemoteSize() int {
	if c.inter == nil {
		return 0
	}
	return len(c.peers)
}

// RemoteGroup is the other group, empty when this is no intercommunicator (MPI_Comm_remote_group).
func (c *Comm) RemoteGroup() Group {
	if c.inter == nil {
		return newGroup(nil, c.job.dev.Rank)
	}
	return newGroup(slices.Clone(c.peers), c.job.dev.Rank)
}

// IntercommCreate makes an intercommunicator of two groups: the members of local, and those of the communicator that others
// give at the same time (MPI_Intercomm_create; MPI 4.1, 7.6.2). leader is a rank of local, the same at all of its members.
// The two leaders find each other in bridge, a communicator of both, as rank remoteLeader and by tag, which is as for
// messages; these three matter at the leaders only. Collective over both groups.
//
// Errors: ErrRank, ErrTag; ErrGroup when the groups have a member in common; ErrComm for an intercommunicator as local;
// ErrProcFailed; ctx's. What is wrong at a leader all members of its group learn; the other group waits.
func IntercommCreate(ctx context.Context, local *Comm, leader int, bridge *Comm, remoteLeader, tag int) (*Comm, error) {
	const call = "IntercommCreate"
	if err := local.usable(call); err != nil {
		return nil, err
	}
	if local.inter != nil {
		return nil, bad(call, ErrComm, NoRank, "local is an intercommunicator: Merge it first")
	}
	if leader < 0 || leader >= local.size {
		return nil, bad(call, ErrRank, NoRank, fmt.Sprintf("leader %d: there are 0 to %d", leader, local.size-1))
	}
	m := meeting{call: call, local: local, leader: leader, bridge: bridge, tag: uint32(tag)}
	if local.rank == leader {
		if m.wrong = bridge.to(call, remoteLeader, tag); m.wrong == nil && (remoteLeader < 0 || bridge.world(remoteLeader) == local.job.dev.Rank) {
			m.wrong = bad(call, ErrRank, NoRank, fmt.Sprintf("remote leader %d: give the rank of the other group's leader", remoteLeader))
		}
		if m.wrong == nil {
			m.remote = bridge.world(remoteLeader)
		}
	}
	remote, err := m.groups(ctx)
	if err != nil {
		return nil, err
	}
	var ids [3]uint32
	for i := range ids {
		if ids[i], err = local.job.agree(call, func(x uint32) (uint32, error) { return m.most(ctx, x) }); err != nil {
			return nil, err
		}
	}
	return local.job.newInter(ids, local.members(), remote), nil
}

// newInter makes the intercommunicator of two groups; ids are its context, that of both groups and that of one's own.
func (j *job) newInter(ids [3]uint32, local, remote []int) *Comm {
	c := j.newComm(ids[0], local)
	c.setPeers(remote)
	in := &inter{local: j.newComm(ids[2], local)}
	if local[0] < remote[0] {
		in.other = len(local)
		in.all = j.newComm(ids[1], slices.Concat(local, remote))
	} else {
		in.own = len(remote)
		in.all = j.newComm(ids[1], slices.Concat(remote, local))
	}
	c.inter, in.all.between = in, c
	c.scope.Bind(in.local.scope, in.all.scope)
	return c
}

// hidden are the communicators that belong to an intercommunicator.
func (c *Comm) hidden() []*Comm {
	if c.inter == nil {
		return nil
	}
	return []*Comm{c.inter.all, c.inter.local}
}

// dupInter makes another one of the same groups.
func (c *Comm) dupInter(ctx context.Context, call string) (*Comm, error) {
	ids, err := c.inter.all.agreeThree(ctx, call)
	if err != nil {
		return nil, err
	}
	return c.job.newInter(ids, c.members(), c.peers), nil
}

func (c *Comm) agreeThree(ctx context.Context, call string) (ids [3]uint32, err error) {
	for i := range ids {
		if ids[i], err = c.agree(ctx, call); err != nil {
			return ids, err
		}
	}
	return ids, nil
}

// splitInter splits both groups by the same colors.
func (c *Comm) splitInter(ctx context.Context, call string, color, key int) (*Comm, error) {
	in := c.inter
	places, err := in.all.places(ctx, call, color, key)
	if err != nil {
		return nil, err
	}
	ids, err := in.all.agreeThree(ctx, call)
	if err != nil || color == Undefined {
		return nil, err
	}
	mine := in.all.chosen(places[in.own:][:c.size], color)
	others := in.all.chosen(places[in.other:][:len(c.peers)], color)
	if len(others) == 0 {
		return nil, nil
	}
	return c.job.newInter(ids, mine, others), nil
}

// Merge makes a communicator of both groups of an intercommunicator (MPI_Intercomm_merge; MPI 4.1, 7.6.2). The members of the
// group that gives high come last; all members of a group give the same. When both groups do, or neither, either may come
// first. Collective over both groups.
//
// Errors: ErrComm for a communicator that is no intercommunicator; ErrArg when members of a group give different high;
// ErrClosed, ErrProcFailed; ctx's.
func (c *Comm) Merge(ctx context.Context, high bool) (*Comm, error) {
	const call = "Merge"
	if err := c.usable(call); err != nil {
		return nil, err
	}
	in := c.inter
	if in == nil {
		return nil, bad(call, ErrComm, NoRank, "this is no intercommunicator: it has one group already")
	}
	mine := []byte{0}
	if high {
		mine[0] = 1
	}
	all, err := in.all.shareBytes(ctx, call, mine)
	if err != nil {
		return nil, err
	}
	second := max(in.own, in.other)
	for r, h := range all {
		of := all[0]
		if r >= second {
			of = all[second]
		}
		if h[0] != of[0] {
			return nil, bad(call, ErrArg, NoRank, "some members of a group give high and others do not: all of a group give the same")
		}
	}
	ranks := in.all.members()
	if all[0][0] > all[second][0] {
		ranks = slices.Concat(ranks[second:], ranks[:second])
	}
	id, err := in.all.agree(ctx, call)
	if err != nil {
		return nil, err
	}
	return c.job.newComm(id, ranks), nil
}
