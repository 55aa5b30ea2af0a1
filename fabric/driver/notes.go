package driver

import (
	"sync"
	"time"
)

// Notes are lines for a provider's log that wait to be written. Most of what there is to tell happens with the domain's
// lock held, and where lines go is somebody else's code: so they are written later, in order, by the source's goroutine,
// or by who closes an endpoint or the domain.
type Notes struct {
	Log Logger // set before the first line

	mu    sync.Mutex
	lines []func()      // guarded by mu
	busy  bool          // somebody writes; guarded by mu
	done  chan struct{} // closed when that one has ended; guarded by mu
}

// Add queues a line. Call it only when the level is on: values that change are read by the caller. Who writes the lines
// must then be woken.
func (n *Notes) Add(write func(log Logger)) {
	n.mu.Lock()
	n.lines = append(n.lines, func() { write(n.Log) })
	n.mu.Unlock()
}

// Flush writes what waits. Without the domain's lock. A log that calls us back finds somebody busy and goes on.
func (n *Notes) Flush() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.busy {
		return
	}
	n.busy, n.done = true, make(chan struct{})
	for len(n.lines) > 0 {
		lines := n.lines
		n.lines = nil
		n.mu.Unlock()
		for _, write := range lines {
			write()
		}
		n.mu.Lock()
	}
	n.busy = false
	close(n.done)
}

// Settle is Flush that also waits for another one who writes, for who closes: the process may end next. Not for ever,
// since that one may be a log that calls us back.
func (n *Notes) Settle() {
	n.Flush()
	n.mu.Lock()
	busy, done := n.busy, n.done
	n.mu.Unlock()
	if busy {
		select {
		case <-done:
		case <-time.After(100 * time.Millisecond):
		}
	}
}
