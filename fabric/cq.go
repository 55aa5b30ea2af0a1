package fabric

import (
	"context"
	"errors"
	"iter"

	"github.com/gofabric/gofabric/cq"
	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
	"github.com/gofabric/gofabric/internal/lock"
)

// CQ is a completion queue (struct fid_cq, fi_cq(3)). Reading it drives its domain forward. Nothing is lost: an
// operation whose completion finds no place is not accepted (fi.ErrAgain), and receives make the queue grow.
type CQ struct {
	q   *cq.Queue
	eng *driver.Engine
	mu  *lock.Lock // the engine's. Named by its package: only what a file imports by itself is inlined
	object
	domain *Domain
	attr   fi.CQAttr
	wait   waitObj
	served uint32 // reads since the beginning; guarded by the engine's lock
}

// servedMost is how many reads in a row the queue may serve before the domain is driven all the same.
const servedMost = 64

// Read takes up to len(dst) completions (fi_cq_read, and fi_cq_readfrom: Src is filled) and never blocks. An empty dst
// only drives the domain.
//
// Errors: fi.ErrAgain when there is none; fi.ErrAvail when the next one is an error: call ReadErr; fi.ErrBadFD after
// Close.
//
//fabric:fastpath
func (q *CQ) Read(dst []cq.Entry) (int, error) {
	q.eng.Polled()
	empty := q.q.Empty()
	if empty && !q.eng.Ready() {
		q.eng.Idle()
		return 0, fi.ErrAgain
	}
	if !q.mu.TryLock() {
		q.mu.Wait()
	}
	// A read that is served from the queue looks no further, but for now and then.
	if q.served++; empty || q.served%servedMost == 0 {
		q.eng.Drive()
	}
	n, isErr := q.q.Read(dst)
	q.mu.Unlock()
	if n == 0 {
		return 0, q.nothing(isErr, len(dst))
	}
	q.eng.Busy()
	return n, nil
}

//go:noinline
func (q *CQ) nothing(isErr bool, space int) error {
	switch {
	case isErr && q.wait.closed.Load():
		return fi.ErrBadFD
	case isErr:
		return fi.ErrAvail
	case space == 0:
		return nil
	}
	q.eng.Idle()
	return fi.ErrAgain
}

// ReadErr takes the error completion that is next (fi_cq_readerr).
//
// Errors: fi.ErrAgain when the next completion is none.
func (q *CQ) ReadErr(dst *cq.ErrEntry) error {
	q.eng.Lock()
	defer q.eng.Unlock()
	switch {
	case q.wait.closed.Load():
		return fi.ErrBadFD
	case !q.q.ReadErr(dst):
		return fi.ErrAgain
	}
	return nil
}

// SRead is Read that waits for a completion (fi_cq_sread, fi_cq_sreadfrom) until ctx ends or Signal is called. It spins
// for some tens of microseconds and then sleeps. With no deadline and nothing coming it waits for ever. With an empty dst
// it does not wait.
//
// Errors: fi.ErrAvail as Read; an error that is fi.ErrAgain and, when ctx has ended, ctx.Err() too: no completion is
// lost by that; fi.ErrNoSys on a queue opened with FI_WAIT_NONE; fi.ErrBadFD when the queue is closed meanwhile.
func (q *CQ) SRead(ctx context.Context, dst []cq.Entry) (int, error) {
	if n, err := q.Read(dst); err != fi.ErrAgain || len(dst) == 0 { //nolint:errorlint // documented: a bare value
		return n, err
	}
	if q.wait.kind == fi.WaitNone {
		return 0, q.fail("cq_sread", fi.ErrNoSys, "the queue was opened with FI_WAIT_NONE: use Read, or open it with FI_WAIT_UNSPEC")
	}
	var n int
	var isErr bool
	err := q.wait.wait(ctx, q.q, func(parking bool) bool {
		if parking {
			n, isErr = q.q.Read(dst)
			return n > 0 || isErr
		}
		var err error
		n, err = q.Read(dst)
		isErr = err == fi.ErrAvail //nolint:errorlint // documented: a bare value
		return n > 0 || isErr
	})
	switch {
	case n > 0:
		return n, nil
	case errors.Is(err, errClosed), isErr && q.wait.closed.Load():
		return 0, q.fail("cq_sread", fi.ErrBadFD, closedHint("cq"))
	case isErr:
		return 0, fi.ErrAvail
	case errors.Is(err, errSignaled):
		return 0, fi.ErrAgain
	}
	return 0, &fi.Error{Op: "cq_sread", Provider: q.prov, Err: errors.Join(fi.ErrAgain, err)}
}

// All gives completions as they come, until ctx ends or the loop is left. An error completion comes as a *cq.ErrEntry in
// the error, with the entry's fields; the loop may go on after it. It is for comfort, not for speed.
func (q *CQ) All(ctx context.Context) iter.Seq2[cq.Entry, error] {
	return func(yield func(cq.Entry, error) bool) {
		var one [1]cq.Entry
		for {
			n, err := q.SRead(ctx, one[:])
			switch {
			case n == 1:
				if !yield(one[0], nil) {
					return
				}
			case errors.Is(err, fi.ErrAvail):
				e := new(cq.ErrEntry)
				if q.ReadErr(e) == nil && !yield(e.Entry, e) {
					return
				}
			case ctx.Err() != nil:
				return
			case !errors.Is(err, fi.ErrAgain):
				yield(cq.Entry{}, err)
				return
			}
		}
	}
}

// Signal wakes the readers that are blocked in SRead now; they return fi.ErrAgain (fi_cq_signal). With nobody blocked it
// does nothing.
//
// Errors: fi.ErrNoSys on a queue opened with FI_WAIT_NONE.
func (q *CQ) Signal() error {
	if err := q.open("cq_signal"); err != nil {
		return err
	}
	if q.wait.kind == fi.WaitNone {
		return q.fail("cq_signal", fi.ErrNoSys, "the queue was opened with FI_WAIT_NONE: nobody can be blocked; open it with FI_WAIT_UNSPEC")
	}
	q.wait.signal(q.q)
	return nil
}

// StrError gives the cause of an error completion in words (fi_cq_strerror).
func (q *CQ) StrError(e *cq.ErrEntry) string {
	if e.Text != "" {
		return e.Text
	}
	return e.Err.Error()
}

// FD is the descriptor of a queue opened with FI_WAIT_FD, for poll or epoll (fi_control with FI_GETWAIT). Call TryWait
// before each wait; when the descriptor is readable, read the queue. It belongs to the queue: do not read or close it.
//
// Errors: fi.ErrNoSys for other wait objects.
func (q *CQ) FD() (uintptr, error) {
	if err := q.open("cq_getwait"); err != nil {
		return 0, err
	}
	if q.wait.fd == nil {
		return 0, q.fail("cq_getwait", fi.ErrNoSys, "open the queue with FI_WAIT_FD")
	}
	return q.wait.fd.FD(), nil
}

// TryWait prepares for a wait on FD (fi_trywait): nil says that it is safe to block, fi.ErrAgain that the queue must be
// read first.
func (q *CQ) TryWait() error {
	if err := q.open("trywait"); err != nil {
		return err
	}
	return q.wait.tryWait(q.q, func() bool { return q.q.Len() > 0 })
}

// Close releases the queue and what it holds (fi_close). Readers that are blocked return fi.ErrBadFD, and so do later
// reads. fi.ErrBusy while it is bound; closing twice does nothing.
func (q *CQ) Close() error {
	done, err := q.beginClose()
	if done || err != nil {
		return err
	}
	q.wait.release(q.q)
	q.eng.Lock()
	q.q.Close()
	q.eng.Unlock()
	q.domain.totals.drop(q)
	q.endClose()
	return nil
}
