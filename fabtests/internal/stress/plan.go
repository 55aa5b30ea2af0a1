package stress

import (
	"math/rand/v2"

	"github.com/gofabric/gofabric/fi"
)

// choice is what a run was asked to do and what the provider can: the same at every rank.
type choice struct {
	Seed     uint64
	Ranks    int
	Ops      mask
	Steps    int // of a phase, at most
	Window   int // operations of each direction that are outstanding at a port, at most; 0: by chance
	Type     fi.EPType
	Provider string
	Limits   limits
}

// limits are those of the provider.
type limits struct {
	Caps                    fi.Caps
	Inject                  int
	TxIov, RxIov, RMAIov    int
	Data                    int    // bytes of completion data
	MaxMsg                  uint64 // bytes
	Atomics                 int    // bits of slotKinds that the provider has
	Auto, Manual, OneThread bool   // models that getinfo grants
}

// place is one endpoint: a rank's lane. The connections of a lane are as many endpoints, all of one place.
type place struct{ Rank, Lane int }

// rxMode is how a place receives untagged messages.
type rxMode int

const (
	rxAny      rxMode = iota // from whoever sends
	rxDirected               // each from one sender
	rxMulti                  // many messages into one buffer
)

// plan is one round.
type plan struct {
	choice
	Round     int
	Lanes     int
	Threads   int // of each rank
	Threading fi.Threading
	Progress  fi.Progress
	Wait      bool // sleep in CQ.SRead
	Queues    int  // 0: one for all; 1: one a lane; 2: two a lane
	AVMap     bool
	Alloc     bool // remote memory is of mr.Alloc
	Selective bool // plain transmits are silent
	TxWindow  int
	RxWindow  int
	Untagged  [][]rxMode // of each place
	Phases    []*phase
}

// phase is what is done between two meetings of all ranks.
type phase struct {
	*plan
	Index   int
	Reopen  [][]bool // places whose endpoints are closed and opened again first
	Refresh []bool   // ranks that empty their address vector and fill it again first
	Second  []bool   // ranks that give each peer a second name
	Steps   []*step
	Written []int  // bytes of each rank's memory that are written to
	Slots   []slot // places for atomics, of all ranks
}

// readable is how many bytes of each rank's memory are there to be read.
const readable = 256 << 10

// key is that of a step's bytes.
func (p *phase) key(id int) uint64 {
	return mix(p.Seed ^ mix(uint64(p.Round)<<40^uint64(p.Index)<<32^uint64(id+1)))
}

// Most bytes of one phase, of one message, and of one that goes into a buffer with others.
const (
	stepBytes = 40 << 10 // on the average
	largest   = 3 << 20
	multiMost = 32 << 10
)

// newPlan makes the plan of a round.
func newPlan(c choice, round int) *plan {
	r := rand.New(rand.NewPCG(c.Seed, mix(uint64(round))))
	p := &plan{choice: c, Round: round, Lanes: 1 + r.IntN(3), Threads: 1, Threading: fi.ThreadSafe, Progress: fi.ProgressAuto,
		Wait: r.IntN(3) == 0, Queues: r.IntN(3), AVMap: r.IntN(2) == 0, Alloc: r.IntN(2) == 0,
		Selective: c.Ops.has(opLevel) && r.IntN(4) == 0, TxWindow: 1 + r.IntN(40), RxWindow: 1 + r.IntN(40)}
	if c.Window > 0 {
		p.TxWindow, p.RxWindow = c.Window, c.Window
	}
	threads, model, manual := 1+r.IntN(4), r.IntN(4), r.IntN(2) == 0
	if c.Ops.has(opThreads) {
		p.Threads = threads
	}
	switch {
	case model == 0 && c.Limits.OneThread:
		p.Threading, p.Threads = fi.ThreadDomain, 1
	case model == 1 && c.Limits.OneThread:
		p.Threading, p.Queues = fi.ThreadCompletion, max(1, p.Queues)
	}
	if manual && c.Limits.Manual || !c.Limits.Auto {
		p.Progress = fi.ProgressManual
	}
	for range c.Ranks {
		modes := make([]rxMode, p.Lanes)
		for i := range modes {
			switch x := r.IntN(4); {
			// With several threads at one queue, that which gives a buffer back may be seen before the last message in it.
			case x == 0 && p.Threads == 1 && c.Ops.has(opMulti) && c.Limits.Caps&fi.CapMultiRecv != 0:
				modes[i] = rxMulti
			case x == 1 && c.Ops.has(opDirected) && c.Limits.Caps&fi.CapDirectedRecv != 0 || c.Type == fi.EPMsg:
				modes[i] = rxDirected
			}
		}
		p.Untagged = append(p.Untagged, modes)
	}
	for i := range 1 + r.IntN(3) {
		p.Phases = append(p.Phases, p.newPhase(r, i))
	}
	return p
}

// newPhase makes one phase.
func (p *plan) newPhase(r *rand.Rand, index int) *phase {
	h := &phase{plan: p, Index: index, Written: make([]int, p.Ranks)}
	for range p.Ranks {
		again := make([]bool, p.Lanes)
		for i := range again {
			again[i] = r.IntN(4) == 0 && index > 0 && p.Ops.has(opReopen) && p.Type != fi.EPMsg
		}
		h.Reopen = append(h.Reopen, again)
		av := p.Ops.has(opAV) && p.Type != fi.EPMsg
		h.Refresh = append(h.Refresh, r.IntN(3) == 0 && index > 0 && av)
		h.Second = append(h.Second, r.IntN(3) == 0 && av)
	}
	if p.Ops.has(opAtomic) && p.Limits.Caps&fi.CapAtomic != 0 {
		for rank := range p.Ranks {
			for k := range slotKinds {
				if p.Limits.Atomics&(1<<k) != 0 && r.IntN(3) > 0 {
					h.Slots = append(h.Slots, slot{Rank: rank, Kind: k, Off: 8 * len(h.Slots)})
				}
			}
		}
	}
	g := &generator{Rand: r, h: h, left: p.Steps * stepBytes}
	for range max(1, p.Steps/16+r.IntN(p.Steps)) {
		if s := g.step(); s != nil {
			s.ID = len(h.Steps)
			h.Steps = append(h.Steps, s)
		}
	}
	return h
}
