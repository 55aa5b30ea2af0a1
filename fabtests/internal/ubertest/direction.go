package ubertest

import (
	"context"
	"fmt"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric"
	"github.com/gofabric/gofabric/fabtests/internal/ctrl"
	"github.com/gofabric/gofabric/fabtests/internal/fail"
	"github.com/gofabric/gofabric/fabtests/internal/poll"
	"github.com/gofabric/gofabric/fi"
)

// direction is what one side sends, or what it receives.
type direction struct {
	q    *fabric.CQ
	cntr *fabric.Counter // nil where nothing is counted

	events  uint64 // that the counter will have seen
	entries uint64 // that the queue will have had
	counted uint64 // that it has seen
	taken   uint64 // that were taken from the queue

	each func(*cq.Entry) error // looks at an entry; nil for none

	contexts []any
	current  int
	part     int    // which of parts is next
	tag      uint64 // of the next message
	buf      [32]cq.Entry
}

// slot is what contexts point to.
type slot struct{ n int }

func (d *direction) makeContexts() {
	for i := range credits {
		d.contexts = append(d.contexts, &slot{i})
	}
}

// context is that of the next operation.
func (d *direction) context() any {
	d.current = (d.current + 1) % len(d.contexts)
	return d.contexts[d.current]
}

// done tells whether all has come that was expected.
func (d *direction) done() bool { return d.owed() == 0 }

// owed is how many operations are not done.
func (d *direction) owed() uint64 {
	var n uint64
	if d.cntr != nil && d.counted < d.events {
		n = d.events - d.counted
	}
	if d.taken < d.entries {
		n = max(n, d.entries-d.taken)
	}
	return n
}

// look takes what is there, without waiting.
func (d *direction) look() error {
	if d.cntr != nil {
		if d.counted = d.cntr.Read(); d.cntr.ReadErr() > 0 {
			return d.failed("fi_cntr_readerr", fi.ErrAvail)
		}
	}
	n, err := d.q.Read(d.buf[:])
	return d.note(n, err)
}

// note counts entries, and looks at each.
func (d *direction) note(n int, err error) error {
	d.taken += uint64(n)
	if d.each != nil {
		for i := range d.buf[:n] {
			if err := d.each(&d.buf[i]); err != nil {
				return err
			}
		}
	}
	if n > 0 || err == fi.ErrAgain { //nolint:errorlint // a bare value
		return nil
	}
	return d.failed("fi_cq_read", err)
}

// failed says what went wrong with a queue.
func (d *direction) failed(call string, err error) error {
	if err == fi.ErrAvail { //nolint:errorlint // a bare value
		e := new(cq.ErrEntry)
		if bad := d.q.ReadErr(e); bad == nil {
			return fail.Call("fi_cq_readerr", e)
		}
	}
	return fail.Call(call, err)
}

// wait waits until at most owed operations of a direction are not done.
func (s *side) wait(d *direction, owed uint64) error {
	var p patience
	for {
		if err := d.look(); err != nil {
			return err
		}
		if d.owed() <= owed {
			return nil
		}
		var err error
		switch counts := d.cntr != nil && d.counted < d.events; {
		case counts && s.t.CounterWait != fi.WaitNone:
			err = s.blockCounter(d)
		case !counts && s.t.CQWait != fi.WaitNone:
			err = s.blockQueue(d)
		default:
			err = s.tired(&p)
		}
		if err != nil {
			return err
		}
	}
}

// pollFor is how long a wait for a descriptor lasts before it is looked whether the test has ended.
const pollFor = 20 * time.Millisecond

// blockQueue waits for the queue, by its wait object.
func (s *side) blockQueue(d *direction) error {
	if s.t.CQWait == fi.WaitFD {
		if d.q.TryWait() != nil {
			return s.ended()
		}
		fd, err := d.q.FD()
		if err != nil {
			return fail.Call("fi_control", err)
		}
		if _, err := poll.Readable(fd, pollFor); err != nil {
			return fail.Call("poll", err)
		}
		return s.ended()
	}
	n, err := d.q.SRead(s.ctx, d.buf[:])
	if n == 0 && err != fi.ErrAvail && s.ended() != nil { //nolint:errorlint // a bare value
		return s.ended()
	}
	return d.note(n, err)
}

// blockCounter waits for the counter.
func (s *side) blockCounter(d *direction) error {
	if s.t.CounterWait == fi.WaitFD {
		if d.cntr.TryWait(d.counted, 0) != nil {
			return s.ended()
		}
		fd, err := d.cntr.FD()
		if err != nil {
			return fail.Call("fi_control", err)
		}
		if _, err := poll.Readable(fd, pollFor); err != nil {
			return fail.Call("poll", err)
		}
		return s.ended()
	}
	err := d.cntr.Wait(s.ctx, d.counted+1)
	if err != nil && s.ended() != nil {
		return s.ended()
	}
	if err == fi.ErrAvail { //nolint:errorlint // a bare value
		return nil // the next look tells
	}
	return fail.Call("fi_cntr_wait", err)
}

// patience counts the empty looks of one wait.
type patience struct{ n int }

// looksEvery is how many of them pass between two looks whether the test has ended.
const looksEvery = 1 << 10

// tired is called after an empty look.
func (s *side) tired(p *patience) error {
	if p.n++; p.n%looksEvery != 0 {
		return nil
	}
	return s.ended()
}

// ended is why the test must end now; nil while it may go on.
func (s *side) ended() error { return context.Cause(s.ctx) }

// limit gives the next phase its time.
func (s *side) limit() (stop func()) {
	wait := s.env.Opt.Timeout
	return ctrl.After(wait, func() {
		s.end(&fail.Hint{Err: fail.Call("fi_cq_read", &fi.Error{Op: "wait", Err: fi.ErrTimedOut,
			Hint: fmt.Sprintf("transfers of %d bytes were not done within %v: of ours %d lack, of the other side's %d", s.size, wait, s.tx.owed(), s.rx.owed())}), Next: "a longer --timeout, or look at what the other side prints"})
	})
}
