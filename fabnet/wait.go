package fabnet

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/cq"
)

// Who waits reads the completions: a Read or Write that has nothing to do blocks in CQ.SRead itself, so that the message
// it waits for needs no goroutine between. It hands out whatever it gets. Others that wait meanwhile sleep; when the first
// has what it wants, one of them takes its place. While nobody waits, a goroutine of the station reads, since peers want
// their credits back; it stands aside for those who wait.

// waiter is a context that ends when somebody says so, again and again.
type waiter struct {
	token chan struct{}
	woken atomic.Bool
}

func newWaiter() waiter { return waiter{token: make(chan struct{}, 1)} }

var errWoken = errors.New("woken")

// reset makes it one that goes on. With the lock of what it waits for: a wake afterwards is not lost.
func (w *waiter) reset() {
	w.woken.Store(false)
	select {
	case <-w.token:
	default:
	}
}

// wake ends it.
func (w *waiter) wake() {
	if !w.woken.Swap(true) {
		w.ring()
	}
}

func (w *waiter) ring() {
	select {
	case w.token <- struct{}{}:
	default:
	}
}

// Deadline is never: deadlines wake.
func (w *waiter) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done is received from once.
func (w *waiter) Done() <-chan struct{} { return w.token }

// Err is not nil when it was woken.
func (w *waiter) Err() error {
	if w.woken.Load() {
		return errWoken
	}
	return nil
}

// Value gives nil.
func (w *waiter) Value(any) any { return nil }

var _ context.Context = (*waiter)(nil)

// driving is the state of a station's completions.
type driving struct {
	busy    atomic.Bool   // somebody reads the completions
	waiting atomic.Int32  // Reads and Writes that wait
	left    atomic.Uint32 // counts those that do not any more

	mu        sync.Mutex
	followers []*waiter // that wait for the one who reads, or for its place; guarded by mu

	resident waiter        // the goroutine's
	inside   atomic.Bool   // it reads the completions
	aside    atomic.Bool   // it waits for nobody to wait
	quiet    chan struct{} // rung when that is so
}

// wait hands out completions, or has another one do that, until w is woken.
func (st *station) wait(w *waiter) {
	d := &st.driving
	d.waiting.Add(1)
	for w.Err() == nil {
		if !d.busy.CompareAndSwap(false, true) {
			if d.inside.Load() {
				d.resident.wake()
			}
			d.follow(w)
			continue
		}
		var entries [16]cq.Entry
		for {
			runtime.Gosched() // those whom we have woken shall run before we spin, and not when somebody steals them from us
			if w.Err() != nil {
				break
			}
			n, err := st.cq.SRead(w, entries[:])
			st.completed(entries[:n], err)
			if w.Err() != nil {
				break
			}
		}
		d.busy.Store(false)
		d.promote()
	}
	d.left.Add(1)
	if d.waiting.Add(-1) == 0 && d.aside.Load() {
		select {
		case d.quiet <- struct{}{}:
		default:
		}
	}
}

// follow waits until w is woken, or should read the completions.
func (d *driving) follow(w *waiter) {
	d.mu.Lock()
	d.followers = append(d.followers, w)
	d.mu.Unlock()
	if d.busy.Load() {
		<-w.token
	}
	d.mu.Lock()
	i := slices.Index(d.followers, w)
	if i >= 0 {
		d.followers = slices.Delete(d.followers, i, i+1)
	}
	d.mu.Unlock()
	if i < 0 && w.Err() != nil { // we cannot: somebody else
		d.promote()
	}
}

// promote has one of those who wait read the completions.
func (d *driving) promote() {
	d.mu.Lock()
	if n := len(d.followers) - 1; n >= 0 {
		w := d.followers[n]
		d.followers = d.followers[:n]
		w.ring()
	}
	d.mu.Unlock()
}

// standAside is how long nobody must have waited before the goroutine waits.
const standAside = 2 * time.Millisecond

// readCompletions is the goroutine, until stop is closed.
func (st *station) readCompletions(stop <-chan struct{}) {
	d := &st.driving
	pause := time.NewTimer(standAside)
	defer pause.Stop()
	var entries [64]cq.Entry
	for seen := d.left.Load(); ; {
		select {
		case <-stop:
			return
		default:
		}
		if d.waiting.Load() > 0 {
			d.aside.Store(true)
			if d.waiting.Load() > 0 {
				select {
				case <-d.quiet:
				case <-stop:
				}
			}
			d.aside.Store(false)
		}
		if now := d.left.Load(); now != seen { // somebody waited a moment ago, and may do so again
			seen = now
			pause.Reset(standAside)
			select {
			case <-pause.C:
			case <-stop:
			}
			continue
		}
		d.resident.reset()
		d.inside.Store(true)
		if d.waiting.Load() == 0 && !st.stopped.Load() && d.busy.CompareAndSwap(false, true) {
			n, err := st.cq.SRead(&d.resident, entries[:])
			st.completed(entries[:n], err)
			d.busy.Store(false)
			d.promote()
		}
		d.inside.Store(false)
	}
}
