package fabric

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// listener is a source that reports a connection when it is polled with work, and is told of work by ring.
type listener struct {
	work  atomic.Int32
	bell  chan struct{}
	ev    *driver.Events
	polls atomic.Int32
}

func (l *listener) Ready() bool { return l.work.Load() > 0 }
func (l *listener) Poll() {
	l.polls.Add(1)
	if l.work.Swap(0) > 0 {
		l.ev.Connected(nil)
	}
}
func (l *listener) Pending() bool { return false }
func (l *listener) Arm() bool     { return l.work.Load() > 0 }
func (l *listener) Disarm()       {}
func (l *listener) Wait() bool    { <-l.bell; return true }
func (l *listener) Wake()         { l.ring() }
func (l *listener) ring() {
	select {
	case l.bell <- struct{}{}:
	default:
	}
}

// arrive makes work, as a peer would.
func (l *listener) arrive() {
	l.work.Add(1)
	l.ring()
}

// newDriven makes a queue and a source that it drives.
func newDriven(progress fi.Progress, wait fi.WaitObj) (*EQ, *listener, *driver.Engine) {
	q := &EQ{q: driver.NewEQ(0)}
	q.wait.open(wait, &q.drive)
	l := &listener{bell: make(chan struct{}, 1), ev: driver.NewEvents(q.q, nil)}
	return q, l, driver.NewEngine(&fi.DomainAttr{Threading: fi.ThreadSafe, Progress: progress}, l, nil)
}

// TestReadDrives: with manual progress nobody else does.
func TestReadDrives(t *testing.T) {
	q, l, e := newDriven(fi.ProgressManual, fi.WaitUnspec)
	defer e.Close()
	q.drive.add(e)
	q.drive.add(e) // a second object of the same domain
	q.drive.remove(e, q.q)
	var entry fi.EQEntry
	if err := q.Read(&entry, 0); err != fi.ErrAgain {
		t.Fatal(err)
	}
	l.arrive()
	if err := q.Read(&entry, 0); err != nil || entry.Event != fi.EventConnected {
		t.Fatalf("%v, %v", entry.Event, err)
	}
	q.drive.remove(e, q.q)
	polls := l.polls.Load()
	l.work.Store(1)
	if err := q.Read(&entry, 0); err != fi.ErrAgain || l.polls.Load() != polls {
		t.Errorf("%v: an engine that is gone is driven", err)
	}
}

// TestBlockedReaderDrives parks a reader, also before there is anything to drive.
func TestBlockedReaderDrives(t *testing.T) {
	for _, progress := range []fi.Progress{fi.ProgressManual, fi.ProgressAuto} {
		for _, late := range []string{"before", "after"} {
			q, l, e := newDriven(progress, fi.WaitUnspec)
			if late == "before" {
				q.drive.add(e)
			}
			var wg sync.WaitGroup
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			wg.Go(func() {
				var entry fi.EQEntry
				if err := q.SRead(ctx, &entry, 0); err != nil || entry.Event != fi.EventConnected {
					t.Errorf("%v, %s: %v, %v", progress, late, entry.Event, err)
				}
			})
			for q.wait.blocked.Load() == 0 {
				osYield()
			}
			if late == "after" {
				q.drive.add(e)
				q.q.Ring()
			}
			l.arrive()
			wg.Wait()
			cancel()
			q.drive.remove(e, q.q)
			e.Close()
		}
	}
}

// osYield lets the other goroutine go on.
func osYield() { <-time.After(time.Millisecond) }
