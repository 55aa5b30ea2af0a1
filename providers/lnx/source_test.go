package lnx

import (
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
)

// fakeSource counts what is asked of it.
type fakeSource struct {
	nothing
	work         bool
	looks, polls int
	armed        bool
}

func (f *fakeSource) Ready() bool {
	f.looks++
	return f.work
}
func (f *fakeSource) Poll()     { f.polls++ }
func (f *fakeSource) Arm() bool { f.armed = true; return f.work }

func fakeLinks() (s *source, near, far *fakeSource) {
	s, near, far = newSource(), &fakeSource{}, &fakeSource{}
	s.links.Store(&sources{near, []driver.Source{far}})
	return s, near, far
}

// step is what a reader of a queue does.
func step(s *source) (worked bool) {
	if s.Ready() {
		s.Poll()
		return true
	}
	return false
}

// TestBusyNear has the near link deliver all the time: the other one is polled about every 20 us.
func TestBusyNear(t *testing.T) {
	s, near, far := fakeLinks()
	near.work = true
	step(s)
	far.polls = 0
	start := time.Now()
	for near.polls < 2*askBusy || time.Since(start) < 5*time.Millisecond {
		step(s)
	}
	most := int(time.Since(start)/restAtMost) + 1
	if far.polls == 0 || far.polls > most || far.looks > 0 {
		t.Errorf("%d polls, want at least one and at most %d; %d looks in %d polls", far.polls, most, far.looks, near.polls)
	}
}

// TestCalm has the near link deliver once: the other one is left alone for some looks, and then polled each time.
func TestCalm(t *testing.T) {
	s, near, far := fakeLinks()
	far.work = true
	step(s)
	near.work = true
	step(s)
	near.work, far.polls = false, 0
	for range askClock - 1 {
		step(s)
	}
	if far.polls+far.looks > 1 { // the first one was before
		t.Errorf("looked at %d times and polled %d times right after a message of the near link", far.looks, far.polls)
	}
	for range calmPolls {
		step(s)
	}
	far.polls = 0
	for range 10 {
		step(s)
	}
	if far.polls != 10 {
		t.Errorf("%d of 10 polls when the near link is calm", far.polls)
	}
}

// TestRarePolls has polls lie far apart while the near link delivers now and then: the other one is looked at all the same.
func TestRarePolls(t *testing.T) {
	s, near, far := fakeLinks()
	far.work = true
	near.work = true
	step(s)
	near.work = false
	for time.Since(epoch) < restAtMost { // the process has just begun
		step(s)
	}
	near.work = true
	step(s)
	near.work, far.polls, s.since = false, 0, 0
	for range askClock {
		step(s)
	}
	if far.polls == 0 {
		t.Errorf("not polled in %d looks over more than %v", askClock, restAtMost)
	}
}

// TestFresh has a look that must find everything, and a reader that parks.
func TestFresh(t *testing.T) {
	s, near, far := fakeLinks()
	near.work = true
	step(s)
	near.work, far.polls, far.work = false, 0, true
	s.freshen()
	if !step(s) || far.polls != 1 {
		t.Error("not polled by the first look")
	}
	if !s.Arm() || !near.armed || !far.armed {
		t.Error("not armed, or the work was not seen")
	}
}
