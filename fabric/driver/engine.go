package driver

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/lock"
	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/relstore"
)

// Lock is a domain's lock.
type Lock = lock.Lock

// Source is what a domain's engine drives: a provider's rings or sockets.
type Source interface {
	// Ready looks, without the lock, whether Poll would find work. It costs a few loads.
	Ready() bool
	// Poll takes a bounded number of steps. With the lock.
	Poll()
	// Pending tells whether something waits for a later Poll that no peer will announce. With the lock.
	Pending() bool

	// Arm asks peers to ring from now on, and looks once more: true says that there is work already. With the lock.
	Arm() bool
	// Disarm ends that. Without the lock; it may run beside anything.
	Disarm()
	// Wait blocks until a peer or Wake rings; false when the source is closed. Called by one goroutine.
	Wait() bool
	// Wake makes Wait return.
	Wake()
}

// Engine drives one domain: it has the lock that guards all of the domain's objects, advances its Source when any queue
// or counter is read, and, with automatic progress, when nobody reads.
//
// While somebody polls, a timer of one millisecond only notices that; when a tick has seen no poll it arms the source,
// and a goroutine that is parked for good serves what peers ring for, until somebody polls again.
type Engine struct {
	mu  *Lock
	src Source

	polled    uint32 // set by polls, cleared by ticks
	armed     uint32
	idle      uint32       // empty polls in a row
	patience  uint32       // how many of them until the next yield
	goscheded atomic.Int64 // when other goroutines last got the processor from us
	auto      bool

	asleep atomic.Bool // the source is armed, and its goroutine parked or about to wake
	owed   atomic.Bool // the next tick has to poll, whoever armed

	waiters  sync.Mutex
	parked   map[Bell]struct{} // who waits, for manual progress; guarded by waiters
	nparked  atomic.Int32
	tick     *time.Timer
	ticking  sync.Mutex // held by a running tick
	closed   atomic.Bool
	serving  chan struct{} // closed when the goroutine has ended
	ticksRun atomic.Uint64
	wakeups  atomic.Uint64 // of serve

	later later // what follows from completions
}

// Bell is what a blocked reader waits on.
type Bell interface{ Ring() }

// tickEvery is how long a domain that was polled stays unserved after the last poll.
const tickEvery = time.Millisecond

// NewEngine makes the engine of a domain with its own lock. barrier is a memory barrier on all threads of this process,
// for the cheapest kind of lock; nil where there is none.
func NewEngine(attr *fi.DomainAttr, src Source, barrier func()) *Engine {
	mu := new(Lock)
	mu.Init(lockKind(attr), barrier)
	return NewEngineLock(mu, attr, src)
}

// NewEngineLock makes an engine that shares a lock with others. src may be nil for providers in which every operation
// completes when it is posted.
func NewEngineLock(mu *Lock, attr *fi.DomainAttr, src Source) *Engine {
	e := &Engine{mu: mu, src: src, auto: attr.Progress == fi.ProgressAuto, parked: make(map[Bell]struct{})}
	if src == nil {
		e.src = noSource{}
		return e
	}
	e.serving = make(chan struct{})
	go e.serve()
	e.tick = time.AfterFunc(tickEvery, e.onTick)
	return e
}

// lockKind chooses the lock: none only where no second thread can exist.
func lockKind(a *fi.DomainAttr) lock.Kind {
	switch {
	case a.Threading != fi.ThreadDomain:
		return lock.Spin
	case a.Progress == fi.ProgressAuto:
		return lock.Biased
	}
	return lock.None
}

// Mutex is the domain's lock itself, for fast paths, into which its methods are inlined.
func (e *Engine) Mutex() *Lock { return e.mu }

// Lock takes the domain's lock on behalf of the application.
func (e *Engine) Lock() { e.mu.Lock() }

// Unlock gives it back.
func (e *Engine) Unlock() { e.mu.Unlock() }

// LockOther takes the lock on behalf of a goroutine of the provider.
func (e *Engine) LockOther() { e.mu.LockOther() }

// UnlockOther gives it back.
func (e *Engine) UnlockOther() { e.mu.UnlockOther() }

// Polled notes that somebody polls.
//
//fabric:fastpath
func (e *Engine) Polled() {
	if atomic.LoadUint32(&e.polled) == 0 { // read mostly: its line is dirtied once a tick
		e.notice()
	}
}

// Ready looks, without the lock, whether a poll would find work.
//
//fabric:fastpath
func (e *Engine) Ready() bool { return e.src.Ready() }

// Poll advances the source. With the lock.
func (e *Engine) Poll() { e.src.Poll() }

//go:noinline
func (e *Engine) notice() {
	atomic.StoreUint32(&e.polled, 1)
	if atomic.LoadUint32(&e.armed) != 0 {
		e.disarm()
	}
	if atomic.LoadUint32(&e.later.due) != 0 { // after the store: who makes something due clears polled behind it
		e.later.attended.Store(true)
		e.settleLocked()
	}
}

// A yield to other processes comes after yieldFirst empty polls in a row (a microsecond). It costs 0.2 to 1.5 us; while
// it turns out that nobody else wanted the processor, the next ones come later, up to yieldLast polls apart. After about
// a millisecond of silence other goroutines get the processor, too.
const (
	yieldFirst   = 128
	yieldLast    = 2048
	yieldTook    = 5 * time.Microsecond // another process ran
	goschedEvery = time.Millisecond
)

// Idle is called after a poll that found nothing: now and then it yields, or a peer on the same core would wait for a
// whole time slice.
//
//fabric:fastpath
func (e *Engine) Idle() {
	n := atomic.LoadUint32(&e.idle) + 1
	relstore.Uint32(&e.idle, n)
	if n >= atomic.LoadUint32(&e.patience) {
		e.yield()
	}
}

// Busy is called after a poll that found something: the next yield is far away again.
//
//fabric:fastpath
func (e *Engine) Busy() { relstore.Uint32(&e.idle, 0) }

//go:noinline
func (e *Engine) yield() {
	start := time.Since(epoch)
	if start-time.Duration(e.goscheded.Load()) > goschedEvery {
		e.goscheded.Store(int64(start))
		runtime.Gosched()
		start = time.Since(epoch)
	}
	osx.SchedYield()
	next := uint32(yieldFirst)
	if time.Since(epoch)-start < yieldTook {
		next = min(2*max(atomic.LoadUint32(&e.patience), yieldFirst), yieldLast)
	}
	relstore.Uint32(&e.patience, next)
	relstore.Uint32(&e.idle, 0)
}

// epoch is what time is counted from.
var epoch = time.Now()

// serve is the domain's progress goroutine.
func (e *Engine) serve() {
	defer close(e.serving)
	for e.src.Wait() && !e.closed.Load() {
		e.asleep.Store(false)
		e.wakeups.Add(1)
		first := true
		for atomic.LoadUint32(&e.armed) != 0 && !e.closed.Load() {
			if !e.auto {
				e.ringParked()
				break
			}
			e.mu.LockOther()
			more := e.pollOther()
			if first && e.Awaited() { // who waits looks now, and shall not have to wait for the barriers of Arm
				first = false
				e.mu.UnlockOther()
				runtime.Gosched()
				continue
			}
			again := more || atomic.LoadUint32(&e.armed) != 0 && e.arm()
			pending := e.pending()
			e.mu.UnlockOther()
			if !again {
				if pending {
					e.owe()
				}
				break
			}
		}
	}
}

// pollOther advances the source and does what is due, on behalf of nobody; true says that more is due. With the lock.
func (e *Engine) pollOther() (more bool) {
	e.later.inside = true // completions need not call for us
	e.src.Poll()
	e.later.inside = false
	return e.settle()
}

// onTick runs once a millisecond while somebody polls or something is staged.
func (e *Engine) onTick() {
	e.ticking.Lock()
	defer e.ticking.Unlock()
	if e.closed.Load() {
		return
	}
	e.ticksRun.Add(1)
	attended := e.later.attended.Swap(false)
	if atomic.SwapUint32(&e.polled, 0) != 0 || attended {
		e.tick.Reset(tickEvery)
		return
	}
	if !e.auto && e.nparked.Load() == 0 {
		return // the application drives; its next poll starts the tick again
	}
	if owed := e.owed.Swap(false); e.auto && !owed && e.asleep.Load() && atomic.LoadUint32(&e.armed) != 0 {
		return // the source is armed, by a reader that blocked
	}
	atomic.StoreUint32(&e.armed, 1)
	if atomic.LoadUint32(&e.polled) != 0 { // a poll came in between and did not see armed
		e.disarm()
		return
	}
	if !e.auto {
		e.ringParked()
		return
	}
	e.mu.LockOther()
	busy := e.pollOther()
	busy = e.arm() || busy
	pending := e.pending()
	e.mu.UnlockOther()
	if busy {
		e.src.Wake()
	}
	if pending {
		e.owe()
	}
}

// arm arms the source; true says that there is work already. With the lock.
func (e *Engine) arm() (busy bool) {
	busy = e.src.Arm()
	e.asleep.Store(!busy)
	return busy
}

func (e *Engine) disarm() {
	e.asleep.Store(false)
	if atomic.CompareAndSwapUint32(&e.armed, 1, 0) {
		e.src.Disarm()
	}
	e.lookAgain()
}

// owe has the next tick poll although the source is armed, for what no peer announces: an answer that found its ring
// full.
func (e *Engine) owe() {
	if e.tick == nil && !e.auto { // without a source there is no tick
		time.AfterFunc(tickEvery, e.ringParked)
	}
	e.owed.Store(true)
	e.lookAgain()
}

// lookAgain makes the tick come.
func (e *Engine) lookAgain() {
	if e.tick != nil && !e.closed.Load() {
		e.tick.Reset(tickEvery)
	}
}

// Kick makes automatic progress look again soon: something was staged while nobody polls.
func (e *Engine) Kick() {
	if e.auto && e.tick != nil && atomic.LoadUint32(&e.armed) != 0 {
		e.src.Wake()
	}
}

// Park registers a blocked reader and arms the source; true says that there is work: look again instead of blocking.
// With the lock.
func (e *Engine) Park(b Bell) (busy bool) {
	e.waiters.Lock()
	if _, there := e.parked[b]; !there {
		e.parked[b] = struct{}{}
		e.nparked.Add(1)
	}
	e.waiters.Unlock()
	if e.settleParking() {
		return true
	}
	atomic.StoreUint32(&e.armed, 1)
	if e.pending() {
		e.owe()
	}
	if e.arm() {
		return true
	}
	if e.auto && e.tick != nil && !e.owed.Load() {
		e.stopTick()
	}
	return false
}

// stopTick spares a blocked reader's processor the tick: the source is armed.
func (e *Engine) stopTick() {
	atomic.StoreUint32(&e.polled, 0)
	e.tick.Stop()
	if atomic.LoadUint32(&e.armed) == 0 || e.owed.Load() { // meanwhile somebody polled, and relies on the tick
		e.lookAgain()
	}
}

// Unpark ends that.
func (e *Engine) Unpark(b Bell) {
	e.waiters.Lock()
	if _, there := e.parked[b]; there {
		delete(e.parked, b)
		e.nparked.Add(-1)
	}
	e.waiters.Unlock()
}

// Stats gives the engine's numbers. It may be called beside anything.
func (e *Engine) Stats() fi.EngineStats {
	return fi.EngineStats{Wakeups: e.wakeups.Load(), Ticks: e.ticksRun.Load(), Parked: uint64(e.nparked.Load())}
}

// Awaited tells whether a reader is blocked.
func (e *Engine) Awaited() bool { return e.nparked.Load() != 0 }

func (e *Engine) ringParked() {
	e.waiters.Lock()
	defer e.waiters.Unlock()
	for b := range e.parked {
		b.Ring()
	}
}

// Close stops the engine's goroutine and timer and waits for them. The source must still be able to Wake.
func (e *Engine) Close() {
	if e.closed.Swap(true) {
		return
	}
	defer e.settleAll()
	if e.serving == nil {
		return
	}
	e.tick.Stop()
	e.ticking.Lock() // a tick that runs now ends first
	e.ticking.Unlock()
	e.src.Wake()
	<-e.serving
	atomic.StoreUint32(&e.armed, 0) // who reads a queue that is closed leaves the source alone: its memory may be gone
}

// noSource never has work: operations complete when they are posted.
type noSource struct{}

func (noSource) Ready() bool   { return false }
func (noSource) Poll()         {}
func (noSource) Pending() bool { return false }
func (noSource) Arm() bool     { return false }
func (noSource) Disarm()       {}
func (noSource) Wait() bool    { return false }
func (noSource) Wake()         {}
