package fabric

import (
	"context"
	"errors"
	"iter"

	"github.com/gofabric/gofabric/fabric/driver"
	"github.com/gofabric/gofabric/fi"
)

// EQ is an event queue (struct fid_eq, fi_eq(3)): what happens to connections. Passive endpoints and connected endpoints
// are bound to it. Reading it drives them and their domains forward, so that a domain opened with FI_THREAD_DOMAIN wants
// the reads of its endpoints' event queues serialised with its own calls; otherwise an EQ is safe for concurrent use.
//
// Nothing is lost: events of connections always find room. An endpoint that closes takes its unread events with it.
type EQ struct {
	object
	q     *driver.EQ
	fab   *Fabric
	flags fi.EQFlags
	wait  waitObj
	drive drives
}

// OpenEQ makes an event queue (fi_eq_open). A nil attr gives the defaults: blocking reads, no EQ.Write.
//
// Errors: fi.ErrInvalid for a negative size, fi.ErrBadFlags for unknown flags, fi.ErrNoSys for wait objects that are not
// served, fi.ErrOpNotSupp for FI_WAIT_FD on systems without descriptors to poll.
func (f *Fabric) OpenEQ(attr *fi.EQAttr) (*EQ, error) {
	if err := f.open("eq_open"); err != nil {
		return nil, err
	}
	a := fi.EQAttr{WaitObj: fi.WaitUnspec}
	if attr != nil {
		a = *attr
	}
	if a.Size < 0 {
		return nil, f.fail("eq_open", fi.ErrInvalid, "a negative size: give a number of events, or 0 for the default")
	}
	if bad := a.Flags &^ (fi.EQWrite | fi.EQAffinity); bad != 0 {
		return nil, f.fail("eq_open", fi.ErrBadFlags, "not for event queues: "+bad.String())
	}
	q := &EQ{q: driver.NewEQ(a.Size), fab: f, flags: a.Flags}
	if err := q.wait.open(a.WaitObj, &q.drive); err != nil {
		return nil, f.fail("eq_open", err, waitHint(a.WaitObj))
	}
	q.wait.hook(q.q.OnSignal)
	q.init("eq", f.prov, &f.object)
	f.totals.add(q)
	return q, nil
}

// Read takes the oldest event and never blocks (fi_eq_read). With fi.EQPeek it stays in the queue.
//
// Errors: fi.ErrAgain when there is none; fi.ErrAvail when the oldest is one in error: call ReadErr; fi.ErrBadFlags;
// fi.ErrBadFD after Close. All of them are bare values.
func (q *EQ) Read(dst *fi.EQEntry, flags fi.EQFlags) error {
	switch {
	case flags&^fi.EQPeek != 0:
		return fi.ErrBadFlags
	case q.wait.closed.Load():
		return fi.ErrBadFD
	}
	q.drive.advance()
	ok, isErr := q.q.Read(dst, flags)
	switch {
	case ok:
		return nil
	case isErr:
		return fi.ErrAvail
	}
	q.drive.Idle()
	return fi.ErrAgain
}

// ReadErr takes the oldest event if it is one in error (fi_eq_readerr).
//
// Errors: fi.ErrAgain when it is none, fi.ErrBadFD after Close.
func (q *EQ) ReadErr(dst *fi.EQErrEntry) error {
	switch {
	case q.wait.closed.Load():
		return fi.ErrBadFD
	case !q.q.ReadErr(dst):
		return fi.ErrAgain
	}
	return nil
}

// SRead is Read that waits for an event (fi_eq_sread) until ctx ends. With no deadline and nothing coming it waits for
// ever.
//
// Errors: as Read; when ctx has ended an error that is fi.ErrAgain and ctx.Err() too: no event is lost by that;
// fi.ErrNoSys on a queue opened with FI_WAIT_NONE; fi.ErrBadFD when the queue is closed meanwhile.
func (q *EQ) SRead(ctx context.Context, dst *fi.EQEntry, flags fi.EQFlags) error {
	if err := q.Read(dst, flags); err != fi.ErrAgain { //nolint:errorlint // documented: a bare value
		return err
	}
	if q.wait.kind == fi.WaitNone {
		return q.fail("eq_sread", fi.ErrNoSys, "the queue was opened with FI_WAIT_NONE: use Read, or open it with FI_WAIT_UNSPEC")
	}
	got := error(fi.ErrAgain)
	err := q.wait.wait(ctx, q.q, func(parking bool) bool {
		if parking { // the domains were driven
			if ok, isErr := q.q.Read(dst, flags); ok {
				got = nil
			} else if isErr {
				got = fi.ErrAvail
			}
		} else {
			got = q.Read(dst, flags)
		}
		return got != fi.ErrAgain //nolint:errorlint // a bare value
	})
	switch {
	case got == nil:
		return nil
	case errors.Is(err, errClosed), got == fi.ErrBadFD: //nolint:errorlint // a bare value
		return q.fail("eq_sread", fi.ErrBadFD, closedHint("eq"))
	case got != fi.ErrAgain: //nolint:errorlint // a bare value
		return got
	}
	return &fi.Error{Op: "eq_sread", Provider: q.prov, Err: errors.Join(fi.ErrAgain, err)}
}

// All gives events as they come, until ctx ends or the loop is left. An event in error comes as a *fi.EQErrEntry in the
// error; the loop may go on after it.
func (q *EQ) All(ctx context.Context) iter.Seq2[fi.EQEntry, error] {
	return func(yield func(fi.EQEntry, error) bool) {
		for {
			var e fi.EQEntry
			switch err := q.SRead(ctx, &e, 0); {
			case err == nil:
				if !yield(e, nil) {
					return
				}
			case errors.Is(err, fi.ErrAvail):
				bad := new(fi.EQErrEntry)
				if q.ReadErr(bad) == nil && !yield(fi.EQEntry{FID: bad.FID, Context: bad.Context, Data: bad.Data}, bad) {
					return
				}
			case ctx.Err() != nil:
				return
			default:
				yield(fi.EQEntry{}, err)
				return
			}
		}
	}
}

// Write inserts an event (fi_eq_write), in a queue opened with fi.EQWrite; a reader is woken. Event, FID, Context, Data and
// CMData are what the reader gets.
//
// Errors: fi.ErrInvalid without fi.EQWrite, fi.ErrOverrun when as many events as the queue's size wait that were written
// so, fi.ErrBadFD after Close.
func (q *EQ) Write(e fi.EQEntry) error {
	switch {
	case q.wait.closed.Load():
		return q.fail("eq_write", fi.ErrBadFD, closedHint("eq"))
	case q.flags&fi.EQWrite == 0:
		return q.fail("eq_write", fi.ErrInvalid, "open the queue with fi.EQWrite")
	}
	e.Info = nil
	e.CMData = append([]byte(nil), e.CMData...)
	if !q.q.Write(e) {
		return q.fail("eq_write", fi.ErrOverrun, "nobody reads: read the queue, or open it with a larger size")
	}
	return nil
}

// StrError gives the cause of an event in error in words (fi_eq_strerror).
func (q *EQ) StrError(e *fi.EQErrEntry) string {
	if e.Text != "" {
		return e.Text
	}
	return e.Err.Error()
}

// FD is the descriptor of a queue opened with FI_WAIT_FD, for poll or epoll (fi_control with FI_GETWAIT). Call TryWait
// before each wait; when the descriptor is readable, read the queue. It belongs to the queue: do not read or close it.
//
// Errors: fi.ErrNoSys for other wait objects.
func (q *EQ) FD() (uintptr, error) {
	if err := q.open("eq_getwait"); err != nil {
		return 0, err
	}
	if q.wait.fd == nil {
		return 0, q.fail("eq_getwait", fi.ErrNoSys, "open the queue with FI_WAIT_FD")
	}
	return q.wait.fd.FD(), nil
}

// TryWait prepares for a wait on FD (fi_trywait): nil says that it is safe to block, fi.ErrAgain that the queue must be
// read first.
func (q *EQ) TryWait() error {
	if err := q.open("trywait"); err != nil {
		return err
	}
	return q.wait.tryWait(q.q, func() bool { return q.q.Len() > 0 })
}

// Close releases the queue and what it holds (fi_close). Readers that are blocked return fi.ErrBadFD, and so do later
// reads. fi.ErrBusy while it is bound; closing twice does nothing.
func (q *EQ) Close() error {
	done, err := q.beginClose()
	if done || err != nil {
		return err
	}
	q.wait.release(q.q)
	q.q.Close()
	q.fab.totals.drop(q)
	q.endClose()
	return nil
}
