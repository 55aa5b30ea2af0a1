package device

import (
	"sync"
	"time"
)

// stalls are the waits that have become long, kept where a watchdog is wanted.
type stalls struct {
	after  time.Duration
	report func(string)

	mu      sync.Mutex
	of      map[*Stall]struct{} // guarded by mu
	inquiry *inquiry            // guarded by mu: the one that runs
}

func (s *stalls) init(after time.Duration, report func(string)) {
	s.after, s.report = after, report
	s.of = map[*Stall]struct{}{}
}

// Stall is one wait. It is made when somebody goes to sleep, so that short waits cost nothing.
type Stall struct {
	d     *Device
	since time.Time
	quiet time.Time // nothing is reported before
	where where
}

// Stalled notes a wait that becomes long, for somebody who waits by other means than Wait and Await; nil without a watchdog,
// which is as good. He calls Check now and then, and Over in the end.
func (d *Device) Stalled(peer int, tag uint64) *Stall {
	if d.stalls.after <= 0 {
		return nil
	}
	now := time.Now()
	s := &Stall{d: d, since: now, quiet: now.Add(d.stalls.after), where: where{peer: peer, tag: tag}}
	s.where.call, s.where.place = caller()
	d.stalls.mu.Lock()
	defer d.stalls.mu.Unlock()
	d.stalls.of[s] = struct{}{}
	return s
}

// Over ends it.
func (s *Stall) Over() {
	if s == nil {
		return
	}
	all := &s.d.stalls
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.of, s)
	if all.inquiry != nil && all.inquiry.by == s {
		all.inquiry = nil
	}
}

// hush puts off the next report for as long again. The caller holds mu.
func (s *Stall) hush(now time.Time) { s.quiet = now.Add(max(now.Sub(s.since), s.d.stalls.after)) }

// answersWithin is how long an inquiry waits for the answers of the others.
const answersWithin = time.Second

// Check is called now and then by who waits. When nothing has moved for long it asks all others where they are, and makes
// the report of what they say the next time but some.
func (s *Stall) Check() {
	if s == nil {
		return
	}
	all, now := &s.d.stalls, time.Now()
	all.mu.Lock()
	q := all.inquiry
	switch {
	case q == nil && now.After(s.quiet):
		all.inquiry = &inquiry{by: s, began: now, answers: make([][]where, s.d.Size)}
		all.mu.Unlock()
		for r := range s.d.Size {
			if !s.d.Failed(r) {
				s.d.Tell(r, kindWhere, nil)
			}
		}
		return
	case q == nil || q.by != s || now.Sub(q.began) < answersWithin:
		all.mu.Unlock()
		return
	}
	all.inquiry = nil
	for _, ws := range q.answers { // they have waited on meanwhile
		for i := range ws {
			ws[i].waited += now.Sub(q.began)
		}
	}
	q.answers[s.d.Rank] = all.own(now)
	for s := range all.of {
		s.hush(now)
	}
	all.mu.Unlock()
	all.report(q.report(s.d))
}

// heardWhere answers. Of two that ask at the same time the lower rank goes on.
func (d *Device) heardWhere(from int, _ []byte) {
	all, now := &d.stalls, time.Now()
	if all.after <= 0 {
		return
	}
	all.mu.Lock()
	if all.inquiry != nil && from < d.Rank {
		all.inquiry = nil
	}
	if all.inquiry == nil {
		for s := range all.of {
			if now.After(s.quiet) {
				s.hush(now)
			}
		}
	}
	body := encodeWhere(all.own(now), d.ControlMost())
	all.mu.Unlock()
	d.Tell(from, kindHere, body)
}

func (d *Device) heardHere(from int, body []byte) {
	ws, ok := decodeWhere(body)
	if !ok {
		return
	}
	d.stalls.mu.Lock()
	defer d.stalls.mu.Unlock()
	if q := d.stalls.inquiry; q != nil {
		q.answers[from] = ws
	}
}
