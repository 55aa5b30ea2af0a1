package mpi

import "fmt"

// Group is the group of the members (MPI_Comm_group; MPI 4.1, 7.4.1); of an intercommunicator the local one. Local.
func (c *Comm) Group() Group { return newGroup(c.members(), c.job.dev.Rank) }

// Compare tells how much two communicators are the same (MPI_Comm_compare): [Ident] for the same one, [Congruent] for the
// same members in the same order, [Similar] for another order, else [Unequal]. Intercommunicators are compared in both of
// their groups. Local.
//
// Errors: ErrComm, ErrClosed.
func (c *Comm) Compare(d *Comm) (Comparison, error) {
	const call = "Compare"
	if err := c.open(call); err != nil {
		return Unequal, err
	}
	if err := d.open(call); err != nil {
		return Unequal, err
	}
	switch {
	case c == d:
		return Ident, nil
	case c.job != d.job, c.IsInter() != d.IsInter():
		return Unequal, nil
	}
	result := c.Group().Compare(d.Group())
	if c.IsInter() {
		result = max(result, c.RemoteGroup().Compare(d.RemoteGroup()))
	}
	if result == Ident {
		return Congruent, nil
	}
	return result, nil
}

// within checks that a group has only members of a communicator, and gives their world ranks.
func (c *Comm) within(call string, g Group) ([]int, error) {
	all := c.Group()
	for r, w := range g.list() {
		if !all.Contains(w) {
			return nil, bad(call, ErrGroup, NoRank, fmt.Sprintf("rank %d of the group, %d in the world, is no member of the communicator: "+
				"make the group of Comm.Group", r, w))
		}
	}
	return g.list(), nil
}
