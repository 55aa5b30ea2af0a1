package mpi

import (
	"errors"

	"github.com/gofabric/gofabric/internal/coll"
	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/schedule"
)

// The signature of an operation is made of what all members must agree on, and of those of all operations before it: a
// receiver notices differing calls, also earlier ones.

// history has the signatures of the last operations, for those who ask what this member is at.
type history [64]past

type past struct {
	seq, sig uint32
	over     bool  // it ended well
	doneBy   []int // the world ranks of those who have said that it is over there
}

// ended notes that an operation has ended well.
func (cs *collectives) ended(seq uint32) {
	if h := &cs.past[seq%uint32(len(cs.past))]; h.seq == seq {
		h.over = true
	}
}

// next gives the number and the signature of a call. A call that is wrong counts, too: other members may be wrong in the
// same way, and if they are not they learn of it.
func (cs *collectives) next(k *collective) (seq, sig uint32, err error) {
	if cs.broken != nil {
		return 0, 0, &Error{Op: k.call, Class: ErrMismatch, Rank: NoRank, Err: cs.broken, Hint: mismatchHint}
	}
	seq = cs.seq
	cs.seq++
	cs.sig = k.signature(cs.sig)
	sig = uint32(cs.sig >> 32)
	cs.past[seq%uint32(len(cs.past))] = past{seq: seq, sig: sig}
	if k.err != nil {
		return 0, 0, k.err
	}
	return seq, sig, nil
}

const mismatchHint = "all members call the same collective operations in the same order with the same counts, types, roots and " +
	"operations; make another communicator to go on"

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// signature takes a call into the signature of those before it.
func (k *collective) signature(before uint64) uint64 {
	a := &k.args
	h := mix(before, uint64(a.Coll)|uint64(k.form)<<8|uint64(k.num)<<16|uint64(k.kind)<<24|uint64(a.Root+1)<<40)
	if k.err != nil {
		return mix(h, uint64(k.err.Class)+1)
	}
	if v := a.Vector; v == nil {
		return mix(h, uint64(a.Count)*uint64(a.Size))
	} else if a.Coll == coll.Allgatherv || a.Coll == coll.ReduceScatterv {
		for _, n := range v.Recv {
			h = mix(h, uint64(n)*uint64(a.Size))
		}
	}
	return mix(h, 1)
}

// collFault makes the error of an operation that has failed. After a mismatch the communicator is of no use for
// collective operations.
func (c *Comm) collFault(call string, op *device.Op) error {
	r, ofRun := op.Owner.(*schedule.Run)
	if op.Err == nil {
		if ofRun {
			c.coll.mu.Lock()
			c.coll.ended(r.Number)
			c.coll.mu.Unlock()
		}
		return nil
	}
	peer := NoRank
	if ofRun && r.Blame() >= 0 {
		peer = c.rankOf(r.Blame())
	}
	if _, differ := errors.AsType[*schedule.MismatchError](op.Err); !differ {
		return c.fault(call, peer, op.Err)
	}
	c.coll.mu.Lock()
	c.coll.broken = op.Err
	c.coll.mu.Unlock()
	return &Error{Op: call, Class: ErrMismatch, Rank: peer, Err: op.Err, Hint: mismatchHint}
}

// rankOf is a member's rank, by its world rank.
func (c *Comm) rankOf(world int) int {
	if c.between != nil {
		return c.between.peer(world) // the caller knows no other ranks
	}
	if c.ranks == nil {
		return world
	}
	for r, w := range c.ranks {
		if w == world {
			return r
		}
	}
	return NoRank
}
