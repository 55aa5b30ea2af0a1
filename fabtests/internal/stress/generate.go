package stress

import (
	"math/rand/v2"

	"github.com/gofabric/gofabric/fi"
)

// generator makes the steps of one phase.
type generator struct {
	*rand.Rand
	h    *phase
	left int // bytes that the phase may still move
}

// step makes the next one; nil when the choice fell on what cannot be.
func (g *generator) step() *step {
	p := g.h.plan
	s := &step{From: g.place(), To: g.place(), Parts: 1, RParts: 1}
	if p.Type == fi.EPMsg { // a lane's connections join that lane of all ranks
		s.To.Lane = s.From.Lane
		if s.To.Rank == s.From.Rank {
			s.To.Rank = (s.From.Rank + 1 + g.IntN(p.Ranks-1)) % p.Ranks
		}
	}
	kinds := []kind{}
	add := func(k kind, weight int, op mask, caps fi.Caps) {
		if p.Ops.has(op) && p.Limits.Caps&caps == caps {
			for range weight {
				kinds = append(kinds, k)
			}
		}
	}
	add(sendMsg, 6, opMsg, fi.CapMsg)
	add(sendTagged, 8, opTagged, fi.CapTagged)
	add(write, 3, opRMA, fi.CapRMA)
	add(read, 3, opRMA, fi.CapRMA)
	if len(g.h.Slots) > 0 {
		add(atomically, 4, opAtomic, fi.CapAtomic)
	}
	if p.Ops.has(opCancel) {
		add(cancelOnly, 1, opTagged, fi.CapTagged)
	}
	if len(kinds) == 0 {
		return nil
	}
	s.Kind = kinds[g.IntN(len(kinds))]
	s.Second = s.Kind != cancelOnly && g.h.Second[s.From.Rank] && g.IntN(2) == 0
	s.Tag = uint64(len(g.h.Steps)+1) | g.Uint64()<<48
	if s.Kind == cancelOnly {
		s.From, s.Late = s.To, g.IntN(20)
		return s
	}
	if s.Kind == atomically {
		g.atomic(s)
		return s
	}
	s.Size = g.size()
	if s.Kind == sendMsg && p.Untagged[s.To.Rank][s.To.Lane] == rxMulti {
		s.Header, s.Size = true, min(max(s.Size, headerSize), multiMost)
	}
	if s.Kind == read {
		s.Size = min(s.Size, readable/2)
		s.Off = g.IntN(readable - s.Size + 1)
	}
	g.form(s)
	if s.Kind == write {
		s.Off = readable + g.h.Written[s.To.Rank]
		g.h.Written[s.To.Rank] += (s.Size+7)&^7 + guard
	}
	if s.Kind == sendTagged {
		g.receive(s)
	}
	if p.Ops.has(opVector) && g.IntN(4) == 0 {
		s.RParts = 1 + g.IntN(max(1, p.Limits.RxIov))
	}
	if p.Ops.has(opUnexpected) && s.Recv == recvPlain && g.IntN(6) == 0 {
		s.Late = g.IntN(60)
	}
	g.left -= s.Size
	return s
}

func (g *generator) place() place {
	return place{g.IntN(g.h.Ranks), g.IntN(g.h.Lanes)}
}

// size chooses one: small ones often, those at the limits between the roads now and then, and a few large ones.
func (g *generator) size() int {
	n := 0
	switch g.IntN(12) {
	case 0:
	case 1, 2, 3:
		n = 1 + g.IntN(64)
	case 4, 5:
		n = g.IntN(1 << 10)
	case 6:
		n = max(0, g.h.Limits.Inject-2+g.IntN(5))
	case 7:
		n = 1<<(6+g.IntN(12)) - 2 + g.IntN(5)
	case 8, 9:
		n = g.IntN(16 << 10)
	case 10:
		n = g.IntN(200 << 10)
	case 11:
		n = g.IntN(largest)
	}
	if n > g.left {
		n = g.IntN(4 << 10)
	}
	if g.h.Limits.MaxMsg > 0 {
		n = int(min(uint64(n), g.h.Limits.MaxMsg))
	}
	return n
}

// levels are the completion levels that a call may ask for.
var levels = []fi.OpFlags{0, fi.OpInjectComplete, fi.OpTransmitComplete, fi.OpDeliveryComplete}

// form chooses by which call a step is posted.
func (g *generator) form(s *step) {
	p := g.h.plan
	x := g.IntN(10)
	s.Data = s.Kind != read && p.Limits.Data >= 4 && p.Ops.has(opData) && g.IntN(4) == 0
	switch {
	case x < 2 && p.Ops.has(opInject) && s.Kind != read && s.Size <= p.Limits.Inject:
		s.Form = injected
	case x < 4 && p.Ops.has(opVector):
		s.Form, s.Parts, s.Data = vector, 1+g.IntN(max(1, p.Limits.TxIov)), false
	case x < 8 && p.Ops.has(opLevel):
		s.Form, s.Parts = general, 1
		if p.Ops.has(opVector) {
			s.Parts = 1 + g.IntN(max(1, p.Limits.TxIov))
		}
		s.Level = levels[g.IntN(len(levels))]
		if s.Kind == sendTagged && g.IntN(4) == 0 {
			s.Level = fi.OpMatchComplete
		}
		if s.Kind == read {
			s.Level = 0
		}
		if s.Kind != read && s.Size <= p.Limits.Inject && p.Ops.has(opInject) && g.IntN(4) == 0 {
			s.Level |= fi.OpInject
		}
	}
}

// receive chooses how a tagged message is received.
func (g *generator) receive(s *step) {
	p := g.h.plan
	if g.IntN(2) == 0 { // the receive does not look at the upper bits, which the sender has set
		s.Ignore = 0xffff << 48
	}
	s.Directed = p.Ops.has(opDirected) && p.Type != fi.EPMsg && p.Limits.Caps&(fi.CapDirectedRecv|fi.CapTaggedDirectedRecv) != 0 && g.IntN(4) == 0
	switch x := g.IntN(16); {
	case x < 2 && p.Ops.has(opCancel):
		s.Recv, s.Late = recvRace, g.IntN(20)
	case x < 6 && p.Ops.has(opPeek):
		s.Recv = recvPeek + recvForm(x-2)
		return
	case x < 11: // several messages with one tag: the first that was sent is the first that is received
		group := uint64(x - 6)
		s.Tag = 1<<32 | group<<24 | uint64(s.From.Rank)<<8 | uint64(s.From.Lane)
		s.Ignore = 0
	}
}

// atomic chooses a place and an operation for it.
func (g *generator) atomic(s *step) {
	p := g.h.plan
	s.Slot = g.IntN(len(g.h.Slots))
	at := &g.h.Slots[s.Slot]
	s.To.Rank, s.Size = at.Rank, slotKinds[at.Kind].size
	if p.Type == fi.EPMsg && s.To.Rank == s.From.Rank {
		s.From.Rank = (s.To.Rank + 1 + g.IntN(p.Ranks-1)) % p.Ranks
		s.Second = false
	}
	s.Second = s.Second && g.h.Second[s.From.Rank]
	if slotKinds[at.Kind].fetches {
		return
	}
	switch x := g.IntN(4); {
	case x == 0 && p.Ops.has(opInject) && s.Size <= p.Limits.Inject:
		s.Form = injected
	case x == 1 && p.Ops.has(opLevel):
		s.Form, s.Level = general, levels[g.IntN(len(levels))]
	}
}
