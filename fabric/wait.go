package fabric

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/osx"
)

// waitObj is the wait object of a queue or counter.
type waitObj struct {
	kind    fi.WaitObj
	fd      *osx.EventFD // for WaitFD
	eng     parking
	signals atomic.Uint32 // counts Signal calls
	blocked atomic.Int32  // readers in a blocking call
	closed  atomic.Bool
	armed   bool // by tryWait; guarded by the engine's lock
	sleeps  atomic.Uint64
}

func (w *waitObj) open(kind fi.WaitObj, eng parking) (err error) {
	w.kind, w.eng = kind, eng
	switch kind {
	case fi.WaitNone, fi.WaitUnspec, fi.WaitYield:
		return nil
	case fi.WaitFD:
		if w.fd, err = osx.NewEventFD(); errors.Is(err, errors.ErrUnsupported) {
			return fi.ErrOpNotSupp
		}
		return err
	case fi.WaitSet, fi.WaitMutexCond, fi.WaitPollFD:
		return fi.ErrNoSys
	}
	return fi.ErrInvalid
}

// hook connects the descriptor with the queue or counter that set is a method of.
func (w *waitObj) hook(set func(func())) {
	if w.fd != nil {
		set(w.fd.Signal)
	}
}

func (w *waitObj) close() {
	if w.fd != nil {
		w.fd.Close()
	}
}

// waitable is what a blocked reader waits on.
type waitable interface {
	driver.Bell
	Want(delta int32)
	Bell() <-chan struct{}
}

// The ladder of a wait: some polls and a yield to other processes, again and again for a while, then park. Parking and
// being woken costs some 40 us, and 20 us of processor time on either side; the while is two round trips and more, of
// sockets too, whose polls are system calls.
const (
	waitSpins = 64
	waitFor   = 50 * time.Microsecond
)

// wait calls look until it returns true. look is called without a lock in the spinning phase, and with parking true
// under the engine's lock before the reader blocks. It returns ctx's error when that ends first and errSignaled after a
// Signal; a look that succeeds wins over both.
func (w *waitObj) wait(ctx context.Context, on waitable, look func(parking bool) bool) error {
	sig := w.signals.Load()
	w.blocked.Add(1)
	defer w.blocked.Add(-1)
	if w.closed.Load() { // behind the count, which release looks at behind its store
		return errClosed
	}
	for began := time.Now(); time.Since(began) < waitFor; {
		for range waitSpins {
			if look(false) {
				return nil
			}
		}
		osx.SchedYield()
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.signals.Load() != sig {
			return w.why()
		}
	}
	if w.kind == fi.WaitYield {
		return w.waitYielding(ctx, sig, look)
	}
	defer on.Ring() // after Unpark, which is for all: the others that are blocked register again
	on.Want(1)
	defer on.Want(-1)
	defer w.eng.Unpark(on)
	for {
		if w.signals.Load() != sig {
			return w.why()
		}
		w.eng.Lock()
		done := look(true) // who woke us has polled
		if !done {
			w.eng.Drive()
			done = look(true)
		}
		busy := !done && w.eng.Park(on)
		w.eng.Unlock()
		if done {
			return nil
		}
		if busy {
			continue
		}
		w.sleeps.Add(1)
		select {
		case <-on.Bell():
		case <-ctx.Done():
			if look(false) {
				return nil
			}
			return ctx.Err()
		}
	}
}

func (w *waitObj) waitYielding(ctx context.Context, sig uint32, look func(bool) bool) error {
	for {
		for range waitSpins {
			if look(false) {
				return nil
			}
		}
		osx.SchedYield()
		w.eng.Idle()
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.signals.Load() != sig {
			return w.why()
		}
	}
}

// why says what a change of signals means.
func (w *waitObj) why() error {
	if w.closed.Load() {
		return errClosed
	}
	return errSignaled
}

// signal wakes the readers that are blocked now; with none it does nothing.
func (w *waitObj) signal(on waitable) {
	w.signals.Add(1)
	on.Ring()
	if w.fd != nil {
		w.fd.Signal()
	}
}

var (
	errSignaled = errors.New("signaled")
	errClosed   = errors.New("closed")
)

// tryWait arms the descriptor unless full tells that there is something to read.
func (w *waitObj) tryWait(on waitable, full func() bool) error {
	if w.fd == nil {
		return fi.ErrNoSys
	}
	w.eng.Lock()
	defer w.eng.Unlock()
	if !w.armed {
		w.armed = true
		on.Want(1)
	}
	w.fd.Clear()
	w.eng.Drive()
	if full() || w.eng.Park(on) || full() {
		w.fd.Signal()
		return fi.ErrAgain
	}
	w.sleeps.Add(1)
	return nil
}

// release ends all waits, waits until their goroutines have left, and closes the descriptor.
func (w *waitObj) release(on waitable) {
	w.closed.Store(true)
	w.signals.Add(1)
	for w.blocked.Load() > 0 {
		on.Ring()
		runtime.Gosched()
	}
	w.eng.Lock()
	if w.armed {
		w.armed = false
		w.eng.Unpark(on)
		on.Want(-1)
	}
	w.eng.Unlock()
	w.close()
}
