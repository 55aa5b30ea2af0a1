package lock

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/internal/osx"
	"github.com/gofabric/gofabric/internal/relstore"
)

// Kind is how a [Lock] works.
type Kind uint8

// The kinds.
const (
	Spin   Kind = iota // for any number of threads and short sections
	Biased             // one owner, and others who come rarely
	None               // nobody but the owner: no exclusion at all
)

// String names the kind.
func (k Kind) String() string {
	switch k {
	case Spin:
		return "spin"
	case Biased:
		return "biased"
	}
	return "none"
}

// Lock is a domain's lock. The zero value is of kind [Spin]. It must not be copied.
//
// The spin lock costs half of a sync.Mutex when nobody waits, since its unlock is a plain store; for that, who waits
// looks again and again, gives up the processor in between, and sleeps a little when the lock stays taken.
type Lock struct {
	// Biased: the owner stores inside and then looks at free; another one clears free, makes the owner's store visible by
	// the barrier, and then looks at inside. So the owner needs no fence: one of the two sees the other.
	inside  uint32 // the owner is in its critical section; written by it alone
	free    uint32 // nobody but the owner has the lock or wants it; 0 for kinds without an owner
	held    uint32 // Spin: the lock
	kind    Kind
	barrier func()
	_       [40]byte

	mu sync.Mutex // Biased: held by the one other who has or wants the lock
	_  [56]byte
}

// Init chooses the kind before the lock is used. Barrier is for [Biased] and runs a full memory barrier on all threads
// of this process (membarrier's private expedited one); without it a Biased lock becomes a Spin lock. Init returns the
// kind that the lock now has.
func (l *Lock) Init(kind Kind, barrier func()) Kind {
	if kind > None || kind == Biased && barrier == nil {
		kind = Spin
	}
	l.kind, l.barrier, l.free = kind, barrier, 0
	if kind != Spin {
		l.free = 1
	}
	return kind
}

// Kind returns the kind of the lock.
func (l *Lock) Kind() Kind { return l.kind }

// Lock takes the lock for the owner.
func (l *Lock) Lock() {
	if !l.TryLock() {
		l.Wait()
	}
}

// Wait is the second half of Lock, for fast paths: TryLock is inlined into them, and Lock is too large for that.
//
//go:noinline
func (l *Lock) Wait() {
	if l.kind == Spin {
		l.spin()
		return
	}
	l.mu.Lock() // when the other one has left; nobody wants the lock while we hold this
	atomic.StoreUint32(&l.inside, 1)
	l.mu.Unlock()
}

// spin waits for a Spin lock. Who holds it is in a short section, unless it was interrupted there: then it needs the
// processor, so we give up ours, and sleep when that does not help for long.
//
//go:noinline
func (l *Lock) spin() {
	for i := 1; ; i++ {
		if atomic.LoadUint32(&l.held) == 0 && atomic.CompareAndSwapUint32(&l.held, 0, 1) {
			return
		}
		switch {
		case i%spinsPerSleep == 0:
			time.Sleep(50 * time.Microsecond)
		case i%spinsPerYield == 0:
			osx.SchedYield()
			runtime.Gosched()
		}
	}
}

const (
	spinsPerYield = 100
	spinsPerSleep = 100 * spinsPerYield
)

// Unlock gives the lock back; for the owner.
//
//fabric:fastpath
func (l *Lock) Unlock() {
	relstore.Uint32(&l.inside, 0)
	relstore.Uint32(&l.held, 0)
}

// TryLock takes the lock for the owner if that needs no waiting, and tells whether it did.
//
//fabric:fastpath
func (l *Lock) TryLock() bool {
	if l.kind == Spin {
		return atomic.CompareAndSwapUint32(&l.held, 0, 1)
	}
	relstore.Uint32(&l.inside, 1)
	if atomic.LoadUint32(&l.free) != 0 {
		return true
	}
	relstore.Uint32(&l.inside, 0)
	return false
}

// LockOther takes the lock for everybody but the owner: the progress goroutine and any second thread. With [None] it
// must not be used: it keeps others out but not the owner.
func (l *Lock) LockOther() {
	if l.kind == Spin {
		l.Lock()
		return
	}
	l.mu.Lock()
	if l.kind != Biased {
		return
	}
	l.revoke()
	for i := 1; atomic.LoadUint32(&l.inside) != 0; i++ {
		// The owner is in its critical section, which is short, unless it was interrupted there: by the Go scheduler, or
		// by that of the system.
		if i%64 == 0 {
			osx.SchedYield()
			runtime.Gosched()
		}
	}
}

// revoke tells the owner to stay out. From here on either it sees that or we see it inside.
func (l *Lock) revoke() {
	atomic.StoreUint32(&l.free, 0)
	l.barrier()
}

// TryLockOther is [Lock.LockOther] for those who would rather come again than wait.
func (l *Lock) TryLockOther() bool {
	if l.kind == Spin {
		return l.TryLock()
	}
	if !l.mu.TryLock() {
		return false
	}
	if l.kind != Biased {
		return true
	}
	l.revoke()
	if atomic.LoadUint32(&l.inside) == 0 {
		return true
	}
	l.UnlockOther()
	return false
}

// UnlockOther gives the lock back after LockOther.
func (l *Lock) UnlockOther() {
	if l.kind == Spin {
		l.Unlock()
		return
	}
	atomic.StoreUint32(&l.free, 1)
	l.mu.Unlock()
}
