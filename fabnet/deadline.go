package fabnet

import (
	"net"
	"sync"
	"time"
)

// deadline is the end of the time for reads or writes. The stream's lock guards it.
type deadline struct {
	passed bool
	timer  *time.Timer
	set    uint64 // counts settings: a timer of an earlier one has nothing to say
}

// stop ends the timer.
func (d *deadline) stop() {
	d.set++
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

// to sets the deadline; wake has those who wait look again.
func (d *deadline) to(t time.Time, mu *sync.Mutex, wake func()) {
	d.stop()
	d.passed = false
	if !t.IsZero() {
		left := time.Until(t)
		if d.passed = left <= 0; !d.passed {
			mine := d.set
			d.timer = time.AfterFunc(left, func() {
				mu.Lock()
				if d.set == mine {
					d.passed = true
					wake()
				}
				mu.Unlock()
			})
		}
	}
	wake()
}

// SetDeadline sets both deadlines.
func (s *Stream) SetDeadline(t time.Time) error { return s.setDeadlines(t, true, true) }

// SetReadDeadline bounds Reads, also those that wait now.
func (s *Stream) SetReadDeadline(t time.Time) error { return s.setDeadlines(t, true, false) }

// SetWriteDeadline bounds Writes, also those that wait now. What a Write has sent before stays sent.
func (s *Stream) SetWriteDeadline(t time.Time) error { return s.setDeadlines(t, false, true) }

func (s *Stream) setDeadlines(t time.Time, read, write bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == closed {
		return opError("set", s.local.network, s.local, s.remote, net.ErrClosed)
	}
	if read {
		s.readBy.to(t, &s.mu, s.wakeReads)
	}
	if write {
		s.writeBy.to(t, &s.mu, s.wakeWrites)
	}
	return nil
}
