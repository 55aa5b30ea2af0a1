package device

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// FailedError says that a rank is gone, so that an operation cannot end.
type FailedError struct {
	Rank int // world rank; AnyPeer when it is not known
	// Pending says that the operation goes on all the same: a receive from anybody, which another rank may still end.
	Pending bool
}

// Error names the rank.
func (e *FailedError) Error() string {
	if e.Rank < 0 {
		return "a process that is needed has ended or cannot be reached"
	}
	return fmt.Sprintf("the process of world rank %d has ended or cannot be reached", e.Rank)
}

// failures are the ranks that are known to be gone.
type failures struct {
	n     atomic.Int32
	mu    sync.Mutex
	gone  []bool // guarded by mu
	order []int  // guarded by mu: those of gone, as they became known
}

func (f *failures) init(size int) { f.gone = make([]bool, size) }

// mark notes that a rank is gone; false if that is known.
func (f *failures) mark(rank int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone[rank] {
		return false
	}
	f.gone[rank] = true
	f.order = append(f.order, rank)
	f.n.Store(int32(len(f.order)))
	return true
}

// Failures counts the ranks that are known to be gone; it never becomes less.
//
//fabric:fastpath
func (d *Device) Failures() int { return int(d.failed.n.Load()) }

// Failed tells whether a rank is known to be gone.
func (d *Device) Failed(rank int) bool {
	if d.Failures() == 0 {
		return false
	}
	d.failed.mu.Lock()
	defer d.failed.mu.Unlock()
	return d.failed.gone[rank]
}

// FailedRanks are the ranks that are known to be gone, in the order in which that became known. It only grows.
func (d *Device) FailedRanks() []int {
	d.failed.mu.Lock()
	defer d.failed.mu.Unlock()
	return slices.Clone(d.failed.order)
}

// found notes what this process has seen itself, and tells all others: who waits for somebody who has given up a common
// operation could not see it.
func (d *Device) found(rank int) {
	if rank == d.Rank || d.closed.Load() || !d.failed.mark(rank) {
		return
	}
	d.news.spread()
	notice := failedNotice([]int{rank})
	for r := range d.Size {
		if r != d.Rank && !d.Failed(r) {
			d.Tell(r, kindFailed, notice)
		}
	}
}

// told notes what another rank says. Who says it of this process has given it up, and nothing will come from there.
func (d *Device) told(from, rank int) {
	if rank == d.Rank {
		rank = from
	}
	if d.failed.mark(rank) {
		d.news.spread()
	}
}

// Resign tells all others that this process ends its part, so that they need not find out.
func (d *Device) Resign() {
	notice := failedNotice([]int{d.Rank})
	for r := range d.Size {
		if !d.Failed(r) {
			d.Tell(r, kindFailed, notice)
		}
	}
}

// news wakes those who sleep on something that a failure or a revocation may concern.
type news struct {
	mu sync.Mutex
	ch chan struct{} // guarded by mu: closed by the next ones
}

// next gives a channel that is closed by the next news. It is asked for before one looks what is known.
func (n *news) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ch == nil {
		n.ch = make(chan struct{})
	}
	return n.ch
}

func (n *news) spread() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ch != nil {
		close(n.ch)
		n.ch = nil
	}
}

// News gives a channel that is closed when something becomes known of failures or revocations. It is asked for before one
// looks what is known.
func (d *Device) News() <-chan struct{} { return d.news.next() }
