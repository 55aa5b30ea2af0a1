package device

import (
	"sync"
	"sync/atomic"
)

// failures are the ranks that are known to be gone.
type failures struct {
	n    atomic.Int32
	mu   sync.Mutex
	gone []bool
}

func (f *failures) init(size int) { f.gone = make([]bool, size) }

func (f *failures) mark(rank int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.gone[rank] {
		f.gone[rank] = true
		f.n.Add(1)
	}
}

// Failures counts the ranks that are known to be gone; it never becomes less.
func (d *Device) Failures() int { return int(d.failed.n.Load()) }

// Failed tells whether a rank is known to be gone.
func (d *Device) Failed(rank int) bool {
	if d.failed.n.Load() == 0 {
		return false
	}
	d.failed.mu.Lock()
	defer d.failed.mu.Unlock()
	return d.failed.gone[rank]
}

// doubt is asked when an operation has waited for long.
func (d *Device) doubt(op *Op) {
	if op.Peer >= 0 && d.Failed(op.Peer) {
		d.Cancel(op)
	}
}
