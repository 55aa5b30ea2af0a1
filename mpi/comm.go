package mpi

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/gofabric/gofabric/mpi/internal/device"
)

// Comm is a communicator (MPI_Comm): an ordered set of processes whose messages meet those of no other communicator. All
// methods may be called by any number of goroutines.
type Comm struct {
	job  *job
	id   uint32 // the context: the same at all members, and no other communicator of any member has it
	rank int
	size int

	ranks []int // world ranks of the members; nil: all of the world, in order
	peers []int // world ranks of those who are addressed: ranks, or the other group of an intercommunicator
	back  []int // ranks of peers by world rank, -1 elsewhere; nil: the same numbers

	sent *Request // that of every message that was taken over at once

	bodies     atomic.Uint32 // how many long values were sent
	name       atomic.Pointer[string]
	info       atomic.Pointer[Info]
	attributes attributes
	inter      *inter // of an intercommunicator
	between    *Comm  // of one that belongs to an intercommunicator: which

	coll   collectives
	shared shared
	own    *ownTable     // of DupWithInfo; nil: the job's
	around *neighborhood // of a topology; nil: there is none
	scope  *device.Scope // whose failures concern it
	closed atomic.Bool
}

// newComm makes the communicator of some world ranks, one's own among them.
func (j *job) newComm(id uint32, ranks []int) *Comm {
	c := &Comm{job: j, id: id, size: len(ranks), rank: -1, ranks: ranks}
	c.sent = c.ended("Isend")
	c.scope = j.dev.OpenScope(id, ranks)
	c.coll.doubt = c.suspects
	j.comms.Store(id, c)
	identity := len(ranks) == j.dev.Size
	for r, w := range ranks {
		if w == j.dev.Rank {
			c.rank = r
		}
		identity = identity && r == w
	}
	if identity {
		c.ranks = nil
	} else {
		c.setPeers(ranks)
	}
	return c
}

// setPeers says who is addressed.
func (c *Comm) setPeers(peers []int) {
	c.peers = peers
	c.scope.Extend(peers)
	c.back = make([]int, c.job.dev.Size)
	for w := range c.back {
		c.back[w] = -1
	}
	for r, w := range peers {
		c.back[w] = r
	}
}

// Rank is one's own rank (MPI_Comm_rank), 0 to Size-1.
func (c *Comm) Rank() int { return c.rank }

// Size is the number of members (MPI_Comm_size).
func (c *Comm) Size() int { return c.size }

// reach is the number of those who can be addressed.
func (c *Comm) reach() int {
	if c.back == nil {
		return c.size
	}
	return len(c.peers)
}

// world gives the world rank of a peer.
func (c *Comm) world(peer int) int {
	if c.back == nil {
		return peer
	}
	return c.peers[peer]
}

// peer gives the rank of a world rank, -1 for a stranger.
func (c *Comm) peer(world int) int {
	if c.back == nil || world < 0 {
		return world
	}
	return c.back[world]
}

// Close ends the use of the communicator. Of the world it ends the job for this process (MPI_Finalize): all members call
// it, it waits for the others, and what was sent has been received by those who asked for it. Of another communicator it
// is local (MPI_Comm_free); what is under way there goes on. Closing twice does nothing.
func (c *Comm) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	if c == c.job.world {
		return errors.Join(c.job.self.attributes.end(c.job.self), c.attributes.end(c), c.job.finalize())
	}
	c.job.comms.Delete(c.id)
	c.job.shares.leave(&c.shared)
	c.scope.Close()
	for _, h := range c.hidden() {
		_ = h.Close() // it has no attributes
	}
	return c.attributes.end(c)
}

// usable finds a communicator that is closed or revoked.
func (c *Comm) usable(call string) error {
	if err := c.open(call); err != nil {
		return err
	}
	if c.scope.Revoked() {
		return c.fault(call, NoRank, device.ErrRevoked)
	}
	return nil
}

// open finds a communicator that is closed.
func (c *Comm) open(call string) error {
	switch {
	case c == nil:
		return bad(call, ErrComm, NoRank, "the communicator is nil")
	case c.closed.Load():
		return bad(call, ErrComm, NoRank, "the communicator is closed")
	case c.job.closed.Load():
		return bad(call, ErrClosed, NoRank, "the world is closed")
	}
	return nil
}

// to checks where something is sent.
func (c *Comm) to(call string, dst, tag int) error {
	if err := c.usable(call); err != nil {
		return err
	}
	switch {
	case dst != ProcNull && (dst < 0 || dst >= c.reach()):
		return bad(call, ErrRank, NoRank, fmt.Sprintf("rank %d: there are 0 to %d%s", dst, c.reach()-1, c.alone()))
	case tag < 0 || tag > MaxTag:
		return bad(call, ErrTag, NoRank, fmt.Sprintf("tag %d: 0 to %d are possible", tag, MaxTag))
	case dst >= 0 && c.job.dev.Failures() > 0 && c.job.dev.Failed(c.world(dst)):
		return c.fault(call, dst, &device.FailedError{Rank: c.world(dst)})
	}
	return nil
}

// from checks where something is received from.
func (c *Comm) from(call string, src, tag int) error {
	if err := c.usable(call); err != nil {
		return err
	}
	switch {
	case src != ProcNull && src != AnySource && (src < 0 || src >= c.reach()):
		return bad(call, ErrRank, NoRank, fmt.Sprintf("rank %d: there are 0 to %d, and AnySource%s", src, c.reach()-1, c.alone()))
	case tag != AnyTag && (tag < 0 || tag > MaxTag):
		return bad(call, ErrTag, NoRank, fmt.Sprintf("tag %d: 0 to %d are possible, and AnyTag", tag, MaxTag))
	}
	return nil
}

// alone is the advice for a job of one rank that wants to reach another.
func (c *Comm) alone() string {
	if c == c.job.world && c.size == 1 {
		return "; for more start the program with mpirun -n"
	}
	return ""
}

// tag puts a user's tag into the context.
func (c *Comm) tag(tag int) uint64 {
	return device.TagOf(device.PointToPoint, c.id, uint32(tag))
}

// match gives what a receive compares.
func (c *Comm) match(src, tag int) (from int, bits, ignore uint64) {
	from = device.AnyPeer
	if src >= 0 {
		from = c.world(src)
	}
	if tag == AnyTag {
		return from, c.tag(0), device.AnyTag
	}
	return from, c.tag(tag), 0
}

// Dup makes a communicator with the same members whose messages meet those of this one nowhere (MPI_Comm_dup; MPI 4.1, 7.4.2).
// It gets the attributes whose keys are copied, and the topology; not the name or the hints. Collective.
//
// Errors: ErrComm, ErrClosed; that of a key's copy; ErrProcFailed; ctx's.
func (c *Comm) Dup(ctx context.Context) (*Comm, error) { return c.dup(ctx, "Dup") }

func (c *Comm) dup(ctx context.Context, call string) (d *Comm, err error) {
	if err := c.usable(call); err != nil {
		return nil, err
	}
	if c.inter != nil {
		d, err = c.dupInter(ctx, call)
	} else {
		var id uint32
		if id, err = c.agree(ctx, call); err == nil {
			d = c.job.newComm(id, c.members())
			d.around = c.around
		}
	}
	if err != nil {
		return nil, err
	}
	if err := c.attributes.copyTo(call, c, d); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// members are the world ranks of the members.
func (c *Comm) members() []int {
	if c.ranks != nil {
		return c.ranks
	}
	all := make([]int, c.size)
	for i := range all {
		all[i] = i
	}
	return all
}
