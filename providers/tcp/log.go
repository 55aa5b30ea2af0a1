package tcp

import (
	"errors"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// note queues a line, and wakes who writes it. Call it only when the level is on.
func (s *source) note(write func(log driver.Logger)) {
	s.notes.Add(write)
	s.bells.ring(bellWake)
}

// logJoined tells of a new connection.
func (c *conn) logJoined() {
	if !c.s.notes.Log.On(driver.LevelInfo) {
		return
	}
	peer, local, pid, ours, version, ext := c.peerName(), c.owner.name.String(), c.pid, c.ours, c.version, c.ext
	c.s.note(func(log driver.Logger) {
		log.Info("connected", "peer", peer, "local", local, "pid", pid, "by us", ours, "rdm version", version, "extension", ext)
	})
}

// logAgain tells, once while a connection is wanted, that a peer cannot be reached and is called again: the application
// hears nothing until that has an end. Two that call each other at once, of which one is rejected, are no news.
func (p *peer) logAgain(err error) {
	if p.told || errors.Is(err, errRejected) || !time.Now().Before(p.until) || !p.e.d.src.notes.Log.On(driver.LevelInfo) {
		return
	}
	p.told = true
	why, most := reason(err), p.e.d.cfg.connectTimeout.String()
	if fi.FromSyscall(err) == fi.ErrConnRefused {
		why += ": nobody listens there yet"
	}
	name := p.addr.String()
	p.e.d.src.note(func(log driver.Logger) {
		log.Info("no connection yet, calling again", "peer", name, "reason", why, "for", most, "limit", knobConnect.Name())
	})
}

// logEnd tells how a connection ends.
func (c *conn) logEnd(err fi.Errno, text string) {
	if !c.s.notes.Log.On(driver.LevelWarn) {
		return
	}
	peer, local, was := c.peerName(), c.owner.name.String(), c.state
	c.s.note(func(log driver.Logger) {
		switch {
		case was != connReady && was != connClosing:
			log.Debug("no connection", "peer", peer, "local", local, "reason", text)
		case err == fi.ErrConnReset:
			log.Info("peer closed", "peer", peer, "local", local)
		case err == fi.ErrCanceled:
			log.Debug("connection closed", "peer", peer, "local", local)
		default:
			log.Warn("connection broken", "peer", peer, "local", local, "reason", text)
		}
	})
}
