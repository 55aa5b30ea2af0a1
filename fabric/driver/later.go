package driver

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/fifo"
)

// Task is something that follows from a completion.
type Task interface {
	// Run does it, with the domain's lock held and nothing of the provider under way. It may call Issue and Later.
	Run()
}

// later is what an engine has to do beside driving its source. The domain's lock guards it.
type later struct {
	tasks    fifo.Queue[Task]
	refused  []*refusedWork // what had no room
	inside   bool           // tasks run now, or a poll that runs them when it has ended: nobody has to be called
	attended atomic.Bool    // somebody has polled since the last tick, though polled may say otherwise
	due      uint32         // there are tasks, or something that was refused; looked at without the lock
	helping  bool           // a goroutine runs tasks, of an engine without a source
	helped   chan struct{}  // closed when the last one has ended

	asking sync.Mutex // after the domain's lock
	asked  []Task     // by those who may not have the lock; guarded by asking
	asks   uint32     // whether there are some; looked at without asking
}

// refusedWork are operations that an endpoint had no room for, in order: those to one peer, or receives. None of these stands
// behind others: a peer that does nothing shall hold up what is for itself only, and the room for sends may depend on
// receives.
type refusedWork struct {
	to    Issuer
	addr  fi.Addr // the peer; fi.AddrUnspec for receives
	works fifo.Queue[*Work]
}

// retriesMost is how many lists of refused operations are looked at in one poll.
const retriesMost = 16

// tasksMost is how many tasks run before others get the lock.
const tasksMost = 256

// Later has t run soon, when the provider has ended what it does now: by the next poll, and with automatic progress also
// when nobody polls. Tasks run in the order in which they came, each once; those that wait when the engine is closed run
// then. It costs polls nothing while there are no tasks. With the lock.
func (e *Engine) Later(t Task) {
	l := &e.later
	l.tasks.Push(t)
	if !l.inside && atomic.LoadUint32(&l.due) == 0 {
		e.callFor()
	}
}

// Request has t run as Later does, for goroutines that are neither the application's nor have the lock, which with manual
// progress nobody else may take. Several requests may be run in one poll.
func (e *Engine) Request(t Task) {
	if e.auto {
		e.mu.LockOther()
		e.Later(t)
		e.mu.UnlockOther()
		return
	}
	l := &e.later
	l.asking.Lock()
	l.asked = append(l.asked, t)
	atomic.StoreUint32(&l.asks, 1)
	l.asking.Unlock()
	atomic.StoreUint32(&l.due, 1)
	atomic.StoreUint32(&e.polled, 0)
	if e.nparked.Load() != 0 {
		e.ringParked()
	}
}

// takeAsked moves what was requested to the tasks. With the lock.
func (l *later) takeAsked() {
	l.asking.Lock()
	defer l.asking.Unlock()
	for _, t := range l.asked {
		l.tasks.Push(t)
	}
	l.asked = nil
	atomic.StoreUint32(&l.asks, 0)
}

// Issue posts w at an endpoint, now or, when that has no room (fi.ErrAgain), at later polls; what is issued there meanwhile to
// the same peer waits behind it, and receives wait behind receives. w must have [OpNotify], and must not change before it has
// ended: errors come as calls of Done, too, perhaps before Issue returns. With the lock, in a [Task] or where nothing of
// the provider is under way: not in Done.
func (e *Engine) Issue(to Issuer, w *Work) {
	addr := w.Addr
	if w.Kind.Receives() {
		addr = fi.AddrUnspec
	}
	for _, r := range e.later.refused {
		if r.to == to && r.addr == addr {
			r.works.Push(w)
			return
		}
	}
	if tryIssue(to, w) {
		return
	}
	r := &refusedWork{to: to, addr: addr}
	r.works.Push(w)
	e.later.refused = append(e.later.refused, r)
	if atomic.LoadUint32(&e.later.due) == 0 {
		e.callFor()
	}
}

// Withdraw ends an operation that waits for room since [Engine.Issue] has it, with fi.ErrCanceled, as Revoke of its endpoint
// ends those that were posted: the one with this context. False says that there is none. With the lock, not in Done.
func (e *Engine) Withdraw(ctx Notified, text string) bool {
	for _, r := range e.later.refused {
		for i, w := range r.works.All() {
			if w.Context == any(ctx) {
				if i == 0 {
					r.works.Pop()
				} else {
					r.works.Remove(i)
				}
				ctx.Done(cq.ErrEntry{
					Entry: cq.Entry{Context: ctx, Flags: w.Kind.Completion(), Tag: w.Tag, Src: fi.AddrNotAvail},
					Err:   fi.ErrCanceled, Text: text,
				})
				return true
			}
		}
	}
	return false
}

// RefusedLater is the text of the error of an operation that [Engine.Issue] posted and that its endpoint refused. Package
// fabric adds why.
const RefusedLater = "the operation was refused when its time had come"

// tryIssue is false when there is no room. Other errors end w.
func tryIssue(to Issuer, w *Work) bool {
	err := to.Issue(w)
	switch {
	case err == nil:
	case err == fi.ErrAgain: //nolint:errorlint // documented: a bare value
		return false
	default:
		errno, ok := err.(fi.Errno) //nolint:errorlint // documented: a bare value
		if !ok {
			errno = fi.ErrOther
		}
		w.Context.(Notified).Done(cq.ErrEntry{
			Entry: cq.Entry{Context: w.Context, Flags: w.Kind.Completion(), Tag: w.Tag, Src: fi.AddrNotAvail},
			Err:   errno, Text: RefusedLater,
		})
	}
	return true
}

// callFor sees that somebody comes for what is due. Who polls is led aside by the word that it looks at anyway. With the
// lock.
func (e *Engine) callFor() {
	l := &e.later
	atomic.StoreUint32(&l.due, 1)
	atomic.StoreUint32(&e.polled, 0)
	switch {
	case l.inside:
	case !e.auto:
		if e.nparked.Load() != 0 {
			e.ringParked()
		}
	case e.tick != nil:
		e.Kick()
	case !l.helping && !e.closed.Load():
		l.helping, l.helped = true, make(chan struct{})
		go e.help(l.helped)
	}
}

// Settle does what is due now, but for what there is no room for. With the lock, and nothing of the provider under way.
func (e *Engine) Settle() {
	for e.settleUpTo(math.MaxInt) {
	}
}

// Drive is Poll, and what follows from the completions of that: it need not wait for the next poll. With the lock, and
// nothing of the provider under way.
//
//fabric:fastpath
func (e *Engine) Drive() {
	l := &e.later
	l.inside = true
	e.src.Poll()
	l.inside = false
	if l.tasks.Len() > 0 {
		e.settle()
	}
	if atomic.LoadUint32(&l.due) != 0 {
		e.callFor()
	}
}

// settle does what is due, up to a limit. It tells whether something is left that can be done at once. With the lock.
func (e *Engine) settle() (more bool) { return e.settleUpTo(retriesMost) }

// settleUpTo is that with so many lists of refused operations.
func (e *Engine) settleUpTo(lists int) (more bool) {
	l := &e.later
	if l.inside || atomic.LoadUint32(&l.due) == 0 && l.tasks.Len() == 0 {
		return false
	}
	l.inside = true
	if atomic.LoadUint32(&l.asks) != 0 {
		l.takeAsked()
	}
	for n := 0; n < tasksMost && l.tasks.Len() > 0; n++ {
		l.tasks.Pop().Run()
	}
	if len(l.refused) > 0 {
		e.retry(lists)
	}
	l.inside = false
	more = l.tasks.Len() > 0
	if !more && len(l.refused) == 0 {
		if atomic.LoadUint32(&l.due) == 0 {
			return false
		}
		atomic.StoreUint32(&l.due, 0)
		if atomic.LoadUint32(&l.asks) == 0 { // looked at after the store: a request that comes later makes due 1 again
			return false
		}
	}
	atomic.StoreUint32(&l.due, 1)
	atomic.StoreUint32(&e.polled, 0) // the next poll goes on
	return more
}

// retry issues what was refused, of so many lists, in turn. What a Done of that does is the next settle's.
func (e *Engine) retry(lists int) {
	l := &e.later
	n := min(len(l.refused), lists)
	now := l.refused[:n:n]
	l.refused = l.refused[n:]
	for _, r := range now {
		for r.works.Len() > 0 && tryIssue(r.to, *r.works.First()) {
			r.works.Pop()
		}
		if r.works.Len() > 0 {
			l.refused = append(l.refused, r)
		}
	}
}

// settleParking is settle for a reader that is about to block; true says that it has to look again. With the lock.
func (e *Engine) settleParking() bool {
	had := e.later.tasks.Len() > 0
	return e.settle() || had
}

// settleLocked is settle with the lock of the application.
//
//go:noinline
func (e *Engine) settleLocked() {
	e.mu.Lock()
	e.settle()
	e.mu.Unlock()
}

// pending tells whether something waits for a later poll that no peer will announce. With the lock.
func (e *Engine) pending() bool {
	return e.src.Pending() || len(e.later.refused) > 0
}

// help does what is due in a domain without a source, which has no goroutine of its own and needs none but for this.
func (e *Engine) help(done chan struct{}) {
	defer close(done)
	for {
		e.mu.LockOther()
		more := e.settle()
		if !more && (len(e.later.refused) == 0 || e.closed.Load()) {
			e.later.helping = false
			e.mu.UnlockOther()
			return
		}
		e.mu.UnlockOther()
		if !more {
			time.Sleep(tickEvery)
		}
	}
}

// settleAll ends what is left when the engine is closed. The endpoints have ended.
func (e *Engine) settleAll() {
	e.mu.Lock()
	helped := e.later.helped
	e.mu.Unlock()
	if helped != nil {
		<-helped
	}
	e.mu.Lock()
	e.Settle()
	e.mu.Unlock()
}
