package device

import (
	"encoding/binary"
	"errors"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fi"
)

// patience is how long somebody waits before he asks whether his peer still lives, and how often he asks.
const patience = 250 * time.Millisecond

// askAtOnce is how many ranks are asked by a receive from anybody that waits; the next ones are asked next time.
const askAtOnce = 8

// asks are the questions to other ranks whether they live.
type asks struct {
	began time.Time
	of    []asking
	turn  atomic.Uint32
}

// asking is one rank: no question is sent while the last one is not answered, nor sooner than after patience.
type asking struct {
	open   atomic.Bool
	last   atomic.Int64 // nanoseconds since began, of the last question
	silent atomic.Int32 // attempts to connect that had no answer; -1 once the rank has answered
}

// silentMost is how many attempts to connect, of some seconds each, may be without an answer: a host that is down is like a
// process that was stopped before anybody was connected to it.
const silentMost = 6

func (a *asks) init(size int) { a.began, a.of = time.Now(), make([]asking, size) }

// noContext is the context of a question that is about none.
const noContext = ^uint32(0)

// Ask asks a rank whether it lives, by a message whose delivery must be confirmed: a process that is stopped, or computes,
// is slow and not gone. What is found becomes known as a failure. With the question goes what this process knows of
// failures, so that the other can say more, and the context in which it waits, should that be revoked.
func (d *Device) Ask(rank int, context uint32) {
	if rank == d.Rank || rank < 0 || d.Failed(rank) || d.closed.Load() {
		return
	}
	a := &d.asks.of[rank]
	now := int64(time.Since(d.asks.began))
	if last := a.last.Load(); last != 0 && now-last < int64(patience)/2 || !a.open.CompareAndSwap(false, true) {
		return
	}
	a.last.Store(now)
	var body [8]byte
	binary.LittleEndian.PutUint32(body[:], uint32(d.Failures()))
	binary.LittleEndian.PutUint32(body[4:], context)
	op := &Op{Then: func(op *Op) {
		switch {
		case op.Err == nil:
			a.silent.Store(-1)
		case errors.Is(op.Err, fi.ErrTimedOut) && (a.silent.Load() < 0 || a.silent.Add(1) >= silentMost):
			d.found(rank)
		}
		a.open.Store(false)
		op.Finish()
	}}
	if d.general(op, lateDelivered, encodeControl(kindAsk, body[:]), rank, controlTag, 0, 0) != nil {
		a.open.Store(false)
	}
}

// askSome asks some of the ranks, and next time those after them.
func (d *Device) askSome(ranks []int, context uint32) {
	n := uint32(len(ranks))
	if n == 0 {
		return
	}
	at := d.asks.turn.Add(askAtOnce)
	for i := range min(n, askAtOnce) {
		d.Ask(ranks[(at+i)%n], context)
	}
}

// asked says what the other does not know. That the question came is the answer to itself.
func (d *Device) asked(from int, body []byte) {
	if len(body) != 8 {
		return
	}
	if int(binary.LittleEndian.Uint32(body)) < d.Failures() {
		d.Tell(from, kindFailed, failedNotice(d.FailedRanks()))
	}
	if context := binary.LittleEndian.Uint32(body[4:]); d.revoked(context) {
		d.Tell(from, kindRevoked, body[4:])
	}
}

// noticeMost is how many ranks a message names at most.
const noticeMost = 64

// failedNotice is a message's body: the ranks, of many the last ones.
func failedNotice(ranks []int) []byte {
	var body []byte
	for _, r := range ranks[max(0, len(ranks)-noticeMost):] {
		body = binary.LittleEndian.AppendUint32(body, uint32(r))
	}
	return body
}

func (d *Device) heardFailed(from int, body []byte) {
	if len(body)%4 != 0 {
		return
	}
	for ; len(body) > 0; body = body[4:] {
		if r := binary.LittleEndian.Uint32(body); r < uint32(d.Size) {
			d.told(from, int(r))
		}
	}
}
