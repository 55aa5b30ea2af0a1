package shm

import (
	"time"

	"github.com/gofabric/gofabric/internal/ring"
	"github.com/gofabric/gofabric/internal/shmem"
)

// The memory of a pair that has ended stays mapped for a while: a Ready without the lock may still look at its ring, and
// the peer may be inside one of our regions, which its busy words tell.

// grave is such memory.
type grave struct {
	m    *shmem.Mapping
	ring *ring.Pair // nil for a peer's table
}

// A look is some nanoseconds, but its thread may be off the processor, or the whole process may be stopped in the middle
// of it. So a grave is left after some rounds of a timer, not at a time: of the rounds that were missed while everything
// stood still only one is made up for, and then every thread runs for a second before the next.
const (
	roundEvery = time.Second
	rounds     = 3
)

// graveyard holds graves by the rounds that they have seen. The domain's lock guards it.
type graveyard struct {
	rows  [rounds][]grave
	timer *time.Timer
}

// bury keeps memory that is not used any more, until the third round from now.
func (s *source) bury(g grave) {
	y := &s.graves
	y.rows[0] = append(y.rows[0], g)
	if y.timer == nil {
		y.timer = time.AfterFunc(roundEvery, func() { s.post(event{kind: evSweep}) })
	}
}

// sweep is a round.
func (s *source) sweep() {
	y := &s.graves
	for _, g := range y.rows[rounds-1] {
		g.m.Unmap()
	}
	copy(y.rows[1:], y.rows[:])
	y.rows[0] = nil
	y.timer = nil
	for _, r := range y.rows {
		if len(r) > 0 {
			y.timer = time.AfterFunc(roundEvery, func() { s.post(event{kind: evSweep}) })
			return
		}
	}
}

// empty unmaps everything: nobody looks any more.
func (y *graveyard) empty() {
	for _, r := range y.rows {
		for _, g := range r {
			g.m.Unmap()
		}
	}
	if y.timer != nil {
		y.timer.Stop()
	}
	*y = graveyard{}
}

// expel waits until no peer is inside a region that was closed, but not for ever: a peer that is stopped, or was killed
// and not yet cleaned up, touches nothing but its own mapping of the memory.
func (d *domain) expel(slot, gen uint32) {
	if d.plain {
		shmem.GlobalBarrier()
	}
	waited, last := time.Duration(0), time.Now()
	for d.inside(slot, gen) && waited < expelTime {
		yield()
		now := time.Now()
		waited += min(now.Sub(last), expelBlink)
		last = now
	}
}

// A peer that is inside may be off the processor on a busy machine: it has a second to come out. Of the time in which we
// were off it ourselves little counts.
const (
	expelTime  = time.Second
	expelBlink = 10 * time.Millisecond
)

// inside tells whether a peer says that it is inside a region, also one whose connection has just ended.
func (d *domain) inside(slot, gen uint32) bool {
	d.eng.Lock()
	defer d.eng.Unlock()
	for _, p := range d.pairs {
		if p.ring.Theirs.In(slot, gen) {
			return true
		}
	}
	for _, row := range d.src.graves.rows {
		for _, g := range row {
			if g.ring != nil && g.ring.Theirs.In(slot, gen) {
				return true
			}
		}
	}
	return false
}
