package mpi

import (
	"encoding/binary"
	"slices"

	"github.com/gofabric/gofabric/mpi/internal/device"
	"github.com/gofabric/gofabric/mpi/internal/schedule"
)

// Members that call different operations may wait for messages that nobody sends. Who has waited for long tells the others
// what it is at; who knows better answers. A question and an answer are alike, little-endian:
//
//	0 context  4 number of the operation  8 signature  12 what  13 round
//
// The answer has the question's round: 1 is that of who waits although the other has said that it is done.
const askSize = 14

const (
	askWhat    = iota // this is what I am at
	askDiffers        // I have called something else, now or before
	askDone           // I have done that
)

func (c *Comm) tell(world int, seq, sig uint32, what, round byte) {
	var b [askSize]byte
	binary.LittleEndian.PutUint32(b[0:], c.id)
	binary.LittleEndian.PutUint32(b[4:], seq)
	binary.LittleEndian.PutUint32(b[8:], sig)
	b[12], b[13] = what, round
	c.job.dev.Tell(world, device.KindCall, b[:])
}

// asked handles a question or an answer.
func (j *job) asked(from int, body []byte) {
	if len(body) != askSize {
		return
	}
	v, ok := j.comms.Load(binary.LittleEndian.Uint32(body))
	if !ok {
		return
	}
	c := v.(*Comm)
	if c.rankOf(from) < 0 {
		return
	}
	seq, sig := binary.LittleEndian.Uint32(body[4:]), binary.LittleEndian.Uint32(body[8:])
	cs := &c.coll
	cs.mu.Lock()
	then := cs.past[seq%uint32(len(cs.past))]
	started := int32(seq-cs.seq) < 0 // here, too
	same := started && then.seq == seq && then.sig == sig
	differs := cs.broken != nil || started && then.seq == seq && then.sig != sig
	switch {
	case cs.broken != nil:
	case differs, body[12] == askDiffers:
		cs.broken = &schedule.MismatchError{Peer: from, Signature: true}
	case body[12] == askDone && same && body[13] == 1 && slices.Contains(then.doneBy, from):
		cs.broken = &schedule.MismatchError{Peer: from, Signature: true} // what it had to send would have come
	case body[12] == askDone && same && !slices.Contains(then.doneBy, from):
		cs.past[seq%uint32(len(cs.past))].doneBy = append(then.doneBy, from)
	}
	cs.mu.Unlock()
	if body[12] == askWhat && differs {
		c.tell(from, seq, sig, askDiffers, body[13])
	} else if body[12] == askWhat && same && then.over {
		c.tell(from, seq, sig, askDone, body[13])
	}
}

// suspects tells what is known to be wrong with a run that somebody waits for, and asks those it waits for.
func (c *Comm) suspects(r *schedule.Run, long bool) error {
	c.coll.mu.Lock()
	broken := c.coll.broken
	c.coll.mu.Unlock()
	if broken == nil && long {
		r.Awaited(func(peer int) { c.ask(peer, r.Number, r.Data) })
	}
	return broken
}

// ask asks a member that is waited for what it is at.
func (c *Comm) ask(world int, seq, sig uint32) {
	var round byte
	c.coll.mu.Lock()
	if h := &c.coll.past[seq%uint32(len(c.coll.past))]; h.seq == seq && slices.Contains(h.doneBy, world) {
		round = 1
	}
	c.coll.mu.Unlock()
	c.tell(world, seq, sig, askWhat, round)
}
