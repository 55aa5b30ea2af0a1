package conformance

import (
	"time"

	"github.com/gofabric/gofabric/fi"
)

// finish closes all sides and checks what must hold after every case.
func (t *test) finish() {
	failed := t.Failed() // then only close
	if !failed {
		for _, s := range t.sides {
			t.protect(s.checkCounters)
		}
	}
	for _, s := range t.sides {
		if s.opts.Set.connected() { // the first that closes ends what is pending at others
			t.protect(s.poll)
			s.open = s.pending()
		}
	}
	for _, s := range t.sides {
		t.protect(func() { s.shut(failed) })
	}
	for _, s := range t.sides {
		t.protect(func() { s.closeAll(failed) })
	}
	if !failed && t.remoteSides() > 0 {
		seen := map[*agent]bool{}
		for _, s := range t.sides {
			if s.agent != nil && !s.lost && !seen[s.agent] {
				seen[s.agent] = true
				s.do(&request{Verb: vLeaks})
			}
		}
	}
}

// shut closes the endpoints: what is pending must complete now.
func (s *side) shut(failed bool) {
	if s.lost || s.settled {
		return
	}
	s.poll()
	r := s.do(&request{Verb: vCloseEPs})
	s.settled = true
	if failed {
		return
	}
	if r.Err != nil {
		s.t.Errorf("side %d: closing an endpoint: %v", s.index, r.Err)
	}
	open := s.open
	if open == nil {
		open = s.pending()
	}
	s.take(r.Comps)
	for {
		more := s.do(&request{Verb: vPoll}).Comps
		if len(more) == 0 {
			break
		}
		s.take(more)
	}
	for _, o := range s.ops {
		s.exactlyOnce(o, open[o])
	}
	for i := range s.events {
		s.t.Errorf("side %d: a completion that nothing explains: %v", s.index, &s.events[i])
	}
	s.do(&request{Verb: vCheck})
}

// pending are the operations that have not completed.
func (s *side) pending() map[*op]bool {
	open := map[*op]bool{}
	for _, o := range s.ops {
		open[o] = !o.done()
	}
	return open
}

// exactlyOnce checks the number of an operation's completions; wasOpen says that closing had to complete it.
func (s *side) exactlyOnce(o *op, wasOpen bool) {
	if o.call.SRX && wasOpen {
		return // receives of a shared context have no queue to complete on
	}
	if !o.done() {
		s.t.Errorf("side %d: %s of %d bytes never completed, not even by closing its endpoint", s.index, o.call.Form, o.call.N)
		return
	}
	for i := range o.comps {
		c := &o.comps[i]
		if c.Err == 0 || o.claimed || wasOpen && c.Err == fi.ErrCanceled && i == len(o.comps)-1 {
			continue
		}
		s.t.Errorf("side %d: %s failed: %v", s.index, o.call.Form, c)
	}
	if o.multi && wasOpen && o.last().Flags&fi.CompMultiRecv == 0 {
		s.t.Errorf("side %d: a multi-receive buffer was not given back", s.index)
	}
}

// expected is what the counters must show: values and then errors.
func (s *side) expected() (want [2 * numCounters]uint64) {
	one := func(n int) uint64 {
		if s.opts.Bytes {
			return uint64(n)
		}
		return 1
	}
	for i := range s.silentOK {
		want[i] = s.silentOK[i]
		if s.opts.Bytes {
			want[i] = s.silentLen[i]
		}
	}
	for _, o := range s.ops {
		k := o.call.counter()
		for i := range o.comps {
			c := &o.comps[i]
			if !o.counted(i) {
				continue
			}
			n := o.call.N
			if o.call.isRecv() {
				n = c.Len
			}
			switch {
			case c.Err == fi.ErrAddrNotAvail && o.call.isRecv(): // received all the same
				want[k] += one(n)
			case c.Err != 0:
				want[numCounters+k]++
			default:
				want[k] += one(n)
			}
		}
	}
	if s.opts.Caps&fi.CapRMAEvent != 0 {
		for _, p := range s.t.sides {
			for _, o := range p.ops {
				if o.target != s || !o.call.remote() || p.lost {
					continue
				}
				ok := o.expect == 0 && len(o.comps) == 0
				for i := range o.comps {
					ok = ok || o.comps[i].Err == 0
				}
				if !ok {
					continue
				}
				slot := cntRemoteWrite
				if o.call.brings() || o.call.fetches() {
					slot = cntRemoteRead
				}
				want[slot] += one(o.call.N)
			}
		}
	}
	return want
}

// checkCounters waits until the counters are the sums of the completions.
func (s *side) checkCounters() {
	if s.lost || s.settled || s.uncounted {
		return
	}
	var want [2 * numCounters]uint64
	var got []uint64
	end := time.Now().Add(s.t.patience / 2)
	for {
		s.t.pump()
		want, got = s.expected(), s.do(&request{Verb: vCounters}).Counts
		same := true
		if s.unseen {
			got[cntRecv] = want[cntRecv]
		}
		for i := range want {
			same = same && want[i] == got[i]
		}
		if same {
			s.checkStats(got)
			return
		}
		if time.Now().After(end) {
			break
		}
	}
	for i := range want {
		if want[i] != got[i] {
			what := "count"
			if i >= numCounters {
				what = "errors"
			}
			s.t.Errorf("side %d: counter of %v: %s %d, want %d", s.index, countFlags[i%numCounters], what, got[i], want[i])
		}
	}
}

// closeAll closes the rest.
func (s *side) closeAll(failed bool) {
	if s.lost {
		return
	}
	if r := s.do(&request{Verb: vClose}); r.Err != nil && !failed {
		s.t.Errorf("side %d: closing: %v", s.index, r.Err)
	}
}
