package tcp

import (
	"sync"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// notes are lines for the log that wait to be written. What there is to tell happens with the domain's lock held, and
// where lines go is somebody else's code: so they are written later, in order, by the engine's goroutine, or by who
// closes an endpoint or the domain.
type notes struct {
	log driver.Logger

	mu    sync.Mutex
	lines []func() // guarded by mu
	busy  bool     // somebody writes; guarded by mu
}

// note queues a line. Call it only when the level is on: values that change are read by the caller.
func (s *source) note(write func(log driver.Logger)) {
	n := &s.notes
	n.mu.Lock()
	n.lines = append(n.lines, func() { write(n.log) })
	n.mu.Unlock()
	s.wake.Ring()
}

// flush writes what waits. Without the domain's lock. A log that calls us back finds somebody busy and goes on.
func (n *notes) flush() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.busy {
		return
	}
	n.busy = true
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
}

// logJoined tells of a new connection.
func (c *conn) logJoined() {
	if !c.s.notes.log.On(driver.LevelInfo) {
		return
	}
	peer, pid, ours, version, ext := c.peerName(), c.pid, c.ours, c.version, c.ext
	c.s.note(func(log driver.Logger) {
		log.Info("connected", "peer", peer, "pid", pid, "by us", ours, "rdm version", version, "extension", ext)
	})
}

// logEnd tells how a connection ends.
func (c *conn) logEnd(err fi.Errno, text string) {
	if !c.s.notes.log.On(driver.LevelWarn) {
		return
	}
	peer, was := c.peerName(), c.state
	c.s.note(func(log driver.Logger) {
		switch {
		case was != connReady && was != connClosing:
			log.Debug("no connection", "peer", peer, "reason", text)
		case err == fi.ErrConnReset:
			log.Info("peer closed", "peer", peer)
		case err == fi.ErrCanceled:
			log.Debug("connection closed", "peer", peer)
		default:
			log.Warn("connection broken", "peer", peer, "reason", text)
		}
	})
}

// logAccept tells that connections cannot be taken.
func (d *domain) logAccept(err error) {
	if d.src.notes.log.On(driver.LevelWarn) {
		reason := err.Error()
		d.src.note(func(log driver.Logger) {
			log.Warn("cannot accept a connection", "reason", reason, "cure", "too many open files: raise ulimit -n")
		})
	}
}
